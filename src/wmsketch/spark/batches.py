"""Learn Spark's Arrow batches, and compute their margins."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import native_of
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
    if columns.kind == "table":
        reading = model.reading(to_learn=True)
        known = tuple(f"{name}." for name in rows.schema.names)
        reading["ignore"] = [each for each in reading.get("ignore", ()) if f"{each}.".startswith(known)]
        with open_examples(rows, depth=0, **reading) as blocks:
            for block in blocks:
                model.learn_block(block, label_names=blocks.labels)
        return
    for batch, block, names in _labelled(model, columns, rows):
        learn_labelled(model, rows_of(columns, batch), block, names)


def margins_of(model: OnlineClassifier, columns: Columns, table: pa.Table) -> NDArray[np.float64]:
    """Return the margin of each row (for multiclass, one for each class): the same bits as in Python."""
    if columns.kind != "table":
        margins: NDArray[np.float64] = rows_of(columns, table).margins(native_of(model))
        return margins
    reading = model.reading(to_learn=False)
    with open_examples(table, depth=0, require_labels=False, **reading) as blocks:
        return np.concatenate([model.decision_function_block(block) for block in blocks])


def rows_of(columns: Columns, table: pa.Table | pa.RecordBatch) -> Rows:
    """Return the features of rows that are not a table."""
    if columns.kind == "rows":
        return MappingRows(table.select(columns.features).to_pylist(maps_as_pydicts="strict"))
    [name] = columns.features
    values = table.column(name)
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if columns.kind == "vectors":
        return CsrRows(vectors_of(array, name))
    return MappingRows([row or {} for row in array.to_pylist(maps_as_pydicts="strict")])


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
    reading = model.reading(to_learn=True)
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
