"""Text in other encodings, as UTF-8."""

import codecs

from wmsketch.readers.bad_input import BadInput

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
