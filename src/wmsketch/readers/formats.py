"""Which format an input has: by its name, else by its first line."""

import re
from pathlib import Path

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import SUFFIXES as COMPRESSIONS
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address, file_name

FORMATS = ("libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "text")
_SUFFIXES = {
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".txt": "text",
    ".text": "text",
}
_ENOUGH = 4096  # bytes of a line to look at
# Patterns of single words, none of which can match in two ways: time is linear whatever the line holds.
_NUMBER = re.compile(rb"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_PAIR = re.compile(rb"(qid|\d+):.+", re.DOTALL)


def format_of_name(name: str) -> str | None:
    """The format that a file's name says, None when it says none.

    >>> format_of_name("day_1.svm.gz")
    'libsvm'
    """
    if isinstance(name, Address) and name.source.format:
        return name.source.format
    path = Path(file_name(name))
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return _SUFFIXES.get(path.suffix.lower())


def format_of_content(head: bytes, name: str) -> str:
    """The format of an input that begins so.

    >>> format_of_content(b"1 |words big cat", "-")
    'vw'
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if b"\0" in head:
        raise BadInput(f"expected text in UTF-8 or one of the formats {', '.join(FORMATS)}, found binary data", name)
    line = next((line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()), b"")
    if not line:
        raise BadInput("no examples found", name)
    if line.lstrip().startswith(b"{"):
        return "jsonl"
    if len(line) > _ENOUGH:
        line = line[:_ENOUGH].rpartition(b" ")[0] or line  # whole words of a very long line
    if _is_libsvm(line):
        return "libsvm"
    if _is_vw(line):
        return "vw"
    if b"\t" in line:
        return "tsv"
    if b"," in line or b";" in line:
        return "csv"
    raise BadInput(f"cannot tell the format from the first line; say which of {', '.join(FORMATS)} it is", name)


def _is_libsvm(line: bytes) -> bool:
    """A number, then pairs with a colon, then perhaps a comment.

    >>> _is_libsvm(b"+1 qid:3 7:0.5 # seen"), _is_libsvm(b"1 |words cat")
    (True, False)
    """
    label, *pairs = line.split() or [b""]
    number, comment, _ = label.partition(b"#")
    if not _NUMBER.fullmatch(number):
        return False
    for pair in [] if comment else pairs:
        if pair.startswith(b"#"):
            break
        if not _PAIR.fullmatch(pair):
            return False
        if b"#" in pair[pair.index(b":") + 2 :]:  # a comment right behind the value
            break
    return True


def _is_vw(line: bytes) -> bool:
    """A bar, and before it at most three numbers and a tag.

    >>> _is_vw(b"1 0.5 'first| cat"), _is_vw(b"a,b|c")
    (True, False)
    """
    before, bar, _ = line.partition(b"|")
    words = before.split()
    numbers, tag = words[:-1], b"".join(words[-1:])
    return bool(bar) and len(numbers) <= 3 and b"," not in tag and all(map(_NUMBER.fullmatch, numbers))


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
