"""One moving line on stderr, when that is a terminal: rows, rows/s, MB/s, running error, bytes of the model."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

    from wmsketch.readers import Examples


class ProgressBar:
    """A bar with a text behind it, on stderr; silent where nobody watches."""

    def __init__(self, quiet: bool = False) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._began = time.perf_counter()

    def __enter__(self) -> Self:
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(bar_width=20), TextColumn("{task.description}"), TimeRemainingColumn(compact=True))
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._progress.start()
            self._progress.add_task("reading", total=None)
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar away."""
        if self._progress:
            self._progress.stop()
            self._progress, self.shown = None, False

    def seconds(self) -> float:
        """The time since the beginning."""
        return max(1e-9, time.perf_counter() - self._began)

    def update(self, text: str, done: int, total: int | None) -> None:
        """Draw the bar anew; where the total is not known it moves to and fro."""
        if self._progress:
            self._progress.update(self._progress.task_ids[0], description=text, completed=done, total=total or None)


class ProgressLine(ProgressBar):
    """Shows how far a stream is."""

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self._rows_before = self._bytes_before = 0  # of the passes that are done
        self._rows = self._bytes = 0

    def next_pass(self) -> None:
        """Count rows and bytes from here on top of those so far."""
        self._rows_before += self._rows
        self._bytes_before += self._bytes

    def show(self, examples: Examples, rows: int, error_rate: float | None = None, nbytes: int | None = None) -> None:
        """Update the line; `rows` are those of this pass."""
        self._rows, self._bytes = rows, examples.bytes_read
        if not self.shown:
            return
        seconds = self.seconds()
        all_rows, all_bytes = self._rows_before + rows, self._bytes_before + self._bytes
        parts = [f"{all_rows:,} rows", f"{all_rows / seconds:,.0f} rows/s", f"{all_bytes / seconds / 1e6:.1f} MB/s"]
        parts += [] if error_rate is None else [f"error {error_rate:.2%}"]
        parts += [] if nbytes is None else [f"model {nbytes:,} B"]
        self.update("  ".join(parts), self._bytes, examples.bytes_total)


def waiting(message: str, quiet: bool = False) -> AbstractContextManager[object]:
    """A spinner for work without a measure; silent where nobody watches."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(message)
