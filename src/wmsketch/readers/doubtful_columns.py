"""Columns that are probably read as the wrong kind: categories that are text, times, ids or numbers; counters."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from math import gcd

from wmsketch._core import RowBlock
from wmsketch.late import pattern
from wmsketch.readers.column_notes import ColumnNote

_ROWS = 1000  # inspected
_WIDEST = 1000  # columns inspected
_VALUES = 300_000  # inspected: of a wide table, fewer rows
_FEWEST = 20  # values needed to recognise text
_FEWEST_OF_THEIR_OWN = 100  # values needed to recognise ids and times
_WORDS = 5  # of a value, on average
_TINY = 1e-150  # the square of a smaller number is 0
_SPARSE = 0.2  # codes take up less than this share of the evenly spaced whole numbers in their range
# column names that end like this hold codes: store_id, zipCode, http_status, month
_CODED = pattern(
    r"(?i:(?:^|[^a-z])(?:id|code|zip|zipcode|postcode|status|month|weekday|hour))$|(?<=[a-z])(?:Id|ID|Code|Status)$"
)
_EVEN = 0.9  # of the steps of row numbers are equal
_A_TIME = 1e8  # seconds: larger numbers that grow are times
_DIFFERENT = 0.99  # above this share of distinct values a column is useless
_DECIMAL_COMMA = pattern(r"[-+]?\d+([. ']\d{3})*(,\d+)?")
_NUMBER = pattern(r"[-+]?\d*\.\d+")  # whole numbers as text are mostly codes
_NUMBER_WITH_SIGN = pattern(r"[-+]?([$€£¥] ?[-+]?\d[\d,]*(\.\d+)?|\d[\d,]*(\.\d+)? ?[%$€£¥])")
_THOUSANDS_COMMA = pattern(r"[-+]?\d{1,3}(,\d{3})*(\.\d+)?")


def doubtful_columns(block: RowBlock, numeric: Collection[str] = ()) -> tuple[ColumnNote, ...]:
    """Return notes on the columns whose values are hard to learn as categories.

    "text" has many words and mostly distinct values. "thousands" are numbers like 1,234.5 and "decimal" ones like
    1.234,5, which the core reads only on request; "numbers" are numbers stored as text in JSON, and "signs" have a
    symbol like % or $. "unique" are values that are nearly all distinct. "growing" are numbers that increase in every
    row, and "numbering" those of them that are row numbers or times. "codes" are whole numbers that look like names:
    200, 404 and 500, or a column named month, unless the column is in ``numeric``. "tiny" are numbers too small to be
    distinguished. Columns are judged by the first 1,000 rows; of a
    wide table, the first 1,000 columns by fewer rows.

    >>> from wmsketch import _core
    >>> rows = "".join(f"{i},o-{i},the order number {i} came late\\n" for i in range(300))
    >>> block = _core.CsvParser(_core.RowEncoder()).feed(("n,id,review\\n" + rows).encode(), final=True)
    >>> [(note.column, note.code) for note in doubtful_columns(block)]
    [('id', 'unique'), ('review', 'text'), ('n', 'numbering')]
    >>> rows = "".join(f"{i % 9},{i % 7};{i % 3}\\n" for i in range(30))
    >>> parser = _core.CsvParser(_core.RowEncoder(), delimiter=";")
    >>> doubtful_columns(parser.feed(("price;n\\n" + rows).encode(), final=True))
    (ColumnNote(code='decimal', column='price', fields={}),)
    """
    if not block.named:
        return ()
    values: dict[str, list[str]] = {}
    numbers: dict[str, list[float]] = {}
    starts = block.first_starts(_ROWS + 1)
    width = min(_WIDEST, (starts[-1] - starts[0]) // max(len(starts) - 1, 1) + 1)
    starts = starts[: max(_FEWEST_OF_THEIR_OWN, _VALUES // width) + 1]
    for column, (_, cells) in block.first_columns(len(starts) - 1, widest=_WIDEST, fewest=_FEWEST).items():
        if texts := [cell for cell in cells if isinstance(cell, str)]:
            values[column] = texts
        if others := [cell for cell in cells if not isinstance(cell, str)]:
            numbers[column] = others
    kinds = {column: _kind(seen) for column, seen in values.items()}
    kinds |= {column: _kind_of_numbers(column, seen, column in numeric) for column, seen in numbers.items()}
    return tuple(ColumnNote(kind, column) for column, kind in kinds.items() if kind is not None)


def _kind_of_numbers(column: str, values: list[float], measured: bool) -> str | None:
    if any(values) and all(abs(value) < _TINY for value in values):
        return "tiny"
    if len(values) < _FEWEST_OF_THEIR_OWN:
        return None
    if all(a < b for a, b in pairwise(values)):
        return "numbering" if _numbers_rows(values) else "growing"
    whole = not measured and all(value == int(value) >= 0 for value in values)
    return "codes" if whole and _are_codes(column, values) else None


def _numbers_rows(values: list[float]) -> bool:
    """Whether growing numbers are those of the rows, which have nearly all the same step, or times in seconds."""
    steps = [b - a for a, b in pairwise(values)]
    even = steps.count(sorted(steps)[len(steps) // 2]) > _EVEN * len(steps)
    return all(value == int(value) for value in values) and (even or values[0] > _A_TIME)


def _are_codes(column: str, values: list[float]) -> bool:
    """Whether whole numbers look like names: by the name of their column, or like 200, 404 and 500.

    Counts, ratings, sizes and prices have few different values too, but these lie close together or are round.
    """
    if len(set(values)) > 2 and _CODED.search(column):
        return True
    different = sorted(set(values))
    step = gcd(*(int(b - a) for a, b in pairwise(different))) if len(different) > 1 else 0
    few = 3 <= len(different) <= _FEWEST
    alike = few and different[0] >= 100 and len(str(int(different[0]))) == len(str(int(different[-1])))
    return alike and step % 5 != 0 and len(different) * step < _SPARSE * (different[-1] - different[0])


def _kind(values: list[str]) -> str | None:
    if len(values) >= _FEWEST and any("," in value for value in values):
        for kind, pattern in (("thousands", _THOUSANDS_COMMA), ("decimal", _DECIMAL_COMMA)):
            if all(map(pattern.fullmatch, values)):
                return kind
    if len(set(values)) >= _FEWEST:  # fewer may well be categories
        for kind, pattern in (("numbers", _NUMBER), ("signs", _NUMBER_WITH_SIGN)):
            if all(map(pattern.fullmatch, values)):
                return kind
    different = len(set(values)) / len(values)
    words = sum(value.count(" ") + 1 for value in values) / len(values)
    if len(values) >= _FEWEST and words >= _WORDS and different > 0.5:
        return "text"
    return "unique" if len(values) >= _FEWEST_OF_THEIR_OWN and different > _DIFFERENT else None
