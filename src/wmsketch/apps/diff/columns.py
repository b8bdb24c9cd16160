"""Which columns of two tables are compared if none are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from wmsketch import _core
from wmsketch.apps.diff.inputs import ItemOptions
from wmsketch.apps.diff.log_lines import is_log
from wmsketch.apps.nearly_unique import first_values, is_nearly_unique
from wmsketch.formats import COLUMNAR
from wmsketch.readers import BadInput, open_stream
from wmsketch.readers.open_stream import STDIN, stored_size_of_all
from wmsketch.readers.recognise import format_of_name
from wmsketch.readers.rows_of_format import Rows


def special_columns(
    inputs: list[list[str]], options: ItemOptions, split: str | None = None
) -> tuple[list[str], list[str]]:
    """Return the columns that are nearly unique in the first rows of each input, and those that hold messages of a log.

    None for pipes and for data that is no table.
    """
    columns: dict[str, list[tuple[bool, bool]]] = {}
    for paths in inputs:
        if not options.takes_all_columns or stored_size_of_all(paths) is None:
            return [], []
        with open_stream(paths[0], options.encoding) as stream:
            format = options.format_of(stream)
            if format not in COLUMNAR:
                return [], []
            rows = options.rows(format, stream, split)
            for column, values in first_values(_before_problem(rows, stream)).items():
                kinds = is_nearly_unique(values), is_log([value.encode() for value in values])
                columns.setdefault(column, []).append(kinds)
    columns.pop(split or "", None)
    messages = sorted(column for column, kinds in columns.items() if all(is_message for _, is_message in kinds))
    unique = sorted(column for column, kinds in columns.items() if all(is_unique for is_unique, _ in kinds))
    return [column for column in unique if column not in messages], messages


def with_format_of_other(a: list[str], b: list[str], options: ItemOptions) -> ItemOptions:
    """Return the options with the format of the named input if the other is stdin, which has no name."""
    named = [format_of_name(paths[0]) for paths in (a, b)]
    known = [format for format in named if format in COLUMNAR]
    if options.format or options.lines or options.tokens or len(known) != 1 or STDIN not in (a[0], b[0]):
        return options
    return replace(options, format=known[0])


def _before_problem(rows: Rows, stream: object) -> Iterator[_core.RowBlock]:
    with suppress(BadInput):  # raised again when all rows are read
        yield from rows.blocks(stream)  # type: ignore[arg-type]
