"""LIBSVM and Vowpal Wabbit text through the native parsers."""

from collections.abc import Iterator

from wmsketch._core import LibsvmParser, RowBlock, VwParser
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream


class TextRows:
    """Rows of one file after the other; what two labels mean is remembered over files."""

    def __init__(self, parser: LibsvmParser | VwParser, chunk_bytes: int = CHUNK_BYTES) -> None:
        self._parser = parser
        self._chunk_bytes = chunk_bytes

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """The rows of a stream; before an error, all rows that stand before the bad line."""
        self._parser.next_file()
        for chunk in stream.chunks(self._chunk_bytes):
            yield from self._feed(chunk, stream)
        yield from self._feed(b"", stream, final=True)

    def _feed(self, chunk: bytes, stream: ByteStream, final: bool = False) -> Iterator[RowBlock]:
        block = self._parser.feed(chunk, final)
        if len(block):
            yield block
        if self._parser.error:
            line, column, message = self._parser.error
            raise BadInput(message, stream.name, line, column)
