"""The input formats: the only list, used by readers, applications and commands.

Each entry says how to recognise a format, which function reads it and which options of `open_examples` it takes. The
readers are loaded when a file is opened, so that the command line starts without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from wmsketch.late import dataclass, pattern

Rows = Literal["features", "columns", "words", "packets"]

_LABELS = {"positive", "require_labels", "many_classes", "numeric_label", "missing_label"}
_WORDS = {"ngrams", "lowercase", "word_values"}
_COLUMNS = {
    *("label", "weight", "time", "features", "ignore", "numeric", "categorical", "text", "interactions"),
    *("numbers", "missing", "na", "where", "only_categories", "templates", "variable_words"),
    *("find_words", "may_lack"),
}
_CELLS = {"delimiter", "columns", "quoting", "decimal", "thousands"}
_EVERY = {"bad_rows", "rejects", "column_kinds", "seen_kinds", "known_columns", "name_seed"}
_TEXT = {"encoding"}  # options of all text formats

# Each pattern matches one word in only one way, so matching takes linear time for any line.
_NUMBER = pattern(rb"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_JSON = pattern(rb"\s*(\{|\[\s*(\{|$))")
_PAIR = pattern(rb"(qid|\d+):.+", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format.

    `rows` says what a row consists of: named features, columns, the words of a line, or a packet.
    """

    name: str
    rows: Rows
    reader: str  # "module:function"
    parser: str = ""  # the class of the core, if the function serves several formats
    suffixes: tuple[str, ...]
    options: frozenset[str]
    magic: tuple[bytes, ...] = ()  # first bytes of a binary file
    first_line: Callable[[bytes], bool] | None = None  # whether the first line looks like this format
    text: bool = True
    extra: str | None = None  # the optional dependency, as in pip install 'wmsketch[arrow]'
    same_columns: bool = True  # whether the columns of the first row are those of all rows
    typed: bool = False  # whether each value has its own type, so that columns have none

    def begins(self, head: bytes) -> bool:
        """Return whether an input that begins with these bytes has the magic number of this format.

        >>> FORMATS["parquet"].begins(b"PAR1..."), FORMATS["csv"].begins(b"a,b")
        (True, False)
        """
        return head.startswith(self.magic)

    def load_parser(self) -> Any:
        """Return the class of the core that reads this format."""
        return getattr(import_module("wmsketch._core"), self.parser)

    def load_reader(self) -> Any:
        """Return the function or class that reads this format."""
        module, _, name = self.reader.partition(":")
        return getattr(import_module(module), name)


def is_libsvm(line: bytes) -> bool:
    """Return whether a line is a number, then pairs with a colon, then optionally a comment.

    >>> is_libsvm(b"+1 qid:3 7:0.5 # seen"), is_libsvm(b"1 |words cat")
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
        if b"#" in pair[pair.index(b":") + 2 :]:  # a comment directly after the value
            break
    return True


def is_vw(line: bytes) -> bool:
    """Return whether a line has a bar, preceded by at most three numbers and a tag.

    >>> is_vw(b"1 0.5 'first| cat"), is_vw(b"a,b|c")
    (True, False)
    """
    before, bar, _ = line.partition(b"|")
    words = before.split()
    numbers, tag = words[:-1], b"".join(words[-1:])
    plain = bool(bar) and len(numbers) <= 3 and b"," not in tag and not is_json(line)
    return plain and all(map(_NUMBER.fullmatch, numbers))


def is_json(line: bytes) -> bool:
    """Return whether a line begins with an object, or with an array of objects.

    >>> is_json(b'[{"a": 1},'), is_json(b"[2024-05-17] started")
    (True, False)
    """
    return _JSON.match(line) is not None


def is_csv(line: bytes) -> bool:
    """Return whether a line has commas or semicolons, and no tabs."""
    return (b"," in line or b";" in line) and not is_tsv(line) and not is_json(line)


def is_tsv(line: bytes) -> bool:
    """Return whether a line has tabs."""
    return b"\t" in line and not is_json(line)


def _format(name: str, rows: Rows, reader: str, suffixes: str, *options: set[str], **more: Any) -> Format:
    of_text = _TEXT if more.get("text", True) else set()
    every = frozenset().union(*options, _EVERY, of_text) if rows != "packets" else frozenset()
    path = f"wmsketch.readers.{reader}"
    return Format(name=name, rows=rows, reader=path, suffixes=tuple(suffixes.split()), options=every, **more)


_ENTRIES = (
    _format("libsvm", "features", "rows_of_format:labelled_rows", ".svm .libsvm .svmlight", _LABELS,
            {"numbers"}, parser="LibsvmParser", first_line=is_libsvm),
    _format("vw", "features", "rows_of_format:labelled_rows", ".vw", _LABELS, parser="VwParser", first_line=is_vw),
    _format("csv", "columns", "rows_of_format:csv_rows", ".csv", _LABELS, _WORDS, _COLUMNS, _CELLS, first_line=is_csv),
    _format("tsv", "columns", "rows_of_format:tsv_rows", ".tsv", _LABELS, _WORDS, _COLUMNS, _CELLS, first_line=is_tsv),
    _format("jsonl", "columns", "rows_of_format:column_rows", ".jsonl .ndjson .json .geojson", _LABELS, _WORDS,
            _COLUMNS, parser="JsonLinesParser", first_line=is_json, same_columns=False, typed=True),
    _format("parquet", "columns", "rows_of_format:parquet_rows", ".parquet", _LABELS, _WORDS, _COLUMNS,
            magic=(b"PAR1",), text=False, extra="arrow"),
    _format("arrow", "columns", "rows_of_format:arrow_rows", ".arrow .arrows .feather", _LABELS, _WORDS, _COLUMNS,
            magic=(b"ARROW1", b"\xff\xff\xff\xff"), text=False, extra="arrow"),
    _format("text", "words", "rows_of_format:word_rows", ".txt .text", _WORDS),
    _format("pcap", "packets", "packets:PacketRows", ".pcap .pcapng .cap .ntar", text=False,
            magic=tuple(map(bytes.fromhex, ("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "0a0d0d0a")))),
)  # fmt: skip
FORMATS = {each.name: each for each in _ENTRIES}
SUFFIXES = {suffix: each.name for each in _ENTRIES for suffix in each.suffixes}


def format_names(*rows: Rows) -> tuple[str, ...]:
    """Return the formats whose rows are of one of these kinds.

    >>> format_names("words", "packets")
    ('text', 'pcap')
    """
    return tuple(each.name for each in _ENTRIES if each.rows in rows)


EXAMPLES = format_names("features", "columns", "words")  # what `open_examples` reads
COLUMNAR = format_names("columns")
