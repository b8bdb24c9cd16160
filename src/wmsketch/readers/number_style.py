"""How a table writes its numbers: with a decimal comma (6,12), or with commas between thousands (6,120.00)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from wmsketch.late import pattern
from wmsketch.readers.recognise import Layout, first_lines
from wmsketch.readers.transcode import decoded

_LINES = 200  # inspected
_FEWEST = 3  # cells of a column that say how it writes numbers
_MOST_ODD = 0.1  # of the cells of a column of numbers may be something else
BLANK = frozenset({"", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL"})
MARK = pattern(r"[!-/:-@\[-`{-~]+")  # - or ? or *: no letter and no digit, so that it says that a value is missing
AMERICAN = pattern(r"[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][-+]?\d+)?")
EUROPEAN = pattern(r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
_SIGN = pattern(r"(?<=^)([-+]?)[$€£¥] ?|(?<=\d) ?[%$€£¥]$")  # of an amount
SIGNS = frozenset("%$€£¥")
THREE_DIGITS = pattern(r"[-+]?\d{1,3},\d{3}")  # either


def is_blank(cell: str) -> bool:
    """Return whether a cell holds no value.

    >>> [is_blank(cell) for cell in ("", "NA", "?", "--", "$5", "x")]
    [True, True, True, True, False, False]
    """
    return cell in BLANK or MARK.fullmatch(cell) is not None


def without_sign(cell: str) -> str:
    """Return a number without the sign of a currency or of per cent.

    >>> without_sign("-$1,234.50"), without_sign("12 %")
    ('-1,234.50', '12')
    """
    return _SIGN.sub(r"\1", cell)


class NumberStyle(NamedTuple):
    """The separators, and the columns that need them, each with a number."""

    decimal: str = "."
    thousands: str | None = None
    columns: tuple[tuple[str, str], ...] = ()


def number_style_of(head: bytes, layout: Layout, known: bool = False) -> NumberStyle:
    """Return how the first lines of a table write numbers; a table without commas in numbers has the usual style.

    With `known`, columns are known to have numbers, so that one row is enough.

    >>> number_style_of(b"city;price\\nRome;6,12\\nOslo;7,5\\nBari;8\\n", Layout(";"))
    NumberStyle(decimal=',', thousands=None, columns=(('price', '6,12'),))
    >>> number_style_of(b'city,price\\nRome,"6,120.00"\\nOslo,7\\nBari,"1,234"\\n', Layout(","))
    NumberStyle(decimal='.', thousands=',', columns=(('price', '6,120.00'),))
    >>> number_style_of(b'city,price\\nRome,"6.120,00"\\nOslo,"7,00"\\nBari,"1.234,50"\\n', Layout(","))
    NumberStyle(decimal=',', thousands='.', columns=(('price', '6.120,00'),))

    A column may have a few cells that are no numbers, like ``unknown``.
    """
    if layout.delimiter == "," and b'"' not in head:  # a number with a comma would need quotes
        return NumberStyle()
    import csv  # most files have no numbers that need a look

    first = first_lines(decoded(head), _LINES, blank=True)
    lines = [line for line in first if line.strip()][layout.preamble :]
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the module refuses cells of more than 128 KiB: the rows before are enough
        rows.extend(csv.reader(lines, delimiter=layout.delimiter))
    if len(rows) < 2 or b"," not in head:
        return NumberStyle()
    columns = [
        (name, _without_odd([without_sign(cell) for cell in map(str.strip, cells) if not is_blank(cell)]))
        for name, *cells in zip(*(row for row in rows if len(row) == len(rows[0])), strict=True)
    ]
    written = [(name, cells) for name, cells in columns if len(cells) >= (1 if known else _FEWEST)]
    points = any(all(map(AMERICAN.fullmatch, cells)) and _any_in(cells, ".") for _, cells in written)
    if not points:
        european = [(name, cells) for name, cells in written if _has(cells, EUROPEAN, AMERICAN)]
        if layout.delimiter == ",":  # a quoted pair of codes, like "3,12", is no number
            european = [(name, cells) for name, cells in european if _are_amounts(cells)]
        if european:
            grouped = any(_any_in(cells, ".") for _, cells in european)
            return NumberStyle(",", "." if grouped else None, _examples(european))
    american = [(name, cells) for name, cells in written if _has(cells, AMERICAN, EUROPEAN, layout.delimiter == ",")]
    return NumberStyle(".", ",", _examples(american)) if american else NumberStyle()


def _without_odd(cells: list[str]) -> list[str]:
    """The cells that are numbers in either style, if nearly all are; otherwise all cells."""
    numbers = [cell for cell in cells if AMERICAN.fullmatch(cell) or EUROPEAN.fullmatch(cell)]
    return numbers if len(cells) - len(numbers) <= _MOST_ODD * len(cells) else cells


def _has(cells: Sequence[str], style: re.Pattern[str], other: re.Pattern[str], either: bool = False) -> bool:
    """Whether all cells have a style, some with a comma, and some not the other style (or `either` is enough)."""
    with_comma = [cell for cell in cells if "," in cell]
    if not with_comma or not all(map(style.fullmatch, cells)):
        return False
    return either or any(not other.fullmatch(cell) and not THREE_DIGITS.fullmatch(cell) for cell in with_comma)


def _are_amounts(cells: Sequence[str]) -> bool:
    """Whether European numbers have points between thousands, or all the same two or more digits after a comma."""
    digits = {len(cell.partition(",")[2]) for cell in cells}
    return any("." in cell and "," in cell for cell in cells) or (len(digits) == 1 and min(digits) >= 2)


def _any_in(cells: Sequence[str], mark: str) -> bool:
    return any(mark in cell for cell in cells)


def _examples(columns: Sequence[tuple[str, list[str]]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, next(cell for cell in cells if "," in cell)) for name, cells in columns)
