"""Models in another size: wide ones to learn parts of the data, and small ones to keep."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from wmsketch.learners.base import OnlineClassifier

Model = TypeVar("Model", bound=OnlineClassifier)

_SIZES = ("width", "active_set_size", "name_bytes")
_MOST_CELLS = 2**26  # of a widened model; larger ones stay as they are


def widened(model: Model, times: int) -> Model:
    """Return what a model has learned in one that is so many times as large; the same where it has no sizes.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("2KiB")
    >>> model.learn_many([{1: 1.0}] * 50, [True] * 50)
    >>> wide = widened(model, 8)
    >>> wide.weight(1) == model.weight(1), wide.nbytes > 7 * model.nbytes
    (True, True)
    """
    config = model._started_as
    if times == 1 or config["kind"] != "awm" or times * config["depth"] * config["width"] > _MOST_CELLS:
        return copy.copy(model)
    return resized(model, {**config, **{name: times * config[name] for name in _SIZES}})


def narrowed(wide: Model, model: OnlineClassifier) -> Model:
    """Return what a wide model has learned in the size of another."""
    sizes = {name: model._started_as[name] for name in _SIZES}
    if all(wide._started_as[name] == size for name, size in sizes.items()):
        return wide
    return resized(wide, {**wide._started_as, **sizes})


def within(model: Model, budget: int | str) -> Model:
    """Return what a model has learned in one of so many bytes."""
    twin = copy.copy(model)
    twin.budget = budget  # type: ignore[attr-defined]
    native = model._native
    return resized(twin, twin._config_again(named=native.named, beside=native.most_schema_nbytes))


def resized(model: Model, config: dict[str, Any]) -> Model:
    """Return what a model has learned in one of another configuration, which differs in the sizes only."""
    twin = copy.copy(model)
    native = twin._native_of(config, model._native.named, twin._column_rules())
    native.take(model._native)
    twin._native, twin._started_as = native, config
    return twin
