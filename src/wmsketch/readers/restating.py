"""Columns that say the same as another: the minutes late of a flight, and whether it is late."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from wmsketch._core import RowBlock

ROWS_JUDGED, _CELLS = 5_000, 500_000  # looked at
_FEW_CELLS = 100_000  # for a note
_FEWEST = 50  # rows needed to see that a column restates another
_FEW = 200  # rows that usually show that it does not
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
        n_rows = min(len(starts) - 1, bisect_left(starts, starts[0] + most_cells - cells))
        for column, (rows, values) in block.first_columns(n_rows, row).items():
            columns.setdefault(column, {}).update(zip(rows, values, strict=True))
        row, cells = row + n_rows, cells + starts[n_rows] - starts[0]
        if row >= ROWS_JUDGED or cells >= most_cells:
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
    pairs = ((numbers[row], value) for row, value in values.items() if row in numbers)
    few = list(islice(pairs, _FEW))
    if not _are_intervals(few):  # most columns do not restate the numbers, and a few rows show it
        return False
    both = few + list(pairs)
    if len(both) < max(_FEWEST, 0.5 * len(numbers)):
        return False
    counts = Counter(value for _, value in both)
    if len(both) - max(counts.values()) < _FEWEST_OTHERS or not (order := _are_intervals(both)):
        return False
    if len(counts) <= len(both) / 5:
        return True
    # many different numbers: they must be in the same or in the opposite order
    ranked = [value for value in order if not isinstance(value, str)]
    return len(ranked) == len(order) and ranked in (sorted(ranked), sorted(ranked, reverse=True))


def _are_intervals(both: Sequence[tuple[float, str | float]]) -> list[str | float]:
    """Return the values in the order of their numbers if each belongs to one interval of them, or nothing."""
    ends: dict[str | float, list[float]] = {}
    for number, value in both:
        least = ends.setdefault(value, [number, number])
        least[0], least[1] = min(least[0], number), max(least[1], number)
    order = sorted(ends, key=lambda value: ends[value])
    return order if all(ends[a][1] < ends[b][0] for a, b in pairwise(order)) else []
