"""Work at intervals, such as checkpoints and log lines, on a thread of its own, while another waits for rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Task(NamedTuple):
    """Calls a function at a fixed interval of seconds."""

    seconds: float
    work: Callable[[], object]


class Ticker:
    """Runs tasks while the `with` lasts. An error of a task is raised by the next `check`, and ends the tasks.

    >>> with Ticker([Task(3600, print)]) as ticker:
    ...     ticker.check()
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = list(tasks)
        self._stop = threading.Event()
        self._problem: BaseException | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Ticker:
        if self._tasks:
            self._thread = threading.Thread(target=self._run, name="wmsketch-ticker", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def check(self) -> None:
        """Raise the error of a task, if there was one."""
        if self._problem is not None:
            raise self._problem

    def _run(self) -> None:
        due = [time.monotonic() + task.seconds for task in self._tasks]
        while not self._stop.wait(max(0.0, min(due) - time.monotonic())):
            for number, task in enumerate(self._tasks):
                if time.monotonic() >= due[number]:
                    try:
                        task.work()
                    except BaseException as problem:  # the thread that learns raises it
                        self._problem = problem
                        return
                    due[number] = time.monotonic() + task.seconds
