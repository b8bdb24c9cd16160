"""Records of a log, each a row, as a stream of lines that knows its position after each piece."""

from __future__ import annotations

import io
import logging
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, NamedTuple, TypeVar

from wmsketch.formats import format_names
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.source import Extent, Place, Source

# Rows of a piece; positions are between pieces. Pieces are the same from any position on, so rows come in the same
# blocks again.
ROWS_PER_PIECE = 1024
_LITERAL = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null")
POLL_SECONDS = 0.2  # how often a waiting read checks whether to stop


_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts to connect again
LOG = logging.getLogger("wmsketch.sources")

Answer = TypeVar("Answer")


class Piece(NamedTuple):
    """Some rows, the name of each in an error, and the position after them."""

    rows: Sequence[bytes]
    names: Sequence[str]
    place: Place


class RecordSource(Source):
    """A log of records, which are JSON rows or lines of another format."""

    format = "jsonl"
    has_places = True
    formats = format_names("features", "words")

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """Open the records of the address's extent from a position on; if endless, later ones too."""
        if self.address.extent is None:
            self.address.extent = self.awaited_extent()
        return RecordStream(self, place, encoding)

    def extent(self) -> Extent:
        """Return what a server has now, or raise an error if it cannot be reached."""
        with self.naming(*self.errors()):
            return self.asked_extent()

    def awaited_extent(self) -> Extent:
        """Return what a server has; if the address is endless, wait for the server."""
        with self.naming(*self.errors()):
            return self.patiently(self.asked_extent, "cannot connect") or {}

    def errors(self) -> tuple[type[Exception], ...]:
        """Return the errors of the driver."""
        raise NotImplementedError

    def asked_extent(self) -> Extent:
        """Return what a server has now, or raise an error of the driver."""
        raise NotImplementedError

    def is_unreachable(self, problem: Exception) -> bool:
        """Return whether an error of the driver says that the server may answer later."""
        raise NotImplementedError

    def pieces(self, place: Place | None, stream: RecordStream) -> Iterator[Piece]:
        """Yield the records until the end, or until the stream is stopped."""
        raise NotImplementedError

    def patiently(
        self, ask: Callable[[], Answer], said: str = "the connection is lost", stream: RecordStream | None = None
    ) -> Answer | None:
        """Return the answer of a server.

        If the address is endless and the server cannot be reached, say so and try again, after longer and longer
        pauses. None means that the stream was stopped.
        """
        pause = _FIRST_PAUSE
        while not _is_stopped(stream):
            try:
                answer = ask()
            except Exception as problem:
                if not self.address.endless or not self.is_unreachable(problem):
                    raise
                reason = self.address.scrubbed(self.message_of(problem))
                LOG.warning("%s: %s (%s); trying again in %g s", self.address, said, reason, pause)
                end = time.monotonic() + pause
                while not _is_stopped(stream) and time.monotonic() < end:
                    time.sleep(POLL_SECONDS)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            if pause > _FIRST_PAUSE:
                LOG.warning("%s: connected again", self.address)
            return answer
        return None


def _is_stopped(stream: RecordStream | None) -> bool:
    return stream is not None and stream.stopped


class RecordStream(ByteStream):
    """A stream of lines, one for each record."""

    def __init__(self, source: RecordSource, place: Place | None, encoding: str | None = None) -> None:
        super().__init__(io.BytesIO(), source.address, encoding=encoding)
        self.stopped = False
        self.place = place
        self._place_behind = place
        self._pieces = source.pieces(place, self)
        self._names: Sequence[str] = ()
        self._lines = 0  # before the piece

    def _read_raw(self, size: int = 0) -> bytes:
        if self.stopped:
            return b""
        self._lines += len(self._names)
        self._names = ()
        for piece in self._pieces:
            self._place_behind = piece.place
            if piece.rows:
                self._names = piece.names
                data = b"".join(_line(row) for row in piece.rows)
                self.bytes_read += len(data)
                return data
        return b""

    def _detect_compression(self) -> None:
        """Do nothing: records are not compressed."""

    def readinto(self, buffer: Any) -> int:
        """Read at least one byte, except at the end; at most the rest of a piece."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _comes_within(self, seconds: float | None) -> bool:
        return bool(self._head)  # a piece at a time, because positions are between pieces

    def taken(self) -> None:
        """Record that all rows read so far were returned."""
        if not self._head:
            self.place = self._place_behind

    def name_at(self, line: int) -> tuple[str, int | None]:
        """Return the name of a record from its line number."""
        at = line - 1 - self._lines
        return (f"{self.name} {self._names[at]}", None) if 0 <= at < len(self._names) else (self.name, line)

    def stop(self) -> None:
        """End soon."""
        self.stopped = True

    def close(self) -> None:
        """Close the connection."""
        self.stopped = True
        close = getattr(self._pieces, "close", None)
        if close is not None and not self.closed:
            with suppress(ValueError):  # it is running on a thread that will stop soon
                close()
        super().close()


def _line(row: bytes) -> bytes:
    """Return a record as one line. Line ends in JSON become blanks; those inside strings are written as \\n already."""
    if b"\n" in row or b"\r" in row:
        row = row.replace(b"\r", b" ").replace(b"\n", b" ")
    return row + b"\n"


def row_of_fields(fields: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return a JSON row of named fields: the only field if it is an object, otherwise an object of all fields.

    Values that are numbers, true, false or null in JSON are kept as such; all others are text.

    >>> row_of_fields([(b"city", b"Rome"), (b"price", b"2.5")])
    b'{"city": "Rome", "price": 2.5}'
    >>> row_of_fields([(b"event", b'{"city": "Rome"}')])
    b'{"city": "Rome"}'
    """
    if len(fields) == 1 and fields[0][1].lstrip().startswith(b"{"):
        return fields[0][1]
    return b"{" + b", ".join([_quoted_name(name) + b": " + _value(value) for name, value in fields]) + b"}"


def _value(text: bytes) -> bytes:
    if _LITERAL.fullmatch(text) and (b"e" not in text.lower() or text.isalpha() or math.isfinite(float(text))):
        return text
    return _quoted(text)


def _quoted(text: bytes) -> bytes:
    # bytes that are not text are unchanged, and a reader rejects them
    return encode_basestring(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


_quoted_name = lru_cache(4096)(_quoted)
