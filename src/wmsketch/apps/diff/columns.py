"""Which columns of two tables are compared if none are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from wmsketch import _core
from wmsketch.apps.diff.first_part import FirstPart
from wmsketch.apps.diff.inputs import ItemOptions, Side, open_both
from wmsketch.apps.diff.log_lines import WORDS, is_log
from wmsketch.apps.nearly_unique import ROWS_LOOKED_AT, first_values, is_nearly_unique
from wmsketch.errors import ParameterError
from wmsketch.formats import COLUMNAR
from wmsketch.readers import BadInput
from wmsketch.readers.open_stream import STDIN
from wmsketch.readers.recognise import format_of_name
from wmsketch.readers.rows_of_format import Rows
from wmsketch.readers.variable_words import words_in


class Special(NamedTuple):
    """Columns that are not compared value by value."""

    unique: tuple[str, ...] = ()  # in nearly every row another value
    messages: tuple[str, ...] = ()  # of a log
    variable_words: tuple[str, ...] = ()  # templates of the messages, in which words vary


def special_columns(
    inputs: list[list[str]],
    options: ItemOptions,
    first: FirstPart,
    most_bytes: int,
    split: str | None = None,
    ahead: tuple[Side, Side] | None = None,
) -> Special:
    """Return the columns that are special in the first rows of each input. Data that is no table has none.

    The templates in which words vary take at most `most_bytes`. The sides `ahead` read the same inputs with the same
    options: their first rows are looked at, if these are enough, and need not be read twice.
    """
    columns: dict[str, list[tuple[bool, bool]]] = {}
    texts: dict[str, list[str]] = {}
    for number, paths in enumerate(inputs):
        if not options.takes_all_columns or not first.can_open(paths[0]):
            return Special()
        with first.open(paths[0]) as stream:
            format = options.format_of(stream)
            if format not in COLUMNAR:
                return Special()
            if number == 0 and ahead:
                open_both(*ahead, 1)
            first_rows = values_ahead(ahead[number]) if ahead and len(paths) == 1 else None
            if first_rows is None:
                first_rows = first_values(_before_problem(options.rows(format, stream, split), stream))
            for column, values in first_rows.items():
                kinds = is_nearly_unique(values), _are_messages(values)
                columns.setdefault(column, []).append(kinds)
                texts.setdefault(column, []).extend(values if kinds[1] else ())
    columns.pop(split or "", None)
    messages = sorted(column for column, kinds in columns.items() if all(is_message for _, is_message in kinds))
    unique = sorted(column for column, kinds in columns.items() if all(is_unique for is_unique, _ in kinds))
    words = words_in((text for column in messages for text in texts[column]), most_bytes)
    return Special(tuple(column for column in unique if column not in messages), tuple(messages), words)


def _are_messages(values: list[str]) -> bool:
    # texts that are often the same, or of fewer words than lines of a log have, are told without a copy
    if len(set(values)) < len(values) / 2 or sum(len(value.split()) >= WORDS for value in values) < len(values) / 2:
        return False
    return is_log([value.encode() for value in values])


def values_ahead(side: Side) -> dict[str, list[str]] | None:
    """Return the values of each column in the first rows that a side reads, or None if it must read more for them."""
    values = first_values(side.first_blocks())
    return values if side.has_read(ROWS_LOOKED_AT) else None


def with_format_of_other(a: list[str], b: list[str], options: ItemOptions) -> ItemOptions:
    """Return the options with the format of the named input if the other is stdin, which has no name."""
    named = [format_of_name(paths[0]) for paths in (a, b)]
    known = [format for format in named if format in COLUMNAR]
    if options.format or options.lines or options.tokens or len(known) != 1 or STDIN not in (a[0], b[0]):
        return options
    return replace(options, format=known[0])


def require_comparable(a: str, b: str, options: ItemOptions, first: FirstPart) -> None:
    """Raise an error if one input has columns and the other has lines, which have nothing in common."""
    if options.format or not first.can_open(a, b):
        return
    formats = []
    for path in (a, b):
        with first.open(path) as stream:
            if not stream.look():
                return  # an empty input has no format
            formats.append(options.format_of(stream))
    if "text" in formats and formats[0] != formats[1]:
        both = " and ".join(f"{path} (as {format})" for path, format in zip((a, b), formats, strict=True))
        raise ParameterError("lines", f"must be set to compare lines with a table: {both} have nothing else in common")


def _before_problem(rows: Rows, stream: object) -> Iterator[_core.RowBlock]:
    with suppress(BadInput):  # raised again when all rows are read
        yield from rows.blocks(stream)  # type: ignore[arg-type]
