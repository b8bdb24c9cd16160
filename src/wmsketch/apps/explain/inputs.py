"""Rows for an explainer that do not come from files."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from wmsketch import _core
from wmsketch.learners.rows.whole_calls import alone
from wmsketch.readers import BadInput
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.text_numbers import SAMPLE_ROWS, take_amounts

_ROWS_AT_ONCE = 1024


class DictRows:
    """Turns dicts into blocks of rows, by the rules of a classifier's dicts. Values of other types are their texts."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._idle: _core.DictRows | None = None
        self._n_rows = 0

    def blocks(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[_core.RowBlock]:
        """Yield blocks of rows. A row that cannot be read raises BadInput after all rows before it."""
        if isinstance(rows, Mapping):
            raise TypeError("learn_many takes rows, got one dict: use learn_one")
        remaining = iter(rows)
        while some := list(itertools.islice(remaining, _ROWS_AT_ONCE)):
            for number, row in enumerate(some, self._n_rows + 1):
                if not isinstance(row, Mapping):
                    raise TypeError(f"row {number} must be a dict of columns and values, got {type(row).__name__}")
            block, problem = self._read(some)
            if len(block):
                yield block
            if problem:
                raise BadInput(f"row {self._n_rows + len(block) + 1}: {problem}") from problem
            self._n_rows += len(some)

    @alone
    def _read(self, some: list[Mapping[str, Any]]) -> tuple[_core.RowBlock, ValueError | None]:
        """The rows up to the first that cannot be read, and what is wrong with it."""
        rows, self._idle = self._idle or self._new_rows(some), None  # a value may run code
        for row in some:
            try:
                _add(rows, row)
            except ValueError as problem:
                return rows.take(), problem
        self._idle = rows
        return rows.take(), None

    def _new_rows(self, some: list[Mapping[str, Any]]) -> _core.DictRows:
        """Return what reads rows; columns of amounts like $1,234.50 in the first ones are numbers."""
        options = ReaderOptions(**self._options)
        rows, sample = options.dict_rows(), _core.DictRows()
        for row in some[:SAMPLE_ROWS]:
            with suppress(ValueError):
                _add(sample, row)
        take_amounts(rows, sample.take(), options)
        return rows


def lacks_label(label: Any) -> bool:
    """Whether a value of a label is missing."""
    return label is None or label == "" or label != label


def warn_of_unlabelled(count: int) -> None:
    """Warn of rows that were left out."""
    if count:
        warnings.warn(f"{count:,} row{'s' * (count != 1)} without a label left out", stacklevel=4)


def _add(rows: _core.DictRows, row: Mapping[str, Any]) -> None:
    try:
        rows.add(row)
    except TypeError:  # a value, or the name of a column, of a type that no row has
        rows.add(_texts(row))


def _texts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _texts(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_texts(each) for each in value]
    known = value is None or isinstance(value, (str, int, float, bool)) or hasattr(value, "item")
    return value if known or hasattr(value, "isoformat") else str(value)
