"""The native core of wmsketch."""

from collections.abc import Sequence
import types
from typing import Annotated, Any, Final, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import CapsuleType


HALF_DONE: str = ...

class RowBlock:
    """
    Consecutive examples: row r has the features starts[r] to starts[r + 1].
    """

    def __len__(self) -> int: ...

    @property
    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def values(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), writable=False)]:
        """-1 or +1 for each row; empty if the input has no labels."""

    @property
    def has_labels(self) -> bool: ...

    @property
    def has_classes(self) -> bool: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), writable=False)]:
        """One for each row; empty if all are 1."""

    @property
    def times(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """In seconds, one for each row; empty if there is no time column."""

    @property
    def classes(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """For many classes: index of each row's label in class_texts."""

    @property
    def class_texts(self) -> list[str]:
        """The distinct labels, each after its type: s, i or b."""

    @property
    def targets(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """For a numeric label: the label of each row, NaN if it has none."""

    @property
    def has_targets(self) -> bool: ...

    @property
    def named(self) -> bool:
        """Whether features have names, whose hashes are the keys."""

    def name(self, i: int) -> str:
        """The name of the feature at keys[i]; empty if it has none."""

    def class_counts(self) -> list[int]:
        """The number of rows of each of class_texts."""

    @property
    def n_features(self) -> int:
        """How many keys there are."""

    def first_starts(self, n: int) -> list[int]:
        """The first n of starts."""

    def first_columns(self, n_rows: int, row: int = 0, widest: int = 4294967295, fewest: int = 1) -> dict[str, tuple[list[int], list[Any]]]:
        """
        The first rows by column: the numbers of the rows, from `row` on, and their cells, of which a row has at most `widest`. A number has double precision, a category is its text. Words with fewer cells than `fewest` are left out, but no column of a table.
        """

    def drop_rows(self, n: int) -> None:
        """Drop the first n rows."""

    def part(self, first: int, last: int) -> RowBlock:
        """The rows from first up to, but not including, last."""

    @property
    def position(self) -> Any:
        """Where the block ends in its input, for resuming."""

    @position.setter
    def position(self, arg: Any | None, /) -> None: ...

    @property
    def counted(self) -> Any:
        """
        The DistinctFeatures up to the end of the block, if its reader was asked to count them.
        """

    @counted.setter
    def counted(self, arg: Any | None, /) -> None: ...

class SpreadRows(RowBlock):
    """A sample of the rows of a stream, spread over all of it."""

    def __init__(self) -> None: ...

    def add(self, block: RowBlock, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """The next rows of the stream. Weights replace those of the block."""

def shuffle_rows(blocks: tuple[RowBlock, ...], weights: Sequence[numpy.typing.NDArray[numpy.float32] | None], seed: int) -> RowBlock:
    """
    The rows of all blocks as one block, shuffled. Weights replace those of a block.
    """

def take_rows(blocks: tuple[RowBlock, ...], order: numpy.typing.NDArray[numpy.int64]) -> RowBlock:
    """The rows with these numbers, counted over all blocks, as one block."""

class RejectedRow:
    """A row that cannot be read, and why."""

    @property
    def line(self) -> int:
        """The line, or the row number if there are no lines; from 1."""

    @property
    def column(self) -> int:
        """The character in the line, from 1; 0 if there are no lines."""

    @property
    def message(self) -> str: ...

    @property
    def fault(self) -> str:
        """
        file: the problem is not in a row; row; value: does not fit its column; shape: a line that is no row; label: missing; encoding; third_label: two other labels were seen; which_positive: it is unclear which label is positive.
        """

    @property
    def name(self) -> str:
        """The column of a bad value that could be read as text; else empty."""

    @property
    def value(self) -> str:
        """The bad value; else empty."""

    @property
    def text(self) -> bytes:
        """The line as in the file."""

class LineParser:
    """Base of the text parsers."""

    @property
    def bad_row(self) -> RejectedRow | None:
        """None, or the row that ended the input."""

    def set_rejects(self, *, skip_bad: bool, tolerate: bool, skip_missing: bool, keep_all: bool) -> None:
        """
        Skip bad rows, or only lines that are no rows of the table (and complete short rows, and read bytes that are not UTF-8 as cp1252), and rows without a label; record all of them, or only the first.
        """

    def take_rejected(self) -> tuple[int, int, list[RejectedRow], int]:
        """
        Numbers of bad rows and of rows without a label skipped since the last call, the first of each or all, and the number of rows that the condition left out.
        """

    def feed(self, chunk: bytes | bytearray | memoryview, final: bool = False) -> RowBlock:
        """
        Return the rows of the lines that this chunk completes. After a bad line, return those before and set `error`.
        """

    @property
    def error(self) -> tuple[int, int, str] | None:
        """None, or line, column and the problem."""

    @property
    def repaired(self) -> tuple[int, int]:
        """
        Number of bytes that are not UTF-8 and were read as cp1252, and the line of the first.
        """

    def next_file(self) -> None:
        """Count lines from 1 again."""

class LibsvmParser(LineParser):
    """Parser of LIBSVM text in chunks."""

    def __init__(self, *, positive: float | None = None, require_labels: bool = True, many_classes: bool = False, numeric_label: bool = False, longest_line: int = 67108864, name_seed: int | None = None) -> None: ...

    @property
    def labels(self) -> tuple[str | None, str | None, bool]:
        """
        The negative and the positive label as written in the input, None until seen; and whether there are several negative labels, of which this is the first.
        """

    @property
    def negatives(self) -> list[str]:
        """
        The first distinct labels seen while none was the given positive label.
        """

class VwParser(LineParser):
    """Parser of Vowpal Wabbit text in chunks."""

    def __init__(self, *, positive: float | None = None, require_labels: bool = True, many_classes: bool = False, numeric_label: bool = False, longest_line: int = 67108864, name_seed: int | None = None) -> None: ...

    @property
    def labels(self) -> tuple[str | None, str | None, bool]:
        """
        The negative and the positive label as written in the input, None until seen; and whether there are several negative labels, of which this is the first.
        """

    @property
    def negatives(self) -> list[str]:
        """
        The first distinct labels seen while none was the given positive label.
        """

class ColumnRules:
    """How rows with named columns become features; see wmsketch.Schema."""

    def __init__(self, **options: Any) -> None: ...

class DictRows:
    """
    Turns dicts into rows, by the rules of a RowEncoder with the same options.
    """

    def __init__(self, **options: Any) -> None: ...

    def add(self, row: object) -> None:
        """
        Add a row: a mapping, or pairs of a column and a value. An error adds nothing.
        """

    def read_amounts(self, column: str, decimal: str, thousands: str | None) -> None:
        """See RowEncoder.read_amounts."""

    def take(self) -> RowBlock:
        """Return the rows added since the last call."""

class RowEncoder:
    """Turns values of named columns into features; see open_examples."""

    def __init__(self, **options: Any) -> None: ...

    def replace_words(self, found: Sequence[str]) -> None:
        """See `variable_words`."""

    def read_amounts(self, column: str, decimal: str, thousands: str | None) -> None:
        """
        Texts in this column are numbers, written with these separators or with the sign of a currency.
        """

    @property
    def column_names(self) -> list[str]:
        """The columns seen so far."""

    @property
    def unknown_names(self) -> list[str]:
        """Columns that the training data lacked; they give no feature."""

    @property
    def number_names(self) -> list[str]: ...

    @property
    def unseen_names(self) -> list[str]:
        """Names in the options that no column has matched so far."""

    @property
    def codes(self) -> list[tuple[str, str, bool]]:
        """
        Columns with codes like 02139: name, first code, and whether the column is read as numbers.
        """

    @property
    def times(self) -> list[tuple[str, str]]:
        """Columns of times, with the first of each."""

    @property
    def odd_values(self, /) -> list[dict[str, Any]]:
        """
        Columns with values that do not fit: the first of them, its row, their number, whether they are read as missing, whether the others are true or false or times, and the row from which most values are such (0: none).
        """

    @property
    def labels(self) -> tuple[str | None, str | None, bool]:
        """
        The negative and the positive label as written in the input, None until seen; and whether there are several negative labels, of which this is the first.
        """

    @property
    def negatives(self) -> list[str]:
        """
        The first distinct labels seen while none was the given positive label.
        """

class JsonLinesParser(LineParser):
    """Parser of JSON Lines in chunks."""

    def __init__(self, encoder: RowEncoder) -> None: ...

class PlainTextParser(LineParser):
    """Parser of plain text in chunks; each line is an example."""

    def __init__(self, *, ngrams: int = 1, lowercase: bool = False, name_seed: int | None = None) -> None: ...

class ArrowRows:
    """The record batches of an Arrow stream as rows."""

    def __init__(self, encoder: RowEncoder, stream: CapsuleType, rows_before: int = 0) -> None: ...

    @property
    def bad_row(self) -> RejectedRow | None:
        """None, or the row that ended the input."""

    def set_rejects(self, *, skip_bad: bool, tolerate: bool, skip_missing: bool, keep_all: bool) -> None:
        """
        Skip bad rows, or only lines that are no rows of the table (and complete short rows, and read bytes that are not UTF-8 as cp1252), and rows without a label; record all of them, or only the first.
        """

    def take_rejected(self) -> tuple[int, int, list[RejectedRow], int]:
        """
        Numbers of bad rows and of rows without a label skipped since the last call, the first of each or all, and the number of rows that the condition left out.
        """

    @property
    def columns(self) -> list[str]:
        """All columns, including those inside structures."""

    def next(self) -> RowBlock:
        """
        Return a few thousand rows, or None at the end. After a bad row, return those before and set `bad_row`.
        """

class JsonRowSplitter:
    """JSON documents as JSON Lines."""

    def __init__(self, rows: str) -> None: ...

    def feed(self, chunk: bytes) -> bytes:
        """Return the lines of the rows in this chunk."""

class CsvParser(LineParser):
    """Parser of separated values in chunks."""

    def __init__(self, encoder: RowEncoder, *, delimiter: str = ',', columns: Sequence[str] = [], quoting: str = 'strict', decimal: str = '.', thousands: str | None = None) -> None: ...

    def set_preamble(self, lines: int) -> None:
        """Leave out this many nonempty lines before the header."""

    def set_blanks(self, behind_delimiters: bool) -> None:
        """
        Whether each delimiter of this file is followed by a blank that is no part of the cell.
        """

    def set_sample(self, text: bytes | bytearray | memoryview) -> None:
        """Guess kinds from this beginning of the file."""

    @property
    def columns(self) -> list[str]:
        """The columns of this file."""

    @property
    def quoted_numbers(self) -> list[str]:
        """Columns of numbers that are read as text because only they are quoted."""

    @property
    def unclear_dates(self) -> list[tuple[str, str]]:
        """
        Columns of dates like 3/4/2024 that are read as text, each with its first: it is not known which number is the month.
        """

    @property
    def amounts(self) -> list[tuple[str, str]]:
        """
        Columns of amounts that are read as numbers, each with its first amount.
        """

    @property
    def mixed(self) -> list[tuple[str, str]]:
        """
        Columns of numbers and texts that are read as text, each with its first text.
        """

    @property
    def renamed(self) -> list[tuple[str, str]]:
        """
        Names that occur twice in a header, and what the later column is called.
        """

    @property
    def short_rows(self) -> tuple[int, int]:
        """
        Number of rows with fewer cells than columns, and the line of the first.
        """

class PcapParser:
    """
    Parser of captured packets (pcap and pcapng) in chunks; each packet is a row.
    """

    def __init__(self, encoder: RowEncoder, all_ports: bool = True) -> None: ...

    def feed(self, chunk: bytes, final: bool = False) -> RowBlock:
        """
        Return the packets that this chunk completes. If the file is damaged, return those before and set `error`.
        """

    @property
    def error(self) -> tuple[int, str] | None:
        """None, or the byte offset (from 0) and the problem."""

    def next_file(self) -> None:
        """Expect the start of a file."""

class Config:
    """
    Kind, sizes and rule of a learner. Raises ValueError with the name of a bad parameter.
    """

    def __init__(self, *, kind: str, step: str, exact_set: bool, depth: int, width: int, active_set_size: int, name_bytes: int, n_features: int, eviction: str, hash_family: str, independence: int, seed: int, averaged: bool, loss: str, schedule: str, eta0: float, l2: float, l1: float, fit_intercept: bool, balanced: bool, negative_weight: float, positive_weight: float, project: float, half_life: float, half_life_in: str, name_seed: int) -> None: ...

def nbytes_of(*, kind: str, step: str, exact_set: bool, depth: int, width: int, active_set_size: int, name_bytes: int, n_features: int, hash_family: str, independence: int, averaged: bool) -> int:
    """Bytes of a new learner of this shape."""

def choose_shape(*, kind: str, step: str, exact_set: bool, depth: int, width: int, active_set_size: int, hash_family: str, independence: int, averaged: bool, budget: int, budget_is_default: bool, reserved: int, named: bool, name_bytes: int | None, set_share: float, top_k: int) -> tuple[int, int, int]:
    """
    The width, the keys and the bytes for names that fill a budget; a size of 0 is chosen, others stay.
    """

def has_set(kind: str) -> bool:
    """Whether a store has a bounded set of keys."""

WAYS: int = 8

MOST_DEPTH: int = 64

MOST_NAME_BYTES: int = 4294967294

class ShapeWanted(Exception):
    pass

class Learner:
    def __init__(self, config: Config, named: bool = False, rules: ColumnRules = ...) -> None: ...

    def start(self, config: Config, named: bool) -> None:
        """Set the shape that ShapeWanted asks for."""

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None:
        """
        Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.
        """

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None:
        """
        Learn the rows of a matrix in order. With `may_miss`, NaN is a missing value.
        """

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def learn_row(self, features: object | None, label: int, weight: float = 1.0, time: float | None = None) -> None: ...

    def learn_rows(self, rows: object, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def margin_row(self, features: object | None, next: bool = False) -> float:
        """
        The margin of a row. With `next`, it is predicted as the next row of the stream.
        """

    def features_row(self, arg: object, /) -> list[tuple[int, float, str | None]]:
        """
        The features of a row as the model sees them: key, value, and name or None.
        """

    def margins_rows(self, arg: object, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def named(self) -> bool:
        """Whether the model has room for names."""

    @property
    def has_other_columns(self) -> bool:
        """Whether rows had columns that are not in the schema."""

    @property
    def decided(self) -> bool:
        """Whether it is known if rows are a table, so that the model has begun."""

    @property
    def most_schema_nbytes(self) -> int:
        """Bytes of the schema if all columns turn out to be numeric."""

    def most_schema_nbytes_with(self, others: Sequence[Learner]) -> int:
        """The same for the schema that merging with these models gives."""

    @property
    def scales_numbers(self) -> bool:
        """
        Whether the table with which the model begins has numeric columns, which are scaled.
        """

    @property
    def is_numbered(self) -> bool:
        """
        Whether the table with which the model begins has numbered columns, those of an array.
        """

    @property
    def schema_nbytes(self) -> int:
        """Bytes of the budget that the schema takes, now or after `start`."""

    @property
    def schema(self) -> list[tuple[str, str, tuple[float, float, float] | None]] | None:
        """
        Name, kind and scale (count, mean, sum of squares) of each column; None if rows are not a table.
        """

    def set_schema(self, columns: Sequence[tuple[str, str, tuple[float, float, float] | None]] | None, numbered: bool = False) -> None:
        """
        Begin with these columns, or with rows that are no table (None), or replace the columns.
        """

    def values_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The values of the features of a block as the model sees them, after scaling.
        """

    def numbered_rows_of(self, block: RowBlock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]] | None:
        """
        Starts, keys and values of the rows as a model with numbered columns sees them; None for other models.
        """

    def keys_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The keys of the features of a block in this model."""

    def key_of(self, arg: object, /) -> int:
        """
        The 32-bit key of a feature in this model: an integer unchanged, a string hashed.
        """

    def margins_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def state(self) -> dict[str, object]:
        """Everything learned, as a dict of arrays."""

    def state_number(self, name: str) -> float | None:
        """
        One number of the state, without copying arrays; None if the state has no such number.
        """

    def load_state(self, arg: dict[str, object], /) -> None:
        """
        Replace everything learned; call it on a fresh model. Raises ValueError if the state does not fit.
        """

    def merge(self, arg: Learner, /) -> None:
        """Merge a model of the same configuration into this one."""

    def merge_all(self, others: Sequence[Learner], base: Learner | None = None) -> None:
        """
        Merge models of the same configuration into this one; `base` is the model from which all started, or None.
        """

    def take(self, other: Learner) -> None:
        """
        Become a copy of a model of other sizes but the same configuration; call it on a fresh model.
        """

    def copy(self) -> Learner: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def names_shortened(self) -> int: ...

    learn_usual: types.MethodDescriptorType = ...

    margin_usual: types.MethodDescriptorType = ...

    probabilities_usual: types.MethodDescriptorType = ...

    def probabilities_row(self, arg0: object, arg1: object, arg2: object, arg3: bool, /) -> dict[object, float]:
        """The probability of each of two labels."""

    def learn_block(self, block: RowBlock, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Learn the rows of a block. Weights, labels and times replace those of the block.
        """

    def settle(self, rows: RowBlock) -> bool:
        """
        Correct intercept and calibration by labelled rows of the whole stream; return whether they changed.
        """

    def settle_by(self, margins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
        """Do the same with the margins of such rows, and their labels: -1 or +1."""

    def weight(self, arg: int, /) -> float: ...

    def deviation(self, arg: int, /) -> float: ...

    def rows_error(self, arg: int, /) -> float: ...

    def largest_missed(self, arg: int, /) -> float: ...

    def weights(self, arg: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def top(self, arg: int, /) -> list[tuple[int, float, float, float, str, bool]]: ...

    @property
    def owned_cells(self) -> int: ...

    @property
    def keeps_keys(self) -> bool: ...

    @property
    def bias(self) -> float: ...

    @property
    def next_shift(self) -> float: ...

    @property
    def calibration(self) -> float: ...

    @property
    def progress(self) -> tuple[int, int, int, int, float]: ...

    @property
    def outcomes(self) -> tuple[int, float, list[int], list[int]]: ...

    report_bytes: Final[int] = ...
    """(arg: object, /) -> int"""

    @property
    def paper_bytes(self) -> int: ...

    def hash(self, arg0: int, arg1: int, /) -> int: ...

    @property
    def random_state(self) -> int: ...

class Regressor:
    """A linear model that predicts a number."""

    def __init__(self, config: Config, named: bool = False, rules: ColumnRules = ...) -> None: ...

    def start(self, config: Config, named: bool) -> None:
        """Set the shape that ShapeWanted asks for."""

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None:
        """
        Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.
        """

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None:
        """
        Learn the rows of a matrix in order. With `may_miss`, NaN is a missing value.
        """

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def learn_row(self, features: object | None, label: float, weight: float = 1.0, time: float | None = None) -> None: ...

    def learn_rows(self, rows: object, labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def margin_row(self, features: object | None, next: bool = False) -> float:
        """
        The margin of a row. With `next`, it is predicted as the next row of the stream.
        """

    def features_row(self, arg: object, /) -> list[tuple[int, float, str | None]]:
        """
        The features of a row as the model sees them: key, value, and name or None.
        """

    def margins_rows(self, arg: object, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def named(self) -> bool:
        """Whether the model has room for names."""

    @property
    def has_other_columns(self) -> bool:
        """Whether rows had columns that are not in the schema."""

    @property
    def decided(self) -> bool:
        """Whether it is known if rows are a table, so that the model has begun."""

    @property
    def most_schema_nbytes(self) -> int:
        """Bytes of the schema if all columns turn out to be numeric."""

    def most_schema_nbytes_with(self, others: Sequence[Regressor]) -> int:
        """The same for the schema that merging with these models gives."""

    @property
    def scales_numbers(self) -> bool:
        """
        Whether the table with which the model begins has numeric columns, which are scaled.
        """

    @property
    def is_numbered(self) -> bool:
        """
        Whether the table with which the model begins has numbered columns, those of an array.
        """

    @property
    def schema_nbytes(self) -> int:
        """Bytes of the budget that the schema takes, now or after `start`."""

    @property
    def schema(self) -> list[tuple[str, str, tuple[float, float, float] | None]] | None:
        """
        Name, kind and scale (count, mean, sum of squares) of each column; None if rows are not a table.
        """

    def set_schema(self, columns: Sequence[tuple[str, str, tuple[float, float, float] | None]] | None, numbered: bool = False) -> None:
        """
        Begin with these columns, or with rows that are no table (None), or replace the columns.
        """

    def values_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The values of the features of a block as the model sees them, after scaling.
        """

    def numbered_rows_of(self, block: RowBlock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]] | None:
        """
        Starts, keys and values of the rows as a model with numbered columns sees them; None for other models.
        """

    def keys_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The keys of the features of a block in this model."""

    def key_of(self, arg: object, /) -> int:
        """
        The 32-bit key of a feature in this model: an integer unchanged, a string hashed.
        """

    def margins_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def state(self) -> dict[str, object]:
        """Everything learned, as a dict of arrays."""

    def state_number(self, name: str) -> float | None:
        """
        One number of the state, without copying arrays; None if the state has no such number.
        """

    def load_state(self, arg: dict[str, object], /) -> None:
        """
        Replace everything learned; call it on a fresh model. Raises ValueError if the state does not fit.
        """

    def merge(self, arg: Regressor, /) -> None:
        """Merge a model of the same configuration into this one."""

    def merge_all(self, others: Sequence[Regressor], base: Regressor | None = None) -> None:
        """
        Merge models of the same configuration into this one; `base` is the model from which all started, or None.
        """

    def take(self, other: Regressor) -> None:
        """
        Become a copy of a model of other sizes but the same configuration; call it on a fresh model.
        """

    def copy(self) -> Regressor: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def names_shortened(self) -> int: ...

    def weight(self, arg: int, /) -> float: ...

    def deviation(self, arg: int, /) -> float: ...

    def rows_error(self, arg: int, /) -> float: ...

    def largest_missed(self, arg: int, /) -> float: ...

    def weights(self, arg: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def top(self, arg: int, /) -> list[tuple[int, float, float, float, str, bool]]: ...

    @property
    def owned_cells(self) -> int: ...

    @property
    def keeps_keys(self) -> bool: ...

    @property
    def bias(self) -> float: ...

    @property
    def next_shift(self) -> float: ...

    @property
    def calibration(self) -> float: ...

    @property
    def progress(self) -> tuple[int, int, int, int, float]: ...

    @property
    def outcomes(self) -> tuple[int, float, list[int], list[int]]: ...

    report_bytes: Final[int] = ...
    """(arg: object, /) -> int"""

    @property
    def paper_bytes(self) -> int: ...

    def hash(self, arg0: int, arg1: int, /) -> int: ...

    @property
    def random_state(self) -> int: ...

    def learn_block(self, block: RowBlock, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Learn the rows of a block. Weights, targets and times replace those of the block.
        """

    @property
    def errors(self) -> tuple[float, float, float, float, float]:
        """
        Of predictions before learning: their number, the sums of their absolute and squared errors, and those of the baseline.
        """

    @property
    def target(self) -> tuple[float, float, float, float]:
        """Count, mean, standard deviation and estimated median of the target."""

    target_bytes: Final[int] = ...
    """(arg: object, /) -> int"""

def key_of(feature: object, name_seed: int | None = None) -> int:
    """
    The 32-bit key of a feature: an integer unchanged, a string hashed, with a seed or without one.
    """

def combine_keys(left: int, right: int) -> int:
    """The key of an interaction of two features."""

def sigmoid(arg: float, /) -> float: ...

def sigmoids(arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The probability of the positive label for each margin."""

def kernels() -> str:
    """The instruction set in use."""

def all_kernels() -> list[str]:
    """
    The instruction sets with kernels that this CPU runs, the fastest first.
    """

def choose_kernels(name: str = '') -> None:
    """For tests: use the kernels of an instruction set, or the fastest."""

class Multiclass:
    """Many classes in one learner."""

    def __init__(self, config: Config, *, max_classes: int, negatives: int, fit_intercept: bool, balanced: bool, named: bool, names_now: bool = False, rules: ColumnRules = ...) -> None: ...

    def start(self, config: Config, *, max_classes: int, negatives: int, fit_intercept: bool, balanced: bool, named: bool) -> None:
        """Set the shape that ShapeWanted asks for."""

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None: ...

    @overload
    def learn_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_columns: int = 0) -> None:
        """
        Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.
        """

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @overload
    def margins_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None: ...

    @overload
    def learn_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, names: Sequence[str] | None = None, may_miss: bool = False) -> None:
        """
        Learn the rows of a matrix in order. With `may_miss`, NaN is a missing value.
        """

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @overload
    def margins_dense(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], names: Sequence[str] | None = None, may_miss: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def learn_row(self, features: object | None, label: str, weight: float = 1.0, time: float | None = None) -> None: ...

    def learn_rows(self, rows: object, labels: object, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def margin_row(self, features: object | None, next: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The margin of a row. With `next`, it is predicted as the next row of the stream.
        """

    def features_row(self, arg: object, /) -> list[tuple[int, float, str | None]]:
        """
        The features of a row as the model sees them: key, value, and name or None.
        """

    def margins_rows(self, arg: object, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @property
    def named(self) -> bool:
        """Whether the model has room for names."""

    @property
    def has_other_columns(self) -> bool:
        """Whether rows had columns that are not in the schema."""

    @property
    def decided(self) -> bool:
        """Whether it is known if rows are a table, so that the model has begun."""

    @property
    def most_schema_nbytes(self) -> int:
        """Bytes of the schema if all columns turn out to be numeric."""

    def most_schema_nbytes_with(self, others: Sequence[Multiclass]) -> int:
        """The same for the schema that merging with these models gives."""

    @property
    def scales_numbers(self) -> bool:
        """
        Whether the table with which the model begins has numeric columns, which are scaled.
        """

    @property
    def is_numbered(self) -> bool:
        """
        Whether the table with which the model begins has numbered columns, those of an array.
        """

    @property
    def schema_nbytes(self) -> int:
        """Bytes of the budget that the schema takes, now or after `start`."""

    @property
    def schema(self) -> list[tuple[str, str, tuple[float, float, float] | None]] | None:
        """
        Name, kind and scale (count, mean, sum of squares) of each column; None if rows are not a table.
        """

    def set_schema(self, columns: Sequence[tuple[str, str, tuple[float, float, float] | None]] | None, numbered: bool = False) -> None:
        """
        Begin with these columns, or with rows that are no table (None), or replace the columns.
        """

    def values_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The values of the features of a block as the model sees them, after scaling.
        """

    def numbered_rows_of(self, block: RowBlock) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]] | None:
        """
        Starts, keys and values of the rows as a model with numbered columns sees them; None for other models.
        """

    def keys_of_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The keys of the features of a block in this model."""

    def key_of(self, arg: object, /) -> int:
        """
        The 32-bit key of a feature in this model: an integer unchanged, a string hashed.
        """

    def margins_block(self, arg: RowBlock, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def state(self) -> dict[str, object]:
        """Everything learned, as a dict of arrays."""

    def state_number(self, name: str) -> float | None:
        """
        One number of the state, without copying arrays; None if the state has no such number.
        """

    def load_state(self, arg: dict[str, object], /) -> None:
        """
        Replace everything learned; call it on a fresh model. Raises ValueError if the state does not fit.
        """

    def merge(self, arg: Multiclass, /) -> None:
        """Merge a model of the same configuration into this one."""

    def merge_all(self, others: Sequence[Multiclass], base: Multiclass | None = None) -> None:
        """
        Merge models of the same configuration into this one; `base` is the model from which all started, or None.
        """

    def take(self, other: Multiclass) -> None:
        """
        Become a copy of a model of other sizes but the same configuration; call it on a fresh model.
        """

    def copy(self) -> Multiclass: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def names_shortened(self) -> int: ...

    def learn_block(self, block: RowBlock, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: object, times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Learn the rows of a block. Weights replace those of the block."""

    def add_classes(self, arg: Sequence[str], /) -> None:
        """
        Declare classes before their first example: all of them, or none if there is no room.
        """

    def weight(self, arg0: str, arg1: int, /) -> float: ...

    def deviation(self, arg0: str, arg1: int, /) -> float: ...

    def weights(self, arg0: str, arg1: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def largest_missed(self, arg: int, /) -> float: ...

    def top(self, k: int, label: str | None = None) -> list[tuple[str, tuple[int, float, float, float, str, bool]]]: ...

    @property
    def labels(self) -> list[str]: ...

    def counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def intercepts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def keeps_keys(self) -> bool: ...

    @property
    def progress(self) -> tuple[int, int, int, int, float]: ...

    @property
    def paper_bytes(self) -> int: ...

    def hash(self, arg0: int, arg1: int, /) -> int: ...

def class_bytes(max_classes: int) -> int:
    """
    Bytes of a multiclass model besides the learner that holds its weights.
    """

class CountMin:
    """
    The class of wmsketch.learners.models.counters of the same name, without its checks.
    """

    def __init__(self, depth: int, width: int, top_size: int, name_bytes: int, seed: int, hash_family: str, conservative: bool) -> None: ...

    @overload
    def update(self, arg0: int, arg1: int, /) -> None: ...

    @overload
    def update(self, arg0: str, arg1: int, /) -> None: ...

    def update_plain(self, key: object | None, amount: object | None, keeps_names: bool) -> bool:
        """
        Count a string or integer; return False, and count nothing, if its type or that of the amount needs a closer look.
        """

    @overload
    def update_many(self, arg0: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def update_many(self, arg0: tuple[str, ...], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def estimate(self, arg: int, /) -> tuple[int, int, int]: ...

    @overload
    def estimate(self, arg: str, /) -> tuple[int, int, int]: ...

    def top(self, arg: int, /) -> list[tuple[object, int, int, int, int]]: ...

    def key_of(self, name: str) -> int:
        """The key of a name."""

    def merge(self, arg: CountMin, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def state(self) -> dict[str, object]: ...

    def load_state(self, arg: dict[str, object], /) -> None: ...

    def cells(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def total(self) -> int: ...

class CountSketch:
    """
    The class of wmsketch.learners.models.counters of the same name, without its checks.
    """

    def __init__(self, depth: int, width: int, top_size: int, name_bytes: int, seed: int, hash_family: str) -> None: ...

    @overload
    def update(self, arg0: int, arg1: int, /) -> None: ...

    @overload
    def update(self, arg0: str, arg1: int, /) -> None: ...

    def update_plain(self, key: object | None, amount: object | None, keeps_names: bool) -> bool:
        """
        Count a string or integer; return False, and count nothing, if its type or that of the amount needs a closer look.
        """

    @overload
    def update_many(self, arg0: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def update_many(self, arg0: tuple[str, ...], arg1: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def estimate(self, arg: int, /) -> tuple[float, float, float]: ...

    @overload
    def estimate(self, arg: str, /) -> tuple[float, float, float]: ...

    def top(self, arg: int, /) -> list[tuple[object, float, float, float, int]]: ...

    def key_of(self, name: str) -> int:
        """The key of a name."""

    def merge(self, arg: CountSketch, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def state(self) -> dict[str, object]: ...

    def load_state(self, arg: dict[str, object], /) -> None: ...

    def cells(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def total(self) -> int: ...

class PairedCountMin:
    """
    The class of wmsketch.learners.models.counters of the same name, without its checks.
    """

    def __init__(self, depth: int, width: int, top_size: int, name_bytes: int, seed: int, hash_family: str, smoothing: float) -> None: ...

    @overload
    def update(self, arg0: int, arg1: int, arg2: int, /) -> None: ...

    @overload
    def update(self, arg0: str, arg1: int, arg2: int, /) -> None: ...

    @overload
    def update_many(self, arg0: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def update_many(self, arg0: tuple[str, ...], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def estimate(self, arg: int, /) -> tuple[float, float, float, int, int]: ...

    @overload
    def estimate(self, arg: str, /) -> tuple[float, float, float, int, int]: ...

    def top(self, arg: int, /) -> list[tuple[object, float, float, float, int, int, int]]: ...

    def key_of(self, name: str) -> int:
        """The key of a name."""

    def merge(self, arg: PairedCountMin, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def state(self) -> dict[str, object]: ...

    def load_state(self, arg: dict[str, object], /) -> None: ...

    @property
    def totals(self) -> tuple[int, int]: ...

class SpaceSaving:
    """
    The class of wmsketch.learners.models.counters of the same name, without its checks.
    """

    def __init__(self, capacity: int, name_bytes: int, seed: int) -> None: ...

    @overload
    def update(self, arg0: int, arg1: int, /) -> None: ...

    @overload
    def update(self, arg0: str, arg1: int, /) -> None: ...

    def update_plain(self, key: object | None, amount: object | None, keeps_names: bool) -> bool:
        """
        Count a string or integer; return False, and count nothing, if its type or that of the amount needs a closer look.
        """

    @overload
    def update_many(self, arg0: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def update_many(self, arg0: tuple[str, ...], arg1: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @overload
    def estimate(self, arg: int, /) -> tuple[int, int, int]: ...

    @overload
    def estimate(self, arg: str, /) -> tuple[int, int, int]: ...

    def top(self, arg: int, /) -> list[tuple[object, int, int, int, int]]: ...

    def key_of(self, name: str) -> int:
        """The key of a name."""

    def merge(self, arg: SpaceSaving, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def state(self) -> dict[str, object]: ...

    def load_state(self, arg: dict[str, object], /) -> None: ...

    @property
    def total(self) -> int: ...

class DistinctFeatures:
    """An estimate of the number of distinct features of rows, in 512 bytes."""

    def __init__(self) -> None: ...

    def add(self, block: RowBlock) -> None:
        """Count the features of the rows of a block."""

    def after(self, block: RowBlock) -> DistinctFeatures:
        """
        Return a counter that has counted the features of a block too; other threads go on meanwhile.
        """

    def merge(self, other: DistinctFeatures) -> None:
        """Add what another one has counted."""

    @property
    def estimate(self) -> float: ...

    def state(self) -> dict[str, object]: ...

    def load_state(self, state: dict[str, object]) -> None: ...

def count_names(keys: tuple[object, ...]) -> int:
    """
    How many keys from the first on are strings with at least one character.
    """

def heavy_keys_bytes(capacity: int, name_bytes: int) -> int: ...

def space_saving_bytes(capacity: int, name_bytes: int) -> int: ...

def hasher_bytes(depth: int, hash_family: str) -> int: ...

class AttributeStream:
    """Counts the attributes of rows; see Explainer."""

    def __init__(self, *, outlier: tuple[Sequence[tuple[str, str, str, float | None]], Sequence[int]], where: tuple[Sequence[tuple[str, str, str, float | None]], Sequence[int]], attributes: Sequence[str], order: int, bins: int, warm_up: int, half_life: float, half_life_in_seconds: bool, shape: tuple[int, int, int, int], quantile_bytes: int, column_bytes: int, seed: int, only_outliers: bool = False, metric: Sequence[tuple[str, str, float]] = []) -> None: ...

    def observe(self, rows: RowBlock) -> bool:
        """
        Observe the first rows, which determine bins and percentiles. Returns whether they were enough.
        """

    def finish_warm_up(self) -> None:
        """Fix the bins."""

    @property
    def warm(self) -> bool: ...

    def percentile_numbers(self, rows: RowBlock, of_where: bool, observing: bool) -> list[object]:
        """
        The numbers of the columns that are compared with percentiles; `observing` adds them to the percentiles.
        """

    def hold_percentiles(self, where: Sequence[float], outlier: Sequence[float]) -> None:
        """Compare all later rows with these percentiles."""

    def release_percentiles(self) -> None:
        """Let percentiles follow the rows."""

    def percentiles(self, of_where: bool) -> list[float]:
        """The current percentiles of a condition."""

    def refresh_percentiles(self) -> None:
        """Take them from all observed rows."""

    def seal(self, ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_outliers: float) -> None:
        """Count only these attributes; no other has more outliers."""

    def open(self) -> None:
        """Let other attributes enter again."""

    def leave_out(self, names: Sequence[str]) -> None:
        """These columns are no attributes."""

    def learn(self, rows: RowBlock) -> None:
        """Count the rows."""

    def merge(self, other: AttributeStream) -> None:
        """Add the counts of another stream."""

    @property
    def counts(self) -> tuple[int, int, int, int, float, float, float]:
        """
        Rows, outliers, skipped rows, rows left out, amount of outliers, amount of inliers, sum of squared amounts.
        """

    @property
    def columns(self) -> list[str]:
        """The columns in the order of their ids."""

    @property
    def edges(self) -> list[tuple[str, list[float]]]:
        """The columns with bins, and the edges of their bins."""

    @property
    def left_out(self) -> tuple[list[str], int]:
        """
        The first columns that did not fit, and the number of values of such columns.
        """

    @property
    def thresholds(self) -> list[float]:
        """
        The current threshold of each comparison of the outlier condition; nan for words.
        """

    @property
    def metric(self) -> tuple[list[float], list[float], list[float], int, int, str]:
        """
        Sums of the moments of the metric by side, its least and largest values, the number of its numbers and of other values, and the first of these.
        """

    def held(self, least_outliers: float = 0.0) -> tuple[dict[str, object], list[str]]:
        """
        The held attributes and conjunctions as arrays, and the names of attributes: those that probably have at least so many outliers, and the parts of conjunctions among them.
        """

    @property
    def slots_used(self) -> int:
        """The number of attributes and conjunctions with a slot."""

    @property
    def complete(self) -> bool:
        """Whether everything is held."""

    @property
    def coverage(self) -> tuple[bool, int, float, float, float, float, int]:
        """
        Whether everything is held, how much is held, the number of distinct attributes and of conjunctions, the most outliers of an evicted attribute, the mean length of a name, and the number of truncated names.
        """

    def state(self) -> dict[str, object]:
        """Everything learned, as arrays."""

    def load_state(self, state: dict[str, object]) -> None: ...

    @staticmethod
    def table_bytes(shape: tuple[int, int, int, int]) -> int:
        """
        Bytes of a table with this capacity, width of its sketch, bytes of names, and moments of a metric.
        """

    @property
    def nbytes(self) -> int: ...

class PatternCounts:
    """Counts rows by which of some conditions they meet."""

    def __init__(self, *, side: tuple[Sequence[tuple[str, str, str, float | None]], Sequence[int]], where: tuple[Sequence[tuple[str, str, str, float | None]], Sequence[int]], conditions: Sequence[tuple[Sequence[tuple[str, str, str, float | None]], Sequence[int]]], metric: Sequence[tuple[str, str, float]], most_bytes: int, seed: int = 0) -> None: ...

    def learn(self, rows: RowBlock) -> None:
        """Count the rows."""

    def counts(self) -> tuple[dict[str, object], int]:
        """
        The patterns as arrays, and the number of conditions that were not given up.
        """

def label_rows(rows: RowBlock, positive: bool) -> None:
    """Give all rows of a block this label."""

def label_rows_by_time(rows: RowBlock, time: float) -> None:
    """
    Label the rows from this time on as positive, those before as negative.
    """

@overload
def item_rows(keys: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], amounts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> RowBlock: ...

@overload
def item_rows(names: tuple[str, ...], amounts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, name_seed: int | None = None) -> RowBlock:
    """One row for each item."""

def count_rows_with(block: RowBlock, key: int) -> int:
    """The number of rows with this feature."""

def diff_table_bytes(lines: int, past_width: int, names: int, name_bytes: int, weighted: bool) -> int: ...

class WholeLineParser(LineParser):
    """
    Parser of text in chunks; each line is a row with one feature, the line itself.
    """

    def __init__(self, name_seed: int | None = None) -> None: ...

def line_template(line: bytes) -> str:
    """
    The line with the parts that vary replaced by their kind: <time>, <num>, <ip> and others.
    """

def variable_words(lines: Sequence[bytes], most_bytes: int | None = None) -> list[str]:
    """
    The templates of lines in which words vary, with <word> in their place, within a limit of bytes.
    """

class LogLineParser(LineParser):
    """
    Parser of logs in chunks; each line is a row with one feature, its template.
    """

    def __init__(self, name_seed: int | None = None) -> None: ...

    def replace_words(self, found: Sequence[str]) -> None:
        """Replace the words that vary, as found by `variable_words`."""

    def look_for(self, templates: Sequence[str], cut: Sequence[bool]) -> None:
        """Keep the first line of each of these templates."""

    @property
    def n_missing(self) -> int:
        """The number of templates without a line so far."""

    def example(self, i: int) -> str:
        """The first line of a template; empty if there was none so far."""

    most_values: Final[int] = ...
    """Values kept of each variable."""

    def count_values(self, templates: Sequence[str]) -> None:
        """
        Count the lines of these templates, and the most frequent values of their first variables.
        """

    def counted(self, template: str) -> tuple[int, list[list[tuple[str, int, int]]]]:
        """
        The lines of a template, and of each variable the most frequent values with the least and the most that they can have occurred.
        """

class DiffRows:
    """
    The held items: numbers as columns, counts as pairs for streams a and b.
    """

    def __len__(self) -> int: ...

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

    @property
    def shortened(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def lows(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def highs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def amounts(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]: ...

    @property
    def squares(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]: ...

    @property
    def missed(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
        """Upper bound on the amount before the item was counted."""

    @property
    def rounding(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]]:
        """95 % error of amounts that are stored approximately."""

    @property
    def nameless(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]:
        """Whether an item has a name that is not kept."""

    def feature(self, i: int) -> int | str:
        """The name of an item, or its integer id."""

class Diff:
    """The native side of apps.Diff, without its checks."""

    @staticmethod
    def count_table(lines: int, past_width: int, names: int, name_bytes: int, weighted: bool, seed: int, per_item: bool, half_life: float = 0.0) -> Diff: ...

    @staticmethod
    def linear(config: Config, counted: bool, per_item: bool) -> Diff: ...

    @staticmethod
    def paired_count_min(depth: int, width: int, top_size: int, name_bytes: int, seed: int, per_item: bool) -> Diff: ...

    def mix(self, a: RowBlock | None, row_a: int, b: RowBlock | None, row_b: int, share_a: float, only_a: int | None = None, only_b: int | None = None) -> tuple[int, int, int, int]:
        """
        Learn rows of both blocks in turn until one block is used up; with one block, learn all of it. Returns the next row of each block, and how many rows of each were learned.
        """

    @property
    def totals(self) -> tuple[float, float]: ...

    @property
    def n_rows(self) -> tuple[float, float]: ...

    def table(self) -> DiffRows:
        """The held items."""

    @property
    def n_distinct(self) -> float | None:
        """The number of distinct items, exact or estimated; None if unknown."""

    @property
    def is_whole(self) -> bool:
        """Whether every item of the streams is held."""

    def merge(self, other: Diff) -> None: ...

    def reserve(self, keys: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Give these items a place, and no others until `open`."""

    def open(self) -> None:
        """Let other items take places again."""

    def state(self) -> dict[str, object]:
        """Everything learned, as arrays."""

    def restore(self, state: dict[str, object]) -> None: ...

    def weight(self, arg: int, /) -> float: ...

    def weights(self, arg: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> list[float]: ...

    @property
    def n_tried(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class PmiConfig:
    """How pairs are formed and counted; see wmsketch.apps.PMI."""

    def __init__(self, *, window: int, negatives: int, reservoir: int, item_width: int, lines: int, bound_width: int, names: int, name_bytes: int, half_life: int, at_least: int, directed: bool, subsample: float, window_seconds: float, groups: int, seed: int, exact: bool) -> None: ...

    def nbytes_with(self, arg: Config, /) -> int: ...

class Pairs:
    """The learner behind wmsketch.apps.PMI."""

    def __init__(self, config: PmiConfig, model: Config, tokens: str, within: str, lowercase: bool) -> None: ...

    def replace_words(self, found: Sequence[str]) -> None:
        """From now on, these words of templates vary: see `variable_words`."""

    def learn_text(self, chunk: bytes) -> None:
        """Learn a chunk of text. The chunk boundaries do not matter."""

    def end_text(self) -> None:
        """End the text, with its last token and sequence."""

    def learn_items(self, items: Sequence[str], end: bool = True) -> None:
        """Learn items in this order, and end their sequence."""

    def learn_block(self, block: RowBlock, items: str, group: str = '', time: str = '', text: bool = False) -> tuple[int, str] | None:
        """
        Learn the items in column `items` of a block. Returns None, or the first bad row and the reason.
        """

    def begin(self, pass_name: str) -> None:
        """
        Begin a pass over the same items: items, candidates, counts; all ends it.
        """

    @property
    def is_whole(self) -> bool:
        """Whether all pairs are counted."""

    def top(self, k: int, min_count: float, sort: str) -> list[tuple[int, str, str, bool, bool, float, float, float, float, int, int, float]]:
        """The first k counted pairs."""

    @property
    def held(self) -> tuple[int, float, bool, int]:
        """
        Number of counted pairs, estimated number of distinct pairs, whether all are counted, and how many counts cover the whole stream.
        """

    @property
    def n_cut(self) -> int:
        """Number of truncated item names."""

    def merge(self, arg: Pairs, /) -> None: ...

    def state(self) -> dict[str, object]: ...

    def restore(self, arg: dict[str, object], /) -> None: ...

    def row(self, arg0: str, arg1: str, /) -> tuple[int, str, str, bool, bool, float, float, float, float, int, int, float]: ...

    def exact(self, arg0: str, arg1: str, /) -> tuple[str, str, int, int, int, float]: ...

    def most_common(self, arg: int, /) -> list[tuple[str, str, int, int, int, float]]: ...

    @property
    def exact_sizes(self) -> tuple[int, int, int, int]: ...

    @property
    def progress(self) -> tuple[int, int, int, int]:
        """Numbers of items read, items kept, real pairs and examples."""

    @property
    def distinct_in_sample(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

TOKENIZER_BYTES: int = 1616
