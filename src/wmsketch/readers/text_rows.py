"""Text formats through the native parsers: a chunk of bytes in, a block of rows out."""

from collections.abc import Callable, Iterator

from wmsketch._core import LineParser, RowBlock
from wmsketch.readers.findings import Findings
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream
from wmsketch.readers.rejects import STOP, RejectBatch, RejectRules, problem_of, taken_from

_PATIENCE = 1.0  # seconds to wait for the first rows of a pipe


class TextRows:
    """Reads the rows of one file after the other; what is known about labels and columns applies to all of them.

    Rows of a pipe are passed on as they arrive. With `guesses`, the parser guesses from the first chunk, so the reader
    waits a little for it. `check` is called with the name of each file, when its first rows (or their error) are known;
    `findings` returns what is known after the last block.
    """

    def __init__(
        self,
        parser: LineParser,
        findings: Callable[[], Findings],
        chunk_bytes: int = CHUNK_BYTES,
        guesses: bool = False,
        check: Callable[[str], None] | None = None,
        rules: RejectRules = STOP,
    ) -> None:
        self._parser = parser
        rules.apply(parser)
        self._rejected = RejectBatch()
        self.findings = findings
        self._chunk_bytes = chunk_bytes
        self._guesses = guesses
        self._check = check
        self._unchecked = check

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """Yield the rows of a stream; before an error, all rows before the bad line."""
        self._parser.next_file()
        self._unchecked = self._check
        # the buffer is reused, because allocating fresh memory takes longer than reading
        chunk = memoryview(bytearray(self._chunk_bytes))
        patience = _PATIENCE if self._guesses else 0.0
        while size := stream.fill(chunk, patience):
            yield from self._feed(chunk[:size], stream)
            patience = 0.0
        yield from self._feed(b"", stream, final=True)

    def take_rejected(self) -> RejectBatch:
        """Return the rows skipped since the last call."""
        taken, self._rejected = self._rejected, RejectBatch()
        return taken

    def _feed(self, chunk: bytes | memoryview, stream: ByteStream, final: bool = False) -> Iterator[RowBlock]:
        block = self._parser.feed(chunk, final)
        self._rejected += taken_from(self._parser, stream.name, stream.name_at)
        bad = self._parser.bad_row
        if not bad:
            stream.taken()
        # in a JSON row with a bad value, the columns after it are unknown
        knows = len(block) or self._rejected.left_out or (bad and (self._guesses or bad.fault not in ("value", "code")))
        if self._unchecked and knows:
            self._unchecked(stream.name)
            self._unchecked = None
        if len(block):
            yield block
        if bad:
            raise problem_of(bad, stream.name, stream.name_at)
