"""Ctrl-C, SIGTERM and SIGHUP: they take effect at once while waiting for input, never during learning or saving."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from wmsketch.cli.parts.errors import Stopped

# SIGHUP is sent when a terminal closes; not every system has it
_SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


class Interrupts:
    """Raises `Stopped` when a signal arrives, or at the end of a `whole` block.

    >>> with Interrupts() as interrupts, interrupts.whole():
    ...     "a signal here waits until the end of this block"
    'a signal here waits until the end of this block'
    """

    def __init__(self) -> None:
        self._busy = False
        self._pending: int | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # only the main thread may set handlers
            for number in _SIGNALS:
                self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Defer signals until the end of the block."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = self._pending is not None
        if self._pending is not None:
            raise Stopped(self._pending)

    def finish(self) -> None:
        """Ignore signals from here on: the rest is short and must complete."""
        self._busy = True

    def _receive(self, number: int, _: FrameType | None) -> None:
        self._pending = number
        if not self._busy:
            self._busy = True  # a second signal must not interrupt the save that follows
            raise Stopped(number)
