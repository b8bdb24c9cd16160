"""Functions for executors, sent by value: an executor that lacks the package says so in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import DataFrame

_PROBLEM = "the Python of the executors"
_LACKS = (
    _PROBLEM + " ({}) has no module {!r}: install wmsketch there, or send an environment with the job "
    "(docs/spark-packaging.md)"
)


def for_executors(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of one argument that can be unpickled without the package.

    >>> for_executors(sorted)([2, 1])
    [1, 2]
    """
    data, lacks = cloudpickle.dumps(function), _LACKS

    def unpacked(rows: Any) -> Any:
        # Only what is imported here may be missing: the body is pickled by value, because it is not at module level.
        import pickle
        import sys

        try:
            import wmsketch.spark  # noqa: F401

            function = pickle.loads(data)
        except ModuleNotFoundError as problem:
            raise ImportError(lacks.format(sys.executable, problem.name)) from None
        return function(rows)

    unpacked.__annotations__ = {}
    return unpacked


def map_in_arrow(df: DataFrame, function: Callable[[Any], Any], schema: str) -> DataFrame:
    """Map the batches of each partition. Columns may have any names, of which Spark itself takes only simple ones."""
    plain = df.toDF(*(f"c{i}" for i in range(len(df.columns))))
    return plain.mapInArrow(for_executors(partial(_renamed, function, df.columns)), schema)


def _renamed(function: Callable[[Any], Any], names: list[str], batches: Iterator[pa.RecordBatch]) -> Any:
    return function(batch.rename_columns(names) for batch in batches)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn Spark's report of an executor that lacks the package into its one sentence."""
    try:
        yield
    except Exception as problem:
        report = str(problem)  # the traceback of the executor, as text
        lines = [line for line in report.splitlines() if _PROBLEM in line]
        if not lines:
            raise
        raise ImportError(_PROBLEM + lines[0].partition(_PROBLEM)[2]) from None
