"""Learn Spark's Arrow batches, and compute their margins."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import learn_block, margins_of_block, native_of, reading_of
from wmsketch.learners.rows.inputs import CsrRows, MappingRows, Rows
from wmsketch.learners.shards.partitions import learn_labelled
from wmsketch.readers import LabelNames, open_examples
from wmsketch.spark.columns import Columns

_DENSE = 1  # the type of a DenseVector, as Spark stores it


def learn_batches(model: OnlineClassifier, columns: Columns, batches: Iterator[pa.RecordBatch]) -> None:
    """Learn all rows; their labels are in the column that the model's schema names."""
    rows = reader_of(batches)
    if rows is None:
        return
    if columns.is_table:
        rows = with_slots(rows, columns)
        reading = reading_of(model, to_learn=True)
        known = tuple(f"{name}." for name in rows.schema.names)
        reading["ignore"] = [each for each in reading.get("ignore", ()) if f"{each}.".startswith(known)]
        with open_examples(rows, depth=0, **reading) as blocks:
            for block in blocks:
                learn_block(model, block, label_names=blocks.labels)
        return
    for batch, block, names in _labelled(model, columns, rows):
        learn_labelled(model, rows_of(columns, batch), block, names)


def margins_of(model: OnlineClassifier, columns: Columns, table: pa.Table) -> NDArray[np.float64]:
    """Return the margin of each row (for multiclass, one for each class): the same bits as in Python."""
    if not columns.is_table:
        margins: NDArray[np.float64] = rows_of(columns, table).margins(native_of(model))
        return margins
    reading = reading_of(model, to_learn=False)
    rows = (
        table if columns.kind == "table" else pa.Table.from_batches(map(partial(_spread, columns), table.to_batches()))
    )
    with open_examples(rows, depth=0, require_labels=False, **reading) as blocks:
        return np.concatenate([margins_of_block(model, block) for block in blocks])


def rows_of(columns: Columns, table: pa.Table | pa.RecordBatch) -> Rows:
    """Return the features of rows that are not a table."""
    if columns.kind == "rows":
        arrays = [_text(table.column(name), name) for name in columns.features]
        return MappingRows(pa.table(arrays, columns.features).to_pylist(maps_as_pydicts="strict"))
    [name] = columns.features
    values = table.column(name)
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if columns.kind == "vectors":
        return CsrRows(vectors_of(array, name))
    return MappingRows([row or {} for row in array.to_pylist(maps_as_pydicts="strict")])


def _text(values: pa.Array | pa.ChunkedArray, name: str) -> pa.Array | pa.ChunkedArray:
    """Return bytes as the text that they are, as in a table; others unchanged."""
    if not (pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type)):
        return values
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        raise ValueError(f'expected text in UTF-8 in column "{name}", found other bytes: leave it out') from None


def with_slots(rows: pa.RecordBatchReader, columns: Columns) -> pa.RecordBatchReader:
    """Return the rows with a column for each slot of their vectors."""
    if columns.kind == "table":
        return rows
    kinds = [pa.field(name, pa.float64()) for name in columns.slots]
    schema = pa.schema([*(each for each in rows.schema if each.name not in columns.features), *kinds])
    return pa.RecordBatchReader.from_batches(schema, map(partial(_spread, columns), rows))


def _spread(columns: Columns, batch: pa.RecordBatch) -> pa.RecordBatch:
    [name] = columns.features
    matrix = vectors_of(batch.column(name), name)
    if len(batch) and matrix.shape[1] != len(columns.slots):
        raise ValueError(
            f'row 1: expected a vector of size {len(columns.slots)} in column "{name}", found size {matrix.shape[1]}'
        )
    dense = np.zeros((len(batch), len(columns.slots)))
    dense[np.repeat(np.arange(len(batch)), np.diff(matrix.indptr)), matrix.indices] = matrix.data
    others = [each for each in batch.schema.names if each != name]
    arrays = [*(batch.column(each) for each in others), *(pa.array(values) for values in dense.T)]
    return pa.RecordBatch.from_arrays(arrays, [*others, *columns.slots])


def reader_of(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader | None:
    """Return a stream of the batches; None if there is none, and therefore no schema."""
    first = next(batches, None)
    return None if first is None else pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))


def _labelled(
    model: OnlineClassifier, columns: Columns, batches: pa.RecordBatchReader
) -> Iterator[tuple[pa.RecordBatch, RowBlock, LabelNames]]:
    """Rows with their labels, weights and times, which are read by the same rules as those of files."""
    waiting: deque[pa.RecordBatch] = deque()

    def roles() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            waiting.append(batch)
            yield batch.select(columns.roles)

    names = pa.schema([batches.schema.field(name) for name in columns.roles])
    reading = reading_of(model, to_learn=True)
    rules = {name: reading[name] for name in ("label", "weight", "time", "positive", "many_classes") if name in reading}
    with open_examples(pa.RecordBatchReader.from_batches(names, roles()), depth=0, **rules) as blocks:
        for block in blocks:
            while waiting[0].num_rows == 0:
                waiting.popleft()
            yield waiting[0].slice(0, len(block)), block, blocks.labels
            waiting[0] = waiting[0].slice(len(block))


@dataclass(frozen=True)
class _Csr:
    """The attributes of a matrix that `CsrRows` needs."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    shape: tuple[int, int]

    def tocsr(self) -> _Csr:
        return self


def vectors_of(array: pa.StructArray, name: str) -> _Csr:
    """Return the vectors of a column as a sparse matrix. Zeros are left out, so dense and sparse vectors are equal."""
    if array.null_count:
        row = array.is_null().to_pylist().index(True) + 1
        raise ValueError(f'row {row}: expected a vector in column "{name}", found null')
    kinds, sizes, indices, values = array.flatten()
    ends = values.offsets.to_numpy().astype(np.int64)
    data = values.values.to_numpy()[ends[0] : ends[-1]]
    indptr = ends - ends[0]
    lengths = np.diff(indptr)
    dense = kinds.to_numpy() == _DENSE
    places = np.arange(len(data)) - np.repeat(indptr[:-1], lengths)
    of_sparse = np.repeat(~dense, lengths)
    places[of_sparse] = indices.flatten().to_numpy()
    _require_finite(data, indptr, name)
    size = np.where(dense, lengths, sizes.fill_null(0).to_numpy())
    if len(size) and np.any(size != size[0]):
        row = int(np.argmax(size != size[0]))
        raise ValueError(
            f'row {row + 1}: expected a vector of size {size[0]} in column "{name}", found size {size[row]}'
        )
    kept = data != 0
    starts = np.concatenate([[0], np.cumsum(kept)])[indptr]
    return _Csr(starts, places[kept], data[kept], (len(lengths), int(size[0]) if len(size) else 0))


def _require_finite(data: NDArray[np.float64], indptr: NDArray[np.int64], name: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(data))
    if len(wrong):
        row = int(np.searchsorted(indptr, wrong[0], side="right"))
        raise ValueError(f'row {row}: expected finite numbers in column "{name}", found {data[wrong[0]]}')
