"""Rows as people have them: sparse and dense arrays, data frames, lists of dicts, blocks from a reader."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.rows.frames import frame_names, is_frame, table_of_frame
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers import BadInput, open_examples
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.doubtful_columns import doubtful_columns

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

Rows = Any  # one of the classes below
_WIDE = 100  # a frame of at least this many columns is converted in a faster way
_FEW_ROWS = 50_000  # a table of up to this many is read once, even if it is learned several times
_GIVE_A_FRAME = "; a data frame may have columns of texts, as in fit(pd.DataFrame(X), y)"
Shaped = Callable[[Callable[[], None]], None]  # calls what learns; see OnlineClassifier._shaped


class CsrRows:
    """A SciPy sparse matrix, used without a copy."""

    def __init__(self, matrix: Any) -> None:
        csr = matrix.tocsr()
        for name in ("indptr", "indices", "data"):
            if getattr(csr, name).ndim != 1:
                raise ValueError(f"broken CSR: {name} must have one dimension, got {getattr(csr, name).ndim}")
        for name in ("indptr", "indices"):
            if getattr(csr, name).dtype.kind not in "iu":
                raise TypeError(f"broken CSR: {name} must hold integers, got {getattr(csr, name).dtype}")
        index = np.int64 if np.int64 in (csr.indptr.dtype, csr.indices.dtype) else np.int32
        self.shape: tuple[int, int] = csr.shape
        self.n_values = len(csr.data)
        self.parts: tuple[Any, Any, Any] = (
            np.ascontiguousarray(csr.indptr, dtype=index),
            np.ascontiguousarray(csr.indices, dtype=index),
            np.ascontiguousarray(as_real(csr.data)),
        )

    def learn(self, native: _core.Learner, labels: Any, weights: Any, times: Any, shaped: Shaped) -> None:
        shaped(partial(native.learn_csr, *self.parts, labels, weights, times, self.shape[1]))

    def margins(self, native: _core.Learner) -> NDArray[np.float64]:
        return native.margins_csr(*self.parts)


class DenseRows:
    """A two-dimensional array; its columns are the features 0, 1, ... In that of a frame, NaN is a missing value."""

    def __init__(self, matrix: Any, *, may_miss: bool = False) -> None:
        array = np.asarray(matrix)
        if array.ndim == 1 and array.size and isinstance(array[0], str):
            raise ValueError(
                "Expected 2D array, got a list of texts instead. To learn their words, give a frame: "
                'AWMSketch(schema={"text": ["body"]}).fit(pd.DataFrame({"body": X}), y).'
            )
        if array.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: one row is an example."
            )
        self.matrix = np.ascontiguousarray(as_real(array))
        self.may_miss = may_miss
        self.shape: tuple[int, int] = array.shape
        self.n_values = array.size

    def learn(self, native: _core.Learner, labels: Any, weights: Any, times: Any, shaped: Shaped) -> None:
        shaped(partial(native.learn_dense, self.matrix, labels, weights, times, may_miss=self.may_miss))

    def margins(self, native: _core.Learner) -> NDArray[np.float64]:
        return native.margins_dense(self.matrix, may_miss=self.may_miss)


class ColumnRows:
    """A table with named columns (pandas, polars, pyarrow, DuckDB), read by the schema of the model."""

    names = ()  # every feature has one, made from its column

    def __init__(self, table: Any, options: Mapping[str, Any]) -> None:
        self._table, self._options = table, options
        self.codes: tuple[ColumnNote, ...] = ()
        n_rows = getattr(table, "num_rows", getattr(table, "height", None))  # of pyarrow, of polars
        self._kept: list[_core.RowBlock] | None = None
        if n_rows is None or n_rows <= _FEW_ROWS or options.get("where"):
            self._kept = list(self._read())
            n_rows = sum(map(len, self._kept))
        self.shape = (n_rows, None)
        self.n_values = n_rows * len(getattr(table, "column_names", getattr(table, "columns", ())))

    def several(self) -> bool:
        """Whether there may be more than one block, so that some are learned when another fails."""
        return self._kept is None or len(self._kept) > 1

    def taken(self, order: NDArray[np.intp]) -> Self | None:
        """These rows in another order, without reading the table again; None if its rows were not kept."""
        if self._kept is None:
            return None
        other = copy.copy(self)
        other._kept = [_core.take_rows(tuple(self._kept), order.astype(np.int64, copy=False))]
        other.shape = (len(order), None)
        return other

    def blocks(self) -> Iterator[_core.RowBlock]:
        """The rows; those of a long table are read each time, because in memory they are larger than the table."""
        return self._read() if self._kept is None else iter(self._kept)

    def _read(self) -> Iterator[_core.RowBlock]:
        with open_examples(self._table, depth=0, require_labels=False, **self._options) as examples:
            yield from examples
        self.codes = examples.doubts + examples.codes

    def learn(self, native: _core.Learner, labels: Any, weights: Any, times: Any, shaped: Shaped) -> None:
        first = 0
        for block in self.blocks():
            rows = slice(first, first + len(block))
            own = [None if values is None else values[rows] for values in (weights, labels, times)]
            shaped(partial(native.learn_block, block, *own))
            first = rows.stop

    def margins(self, native: _core.Learner) -> NDArray[np.float64]:
        margins = [native.margins_block(block) for block in self.blocks()]
        for note in self.codes:
            warnings.warn(str(note), stacklevel=5)
        return np.concatenate(margins) if margins else native.margins_rows([])


class MappingRows:
    """A list of mappings from feature to value, or of lists of (feature, value) pairs."""

    names = None

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        self.shape = (len(rows), None)
        self.n_values = sum(len(row) for row in rows if hasattr(row, "__len__"))

    def learn(self, native: _core.Learner, labels: Any, weights: Any, times: Any, shaped: Shaped) -> None:
        shaped(partial(native.learn_rows, self.rows, labels, weights, times))

    def margins(self, native: _core.Learner) -> NDArray[np.float64]:
        return native.margins_rows(self.rows)


def as_rows(data: Any, columns: Callable[[], Mapping[str, Any]] | None = None) -> Rows:
    """Recognise what ``data`` is.

    ``columns`` is asked how named columns are read, as options of `open_examples`. None takes a frame for an array.

    >>> as_rows([{"a": 1.0}, {"b": 2.0}]).shape
    (2, None)
    >>> as_rows([[0.0, 1.0]]).shape
    (1, 2)
    """
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(data):
        return CsrRows(data)
    if isinstance(getattr(data, "dtype", None), np.dtype) and data.dtype == object and len(data.shape) == 1:
        listed = data.tolist()  # an array or a series of dicts
        if listed and _is_mapping_row(listed[0]):
            return MappingRows(listed)
    _refuse_other_shapes(data)
    if is_frame(data):
        names = None if columns is None else frame_names(data)
        if columns is None or names is None:
            return DenseRows(_numbers_of(data), may_miss=True)
        named = data if names == list(data.columns) else data.set_axis(names, axis=1)
        return _rows_of_frame(named, columns())
    if hasattr(data, "__arrow_c_stream__"):  # isinstance with the protocol takes much longer
        return ColumnRows(data, {} if columns is None else columns())
    if isinstance(data, Sequence) and len(data) > 0 and _is_mapping_row(data[0]):
        return MappingRows(data)
    return DenseRows(data)


def _refuse_other_shapes(data: Any) -> None:
    """Refuse objects that look like rows but would be misread."""
    if len(getattr(data, "shape", ())) == 1 and hasattr(data, "name") and hasattr(data, "dtype"):
        raise ValueError("Expected 2D array, got a column (1D array) instead. Give a frame, as X[['name']] is one.")
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):
        raise TypeError("X must be a frame whose rows are there: collect() it, or give it to learn_file")
    if hasattr(data, "mask") and isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise ValueError("X must not hold masked values, which are not known: fill them, or give a frame with NaN")


def _rows_of_frame(frame: Any, columns: Mapping[str, Any]) -> Rows:
    """The rows of a frame: through Arrow, or as dicts where Arrow cannot hold it."""
    try:
        return ColumnRows(table_of_frame(frame), columns)
    except (ImportError, TypeError, ValueError) as problem:
        if isinstance(problem, BadInput) or not hasattr(frame, "to_dict"):
            raise
        return MappingRows(frame.to_dict("records"))  # no pyarrow, or values of several types in one column


def warn_of_columns(block: _core.RowBlock, numeric: Sequence[str]) -> None:
    """Warn of columns whose kind is doubtful."""
    for note in doubtful_columns(block, numeric):
        warnings.warn(str(note), stacklevel=4)


def warn_of_codes(codes: Sequence[ColumnNote], stacklevel: int = 4) -> None:
    """Warn of columns with codes like 02139."""
    for note in codes:
        if note.code != "lost_codes":
            warnings.warn(str(note), stacklevel=stacklevel)


def row_has_names(row: Any) -> bool:
    """Whether any feature of a row has a name."""
    try:
        features = row.keys() if hasattr(row, "keys") else [feature for feature, _ in row]
    except (TypeError, ValueError):
        raise TypeError(f"a row is a mapping from feature to value, or a list of such pairs, got {row!r}") from None
    return any(isinstance(feature, (str, tuple)) for feature in features)


def rows_have_names(rows: Rows) -> bool:
    """Whether any feature of these rows is a string."""
    if isinstance(rows, MappingRows):
        return any(row_has_names(row) for row in rows.rows)
    return getattr(rows, "names", None) is not None


def _is_mapping_row(row: Any) -> bool:
    if isinstance(row, Mapping):
        return True
    return isinstance(row, (list, tuple)) and len(row) > 0 and isinstance(row[0], tuple)


def _numbers_of(frame: Any) -> NDArray[Any]:
    """The frame as an array; a missing value is NaN."""
    array = np.asarray(frame)
    if array.dtype == object:  # nullable columns of pandas, whose NA is no number
        array = np.where(frame.isna(), np.nan, array)
    return as_real(array)


def as_real(array: NDArray[Any]) -> NDArray[Any]:
    """float32 and float64 as they are, other numbers as float64 (bool and small integers too); no complex numbers."""
    if array.dtype in (np.float32, np.float64) and array.dtype.isnative:
        return array
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "US":
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of bytes/strings: {array.dtype}{_GIVE_A_FRAME}"
        )
    try:
        return array.astype(np.float64)
    except ValueError as problem:
        raise ValueError(f"X must hold numbers: {problem}{_GIVE_A_FRAME}") from problem
    except TypeError as problem:
        raise TypeError(f"argument must be a string or a number: X must hold numbers, {problem}") from problem


def as_weights(weights: Any, n_rows: int) -> NDArray[np.float32] | None:
    """Example weights as float32, one a row."""
    if weights is None:
        return None
    array = np.asarray(weights, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(n_rows, float(array))
    if array.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got the shape {array.shape}")
    if array.shape[0] != n_rows:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n_rows,)}!")
    return array.astype(np.float32)


def as_seconds(time: float | datetime) -> float:
    """A time as seconds since 1970; a datetime without a zone is UTC.

    >>> as_seconds(datetime(1970, 1, 2)), as_seconds(5.0)
    (86400.0, 5.0)
    """
    if not isinstance(time, datetime):
        return float(as_times([time], 1)[0]) if isinstance(time, (np.datetime64, np.timedelta64)) else time
    return (time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp()


def as_times(times: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Times as seconds since 1970, one a row: numbers are seconds, dates without a zone are UTC.

    >>> as_times(np.array(["1970-01-01T00:01", "1970-01-01T00:02"], dtype="datetime64[s]"), 2)
    array([ 60., 120.])
    """
    if times is None:
        return None
    array = np.asarray(times)
    if array.dtype == object and all(isinstance(time, datetime) for time in array):
        array = np.array([as_seconds(time) for time in array])
    if array.dtype == object and all(isinstance(time, timedelta) for time in array):
        array = array.astype("timedelta64[us]")
    if array.dtype.kind == "M":
        missing = np.isnat(array)
        array = np.where(missing, np.nan, array.astype("datetime64[us]").astype(np.int64) / 1e6)
    if array.dtype.kind == "m":  # since a start that the caller has chosen
        missing = np.isnat(array)
        array = np.where(missing, np.nan, array / np.timedelta64(1, "us") / 1e6)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"times must be numbers (of seconds) or dates, got {array.dtype}")
    if array.shape != (n_rows,):
        raise ValueError(f"times must be one for each of the {n_rows} rows, got the shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)
