"""Columns whose values nearly never repeat, like ids and times: their values say nothing about other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable

from wmsketch import _core

ROWS_LOOKED_AT = 5_000
_FEWEST = 100  # values needed to judge a column
_DISTINCT = 0.9  # share of distinct values from which a column is nearly unique
_FREQUENT = 0.01  # unless one value has more than this share


def first_values(blocks: Iterable[_core.RowBlock], most_rows: int = ROWS_LOOKED_AT) -> dict[str, list[str]]:
    """Return the values of each column in the first rows.

    >>> parser = _core.CsvParser(_core.RowEncoder(only_categories=True))
    >>> first_values([parser.feed(b"id,day\\n1,mon\\n2,tue\\n", final=True)])
    {'id': ['1', '2'], 'day': ['mon', 'tue']}
    """
    values: dict[str, list[str]] = {}
    n_rows = 0
    for block in blocks:
        for column, (_, seen) in block.first_columns(most_rows - n_rows).items():
            values.setdefault(column, []).extend(map(str, seen))
        n_rows += len(block)
        if n_rows >= most_rows:
            break
    return values


def is_nearly_unique(values: Collection[Hashable]) -> bool:
    """Return whether nearly every value is different, and none is frequent.

    >>> is_nearly_unique([str(i) for i in range(200)]), is_nearly_unique(["a", "b"] * 100)
    (True, False)
    """
    n = len(values)
    if n < _FEWEST or len(set(values)) <= _DISTINCT * n:
        return False
    return max(Counter(values).values()) <= max(2, _FREQUENT * n)
