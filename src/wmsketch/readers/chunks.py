"""Text input in chunks of whole rows, so that several processes can parse it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from wmsketch.formats import EXAMPLES, FORMATS
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream, open_stream
from wmsketch.readers.recognise import Layout, format_of, layout_of
from wmsketch.readers.rows_of_format import split_json

LINES = tuple(name for name in EXAMPLES if FORMATS[name].text)


class Chunk(NamedTuple):
    """Whole rows of a file: their bytes, and separately the header if the file has one."""

    file: str
    format: str
    first_line: int  # of the rows, from 1
    header: bytes
    rows: bytes


def chunks_of(
    paths: list[str],
    format: str | None = None,
    *,
    encoding: str | None = None,
    quoting: bool | None = None,
    delimiter: str | None = None,
    headless: bool = False,
    chunk_bytes: int = CHUNK_BYTES,
) -> Iterator[Chunk]:
    """Yield the files' rows in order, about ``chunk_bytes`` at a time; ``headless`` csv files have no header.

    A row of csv ends at a line end outside of quotes, as in the parser.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text('a,b\\n1,"x\\ny"\\n2,z\\n')
    ...     [(chunk.first_line, chunk.header, chunk.rows) for chunk in chunks_of([str(path)], chunk_bytes=13)]
    [(2, b'a,b\\n', b'1,"x\\ny"\\n'), (4, b'a,b\\n', b'2,z\\n')]
    """
    for path in paths:
        with open_stream(path, encoding) as stream:
            if format is None and not stream.look():
                continue  # an empty file has no format, but the next one may have one
            format = format or format_of(stream)
            if format not in LINES:
                raise ValueError(f"jobs needs lines of text ({', '.join(LINES)}), got {format} ({path})")
            layout = layout_of(stream.look(lines=True), delimiter) if format == "csv" else Layout(delimiter or "\t")
            if format == "jsonl":
                split_json(stream)
            strict = format == "csv" if quoting is None else quoting and format in ("csv", "tsv")
            cells = _quoted_cells(layout.delimiter) if strict else None
            has_header = format in ("csv", "tsv") and not headless
            yield from _chunks_of_stream(stream, format, cells, has_header, chunk_bytes, layout.preamble)


def _chunks_of_stream(
    stream: ByteStream, format: str, cells: re.Pattern[bytes] | None, has_header: bool, chunk_bytes: int, preamble: int
) -> Iterator[Chunk]:
    header, line, rest = b"", 1, b""
    wanted = chunk_bytes
    while True:
        more = stream.read(max(wanted - len(rest), 1))
        rest += more
        if more and len(rest) < wanted:
            continue
        while (end := _row_end(rest, None, first=True)) and (
            preamble or (has_header and not header and not rest[:end].strip())
        ):
            preamble -= bool(rest[:end].strip())
            line, rest = line + 1, rest[end:]
        if has_header and not header:
            end = _row_end(rest, cells, first=True) or (0 if more else len(rest))
            header, rest = rest[:end], rest[end:]
            line += header.count(b"\n")
        end = len(rest) if not more else _row_end(rest, cells)
        if end:
            yield Chunk(stream.name, format, line, header, rest[:end])
            line += rest.count(b"\n", 0, end)
            rest = rest[end:]
            wanted = chunk_bytes
        elif more:
            wanted = 2 * len(rest) + chunk_bytes  # one row is longer than a chunk
        if not more:
            return


def _quoted_cells(delimiter: str) -> re.Pattern[bytes]:
    """Return a pattern for quoted cells: from a quote at the start of a cell to one that is not doubled, or the end."""
    # match the rare quote first, then look behind it: many times faster
    before = re.escape(delimiter.encode())
    return re.compile(rb'"(?<![^\n\r' + before + rb']")[^"]*(?:""[^"]*)*(?:"|\Z)')


def _row_end(text: bytes, cells: re.Pattern[bytes] | None, *, first: bool = False) -> int:
    """Return where the last whole row of a text ends, or the first; 0 if none does. The text begins with a row."""
    if cells is None or b'"' not in text:
        return (text.find(b"\n") if first else text.rfind(b"\n")) + 1
    end = begin = 0
    for cell in cells.finditer(text):
        found = text.find(b"\n", begin, cell.start()) if first else text.rfind(b"\n", begin, cell.start())
        if found >= 0:
            end = found + 1
            if first:
                return end
        begin = cell.end()
    found = text.find(b"\n", begin) if first else text.rfind(b"\n", begin)
    return found + 1 if found >= 0 else end
