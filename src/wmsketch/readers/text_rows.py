"""Text formats through the native parsers: a chunk of bytes in, a block of rows out."""

from collections.abc import Callable, Iterator

from wmsketch._core import CsvParser, LineParser, RowBlock
from wmsketch.readers.findings import Findings
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream
from wmsketch.readers.rejects import STOP, RejectBatch, RejectRules, problem_of, taken_from

_PATIENCE = 1.0  # seconds to wait for the first rows of a pipe
_FIRST_CHUNKS = 4  # chunks from which kinds are guessed


class TextRows:
    """Reads the rows of one file after the other; what is known about labels and columns applies to all of them.

    Rows of a pipe are passed on as they arrive. With `guesses`, the parser guesses from the first chunks, so the reader
    waits a little for them. `begin` is called with each stream before it is read; `check` is called with the name of
    each file, when its first rows (or their error) are known; `findings` returns what is known after the last block.
    """

    def __init__(
        self,
        parser: LineParser,
        findings: Callable[[], Findings],
        chunk_bytes: int = CHUNK_BYTES,
        guesses: bool = False,
        check: Callable[[str], None] | None = None,
        rules: RejectRules = STOP,
        begin: Callable[[ByteStream], None] | None = None,
    ) -> None:
        self._begin = begin
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
        if self._begin:
            self._begin(stream)
        # the buffer is reused, because allocating fresh memory takes longer than reading
        chunk = memoryview(bytearray(self._chunk_bytes))
        if isinstance(self._parser, CsvParser):
            first = memoryview(bytearray(_FIRST_CHUNKS * self._chunk_bytes))
            first = first[: stream.fill(first, _PATIENCE)]
            if len(first) > self._chunk_bytes:
                self._parser.set_sample(first)
            for begin in range(0, len(first), self._chunk_bytes):
                rest = len(first) - begin > self._chunk_bytes
                yield from self._feed(first[begin : begin + self._chunk_bytes], stream, more_is_read=rest)
            del first
        while size := stream.fill(chunk):
            yield from self._feed(chunk[:size], stream)
        yield from self._feed(b"", stream, final=True)

    def take_rejected(self) -> RejectBatch:
        """Return the rows skipped since the last call."""
        taken, self._rejected = self._rejected, RejectBatch()
        return taken

    def _feed(
        self, chunk: bytes | memoryview, stream: ByteStream, *, final: bool = False, more_is_read: bool = False
    ) -> Iterator[RowBlock]:
        block = self._parser.feed(chunk, final)
        self._rejected += taken_from(self._parser, stream.name, stream.name_at)
        bad = self._parser.bad_row
        if not bad and not more_is_read:
            stream.taken()
        # in a JSON row with a bad value, the columns after it are unknown
        skipped = self._rejected.left_out or self._rejected.missing_labels
        knows = len(block) or skipped or (bad and (self._guesses or bad.fault != "value"))
        if self._unchecked and knows:
            self._unchecked(stream.name)
            self._unchecked = None
        if len(block):
            yield block
        if bad:
            raise problem_of(bad, stream.name, stream.name_at)
