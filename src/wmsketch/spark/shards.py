"""Learn each partition on its executor, and merge the models in a tree on the executors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wmsketch.learners.saving.saveable import Saveable
from wmsketch.readers import BadInput
from wmsketch.spark.executors import for_executors, map_in_arrow, one_sentence

Model = TypeVar("Model", bound=Saveable)
Learn = Callable[[Any, Iterator[pa.RecordBatch]], None]  # a model, and the batches of a partition
Merge = Callable[[Any, Sequence[Any]], Any]  # the initial model, and models in the order of their partitions

_FEW = 4  # up to this many models are merged by the driver
_SHARD = "shard long, model binary, problem string"


def train(df: DataFrame, base: Model, learn: Learn, merge: Merge, depth: int = 2) -> Model | None:
    """Return ``base`` after ``learn`` has given it the rows of all partitions; None if there are no rows.

    Partitions are merged in their order, whichever executor has learned them, so a repeated task changes nothing.
    ``depth`` is that of the tree; the driver merges its last level. Until then the models stay on the executors.
    """
    shards = map_in_arrow(df, partial(_learned, type(base), base.to_bytes(), learn), _SHARD).persist()
    try:
        with one_sentence():
            n_shards = max((row.shard + 1 for row in shards.select("shard").collect()), default=0)
        last, fan = shards, math.ceil(n_shards ** (1 / depth))
        while n_shards > max(fan, _FEW):
            n_shards = math.ceil(n_shards / fan)
            last = _level(last, base, merge, fan)
        found = sorted(tuple(row) for row in last.collect())
    finally:
        shards.unpersist()
    _, data, problem = _merged(found, base, merge)
    if problem is not None:
        raise ValueError(problem)
    return None if data is None else type(base).from_bytes(data)


def _learned(
    base_type: type[Saveable], base: bytes, learn: Learn, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Learn a partition, on its executor."""
    context = TaskContext.get()
    number = context.partitionId() if context is not None else 0
    rows = _Counted(batches)
    model = base_type.from_bytes(base)
    try:
        learn(model, rows)
    except ValueError as problem:  # a bad row: a retry would fail again, so return the problem as data
        text = problem.message if isinstance(problem, BadInput) else str(problem)
        yield _row(number, None, f"partition {number}: {text}")
        return
    if rows.count:
        yield _row(number, model.to_bytes(), None)


class _Counted(Iterator[pa.RecordBatch]):
    """Iterates over the batches that have rows, and counts the rows."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = iter(batches)
        self.count = 0

    def __next__(self) -> pa.RecordBatch:
        while True:
            batch = next(self._batches)
            self.count += batch.num_rows
            if batch.num_rows:
                return batch


_Shard = tuple[int, bytes | None, str | None]


def _row(number: int, model: bytes | None, problem: str | None) -> pa.RecordBatch:
    names = ["shard", "model", "problem"]
    types = [pa.int64(), pa.binary(), pa.string()]
    arrays = [pa.array([value], kind) for value, kind in zip((number, model, problem), types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names)


def _level(shards: DataFrame, base: Saveable, merge: Merge, fan: int) -> DataFrame:
    """Merge each ``fan`` neighbours into one, on the executors."""
    group = F.floor(F.col("shard") / fan)
    return shards.groupBy(group).applyInArrow(
        for_executors(partial(_merged_group, type(base), base.to_bytes(), merge, fan)), _SHARD
    )


def _merged_group(base_type: type[Saveable], base: bytes, merge: Merge, fan: int, rows: pa.Table) -> pa.Table:
    shards = sorted((row["shard"], row["model"], row["problem"]) for row in rows.to_pylist())
    _, model, problem = _merged(shards, base_type.from_bytes(base), merge)
    return pa.Table.from_batches([_row(shards[0][0] // fan, model, problem)])


def _merged(shards: list[_Shard], base: Saveable, merge: Merge) -> _Shard:
    problems = [problem for _, _, problem in shards if problem is not None]
    if problems:
        return 0, None, problems[0]
    models = [type(base).from_bytes(data) for _, data, _ in shards if data is not None]
    if not models:
        return 0, None, None
    if len(models) == 1:
        return 0, models[0].to_bytes(), None
    try:
        return 0, merge(base, models).to_bytes(), None
    except ValueError as problem:
        return 0, None, str(problem)
