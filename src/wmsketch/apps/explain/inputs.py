"""Rows for an explainer that do not come from files."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wmsketch import _core
from wmsketch.learners.rows.whole_calls import alone
from wmsketch.readers import BadInput
from wmsketch.readers.options import ReaderOptions

_ROWS_AT_ONCE = 1024


class DictRows:
    """Turns dicts into blocks of rows, each read like a JSON row."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._parser: _core.LineParser | None = None
        self._n_rows = 0

    def blocks(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[_core.RowBlock]:
        """Yield blocks of rows. A row that cannot be read raises BadInput after all rows before it."""
        if isinstance(rows, Mapping):
            raise TypeError("learn_many takes rows, got one dict: use learn_one")
        remaining = iter(rows)
        while some := list(itertools.islice(remaining, _ROWS_AT_ONCE)):
            lines = [json.dumps(_plain(row, number)) for number, row in enumerate(some, self._n_rows + 1)]
            yield from self._parse("\n".join(lines).encode() + b"\n")
            self._n_rows += len(some)

    def _parse(self, text: bytes) -> Iterator[_core.RowBlock]:
        block, error = self._parsed(text)
        if len(block):
            yield block
        if error:
            line, _, message = error
            raise BadInput(f"row {self._n_rows + line}: {message}")

    @alone
    def _parsed(self, text: bytes) -> tuple[_core.RowBlock, Any]:
        if self._parser is None:
            self._parser = _core.JsonLinesParser(ReaderOptions(**self._options).encoder(typed_values=True))
        self._parser.next_file()
        block, error = self._parser.feed(text, True), self._parser.error
        if error:
            self._parser = None
        return block, error


def _plain(value: Any, row: int, column: str | None = None) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each, row, str(name)) for name, each in value.items()}
    if column is None:
        raise TypeError(f"row {row} must be a dict of columns and values, got {type(value).__name__}")
    if isinstance(value, (list, tuple, set)):
        return [_plain(each, row, column) for each in value]
    if hasattr(value, "item"):
        value = value.item()  # a numpy number
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
