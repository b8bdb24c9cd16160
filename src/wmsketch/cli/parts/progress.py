"""A progress line on stderr, if that is a terminal: rows, rows/s, MB/s, running error, bytes of the model."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from wmsketch.progress_bar import ProgressBar
from wmsketch.terminal import drawing_on, safe_text

if TYPE_CHECKING:
    from wmsketch.readers import Examples


class ProgressLine(ProgressBar):
    """Shows the progress through a stream."""

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self._rows_before = self._bytes_before = 0  # of finished passes
        self._rows = self._bytes = 0

    def next_pass(self) -> None:
        """Start a new pass: add its rows and bytes to those so far."""
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
    """A spinner for work of unknown length; silent if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(file=drawing_on(sys.stderr)).status(safe_text(message))
