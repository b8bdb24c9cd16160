"""What is known about the labels before rows are learned: how many, in which runs, in how many partitions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wmsketch.spark.columns import column
from wmsketch.spark.executors import map_in_arrow, one_sentence

_SORTED = 0.1  # of the changes of label that a shuffled order would have, as in `fit` of Python
_FEWEST_CHANGES = 20.0  # that a shuffled order would have; fewer may be missing by chance
_FEW_ROWS = 32  # in a partition, on average: too few to be learned alone
_ROWS_SHUFFLED = 1000  # in each partition that shuffled rows are put in, at least
_MOST_LABELS = 100  # that a partition counts


@dataclass(frozen=True)
class Survey:
    """The labels of a DataFrame."""

    partitions: int  # that have rows
    rows: int
    changes: int  # of label from one row to the next of the same partition
    pairs: int  # of such rows
    labels: list[Any]  # at least the first hundred of each partition
    counts: list[int]  # of each label

    @property
    def is_sorted(self) -> bool:
        """Whether labels come in long runs.

        >>> Survey(4, 1000, changes=1, pairs=996, labels=[0.0, 1.0], counts=[500, 500]).is_sorted
        True
        >>> Survey(4, 1000, changes=490, pairs=996, labels=[0.0, 1.0], counts=[500, 500]).is_sorted
        False
        """
        shares = np.asarray(self.counts) / max(sum(self.counts), 1)
        expected = self.pairs * (1 - float(np.sum(shares**2)))
        return expected >= _FEWEST_CHANGES and self.changes < _SORTED * expected

    @property
    def is_scattered(self) -> bool:
        """Whether partitions have too few rows to be learned alone."""
        return self.partitions > 1 and self.rows < _FEW_ROWS * self.partitions

    @property
    def problem(self) -> str:
        """What is wrong with the order of the rows, or nothing."""
        if self.is_sorted:
            runs, parts = self.changes + self.partitions, self.partitions
            return (
                f"The rows are sorted by label: {self.rows} rows in {parts} partitions are {runs} runs of equal labels"
            )
        if self.is_scattered:
            return f"The {self.rows} rows are in {self.partitions} partitions, too few in each to be learned alone"
        return ""

    @property
    def partitions_shuffled(self) -> int:
        """In how many partitions shuffled rows are put."""
        return max(1, min(self.partitions, self.rows // _ROWS_SHUFFLED))


def survey_of(df: DataFrame, label: str) -> Survey:
    """Return what is known about the labels of a DataFrame."""
    parts = map_in_arrow(df.select(column(label)), _surveyed, "rows long, changes long, counts string")
    with one_sentence():
        found = parts.collect()
    counts: Counter[Any] = Counter()
    for part in found:
        counts.update(dict(json.loads(part.counts)))
    rows = sum(part.rows for part in found)
    pairs = rows - len(found)
    changes = sum(part.changes for part in found)
    return Survey(len(found), rows, changes, pairs, list(counts), list(counts.values()))


def shuffled(df: DataFrame, partitions: int, seed: int) -> DataFrame:
    """Return the rows in a random order, the same for the same seed and the same partitions."""
    place = "__wmsketch_place__"
    placed = df.withColumn(place, F.rand(seed))
    return placed.repartition(partitions, place).sortWithinPartitions(place).drop(place)


@contextmanager
def kept(df: DataFrame, source: DataFrame) -> Iterator[None]:
    """Keep the rows on the executors while they are read several times, unless their source is kept already."""
    level = source.storageLevel
    if level.useMemory or level.useDisk:
        yield
        return
    df.persist()
    try:
        yield
    finally:
        df.unpersist()


def _surveyed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows, changes, last = 0, 0, None
    counts: Counter[Any] = Counter()
    for batch in batches:
        labels = batch.column(0)
        if not len(labels):
            continue
        codes = np.asarray(labels.dictionary_encode(null_encoding="encode").indices)
        changes += int(np.count_nonzero(codes[1:] != codes[:-1])) + (rows > 0 and labels[0].as_py() != last)
        rows, last = rows + len(labels), labels[-1].as_py()
        for each in labels.value_counts().to_pylist():
            value = each["values"]
            if value is not None and (value in counts or len(counts) < _MOST_LABELS):
                counts[value] += each["counts"]
    if rows:
        known = [[value if isinstance(value, (str, bool)) else float(value), n] for value, n in counts.items()]
        yield pa.RecordBatch.from_pylist([{"rows": rows, "changes": changes, "counts": json.dumps(known)}])
