"""Examples from any input: the only entry point of the readers."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import Any

from wmsketch._core import RowBlock
from wmsketch.errors import ParameterError
from wmsketch.formats import EXAMPLES, FORMATS
from wmsketch.readers.arrow_rows import ArrowStream, BatchRows
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.findings import Findings, LabelNames
from wmsketch.readers.open_stream import CHUNK_BYTES, ByteStream, Paths, expand_paths, open_stream, stored_size
from wmsketch.readers.options import ReaderOptions, unknown_columns
from wmsketch.readers.pipeline import read_ahead
from wmsketch.readers.positions import Mark, Numbering, Position
from wmsketch.readers.recognise import format_of, format_of_name
from wmsketch.readers.rejects import RejectBatch, Rejects
from wmsketch.readers.rows_of_format import Rows, rows_of_format
from wmsketch.readers.sources.address import Address

Prepare = Callable[[RowBlock], object]
Found = tuple[RowBlock, Findings, RejectBatch]  # a block, what is known after it, and skipped rows


class _Files:
    """Reads the files. It holds no reference to Examples, so dropping an Examples frees it and stops the reading."""

    def __init__(
        self, paths: list[str], format: str | None, options: ReaderOptions, chunk_bytes: int, prepare: Prepare | None
    ) -> None:
        _require_readable(paths, format)
        self._prepare = prepare
        self._sizes = [stored_size(path) for path in paths]
        self.bytes_total = None if None in self._sizes else sum(size or 0 for size in self._sizes)
        self.format = format
        self._guesses = format is None
        self.paths = paths
        self._options = options
        self._chunk_bytes = chunk_bytes
        self.unseen: list[str] = []
        self._rows: Rows | None = None
        self.rejects_path = options.rejects
        self.end: Position | None = None  # where the last file ended, once known
        self._bytes_before = 0  # of finished files
        self._stream: ByteStream | None = None
        self._untold = RejectBatch()
        self._left_out = 0  # of the current file

    @property
    def bytes_read(self) -> int:
        stream = self._stream
        return self._bytes_before + (stream.bytes_read if stream else 0)

    def rejected_at_end(self) -> RejectBatch:
        """Return the rows skipped after the last block; call this after the last block."""
        return self._rejected(self._rows) if self._rows else RejectBatch()

    def _rejected(self, rows: Rows) -> RejectBatch:
        self._take(rows)
        taken, self._untold = self._untold, RejectBatch()
        return taken

    def _take(self, rows: Rows) -> int:
        taken = rows.take_rejected()
        self._untold += taken
        self._left_out += taken.left_out
        return self._left_out

    def _skip(self, rows: Rows) -> None:
        """Drop skipped rows before the start, which an earlier run reported. Rows left out are counted per file."""
        taken = self._rejected(rows)
        self._untold = RejectBatch(left_out=taken.left_out, left_out_before=taken.left_out_before)

    def _begin_file(self, mark: Mark | None) -> None:
        """Count the rows left out before a mark, which are not read again."""
        self._left_out = mark.get("left_out", 0) if mark else 0
        self._untold += RejectBatch(left_out=self._left_out)

    def _end_file(self, rows: Rows) -> None:
        taken = self._rejected(rows)
        self._untold = taken._replace(left_out=0, left_out_before=taken.left_out_before + taken.left_out)

    def blocks(self, start: Position) -> Iterator[Found]:
        rows: Rows | None = None
        n_rows = start.rows
        for number, path in enumerate(self.paths):
            if number == 0 or number >= start.file:
                mark = None if number != start.file or start.reread or not _seeks(path) else start.mark
                with open_stream(path, self._options.encoding, mark["at"] if mark else None) as self._stream:
                    if self.format is None and not self._known_format(path) and not self._stream.look():
                        continue  # an empty file has no format, but the next one may have one
                    self.format = self.format or format_of(self._stream, columns=self._options.asks_columns)
                    self._require_same_format(path)
                    rows = rows or rows_of_format(self.format, self._stream, self._options, self._chunk_bytes)
                    self._rows = rows
                    blocks = rows.blocks(self._stream)
                    if number < start.file:
                        next(blocks, None)  # the columns and labels of the first file apply to all
                        rows.take_rejected()
                    else:
                        here = start if number == start.file else Position(number, 0, n_rows)
                        numbering = Numbering(here, mark)
                        self._begin_file(mark)
                        known = partial(self._skip, rows), partial(self._take, rows)
                        for block in numbering.of(blocks, self._stream, *known):
                            n_rows = block.position.rows
                            if self._prepare is not None:
                                self._prepare(block)
                            yield block, rows.findings(), self._rejected(rows)
                        self._end_file(rows)
                        self.end = numbering.end(self._stream, self._left_out)
            done = self._sizes[number] or self.bytes_read - self._bytes_before
            self._stream = None
            self._bytes_before += done
        if rows is not None and start.file == 0 and not start.mark:  # otherwise rows were skipped
            self._report_unseen(rows.findings())

    def stop(self) -> None:
        """Stop a stream that waits for a server."""
        if (stream := self._stream) is not None:
            stream.stop()

    @staticmethod
    def _known_format(path: str) -> str | None:
        return path.source.format if isinstance(path, Address) else None

    def _require_same_format(self, path: str) -> None:
        said = format_of_name(path) if self._guesses else None
        may_be_table = said == "text" and self._options.asks_columns
        if said is not None and said != self.format and not may_be_table:
            raise BadInput(
                f"expected {self.format}, as before, found a name of {said}: set the format for all files", path
            )

    def _report_unseen(self, findings: Findings) -> None:
        not_met = [] if self._options.require_labels else self._options.not_met(findings.columns())
        not_met += unknown_columns(findings.unknown_columns())
        if self.format is None or FORMATS[self.format].same_columns:
            self.unseen = not_met
            return
        # JSON rows may lack any column, so a misspelt name is detected only at the end. Learning without a requested
        # column is an error. Predicting without it is not: a few rows may lack a rare column.
        unseen = self._options.unseen(findings.unseen_names, findings.columns(), ", ".join(self.paths))
        if unseen and self._options.require_labels:
            raise unseen[0]
        self.unseen = [f"{each.option}: {each.message}" for each in unseen] + not_met


class _Batches:
    """Reads an object in memory."""

    format = "arrow"
    bytes_total = None
    bytes_read = 0
    end = None

    def __init__(self, source: ArrowStream, options: ReaderOptions) -> None:
        self.paths: list[str] = []
        self.unseen: list[str] = []  # columns are known before the first row
        self.rejects_path = options.rejects
        self._rows: BatchRows | None = None
        self._source = source
        self._options = options

    def rejected_at_end(self) -> RejectBatch:
        return self._rows.take_rejected() if self._rows else RejectBatch()

    def blocks(self, start: Position) -> Iterator[Found]:
        options = self._options
        options.require_meaning("arrow")
        rows = BatchRows(options)
        self._rows = rows
        blocks = rows.of_stream(self._source, type(self._source).__name__)
        for block in Numbering(start, None).of(blocks, None, rows.take_rejected):
            yield block, rows.findings(), rows.take_rejected()

    def stop(self) -> None:
        """Do nothing: an object in memory never waits."""


class Examples(Iterator[RowBlock]):
    """Blocks of rows and the position in the input. To stop early, call `close`, leave the `with`, or drop the object.

    `position` is the end of the last block returned. `labels` are the two labels as written in the input. `rejects`
    counts the skipped rows; those after the last block are added at the end.
    """

    def __init__(self, source: _Files | _Batches, start: Position, depth: int) -> None:
        self.position = start
        self.labels = LabelNames()
        self.only_negatives: tuple[str, ...] = ()  # labels found, if the positive one has not occurred
        self.doubts: tuple[ColumnNote, ...] = ()  # columns whose kind is doubtful
        self.codes: tuple[ColumnNote, ...] = ()  # columns with codes like 02139
        self.lacked: tuple[str, ...] = ()  # notes on files that lack a column
        self.numbers: Callable[[], list[str]] = list  # columns that have had numbers
        self.columns: Callable[[], list[str]] = list  # columns found so far
        self.variable_words: tuple[str, ...] = ()  # templates of text columns in which words vary
        self.rejects = Rejects(source.rejects_path, append=start.rows > 0, inputs=source.paths)
        self._source = source
        self._blocks = read_ahead(source.blocks(start), depth)
        self._again: deque[RowBlock] = deque()

    @property
    def files(self) -> list[str]:
        """The files and addresses; none if rows come from an object in memory."""
        return self._source.paths

    @property
    def format(self) -> str | None:
        """The format; None before the first block if it is guessed from the content."""
        return self._source.format

    @property
    def bytes_read(self) -> int:
        """Stored (compressed) bytes read so far, a little ahead of the blocks."""
        return self._source.bytes_read

    @property
    def bytes_total(self) -> int | None:
        """Stored bytes of all files; None when a size is unknown (pipes)."""
        return self._source.bytes_total

    @property
    def unseen(self) -> list[str]:
        """Messages about missing columns; complete at the end.

        These are the columns that options name and no JSON Lines row had, which is an error unless predicting; and,
        when predicting from files with columns, those that the model was trained on.
        """
        return self._source.unseen

    def put_back(self, blocks: Iterable[RowBlock]) -> None:
        """Return these blocks again before the next one; `position` and the rest stay those of the last one read."""
        self._again.extendleft(reversed(list(blocks)))

    def __next__(self) -> RowBlock:
        if self._again:
            return self._again.popleft()
        try:
            block, findings, rejected = next(self._blocks)
        except (StopIteration, BadInput) as last:
            self.rejects.add(self._source.rejected_at_end())
            self.rejects.flush()  # not closed: rows that were read but cannot be learned may follow
            if isinstance(last, StopIteration):
                self.position = self._source.end or self.position
            raise
        self.rejects.add(rejected, next_file=block.position.file != self.position.file)
        self.position, self.labels = block.position, findings.labels
        self.only_negatives, self.doubts, self.codes = findings.only_negatives, findings.doubts, findings.codes
        self.numbers, self.columns, self.lacked = findings.numbers, findings.columns, findings.lacked
        self.variable_words = findings.variable_words
        self.rejects.assumed = self.doubts + self.codes + findings.times
        return block

    def close(self) -> None:
        """Stop reading and close the files."""
        self._source.stop()
        self._blocks.close()
        self.rejects.close()

    def __enter__(self) -> "Examples":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _seeks(path: str) -> bool:
    return isinstance(path, Address) and path.source.has_places


def _require_readable(paths: list[str], format: str | None) -> None:
    """Raise an error for a format that an address does not support."""
    for path in paths:
        if isinstance(path, Address) and format and path.source.format not in (None, format):
            known = (path.source.format, *path.source.formats)
            if format not in known:
                raise ValueError(f"format must be {' or '.join(known)} for {path.scheme}://, got {format!r}")


def open_examples(
    paths: Paths | ArrowStream,
    format: str | None = None,
    *,
    resume: Position | None = None,
    depth: int = 4,
    chunk_bytes: int = CHUNK_BYTES,
    prepare: Prepare | None = None,
    **options: Any,
) -> Examples:
    """Read blocks of examples from files, globs, pipes, stdin (`-`) or addresses, in constant memory.

    An address is like redis://localhost/clicks: see `wmsketch.readers.sources`. `paths` may also be an object with
    `__arrow_c_stream__`: a pyarrow, polars or pandas table, a DuckDB result. `format` is one of libsvm, vw, csv, tsv,
    jsonl, parquet, arrow, text; by default it follows from the name of the first file, or its first line. `resume`
    takes the `position` of a block and continues after it. Up to `depth` blocks are read ahead on another thread (0:
    none), each from `chunk_bytes` of text. `prepare` is called there with each block of a file. A bad line or row
    raises BadInput, after all rows before it were returned.

    Options of all formats:
        bad_rows: "skip": rows that cannot be read are skipped and counted, see `Examples.rejects`; "stop": they raise
            an error. By default, only lines that are no rows of a table are skipped, like those with too many cells;
            the cells that a short row lacks are missing, and bytes that are not UTF-8 are read as cp1252.
        missing_label: the same for rows without a label.
        rejects: a file for the skipped rows, with their position and the problem.
        encoding: the encoding of text that is not UTF-8, like "cp1252" or "utf-16".
    Options of libsvm and vw:
        positive: the label of the positive class; by default, labels above 0 are positive. Only two labels may occur.
        require_labels: False for prediction: either all examples have labels or none has.
        many_classes: True reads every label as a class, into `RowBlock.classes` instead of `RowBlock.labels`.
        numeric_label: True reads every label as a number to predict, into `RowBlock.targets`.
    Options of csv, tsv, jsonl, parquet, arrow:
        label, weight: the columns with the label and the weight of each example.
        time: the column with the time of each example: seconds, or a date and time like 2024-05-17 08:30:00 (UTC, or
            with Z or +02:00 at the end).
        positive: the positive value of the label; all others are negative. Without it the label must be true or false,
            or one of two numbers of which one is above 0.
        require_labels: as above. For prediction, the columns in label, weight, time and ignore may be missing.
        many_classes, numeric_label: as above.
        features, ignore: take only these columns, or all except these.
        numeric, categorical, text: read these columns as numbers, as categories, as running text. Other kinds are
            guessed: from their type, and in csv from the first megabytes (in a slow pipe: from its first second). A
            value that does not fit is a category of its own; in a numeric column it is missing. See `Examples.doubts`.
        column_kinds: the kinds of the columns in the training data: they are read in the same way.
        seen_kinds: the kinds of the JSON values in that data: other formats follow them.
        known_columns: all columns of that data; others make no feature.
        name_seed: the seed with which the model hashes names; rows read without it are hashed again when learned.
        interactions: pairs of columns like "origin:carrier", whose values are also combined into features.
        ngrams, lowercase, word_values: for text columns, and the first two for the format text; see `Schema`.
        templates: a text column is the category of its template, see `Schema`; find_words: bytes for templates with
            <word>, which are found in the first rows (0: none), see `Examples.variable_words`.
        missing: skip, or count: a missing value is the feature `column=(missing)`.
        na: more words that mean missing, like ["-", "?"].
        where: a condition that rows must satisfy, like "month < 12 and not carrier in (AA, UA)"; see `parse_condition`.
            Others are left out and counted, see `Examples.rejects`, even if their values are invalid.
    Options of csv and tsv:
        delimiter: one character; by default csv finds it in the header.
        columns: the names, for files without a header. In a header, a column without a name is column1 if it is the
            first, column2 if it is the second, and so on.
        quoting: True: a cell that begins with a quote must end with one, and may contain delimiters and line ends.
            False: a quote is an ordinary character. By default csv is quoted, and tsv partly: quotes are removed if
            they enclose a whole cell (and those inside are doubled), and are kept everywhere else.
        decimal, thousands: the number style: "," and "." read 1.234,50. A value that does not fit is not a number.

    A number in column c is the feature `c` with that value; text v is the feature `c=v`, true is `c=true`, a token of a
    text column `c=token`, with value 1. A missing value (null, NaN, empty) makes no feature.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "sales.csv")
    ...     _ = path.write_text("price,city,sold\\n2.5,Rome,true\\n1,Oslo,false\\n")
    ...     [block] = open_examples(path, label="sold")
    >>> [block.name(i) for i in range(4)], block.labels.tolist()
    (['price', 'city=Rome', 'price', 'city=Oslo'], [1, -1])
    """
    if format is not None and format not in EXAMPLES:
        raise ParameterError("format", f"must be one of {', '.join(EXAMPLES)}", format)
    for name, value, least in (("depth", depth, 0), ("chunk_bytes", chunk_bytes, 1)):
        if value < least:
            raise ParameterError(name, f"must be at least {least}", value)
    checked = ReaderOptions(**options)
    source = (
        _Batches(paths, checked)
        if isinstance(paths, ArrowStream)
        else _Files(expand_paths(paths), format, checked, chunk_bytes, prepare)
    )
    return Examples(source, Position(*resume) if resume else Position(0, 0, 0), depth)
