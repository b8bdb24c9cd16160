"""The same for one stream in the terminal, without a server: rows in, a table that is drawn again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from wmsketch.readers import open_stream
from wmsketch.serve.rows import BadBody, rows_of_lines
from wmsketch.serve.tasks.windows import WindowsTask

_CHUNK = 1 << 16


class Watch:
    """Reads JSON lines into the windows of a task; `refused` counts lines that could not be read."""

    def __init__(self, task: WindowsTask, clock: Callable[[], float] = time.time) -> None:
        self.task = task
        self.refused = 0
        self._clock = clock

    def read(self, source: str, tick: Callable[[], object]) -> None:
        """Read a file, `-` or an address to its end; `tick` is called after each piece."""
        rest = b""
        with open_stream(source) as stream:
            for chunk in stream.chunks(_CHUNK):
                whole, _, rest = (rest + chunk).rpartition(b"\n")
                self._learn(whole)
                tick()
        self._learn(rest)
        tick()

    def _learn(self, text: bytes) -> None:
        try:
            rows = rows_of_lines(text)
        except BadBody:
            rows = []
            for line in text.split(b"\n"):  # a bad line costs one line
                try:
                    rows += rows_of_lines(line)
                except BadBody:
                    self.refused += 1
        if rows:
            self.refused += self.task.learn(rows, self._clock()).refused

    def table(self, k: int, asked: Mapping[str, Any]) -> Any:
        """Return the answer as a table for the terminal."""
        from rich.table import Table
        from rich.text import Text

        answer = self.task.compare({**asked, "k": k})
        caption = f"{answer['total_a']:,} rows against {answer['total_b']:,}; {answer['exact']:,} of "
        caption += f"{answer['items']:,} counts are exact" + (
            f"; {self.refused:,} rows refused" if self.refused else ""
        )
        table = Table(box=None, caption=caption, caption_justify="left", pad_edge=False)
        for name in ("attribute", "share", "share of others", "ratio", "95 % range", "rows"):
            table.add_column(name, justify="left" if name == "attribute" else "right")
        for row in answer["rows"]:
            label = " & ".join(f"{column}={value}" for column, value in row["attributes"].items())
            shown = "".join(each if each.isprintable() else "?" for each in label)
            table.add_row(
                Text(shown),
                f"{row['share_a']:.1%}",
                f"{row['share_b']:.1%}",
                f"{row['ratio']:.3g}",
                f"{row['ratio_low']:.3g} to {row['ratio_high']:.3g}",
                f"{row['count_a']:,}",
            )
        return table
