"""A live table of an endless stream."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from wmsketch.errors import ParameterError
from wmsketch.terminal import drawing_on, safe_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_WIDE = 200  # columns if there is no terminal


class LiveTable:
    """Draws the result of `render` (text, or a rich table) at intervals, and once more at the end.

    `tick()` is cheap and may be called for every block of rows: it draws at most once in `every_seconds`, and never for
    None. A terminal is redrawn in place; any other output gets a new table below the last. `finish()` draws the final
    table. Leaving the `with` block restores the terminal, even after an error.

    >>> rows = []
    >>> with LiveTable(None, lambda: f"{len(rows)} rows") as table:
    ...     for row in range(3):
    ...         rows.append(row)
    ...         _ = table.tick()
    ...     table.finish()
    3 rows
    """

    def __init__(
        self,
        every_seconds: float | None,
        render: Callable[[], RenderableType],
        *,
        file: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if every_seconds is not None and not every_seconds > 0:
            raise ParameterError("every_seconds", "must be above 0", every_seconds)
        self._every = every_seconds
        self._render = render
        self._file = file
        self._clock = clock
        self._drawn_at = clock()
        self._n_drawn = 0
        self._live: Live | None = None

    def __enter__(self) -> LiveTable:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def tick(self) -> bool:
        """Draw if the interval has passed; return whether it has."""
        if self._every is None or self._clock() - self._drawn_at < self._every:
            return False
        self._draw()
        self._drawn_at = self._clock()  # after drawing, so that a slow table leaves time for the stream
        return True

    def finish(self) -> None:
        """Draw the last table."""
        self._draw()

    def _draw(self) -> None:
        from rich.console import Console

        file = drawing_on(self._file or sys.stdout)
        shown = self._render()
        shown = safe_text(shown) if isinstance(shown, str) else shown
        if self._every is not None and file.isatty():
            if self._live is None:
                from rich.live import Live

                self._live = Live(console=Console(file=file), auto_refresh=False)
                self._live.start()
            self._live.update(shown, refresh=True)
            return
        console = Console(file=file) if file.isatty() else Console(file=file, width=_WIDE)
        if self._n_drawn:
            console.print()
        console.print(shown, markup=False, highlight=False, soft_wrap=isinstance(shown, str))
        file.flush()  # the reader of a pipe sees a whole table at once
        self._n_drawn += 1
