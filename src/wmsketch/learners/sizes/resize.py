"""Models in another size: large ones to learn parts of the data, and small ones to keep."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from wmsketch import _core
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.sizes.shapes import Shape

Model = TypeVar("Model", bound=OnlineClassifier)

TIMES = 16  # size of a model that learns a part of the data, relative to the result
MOST_BYTES = 2**26  # the most for such a model; a larger one keeps its size
_SIZES = ("width", "active_set_size", "name_bytes")


def widened(model: Model, times: int = TIMES) -> Model:
    """Return the model at this many times its size, if it can be made larger.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("2KiB")
    >>> model.learn_many([{1: 1.0}] * 50, [True] * 50)
    >>> wide = widened(model)
    >>> wide.weight(1) == model.weight(1), wide.nbytes > 12 * model.nbytes
    (True, True)
    >>> narrowed(wide, model).nbytes == model.nbytes
    True
    """
    config = _wide_config(model, times)
    return copy.copy(model) if config == model._started_as else _resized(model, config)


def shard_bytes(model: OnlineClassifier) -> int:
    """Return the bytes of a model that learns a part of the data, for a result of this model's size."""
    if not model._started:
        return model.nbytes
    before, wide = (
        _core.nbytes_of(**{name: config[name] for name in Shape.__match_args__})
        for config in (model._started_as, _wide_config(model, TIMES))
    )
    return model.nbytes + wide - before


def _wide_config(model: OnlineClassifier, times: int) -> dict[str, Any]:
    config = model._started_as
    times = min(times, MOST_BYTES // max(model.nbytes, 1))
    if times < 2 or config["kind"] != "awm":
        return config
    return {**config, **{name: times * config[name] for name in _SIZES}}


def narrowed(wide: Model, model: OnlineClassifier) -> Model:
    """Return a widened model in the size that it had before."""
    sizes = {name: model._started_as[name] for name in _SIZES}
    if all(wide._started_as[name] == size for name, size in sizes.items()):
        return wide
    return _resized(wide, {**wide._started_as, **sizes})


def within(model: Model, budget: int | str) -> Model:
    """Return the model in this many bytes.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("8KiB")
    >>> model.learn_many([{"free": 1.0}, {"meeting": 1.0}] * 50, [True, False] * 50)
    >>> small = within(model, "1KiB")
    >>> small.nbytes <= 1024, small.weight("free") == model.weight("free")
    (True, True)
    """
    if model.kind != "awm":
        raise ValueError(f"budget must not be given for {type(model).__name__}: only an AWM-Sketch can change its size")
    twin: Any = copy.copy(model)
    twin.budget, twin.width, twin.active_set_size, twin.name_bytes = budget, None, None, None
    if not model._started:
        return twin.check_parameters()  # type: ignore[no-any-return]
    config = model._started_as
    named = config.get("named", config["name_bytes"] > 0)  # of many classes: whether features have names too
    wanted = twin._config_again(named=named, reserved=model._native.most_schema_nbytes)
    sizes = {name: wanted[name] for name in (*_SIZES, "max_classes") if name in wanted}
    resized: Model = _resized(twin, {**config, **sizes})
    return resized


def with_columns_of(model: Model, nbytes: int) -> Model:
    """Return the model in the shape that its budget allows if the columns of the table take ``nbytes`` of it."""
    config = model._started_as
    wanted = model._config_again(named=config.get("named", config["name_bytes"] > 0), reserved=nbytes)
    return _resized(model, {**config, **{name: wanted[name] for name in _SIZES}})


def _resized(model: Model, config: dict[str, Any]) -> Model:
    """Return the model with another configuration, which differs only in its sizes."""
    twin = copy.copy(model)
    native = twin._native_of(config, model._native.named, twin._column_rules())
    native.take(model._native)
    twin._native, twin._started_as = native, config
    return twin
