"""Columns that look like running text, but are read as categories."""

from __future__ import annotations

from wmsketch._core import RowBlock

_ROWS = 200  # that are looked at
_FEWEST = 20  # values to judge by
_WORDS = 5  # of a value, on average


def text_columns(block: RowBlock) -> list[str]:
    """Return the columns whose values are mostly different and have many words: as categories they say nothing.

    >>> from wmsketch import _core
    >>> rows = "".join(f"{i},the order number {i} came late\\n" for i in range(30))
    >>> text_columns(_core.CsvParser(_core.RowEncoder()).feed(("id,review\\n" + rows).encode(), final=True))
    ['review']
    """
    if not block.named:
        return []
    values: dict[str, list[str]] = {}
    starts = block.starts[: _ROWS + 1].tolist()
    for i in range(starts[0], starts[-1]):
        column, equals, value = block.name(i).partition("=")
        if equals:
            values.setdefault(column, []).append(value)
    return [
        column
        for column, seen in values.items()
        if len(seen) >= _FEWEST
        and sum(value.count(" ") + 1 for value in seen) >= _WORDS * len(seen)
        and 2 * len(set(seen)) > len(seen)
    ]
