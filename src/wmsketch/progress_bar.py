"""The progress bar."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from wmsketch.terminal import drawing_on, safe_text

if TYPE_CHECKING:
    from rich.progress import Progress


class ProgressBar:
    """A bar followed by a text, on stderr; silent if that is not a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._began = time.perf_counter()

    def __enter__(self) -> Self:
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(bar_width=20), TextColumn("{task.description}"), TimeRemainingColumn(compact=True))
            self._progress = Progress(*columns, console=Console(file=drawing_on(sys.stderr)), transient=True)
            self._progress.start()
            self._progress.add_task("reading", total=None)
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._progress:
            self._progress.stop()
            self._progress, self.shown = None, False

    def seconds(self) -> float:
        """Return the time since the start."""
        return max(1e-9, time.perf_counter() - self._began)

    def update(self, text: str, done: int, total: int | None) -> None:
        """Redraw the bar; it moves back and forth if the total is unknown."""
        if self._progress:
            self._progress.update(
                self._progress.task_ids[0], description=safe_text(text), completed=done, total=total or None
            )
