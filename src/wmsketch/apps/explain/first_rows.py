"""What the first rows tell about columns: which are nearly unique, and which restate the condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from wmsketch import _core
from wmsketch.apps.nearly_unique import is_nearly_unique

_ROWS, _CELLS = 5_000, 500_000  # looked at
_FEWEST = 50  # rows needed to see that a column restates another
_FEWEST_OTHERS = 5  # rows that do not have the most frequent value
_FEWEST_NUMBERS = 10  # different numbers of the column of the condition

Values = dict[int, str | float]  # by row


def judge_columns(blocks: Iterable[_core.RowBlock], asked: Sequence[str]) -> dict[str, str]:
    """Return "unique" for text columns that nearly never repeat a value, "restates" for copies of an asked column.

    A column restates another if its values are those of consecutive intervals of the other's numbers, as minutes late
    and "late by more than 15 minutes" restate the delay.

    >>> rows = "".join(f"{ms},{ms >= 90},{ms % 7},id{ms}\\n" for ms in range(200))
    >>> block = _core.CsvParser(_core.RowEncoder()).feed(("ms,slow,host,id\\n" + rows).encode(), final=True)
    >>> judge_columns([block], ["ms"])
    {'id': 'unique', 'slow': 'restates'}
    """
    columns = _columns_of(blocks)
    texts = {name: list(map(str, values.values())) for name, values in columns.items() if _is_text(values)}
    found = {name: "unique" for name, values in texts.items() if name not in asked and is_nearly_unique(values)}
    for each in asked:
        numbers = _numbers(columns.get(each, {}))
        if len(set(numbers.values())) < _FEWEST_NUMBERS:
            continue
        for name, values in columns.items():
            if name not in asked and name not in found and _restates(values, numbers):
                found[name] = "restates"
    return found


def _columns_of(blocks: Iterable[_core.RowBlock]) -> dict[str, Values]:
    columns: dict[str, Values] = {}
    row = cells = 0
    for block in blocks:
        starts = block.starts[: _ROWS - row + 1].tolist()
        numbers = block.exact_values(starts[-1])
        for begin, end in pairwise(starts):
            for i in range(begin, end):
                column, equals, value = block.name(i).partition("=")
                columns.setdefault(column, {})[row] = value if equals else numbers[i]
            row, cells = row + 1, cells + end - begin
            if cells >= _CELLS:
                return columns
        if row >= _ROWS:
            break
    return columns


def _is_text(values: Values) -> bool:
    return any(isinstance(value, str) for value in values.values())


def _numbers(values: Values) -> dict[int, float]:
    found = {}
    for row, value in values.items():
        try:
            found[row] = float(value)
        except ValueError:
            continue
    return found


def _restates(values: Values, numbers: dict[int, float]) -> bool:
    """Whether each value belongs to one interval of the numbers, none of them by chance."""
    both = [(numbers[row], value) for row, value in values.items() if row in numbers]
    if len(both) < max(_FEWEST, 0.5 * len(numbers)):
        return False
    ends: dict[str | float, list[float]] = {}
    counts: dict[str | float, int] = {}
    for number, value in both:
        least = ends.setdefault(value, [number, number])
        least[0], least[1] = min(least[0], number), max(least[1], number)
        counts[value] = counts.get(value, 0) + 1
    if len(both) - max(counts.values()) < _FEWEST_OTHERS:
        return False
    order = sorted(ends, key=lambda value: ends[value])
    apart = all(ends[a][1] < ends[b][0] for a, b in pairwise(order))
    if not apart:
        return False
    if len(counts) <= len(both) / 5:
        return True
    # many different numbers: they must be in the same or in the opposite order
    ranked = [value for value in order if not isinstance(value, str)]
    return len(ranked) == len(order) and ranked in (sorted(ranked), sorted(ranked, reverse=True))
