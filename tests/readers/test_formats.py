"""Formats are recognised in linear time for any input."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.recognise import format_of_content

# The former rule, as two regular expressions; they take exponential time on some lines.
_NUMBER = rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
LIBSVM = re.compile(rb"\s*" + _NUMBER + rb"(\s+(qid|\d+):\S+)*\s*(#.*)?")
VW = re.compile(rb"\s*(" + _NUMBER + rb"\s+){0,3}('?[^\s|,]*\s*)?\|.*")


def found(line: bytes) -> str:
    try:
        return format_of_content(line, "x")
    except BadInput:
        return "none"


@given(
    st.lists(st.sampled_from([b"1", b"-.5e3", b"2.", b"qid", b":", b"7:1", b" ", b"\t", b"|", b"'a", b",", b"#", b"x"]))
)
@example([b"1", b"#", b" ", b"x"])
@example([b"1", b" ", b"7:1", b"#", b" ", b"x"])
@example([b"1", b" ", b"1", b" ", b"1", b" ", b"1", b"|"])
@example([b"1", b" ", b"1", b" ", b"1", b" ", b"1", b" ", b"x", b"|"])
def test_formats_are_told_apart_by_the_rule(parts):
    line = b"".join(parts)
    assume(line.strip())
    expected = "libsvm" if LIBSVM.fullmatch(line) else "vw" if VW.fullmatch(line) else None
    assert (found(line) if expected else found(line) in ("libsvm", "vw")) == (expected or False)


@pytest.mark.parametrize("n", [50, 20_000])
@pytest.mark.parametrize(
    ("begin", "piece", "end"),
    [
        (b"1", b"1", b" x"),
        (b"", b"1 ", b"x"),
        (b"1", b" 1:1", b" !"),
        (b"1 ", b"1:1:", b" x"),
        (b"1 ", b"qid:1\t", b"\x0b!"),
        (b"", b" \t", b"x"),
        (b"1.", b"1", b" '"),
        (b"1 1 ", b"'", b" y"),
    ],
)
def test_lines_that_look_like_a_format_until_their_end_take_no_exponential_time(begin, piece, end, n):
    beginning = ("libsvm",) if n > 4096 else ()  # only the start of a long line is examined
    assert found(begin + n * piece + end) in ("none", "tsv", *beginning)


def test_a_zip_archive_is_named():
    with pytest.raises(BadInput, match="a zip archive is read from a file"):
        format_of_content(b"PK\x03\x04\x14\x00\x00\x00", "sales.csv.zip")
