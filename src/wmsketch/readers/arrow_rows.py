"""Parquet, Arrow IPC and anything with `__arrow_c_stream__`: record batches go to the core without a copy."""

import io
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

from wmsketch._core import ArrowRows, RowBlock, RowEncoder
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.findings import Findings, findings_of
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.rejects import RejectBatch, RejectRules, problem_of, taken_from
from wmsketch.readers.text_numbers import sample_rows, take_amounts
from wmsketch.readers.variable_words import ROWS_LOOKED_AT, words_of_block

ROWS_PER_BATCH = 1024  # for Parquet, whose dictionaries may repeat one long text in every row of a batch
_LARGEST_MESSAGE = 1 << 31
FILE_MAGIC = b"ARROW1\0\0"


@runtime_checkable
class ArrowStream(Protocol):
    """A table, data frame or reader of record batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...


def import_pyarrow(what: str) -> ModuleType:
    """Return the pyarrow module, or raise an error with the install command."""
    try:
        import pyarrow
    except ImportError as problem:
        raise ImportError(f"{what} needs pyarrow: pip install 'wmsketch[arrow]'", name="pyarrow") from problem
    module: ModuleType = pyarrow
    return module


class BatchRows:
    """Reads rows of record batches."""

    def __init__(self, options: ReaderOptions, rules: RejectRules | None = None) -> None:
        self._options = options
        self._encoder = options.encoder()
        self._rules = rules or options.reject_rules()
        self._rejected = RejectBatch()
        self._assumed: list[ColumnNote] = []
        self._words = tuple(options.variable_words)
        self._looks_for_words = bool(options.find_words and options.templates and not self._words)

    def findings(self) -> Findings:
        """Return what is known after the last block."""
        found = findings_of(self._encoder, self._options.positive_text())
        return found._replace(doubts=(*found.doubts, *self._assumed), variable_words=self._words)

    def take_rejected(self) -> RejectBatch:
        """Return the rows skipped since the last call."""
        taken, self._rejected = self._rejected, RejectBatch()
        return taken

    def of_stream(self, batches: ArrowStream, name: str, rows_before: int = 0) -> Iterator[RowBlock]:
        """Yield the rows of a stream; before an error, all rows before the bad one."""
        sound = _sound(batches, name)
        if type(batches).__module__.startswith("pandas"):  # which converts its frames with pyarrow
            import_pyarrow("a frame of pandas")
        try:
            rows = ArrowRows(self._encoder, sound.__arrow_c_stream__(), rows_before)
        except ValueError as problem:  # in the schema, for example a name that is not text
            raise BadInput(f"damaged Arrow data: {problem}", name) from problem
        self._rules.apply(rows)
        if rows_before == 0:
            self._options.require_columns(rows.columns, name)
            self._look_for_amounts(batches, len(rows.columns))
            if self._looks_for_words:
                self._look_for_words(batches)
        while (block := rows.next()) is not None:
            self._rejected += taken_from(rows, name)
            if len(block):
                yield block
            if rows.bad_row:
                raise problem_of(rows.bad_row, name)

    def _look_for_amounts(self, batches: Any, n_columns: int) -> None:
        """Look at the first rows of a table for columns of amounts, which are read as numbers."""
        sample = _first_rows(batches, sample_rows(n_columns), RowEncoder())
        if sample is not None:
            notes = take_amounts(self._encoder, sample, self._options)
            self._assumed += [note for note in notes if note not in self._assumed]

    def _look_for_words(self, batches: Any) -> None:
        """Look at the first rows of a table for words that vary in columns of messages."""
        self._looks_for_words = False
        sample = _first_rows(batches, ROWS_LOOKED_AT, self._options.to_find_words().encoder())
        if sample is not None:
            self._words = words_of_block(sample, self._options)
            self._encoder.replace_words(list(self._words))

    def of_batches(self, batches: Iterator[Any], stream: ByteStream, what: str) -> Iterator[RowBlock]:
        """Yield the rows of pyarrow's batches; damage in the file raises BadInput."""
        arrow_error = import_pyarrow(what).ArrowException
        n_rows = 0
        while True:
            try:
                batch = next(batches, None)
            except BadInput:
                raise
            except (arrow_error, OSError, UnicodeDecodeError) as problem:
                raise BadInput(f"damaged {what} data: {problem}", stream.name) from problem
            if batch is None:
                return
            yield from self.of_stream(batch, stream.name, n_rows)
            n_rows += batch.num_rows


def _first_rows(batches: Any, n_rows: int, encoder: RowEncoder) -> RowBlock | None:
    """Return the first rows of a table; None for a stream, which can be read only once."""
    if hasattr(batches, "slice"):
        first = batches.slice(0, n_rows)
    elif hasattr(batches, "iloc"):  # pandas
        first = batches.iloc[:n_rows]
    else:
        return None  # a DuckDB relation cannot be read twice at a time
    return ArrowRows(encoder, first.__arrow_c_stream__(), 0).next()


def _sound(batches: Any, name: str) -> ArrowStream:
    """Check that offsets and indices stay inside their buffers, whose sizes only pyarrow knows, and yield the batches.

    Tables of other libraries have no sizes and are trusted.
    """
    stream: ArrowStream = batches
    if not type(batches).__module__.startswith("pyarrow"):
        return stream
    pyarrow = import_pyarrow("Arrow")
    if isinstance(batches, pyarrow.RecordBatchReader):
        each = (_sound(batch, name) for batch in batches)
        stream = pyarrow.RecordBatchReader.from_batches(batches.schema, each)
    elif hasattr(batches, "validate"):
        try:
            batches.validate(full=True)
        except (pyarrow.ArrowException, UnicodeDecodeError) as problem:
            raise BadInput(f"damaged Arrow data: {problem}", name) from problem
    return stream


class ParquetRows(BatchRows):
    """Reads Parquet files, about a thousand rows at a time."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """Yield the rows of a file."""
        import_pyarrow("Parquet")
        if stream.bytes_total is None or stream.compression:
            found = f"{stream.compression} data" if stream.compression else "a pipe"
            raise BadInput(f"Parquet must be a plain file, because its index is at the end; found {found}", stream.name)
        yield from self.of_batches(self._batches(stream), stream, "Parquet")

    def _batches(self, stream: ByteStream) -> Iterator[Any]:
        from pyarrow import parquet

        assert stream.bytes_total is not None
        with parquet.ParquetFile(stream.random_access(), pre_buffer=False) as file:
            n_rows = 0
            for batch in file.iter_batches(ROWS_PER_BATCH, use_threads=False):
                n_rows += batch.num_rows
                share = stream.bytes_total * n_rows // max(1, file.metadata.num_rows)
                stream.bytes_read = max(stream.bytes_read, share)
                yield batch


class _WholeReads(io.RawIOBase):
    """Reads exactly the requested size, but allocates memory only for bytes that exist."""

    def __init__(self, stream: ByteStream) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return exactly `size` bytes, fewer only at the end."""
        if not 0 <= size <= _LARGEST_MESSAGE:
            raise BadInput(
                f"expected messages of at most {_LARGEST_MESSAGE:,} bytes, found {size:,}", self._stream.name
            )
        pieces = []
        while size and (piece := self._stream.read(min(size, CHUNK_BYTES))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


class IpcRows(BatchRows):
    """Reads Arrow IPC, as a stream or as a file (Feather). A file is a stream between two marks, so pipes work too."""

    def blocks(self, stream: ByteStream) -> Iterator[RowBlock]:
        """Yield the rows of a file or pipe."""
        import_pyarrow("Arrow IPC")
        yield from self.of_batches(self._batches(stream), stream, "Arrow IPC")

    def _batches(self, stream: ByteStream) -> Iterator[Any]:
        from pyarrow import ipc

        if stream.batches is not None:
            yield from stream.batches
            return
        whole_reads = _WholeReads(stream)
        if stream.look(len(FILE_MAGIC)).startswith(FILE_MAGIC):
            whole_reads.read(len(FILE_MAGIC))
        yield from ipc.open_stream(whole_reads)
