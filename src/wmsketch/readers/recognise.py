"""Recognising the format of an input by its name or its first line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import AnyStr, NamedTuple

from wmsketch.formats import EXAMPLES, FORMATS, SUFFIXES, is_json
from wmsketch.late import pattern
from wmsketch.readers.archives import ZIP_MAGIC
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import SUFFIXES as COMPRESSIONS
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address, file_name

_ENOUGH = 4096  # bytes of a line to inspect
_DELIMITERS = ",;\t|"
_LINES = 100  # inspected for the layout of a table
_LONGEST = 1 << 16  # characters of a line of a table; the module csv refuses cells of twice as many
_FEWEST_LINES = 3  # a header and two rows
_QUOTED = pattern(r'"[^"]*"')
_FEW_BYTES = 1 << 14  # of a text, that usually have enough lines
_MODEL = b'{"__metadata__":{"wmsketch"'  # behind the length of the header


def format_of_name(name: str) -> str | None:
    """Return the format that a file name indicates, or None.

    >>> format_of_name("day_1.svm.gz"), format_of_name("day_1.log")
    ('libsvm', None)
    """
    if isinstance(name, Address) and name.source.format:
        return name.source.format
    path = Path(file_name(name))
    if path.suffix.lower() in (*COMPRESSIONS, ".zip"):
        path = path.with_suffix("")
    return SUFFIXES.get(path.suffix.lower())


def format_of_content(head: bytes, name: str, among: Sequence[str] = EXAMPLES) -> str:
    """Return the format of an input with these first bytes, from `among`.

    >>> format_of_content(b"1 |words big cat", "-")
    'vw'
    """
    formats = [FORMATS[each] for each in among]
    for format in formats:
        if format.begins(head):
            return format.name
    if head.startswith(ZIP_MAGIC):
        raise BadInput(
            "a zip archive is read from a file, not from a pipe: unpack it before, as by unzip -p FILE", name
        )
    if head[8:].startswith(_MODEL):
        raise BadInput("expected rows, found a model file", name)
    if b"\0" in head:
        raise BadInput(f"expected text in UTF-8 or one of the formats {', '.join(among)}, found binary data", name)
    line = next((line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()), b"")
    if not line:
        raise BadInput("no examples found", name)
    if len(line) > _ENOUGH:
        line = line[:_ENOUGH].rpartition(b" ")[0].strip() or line  # whole words of a very long line
    for format in formats:
        if format.first_line is not None and format.first_line(line):
            return format.name
    raise BadInput(f"cannot recognise the format from the first line; set it to one of {', '.join(among)}", name)


def has_json_rows(head: bytes) -> bool:
    """Return whether the first lines are objects of JSON, as in a log of an application.

    >>> has_json_rows(b'{"level": "info"}\\n{"level": "error"}\\n'), has_json_rows(b"{x} is empty\\n")
    (True, False)
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True) if line.strip()]
    whole = [line.strip() for line in lines if line.endswith(b"\n")] or [line.strip() for line in lines]
    first = whole[:_FEWEST_LINES]
    if not first or not all(line.startswith(b"{") and line.endswith(b"}") for line in first):
        return False
    import json  # no other start of an input needs it

    try:
        return all(isinstance(json.loads(line), dict) for line in first)
    except ValueError:
        return False


def format_of(stream: ByteStream, columns: bool = False) -> str:
    """Return the format of a stream, from its name or its first bytes. With `columns`, a text may be a table."""
    named = format_of_name(stream.table_name or stream.name)
    if named == "text" and columns:
        head = stream.look()
        if is_json(head):
            return "jsonl"
        if len(cells_of(_first_line(head), delimiter_of(head))) > 1:
            return "csv"
    return named or format_of_content(stream.look(), stream.name)


def delimiter_of(head: bytes) -> str:
    """Return the delimiter of a header: the most frequent of comma, semicolon, tab and bar between quoted names.

    >>> delimiter_of(b"a;b;c,d\\n"), delimiter_of(b'"a;b","c;d"\\n')
    (';', ',')
    """
    line = _first_line(head)
    bare = _QUOTED.sub("", line)
    return max(_DELIMITERS, key=(bare if any(map(bare.count, _DELIMITERS)) else line).count)


def _first_line(head: bytes) -> str:
    return next((line for line in first_lines(head, 1)), b"").decode("latin-1")


def first_lines(text: AnyStr, n: int, *, blank: bool = False) -> list[AnyStr]:
    """Return the first n lines, without splitting all of a long text; blank ones only if asked for.

    >>> first_lines("city\\n\\nRome\\nOslo\\n", 2)
    ['city', 'Rome']
    """
    size = _FEW_BYTES
    while True:
        lines = [line for line in text[:size].splitlines() if blank or line.strip()]
        if len(lines) > n or size >= len(text):  # the last one may have been cut
            return lines[:n]
        size *= 8


class Layout(NamedTuple):
    """The delimiter of a table, and the number of lines with text before its header."""

    delimiter: str
    preamble: int = 0

    def has_blanks(self, head: bytes) -> bool:
        """Whether each delimiter is followed by a blank, as in the lines of the UCI repository.

        >>> Layout(",").has_blanks(b"39, Private, 77516\\n50, State-gov, 83311\\n")
        True
        >>> Layout(",").has_blanks(b"city,price\\nRome, 1\\n")
        False
        """
        lines = first_lines(head.decode("latin-1"), _LINES)[self.preamble :]
        delimiters = sum(line.count(self.delimiter) for line in lines)
        return len(lines) > 1 and 0 < delimiters == sum(line.count(self.delimiter + " ") for line in lines)


def layout_of(head: bytes, delimiter: str | None = None) -> Layout:
    """Return the layout of a table that begins with these lines.

    Exported files may have a title and remarks before the header. They have fewer cells than the rows below.

    >>> layout_of(b"Sales by city\\nprinted 17 May, 2024\\n\\ncity;price;sold\\nRome;1;yes\\nOslo;2;no\\n")
    Layout(delimiter=';', preamble=2)
    >>> layout_of(b"city,price\\nRome,1\\n")
    Layout(delimiter=',', preamble=0)
    """
    lines = first_lines(head.decode("latin-1"), _LINES)
    usual = Layout(delimiter or delimiter_of(head))
    if len(lines) < _FEWEST_LINES:
        return usual
    first, mode = _cells(lines, usual.delimiter)
    if first > 1 and mode - first < 2:
        return usual
    best = usual, 1
    for each in [delimiter] if delimiter else _DELIMITERS:
        counts = [len(cells_of(line, each)) for line in lines]
        mode = Counter(counts).most_common(1)[0][0]
        header = counts.index(mode)
        regular = counts[header:].count(mode)
        enough = regular >= max(_FEWEST_LINES, 0.7 * (len(counts) - header))
        names_rows = header == 1 and mode == counts[0] + 1 and _has_number(lines[1], each)  # write.table of R does
        in_a_cell = any(line.count('"') % 2 for line in lines[:header])  # a quoted cell with a line end
        no_header = names_rows or in_a_cell
        if mode > best[1] and 0 < header <= _LINES // 3 and max(counts[:header]) < mode and enough and not no_header:
            best = Layout(each, header), mode
    return best[0]


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line, or those at the begin of a very long one.

    >>> cells_of('Rome,"2,5"', ",")
    ['Rome', '2,5']
    """
    import csv  # LIBSVM and VW have no cells

    return next(csv.reader([line[:_LONGEST]], delimiter=delimiter), [])


def _has_number(line: str, delimiter: str) -> bool:
    return any(cell.strip().replace(".", "", 1).isdigit() for cell in cells_of(line, delimiter))


def _cells(lines: list[str], delimiter: str) -> tuple[int, int]:
    """Return the number of cells in the first line and in most others."""
    counts = [len(cells_of(line, delimiter)) for line in lines]
    return counts[0], Counter(counts[1:]).most_common(1)[0][0]


_OBJECTS_IN_ARRAY = pattern(rb"\s*\[\s*(\{|\]|$)")
_INNER_ARRAY = pattern(rb'"[^"\\]*"\s*:\s*\[\s*\{')
_ONLY_ARRAY = pattern(rb'\{\s*"(data|results|records|rows|items|events|entries|value)"\s*:\s*\[\s*\{')


def json_rows_of(head: bytes) -> str | None:
    """Return where the rows of a JSON document are, None if each line is a row.

    >>> json_rows_of(b'[\\n {"a": 1},\\n {"a": 2}]'), json_rows_of(b'{"a": 1}\\n{"a": 2}\\n')
    ('array', None)
    >>> json_rows_of(b'{"type": "FeatureCollection", "features": [{"id": 1}, {"id": 2}]}')
    'inner_array'
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    if _OBJECTS_IN_ARRAY.match(text):
        return "array"
    line, _, rest = text.lstrip().partition(b"\n")
    geo = line.startswith(b"{") and b'"FeatureCollection"' in text and b'"features"' in text
    spread = line.rstrip() == b"{"
    if geo or (spread and _INNER_ARRAY.search(text)) or (not rest.strip() and _ONLY_ARRAY.match(line)):
        return "inner_array"
    return "objects" if spread else None
