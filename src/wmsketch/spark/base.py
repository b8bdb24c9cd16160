"""What all shards begin with: one shape and one schema, decided by the first rows, and nothing learned."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from wmsketch.learners.base import OnlineClassifier
from wmsketch.learners.class_labels import ClassCodes
from wmsketch.learners.labels import Labels
from wmsketch.spark.batches import learn_batches
from wmsketch.spark.columns import Columns

FIRST_ROWS = 100  # that the driver looks at

Model = TypeVar("Model", bound=OnlineClassifier)


def base_of(model: Model, columns: Columns, first: pa.Table) -> Model:
    """Return an empty model with the shape and the schema that these first rows ask for.

    >>> from wmsketch import AWMSketch
    >>> columns = Columns("table", ["age"], label="ill")
    >>> model = AWMSketch("4KiB", schema={"label": "ill"})
    >>> base = base_of(model, columns, pa.table({"age": [30.0, 80.0], "ill": [False, True]}))
    >>> base.schema_["age"].kind, base.n_seen_, base.nbytes
    ('number', 0, 4096)
    """
    tried = model.clone()
    for _ in range(10):  # so many rows decide what they are: fewer are taken again
        if tried._started and tried._native.decided:
            break
        learn_batches(tried, columns, iter(first.to_batches()))
    return emptied(tried)


def emptied(model: Model) -> Model:
    """Return a model of the same shape, columns and rule that has learned nothing."""
    twin = model.clone()
    many = model._multiclass
    twin._labels = twin._labels_class() if many else Labels.of_readers()
    twin._started_as = dict(model._started_as)
    columns = model._native.schema
    native = twin._native_of(twin._started_as, model._native.named, twin._column_rules())
    none = np.zeros(0, dtype=np.int32)
    labels: Any = ClassCodes(none.astype(np.uint32), []) if many else none.astype(np.int8)
    native.learn_csr(np.zeros(1, dtype=np.int32), none, np.zeros(0), labels)  # no rows: the model begins
    if columns is not None:
        native.set_schema([(name, kind, None if scale is None else (0.0, 0.0, 0.0)) for name, kind, scale in columns])
    twin._native = native
    return twin
