"""Executors in separate processes, one of which dies during the work."""

from __future__ import annotations

import copy
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import TaskContext

from tests.spark.test_classifier import learned_again, table_of, wide_part
from tests.spark.visits import COLUMNS, visits
from wmsketch import AWMSketch, merge_models
from wmsketch.learners.sizes.resize import narrowed
from wmsketch.spark import WMSketchClassifier

ROWS = 4000


@pytest.fixture(scope="module")
def df(cluster: Any) -> Any:
    return cluster.createDataFrame(cluster.sparkContext.parallelize(visits(ROWS), 4), COLUMNS)


@pytest.fixture(scope="module")
def merged() -> AWMSketch:
    """The merge of four partitions, computed in Python."""
    table = table_of(visits(ROWS))
    one = AWMSketch("8KiB").learn_file(table.slice(0, 1000), label="bought")
    parts = [wide_part(one, table.slice(start, 1000)) for start in range(0, ROWS, 1000)]
    return narrowed(merge_models(parts), one)


def expected(model: Any, merged: AWMSketch) -> bytes:
    """The bytes of the merged model, after it has learned all rows again."""
    again: bytes = learned_again(model, copy.copy(merged), table_of(visits(ROWS))).to_bytes()
    return again


def killing(once: Path) -> Any:
    """Return the rows unchanged, but the first task that reads partition 2 kills its executor."""

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        for batch in batches:
            yield batch.slice(0, 500)
            if context is not None and context.partitionId() == 2 and not once.exists():
                once.touch()
                os.kill(executor_of(os.getpid()), signal.SIGKILL)
            yield batch.slice(500)

    return rows


def executor_of(pid: int) -> int:
    """The Java process that is the parent of this worker."""
    while Path(f"/proc/{pid}/comm").read_text().strip() != "java":
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


def test_two_executors_learn_what_python_learns(df: Any, merged: AWMSketch) -> None:
    model = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df)
    hosts = df.sparkSession.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver is one of them
    assert hosts == 2
    assert model.sketch.to_bytes() == expected(model, merged)


def test_an_executor_that_is_killed_changes_nothing(df: Any, merged: AWMSketch, tmp_path: Path) -> None:
    once = tmp_path / "killed"
    model = WMSketchClassifier(labelCol="bought", budget="8KiB").fit(df.mapInArrow(killing(once), df.schema))
    assert once.exists()
    assert model.sketch.to_bytes() == expected(model, merged)
