"""Rows as senders write them, and as the log keeps them: JSON lines."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from wmsketch.serve.tasks.task import Row

_SHOWN = 60


@dataclass(frozen=True)
class Decoded:
    """Rows, and the JSON lines that they were read from, if the log can keep these as they are."""

    rows: list[Row]
    lines: bytes | None = None

    def as_lines(self) -> bytes:
        """Return the rows as JSON lines."""
        return lines_of_rows(self.rows) if self.lines is None else self.lines


class BadBody(ValueError):
    """A body that cannot be read; the message is for the sender."""


class TooSlow(ValueError):
    """A body that did not arrive in time."""


class TooLarge(ValueError):
    """A body, a row or a number of rows above its limit."""


def rows_of_lines(body: bytes, most_rows: int = 1 << 30, longest: int = 1 << 30) -> list[Row]:
    """Return the rows of JSON lines; an error names the line.

    >>> rows_of_lines(b'{"ms": 12}\\n\\n{"ms": 40}')
    [{'ms': 12}, {'ms': 40}]
    >>> rows_of_lines(b'{"ms": 12}\\n[1]')
    Traceback (most recent call last):
        ...
    wmsketch.serve.rows.BadBody: line 2: expected an object, found '[1]'
    """
    rows: list[Row] = []
    for line_number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        if len(line) > longest:
            raise TooLarge(f"line {line_number}: a row has at most {longest:,} bytes, found {len(line):,}")
        if len(rows) == most_rows:
            raise TooLarge(f"a body has at most {most_rows:,} rows")
        rows.append(_row(line, line_number))
    return rows


def _row(line: bytes, line_number: int) -> Row:
    try:
        row = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise BadBody(f"line {line_number}: expected JSON: {reason}") from None
    if not isinstance(row, dict):
        found = line[:_SHOWN].decode("utf-8", "replace")
        raise BadBody(f"line {line_number}: expected an object, found {found!r}")
    return row


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def lines_of_rows(rows: list[Row]) -> bytes:
    """Return rows as JSON lines.

    >>> lines_of_rows([{"ms": 12}, {"ms": 40}])
    b'{"ms":12}\\n{"ms":40}'
    """
    return "\n".join(json.dumps(row, separators=(",", ":"), allow_nan=False) for row in rows).encode()


def rows_of_json(document: Any, most_rows: int) -> list[Row]:
    """Return the rows of a JSON body: an object, a list of objects, or an object with the list `rows`."""
    found = document.get("rows", [document]) if isinstance(document, dict) else document
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise BadBody('expected an object, a list of objects, or {"rows": [objects]}')
    if len(found) > most_rows:
        raise TooLarge(f"a body has at most {most_rows:,} rows, found {len(found):,}")
    return found


def unzipped(body: bytes, most: int) -> bytes:
    """Return the bytes of a gzip body, which may not grow beyond the limit.

    >>> import gzip
    >>> unzipped(gzip.compress(b"rows"), most=100)
    b'rows'
    """
    return b"".join(_unzip(body, most))


def _unzip(body: bytes, most: int) -> Iterator[bytes]:
    total, rest = 0, body
    while rest:  # a body may have several members
        member = zlib.decompressobj(wbits=31)
        while rest and not member.eof:
            try:
                part = member.decompress(rest, most - total + 1)
            except zlib.error as problem:
                raise BadBody(f"expected gzip: {problem}") from None
            total += len(part)
            if total > most:
                raise TooLarge(f"a body has at most {most:,} bytes when unpacked")
            yield part
            rest = member.unused_data if member.eof else member.unconsumed_tail
        if not member.eof:
            raise BadBody("expected gzip: the body is cut short")
