"""Text in other encodings, as UTF-8."""

import codecs
import io

from wmsketch.errors import ParameterError
from wmsketch.readers.bad_input import BadInput

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FEWEST = 8  # bytes needed to recognise UTF-16 or UTF-32 without a mark


def encoding_of(head: bytes) -> str | None:
    """Return the encoding of a text that begins like this, if it is UTF-16 or UTF-32.

    >>> encoding_of("a,b".encode("utf-16")), encoding_of("city,price".encode("utf-16-le")), encoding_of(b"a,b")
    ('utf-16', 'utf-16-le', None)
    >>> encoding_of("city".encode("utf-32-le")), encoding_of("city".encode("utf-32-be"))
    ('utf-32-le', 'utf-32-be')
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # the first begins like UTF-16
        return "utf-32"
    if head.startswith(UTF_16_MARKS):
        return "utf-16"
    even, odd = head[:64:2], head[1:64:2]
    if len(head) >= _FEWEST:
        first, second, third, fourth = (head[at:64:4] for at in range(4))
        if all(first) and not any(second + third + fourth):
            return "utf-32-le"
        if all(fourth) and not any(first + second + third):
            return "utf-32-be"
        if not any(odd) and all(even):
            return "utf-16-le"
        if not any(even) and all(odd):
            return "utf-16-be"
    return None


def decoded(head: bytes) -> str:
    """Return UTF-8 as text, and bytes that are not UTF-8 as Windows text, as the readers do.

    >>> decoded("5 €, ".encode() + "5 €".encode("cp1252"))
    '5 €, 5 €'
    """
    return head.decode(errors=_AS_WINDOWS_TEXT)


def _windows_text(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeDecodeError)
    return problem.object[problem.start : problem.end].decode("cp1252", "replace"), problem.end


_AS_WINDOWS_TEXT = "wmsketch.cp1252"
codecs.register_error(_AS_WINDOWS_TEXT, _windows_text)


def ends_lines_with_cr(head: bytes) -> bool:
    """Return whether lines end in a carriage return alone, as in files of old Macs and some exports.

    >>> ends_lines_with_cr(b"a,b\\r1,2\\r"), ends_lines_with_cr(b"a,b\\r\\n1,2")
    (True, False)
    """
    return b"\r" in head[:-1] and b"\n" not in head and b"\0" not in head


def require_encoding(name: str) -> None:
    """Raise an error for a name that is not that of an encoding of text."""
    try:
        io.TextIOWrapper(io.BytesIO(), name)
    except (LookupError, ValueError):
        raise ParameterError("encoding", "must be a name like cp1252 or utf-16", name) from None


class Transcoder:
    """Converts bytes of one encoding to UTF-8, piece by piece; invalid bytes raise BadInput.

    >>> transcoder = Transcoder("cp1252", "prices.csv")
    >>> transcoder.feed("5 €".encode("cp1252")).decode()
    '5 €'
    """

    def __init__(self, encoding: str, file: str) -> None:
        self._encoding = encoding
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._n_lines = 0  # converted so far

    def feed(self, data: bytes, final: bool = False) -> bytes:
        """Return the text of these bytes, up to the last complete character."""
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as problem:
            line = self._n_lines + 1 + problem.object[: problem.start].decode(self._encoding, "replace").count("\n")
            found = problem.object[problem.start : problem.start + 1].hex()
            message = f"expected text in {self._encoding}, found the byte 0x{found}: {problem.reason}"
            raise BadInput(message, self._file, line) from None
        self._n_lines += text.count("\n")
        return text.encode("utf-8", "replace")
