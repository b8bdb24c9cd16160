"""Text formats through the native parsers: a chunk of bytes in, a block of rows out."""

from collections.abc import Callable, Iterator
from typing import Protocol

from wmsketch._core import RowBlock
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.findings import Findings
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream


class Parser(Protocol):
    """What the native parsers share."""

    @property
    def error(self) -> tuple[int, int, str] | None: ...
    def feed(self, chunk: bytes, final: bool = False) -> RowBlock: ...
    def next_file(self) -> None: ...


class TextRows:
    """Rows of one file after the other; what was learned of labels and columns holds for all of them.

    `full_chunks`: chunks of one size however the input arrives, for parsers that guess from the first.
    `check` is called with the name of each file, when its first rows (or their error) are known; `findings` tells what
    is known after the last block.
    """

    def __init__(
        self,
        parser: Parser,
        findings: Callable[[], Findings],
        chunk_bytes: int = CHUNK_BYTES,
        full_chunks: bool = False,
        check: Callable[[str], None] | None = None,
    ) -> None:
        self._parser = parser
        self.findings = findings
        self._chunk_bytes = chunk_bytes
        self._full_chunks = full_chunks
        self._check = check
        self._unchecked = check

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """The rows of a stream; before an error, all rows that stand before the bad line."""
        self._parser.next_file()
        self._unchecked = self._check
        cut = stream.full_chunks if self._full_chunks else stream.chunks
        for chunk in cut(self._chunk_bytes):
            yield from self._feed(chunk, stream)
        yield from self._feed(b"", stream, final=True)

    def _feed(self, chunk: bytes, stream: ByteStream, final: bool = False) -> Iterator[RowBlock]:
        block = self._parser.feed(chunk, final)
        if self._unchecked and (len(block) or self._parser.error):
            self._unchecked(stream.name)
            self._unchecked = None
        if len(block):
            yield block
        if self._parser.error:
            line, column, message = self._parser.error
            raise BadInput(message, stream.name, line, column)
