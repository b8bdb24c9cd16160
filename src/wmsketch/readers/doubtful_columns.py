"""Columns that are read as categories, though hardly a value comes twice: running text, times, identifiers."""

from __future__ import annotations

from wmsketch._core import RowBlock

_ROWS = 1000  # that are looked at
_FEWEST = 20  # values to judge text by
_FEWEST_OF_THEIR_OWN = 100  # values to judge identifiers and times by
_WORDS = 5  # of a value, on average
_DIFFERENT = 0.99  # share of values that differ, above which a column says nothing


def doubtful_columns(block: RowBlock) -> dict[str, str]:
    """Return the columns whose values can hardly be learned as categories: "text", or "unique" where nearly all differ.

    Text has many words and mostly different values. Other columns are judged by the first 1,000 rows.

    >>> from wmsketch import _core
    >>> rows = "".join(f"{i},o-{i},the order number {i} came late\\n" for i in range(300))
    >>> doubtful_columns(_core.CsvParser(_core.RowEncoder()).feed(("n,id,review\\n" + rows).encode(), final=True))
    {'id': 'unique', 'review': 'text'}
    """
    if not block.named:
        return {}
    values: dict[str, list[str]] = {}
    starts = block.starts[: _ROWS + 1].tolist()
    for i in range(starts[0], starts[-1]):
        column, equals, value = block.name(i).partition("=")
        if equals:
            values.setdefault(column, []).append(value)
    kinds = {column: _kind(seen) for column, seen in values.items()}
    return {column: kind for column, kind in kinds.items() if kind is not None}


def _kind(values: list[str]) -> str | None:
    different = len(set(values)) / len(values)
    words = sum(value.count(" ") + 1 for value in values) / len(values)
    if len(values) >= _FEWEST and words >= _WORDS and different > 0.5:
        return "text"
    return "unique" if len(values) >= _FEWEST_OF_THEIR_OWN and different > _DIFFERENT else None
