"""A result table that fits the terminal: other columns are dropped before the names shrink."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wmsketch.cli.parts.output import printable
from wmsketch.late import dataclass
from wmsketch.terminal import safe_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group, RenderResult

_NARROWEST = 24  # minimum width of the names; below it a column is dropped
_BETWEEN = 2


@dataclass(frozen=True)
class AnswerTable:
    """Print names left-aligned and numbers right-aligned. In a narrow terminal drop the columns of `least` in order.

    Names that are still too long are wrapped, never cut. They are in the column `names`, by default the first.

    >>> from rich.console import Console
    >>> table = AnswerTable(("item", "times", "95 %"), [("carrier=UA", "3.2", "2.9 to 3.5")], least=("95 %",))
    >>> Console(width=40).print(table)
    item        times        95 %
    carrier=UA    3.2  2.9 to 3.5
    >>> Console(width=20).print(table)
    item        times
    carrier=UA    3.2
    >>> Console(width=16).print(AnswerTable(("label", "word", "weight"), [("a", "long", "1")], left=["label"], names=1))
    label  w  weight
           o
           r
           d
    a      l       1
           o
           n
           g
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    least: Sequence[str] = ()
    left: Sequence[str] = ()  # other columns of text
    names: int = 0
    under: Sequence[str | None] = ()  # a line below each row, cut at the end of the terminal

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.cells import cell_len
        from rich.text import Text

        shown = [[printable(cell) for cell in row] for row in (self.headers, *self.rows)]
        widths = [max(cell_len(row[i]) for row in shown) for i in range(len(self.headers))]
        columns = list(range(len(self.headers)))
        for name in self.least:
            if self._room(columns, widths, options.max_width) >= min(widths[self.names], _NARROWEST):
                break
            columns.remove(list(self.headers).index(name))
        widths[self.names] = max(1, min(widths[self.names], self._room(columns, widths, options.max_width)))
        below = [None, *self.under] if self.under else [None] * len(shown)
        for row, under in zip(shown, below, strict=True):
            for number, line in enumerate(_folded(row[self.names], widths[self.names])):
                parts = [
                    _padded(
                        line if i == self.names else row[i] * (number == 0),
                        widths[i],
                        i == self.names or self.headers[i] in self.left,
                    )
                    for i in columns
                ]
                yield Text((" " * _BETWEEN).join(parts).rstrip(), no_wrap=True, overflow="ignore")
            if under is not None:
                yield Text("  " + printable(under), style="dim", no_wrap=True, overflow="ellipsis")

    def _room(self, columns: Sequence[int], widths: Sequence[int], width: int) -> int:
        return width - sum(widths[i] + _BETWEEN for i in columns if i != self.names)


def with_lines(table: AnswerTable | None, lines: Iterable[str]) -> Group:
    """Return a table, if there is one, with lines of text below it. Names in them may come from data."""
    from rich.console import Group
    from rich.text import Text

    below = [Text(safe_text(line)) for line in lines]
    return Group(table, Text(""), *below) if table is not None else Group(*below)


def _padded(text: str, width: int, left: bool) -> str:
    from rich.cells import cell_len

    space = " " * (width - cell_len(text))
    return text + space if left else space + text


def _folded(text: str, width: int) -> list[str]:
    """Wrap text to this width, between words unless that leaves a line nearly empty.

    >>> _folded("dep_time=from 1954 & sched_dep_time=1645", 22)
    ['dep_time=from 1954 &', 'sched_dep_time=1645']
    >>> _folded("a_very_long_name", 6)
    ['a_very', '_long_', 'name']
    """
    from rich.cells import cell_len, chop_cells

    lines = []
    while cell_len(text) > width:
        first = next(filter(None, chop_cells(text, width)))
        end = len(first) if text[len(first) :].startswith(" ") else first.rfind(" ")
        if end < len(first) / 3:
            end = len(first)
        lines.append(text[:end])
        text = text[end:].removeprefix(" ")
    return [*lines, text]
