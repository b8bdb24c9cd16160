"""Tables as streams: record batches, without bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address

ROWS_PER_BATCH = 1024  # as of Parquet
_NO_ORDER = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.S)
_INNER = re.compile(r"\([^()]*\)")
_ORDER = re.compile(r"\border\s+by\b", re.I)
_SELECT = re.compile(r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*(?:select|with|values)\b", re.I | re.S)


class TableStream(ByteStream):
    """Record batches of a query. It cannot seek: a resumed run reads all rows again, and they are `checked`."""

    checked = True

    def __init__(self, address: Address, batches: Generator[Any, None, None], close: Callable[[], object]) -> None:
        super().__init__(io.BytesIO(), address)
        self._batches = batches
        self.batches = (part for batch in batches for part in _slices(batch))
        self._close = close

    def look(self, size: int = 1 << 16, *, lines: bool = False, patience: float = 0.0) -> bytes:
        """Return nothing: there are no bytes to peek at."""
        return b""

    def read(self, size: int | None = -1) -> bytes:
        """Raise an error: a table has columns, not lines."""
        raise BadInput("expected text, found the columns of a table: name the columns to read", self.name)

    def readinto(self, buffer: Any) -> int:
        """As `read`."""
        return len(self.read())

    def close(self) -> None:
        """Close the query."""
        if not self.closed:
            super().close()
            with suppress(ValueError):  # it is running on another thread
                self._batches.close()
            self._close()


def _slices(batch: Any) -> Iterator[Any]:
    for first in range(0, batch.num_rows, ROWS_PER_BATCH):
        yield batch.slice(first, ROWS_PER_BATCH)


def has_order(query: str) -> bool:
    """Return whether a query has a fixed order: an ORDER BY outside of parentheses.

    >>> has_order("SELECT a FROM t ORDER BY id"), has_order("SELECT 'order by' FROM (SELECT 1 ORDER BY 1)")
    (True, False)
    """
    text, before = _NO_ORDER.sub(" ", query), None
    while text != before:
        text, before = _INNER.sub(" ", text), text
    return _ORDER.search(text) is not None


def begins_with_select(query: str) -> bool:
    """Return whether a query asks for rows.

    >>> begins_with_select("/* all */ select a FROM t"), begins_with_select("ATTACH 'new.db' AS n")
    (True, False)
    """
    return _SELECT.match(query) is not None
