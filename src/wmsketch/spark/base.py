"""The initial model of all shards: one shape and one schema, decided by the first rows, and nothing learned."""

from __future__ import annotations

from typing import TypeVar

import pyarrow as pa

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.shards.partitions import emptied, is_decided
from wmsketch.spark.batches import learn_batches
from wmsketch.spark.columns import Columns

FIRST_ROWS = 100  # inspected by the driver

Model = TypeVar("Model", bound=OnlineClassifier)


def base_of(model: Model, columns: Columns, first: pa.Table) -> Model:
    """Return an empty model with the shape and the schema for these first rows.

    >>> from wmsketch import AWMSketch
    >>> columns = Columns("table", ["age"], label="ill")
    >>> model = AWMSketch("4KiB", schema={"label": "ill"})
    >>> base = base_of(model, columns, pa.table({"age": [30.0, 80.0], "ill": [False, True]}))
    >>> base.schema_["age"].kind, base.n_seen_
    ('number', 0)
    """
    tried = model.clone()
    for _ in range(10):  # ten rows decide the schema; fewer are repeated
        if is_decided(tried):
            break
        learn_batches(tried, columns, iter(first.to_batches()))
    return emptied(tried)
