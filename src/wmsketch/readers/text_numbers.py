"""Columns of texts that are numbers as people write them, in formats whose values have types: JSON, Arrow, frames."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from wmsketch._core import DictRows, RowBlock, RowEncoder
from wmsketch.late import pattern
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.number_style import AMERICAN, EUROPEAN, MARK, SIGNS, THREE_DIGITS, is_blank, without_sign

if TYPE_CHECKING:
    from wmsketch.readers.options import ReaderOptions

SAMPLE_ROWS = 200
_MOST_VALUES = 100_000  # inspected: of a wide table, fewer rows
_CODE = pattern(r"[-+]?0\d.*")
_FEWEST, _FEWEST_WITHOUT_SIGN = 3, 20  # different values of a column that say how it writes numbers


class TextNumbers(NamedTuple):
    """How a column writes numbers, and its first one."""

    decimal: str
    thousands: str | None
    first: str


def sample_rows(n_columns: int) -> int:
    """Return how many rows of a table are looked at.

    >>> sample_rows(12), sample_rows(20_000)
    (200, 5)
    """
    return max(_FEWEST, min(SAMPLE_ROWS, _MOST_VALUES // max(1, n_columns)))


def texts_of(block: RowBlock) -> dict[str, list[str]]:
    """Return the texts of each column that has nothing but texts."""
    texts: dict[str, list[str]] = {}
    numbers = set()
    for i in range(min(block.n_features, _MOST_VALUES)):
        column, equals, value = block.name(i).partition("=")
        if equals:
            texts.setdefault(column, []).append(value)
        else:
            numbers.add(column)
    return {column: values for column, values in texts.items() if column not in numbers}


def text_numbers(texts: Mapping[str, Sequence[str]], known: Container[str] = ()) -> dict[str, TextNumbers]:
    """Return the columns whose texts are all numbers: with one sign, a decimal comma, or separated thousands.

    Plain fractions like 12.5 are numbers if there are many different ones; whole numbers as texts are mostly codes,
    unless marks like ? among them say why the column holds texts. Of the columns in ``known``, which have numbers, one
    value is enough.

    >>> text_numbers({"price": ["$1,234.50", "$7", "$8"], "zip": ["02139", "94110", "10001"]})
    {'price': TextNumbers(decimal='.', thousands=None, first='$1,234.50')}
    >>> text_numbers({"price": ["1.234,50", "7,20", "8,00"]})["price"]
    TextNumbers(decimal=',', thousands='.', first='1.234,50')
    """
    bare = {name: list(map(str.strip, values)) for name, values in texts.items()}
    cells = {name: [text for text in values if not is_blank(text)] for name, values in bare.items()}
    marked = {name for name, values in bare.items() if any(map(MARK.fullmatch, values))}
    found = {name: _style(values, name in known, name in marked) for name, values in cells.items() if values}
    decimal_comma = any(each is not None and each.decimal == "," for each in found.values())
    return {
        name: each if not decimal_comma or each.thousands != "," or "." in "".join(cells[name]) else _with_comma(each)
        for name, each in found.items()
        if each is not None
    }


def take_amounts(encoder: RowEncoder | DictRows, sample: RowBlock, options: ReaderOptions) -> list[ColumnNote]:
    """Let an encoder read the columns of amounts in a sample as numbers; return the notes."""
    texts = {name: values for name, values in texts_of(sample).items() if name not in (options.label, *options.text)}
    known = [name for name, kind in (options.column_kinds or {}).items() if kind in ("number", "mixed")]
    found = text_numbers(texts, known)
    for name, each in found.items():
        encoder.read_amounts(name, each.decimal, each.thousands)
    no_numbers = (*options.categorical, *options.ignore, *known)
    return [
        ColumnNote("amounts", name, {"first": each.first}) for name, each in found.items() if name not in no_numbers
    ]


def _with_comma(each: TextNumbers) -> TextNumbers:
    return each._replace(decimal=",", thousands=None)


def _style(cells: Sequence[str], known: bool, marked: bool) -> TextNumbers | None:
    bare = [without_sign(cell) for cell in cells]
    signs = {"".join(SIGNS.intersection(cell)) for cell in cells}
    with_comma = [cell for cell in bare if "," in cell]
    n_different = len(set(cells))
    if len(signs) > 1 or not (all(map(AMERICAN.fullmatch, bare)) or all(map(EUROPEAN.fullmatch, bare))):
        return None
    both = any("." in cell for cell in with_comma)
    fewest = 1 if known else _FEWEST if signs != {""} or both else _FEWEST_WITHOUT_SIGN
    fractions = all("." in cell for cell in bare) or (marked and not any(map(_CODE.fullmatch, bare)))
    if n_different < fewest or (signs == {""} and not with_comma and not fractions):
        return None
    first = next((cell for cell in cells if "," in cell), cells[0])
    european = all(map(EUROPEAN.fullmatch, bare)) and any(
        not AMERICAN.fullmatch(cell) and not THREE_DIGITS.fullmatch(cell) for cell in with_comma
    )
    if european:
        return TextNumbers(",", "." if any("." in cell for cell in bare) else None, first)
    if not all(map(AMERICAN.fullmatch, bare)):
        return None
    return TextNumbers(".", "," if with_comma and signs == {""} else None, first)
