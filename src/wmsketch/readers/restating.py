"""Columns that say the same as another: the minutes late of a flight, and whether it is late."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from wmsketch._core import RowBlock

ROWS_JUDGED, _CELLS = 5_000, 500_000  # looked at
_FEW_CELLS = 100_000  # for a note
_FEWEST = 50  # rows needed to see that a column restates another
_FEWEST_OTHERS = 5  # rows that do not have the most frequent value
FEWEST_NUMBERS = 10  # different numbers of a column that can be restated

Values = dict[int, str | float]  # by row


def columns_that_tell(block: RowBlock, label: str) -> list[str]:
    """Return the columns of numbers of which a limit tells the two values of a column apart in every row.

    >>> from wmsketch import _core
    >>> rows = "".join(f"{ms},{ms >= 90},{ms % 7}\\n" for ms in range(200))
    >>> parser = _core.CsvParser(_core.RowEncoder())
    >>> columns_that_tell(parser.feed(("ms,slow,host\\n" + rows).encode(), final=True), "slow")
    ['ms']
    """
    columns = columns_of([block], _FEW_CELLS)
    labels = columns.pop(label, {})
    if len(set(labels.values())) != 2:
        return []
    numbers = {name: numbers_of(values) for name, values in columns.items() if not is_text(values)}
    return [
        name for name, each in numbers.items() if len(set(each.values())) >= FEWEST_NUMBERS and restates(labels, each)
    ]


def columns_of(blocks: Iterable[RowBlock], most_cells: int = _CELLS) -> dict[str, Values]:
    """Return the values of the first rows by column; a number as a number, a category as its text."""
    columns: dict[str, Values] = {}
    row = cells = 0
    for block in blocks:
        starts = block.first_starts(ROWS_JUDGED - row + 1)
        numbers = block.exact_values(starts[-1])
        for begin, end in pairwise(starts):
            for i in range(begin, end):
                column, equals, value = block.name(i).partition("=")
                columns.setdefault(column, {})[row] = value if equals else numbers[i]
            row, cells = row + 1, cells + end - begin
            if cells >= most_cells:
                return columns
        if row >= ROWS_JUDGED:
            break
    return columns


def is_text(values: Values) -> bool:
    """Whether some values are texts."""
    return any(isinstance(value, str) for value in values.values())


def numbers_of(values: Values) -> dict[int, float]:
    """Return the values that are numbers, or texts of numbers."""
    found = {}
    for row, value in values.items():
        try:
            found[row] = float(value)
        except ValueError:
            continue
    return found


def restates(values: Values, numbers: dict[int, float]) -> bool:
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
