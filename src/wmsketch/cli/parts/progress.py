"""One moving line on stderr, when that is a terminal: rows, rows/s, MB/s, running error, bytes of the model."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from wmsketch.readers import Examples


class ProgressLine:
    """Shows how far a stream is; silent where nobody watches."""

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._began = time.perf_counter()
        self._rows_before = self._bytes_before = 0  # of the passes that are done
        self._rows = self._bytes = 0

    def __enter__(self) -> ProgressLine:
        if self._shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(bar_width=20), TextColumn("{task.description}"), TimeRemainingColumn(compact=True))
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._progress.start()
            self._progress.add_task("reading", total=None)
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress:
            self._progress.stop()

    def next_pass(self) -> None:
        """Count rows and bytes from here on top of those so far."""
        self._rows_before += self._rows
        self._bytes_before += self._bytes

    def show(self, examples: Examples, rows: int, error_rate: float | None = None, nbytes: int | None = None) -> None:
        """Update the line; `rows` are those of this pass."""
        self._rows, self._bytes = rows, examples.bytes_read
        if self._progress is None:
            return
        seconds = max(1e-9, time.perf_counter() - self._began)
        all_rows, all_bytes = self._rows_before + rows, self._bytes_before + self._bytes
        parts = [f"{all_rows:,} rows", f"{all_rows / seconds:,.0f} rows/s", f"{all_bytes / seconds / 1e6:.1f} MB/s"]
        parts += [] if error_rate is None else [f"error {error_rate:.2%}"]
        parts += [] if nbytes is None else [f"model {nbytes:,} B"]
        task = self._progress.task_ids[0]
        self._progress.update(
            task, description="  ".join(parts), completed=self._bytes, total=examples.bytes_total or None
        )


def waiting(message: str, quiet: bool = False) -> AbstractContextManager[object]:
    """A spinner for work without a measure; silent where nobody watches."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(message)
