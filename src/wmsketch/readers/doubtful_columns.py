"""Columns that hardly are what they are read as: categories that are text, times, identifiers or numbers; counters."""

from __future__ import annotations

import re
from itertools import pairwise

from wmsketch._core import RowBlock
from wmsketch.readers.column_notes import ColumnNote

_ROWS = 1000  # that are looked at
_FEWEST = 20  # values to judge text by
_FEWEST_OF_THEIR_OWN = 100  # values to judge identifiers and times by
_WORDS = 5  # of a value, on average
_DIFFERENT = 0.99  # share of values that differ, above which a column says nothing
_DECIMAL_COMMA = re.compile(r"[-+]?\d+([. ']\d{3})*(,\d+)?")
_NUMBER = re.compile(r"[-+]?\d*\.\d+")  # whole numbers as texts are mostly codes
_NUMBER_WITH_SIGN = re.compile(r"[-+]?([$€£¥] ?[-+]?\d[\d,]*(\.\d+)?|\d[\d,]*(\.\d+)? ?[%$€£¥])")
_THOUSANDS_COMMA = re.compile(r"[-+]?\d{1,3}(,\d{3})*(\.\d+)?")


def doubtful_columns(block: RowBlock) -> tuple[ColumnNote, ...]:
    """Return notes on the columns whose values can hardly be learned as categories.

    "text" has many words and mostly different values. "thousands" are numbers like 1,234.5 and "decimal" ones like
    1.234,5, as the core does not read them unasked; "numbers" are those that JSON has as texts, and "signs" have a sign
    like % or $. "unique" are values nearly all of which differ. "growing" are numbers each of which is larger than the
    one before, as of a row's number. Columns are judged by the first 1,000 rows.

    >>> from wmsketch import _core
    >>> rows = "".join(f"{i},o-{i},the order number {i} came late\\n" for i in range(300))
    >>> block = _core.CsvParser(_core.RowEncoder()).feed(("n,id,review\\n" + rows).encode(), final=True)
    >>> [(note.column, note.code) for note in doubtful_columns(block)]
    [('id', 'unique'), ('review', 'text'), ('n', 'growing')]
    >>> rows = "".join(f"{i % 9},{i % 7};{i % 3}\\n" for i in range(30))
    >>> parser = _core.CsvParser(_core.RowEncoder(), delimiter=";")
    >>> doubtful_columns(parser.feed(("price;n\\n" + rows).encode(), final=True))
    (ColumnNote(code='decimal', column='price', fields={}),)
    """
    if not block.named:
        return ()
    values: dict[str, list[str]] = {}
    numbers: dict[str, list[float]] = {}
    starts = block.starts[: _ROWS + 1].tolist()
    for i, number in enumerate(block.values[starts[0] : starts[-1]].tolist(), starts[0]):
        column, equals, value = block.name(i).partition("=")
        if equals:
            values.setdefault(column, []).append(value)
        else:
            numbers.setdefault(column, []).append(number)
    kinds = {column: _kind(seen) for column, seen in values.items()}
    kinds |= {column: "growing" for column, seen in numbers.items() if _grows(seen)}
    return tuple(ColumnNote(kind, column) for column, kind in kinds.items() if kind is not None)


def _grows(values: list[float]) -> bool:
    return len(values) >= _FEWEST_OF_THEIR_OWN and all(a < b for a, b in pairwise(values))


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
