"""Which format an input has: by its name, else by its first line."""

from collections.abc import Sequence
from pathlib import Path

from wmsketch.formats import EXAMPLES, FORMATS, SUFFIXES
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import SUFFIXES as COMPRESSIONS
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address, file_name

_ENOUGH = 4096  # bytes of a line to look at


def format_of_name(name: str) -> str | None:
    """The format that a file's name says, None when it says none.

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
    """The format of an input that begins with these bytes, out of `among`.

    >>> format_of_content(b"1 |words big cat", "-")
    'vw'
    """
    formats = [FORMATS[each] for each in among]
    for format in formats:
        if format.begins(head):
            return format.name
    if head.startswith(b"PK\x03\x04"):
        raise BadInput("found a zip archive, which is not read: unpack it, or pipe its text in", name)
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
    raise BadInput(f"cannot tell the format from the first line; say which of {', '.join(among)} it is", name)


def format_of(stream: ByteStream) -> str:
    """The format of a stream: what its name says, else what its beginning looks like."""
    return format_of_name(stream.name) or format_of_content(stream.look(), stream.name)


def delimiter_of(head: bytes) -> str:
    """What separates the columns of a header: the most frequent of comma, semicolon, tab and bar.

    >>> delimiter_of(b"a;b;c,d\\n")
    ';'
    """
    line = next((line for line in head.splitlines() if line.strip()), b"").decode("latin-1")
    return max(",;\t|", key=line.count)
