"""Models that learn parts of the data elsewhere, and are merged later."""

from __future__ import annotations

import copy
from typing import TypeVar

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.rows.inputs import Rows, rows_have_names
from wmsketch.readers import LabelNames

Model = TypeVar("Model", bound=OnlineClassifier)


def emptied(model: Model) -> Model:
    """Return a model of the same shape, columns and rule that has learned nothing."""
    twin = model.clone()
    twin._labels = twin._labels_class.of_readers()
    twin._started_as = dict(model._started_as)
    columns = model._native.schema
    native = twin._native_of(twin._started_as, model._native.named, twin._column_rules())
    if columns is not None:
        columns = [(name, kind, None if scale is None else (0.0, 0.0, 0.0)) for name, kind, scale in columns]
    native.set_schema(columns, model._native.is_numbered)
    twin._native = native
    return twin


def is_decided(model: OnlineClassifier) -> bool:
    """Whether the model knows what its rows are, so that it holds none of them back."""
    return model._started and bool(model._native.decided)


def learn_labelled(model: OnlineClassifier, rows: Rows, block: RowBlock, names: LabelNames) -> None:
    """Learn rows whose labels, weights and times are in a block, but not their features."""
    if not model._started:
        model._start(named=rows_have_names(rows), labels=model._labels_class.of_readers())
    known = copy.copy(model._labels)
    known.rename(names)
    weights = block.weights if len(block.weights) else None
    model._learn_rows(rows, model._labels_in(block), weights, block.times if len(block.times) else None)
    model._labels = known
