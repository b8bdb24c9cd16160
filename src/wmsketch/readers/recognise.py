"""Recognising the format of an input by its name or its first line."""

from collections.abc import Sequence
from pathlib import Path

from wmsketch.formats import EXAMPLES, FORMATS, SUFFIXES
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import SUFFIXES as COMPRESSIONS
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address, file_name

_ENOUGH = 4096  # bytes of a line to inspect


def format_of_name(name: str) -> str | None:
    """Return the format that a file name indicates, or None.

    >>> format_of_name("day_1.svm.gz"), format_of_name("day_1.log")
    ('libsvm', None)
    """
    if isinstance(name, Address) and name.source.format:
        return name.source.format
    path = Path(file_name(name))
    if path.suffix.lower() in COMPRESSIONS:
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
    if head.startswith(b"PK\x03\x04"):
        raise BadInput("found a zip archive, which is not supported: unpack it, or pipe its text", name)
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


def format_of(stream: ByteStream) -> str:
    """Return the format of a stream, from its name or its first bytes."""
    return format_of_name(stream.name) or format_of_content(stream.look(), stream.name)


def delimiter_of(head: bytes) -> str:
    """Return the delimiter of a header: the most frequent of comma, semicolon, tab and bar.

    >>> delimiter_of(b"a;b;c,d\\n")
    ';'
    """
    line = next((line for line in head.splitlines() if line.strip()), b"").decode("latin-1")
    return max(",;\t|", key=line.count)
