"""What predicting needs of a model: its arrays, hash seeds and columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wmsketch.learners.saving.container import unpack
from wmsketch.learners.saving.model_file import model_bytes

# Arrays of a file that say how it was learned, or how well; predictions do not depend on them.
_OF_LEARNING = frozenset(
    [
        "features_seen",
        "mistakes",
        "n_positive",
        "n_seen",
        "log_loss_linear",
        "log_loss_log2_scale",
        "log_loss_product",
        "outcome_examples",
        "outcome_predicted",
        "outcome_negatives",
        "outcome_positives",
        "recent_examples",
        "recent_positive",
        "time",
        "time_ahead",
        "schema_time",
        "squares_examples",
        "squares_of_bias",
        "squares_of_features",
        "squares_scale",
        "squares_values",
        "unit_of_squares",
        "calibration_information",
        "intercept_information",
        "intercept_recent",
        "intercept_shift",
        "intercept_speed",
        "extreme",
        "schema_absurd",
        "weighted",
        "name_bytes",
        "name_ends",
        "name_shortened",
        "target_count",
        "target_squares",
        "target_median",
        "target_errors",
    ]
)
_OF_PREDICTING = frozenset(
    [
        "scale",
        "threshold",
        "bias",
        "calibration_scale",
        "active_keys",
        "active_slots",
        "active_weights",
        "cells",
        "tags",
        "schema_state",
        "schema_names",
        "schema_name_ends",
        "schema_kinds",
        "schema_scales",
        "target_mean",
        "target_unit",
    ]
)
_TABLE, _WITH_OTHERS, _NUMBERED, _NUMBERED_WITH_OTHERS = 2, 3, 4, 5  # states of a schema
_SCALED, _SPARSE = 16, 5  # of the kind of a column
_FAR, _ENOUGH = 100.0, 10  # as in the core's number_scale.hpp
_RULES_OF_READERS = ("text", "interactions", "numeric", "categorical", "na")


class CannotExport(ValueError):
    """The model cannot be exported; the message says why."""


@dataclass(frozen=True)
class Column:
    """A column of a table; a number is (number - zero) / unit where it is scaled.

    With ``from_zero``, a number of 0 is no feature; otherwise a row of numbered features that lacks the column has 0.
    A number whose squared distance from the mean is above ``most`` / ``count`` is absurd, and its value is 0.
    """

    name: str
    scaled: bool
    zero: float
    unit: float
    from_zero: bool
    count: float
    mean: float
    most: float


@dataclass(frozen=True)
class Target:
    """The scale of the numbers that a regressor predicts: centre + unit * margin, or centre * exp(margin)."""

    poisson: bool
    centre: float
    unit: float

    @property
    def weight_unit(self) -> float:
        """The unit of weights; those of Poisson loss are logarithms."""
        return 1.0 if self.poisson else self.unit


@dataclass(frozen=True)
class FrozenModel:
    """An AWM-Sketch with one row of cells: a classifier, or with a target a regressor."""

    labels: tuple[Any, Any] | None
    target: Target | None
    secret: tuple[int, int, int]
    mixer: tuple[int, int]
    exact_set: bool
    adaptive: bool
    keys: np.ndarray[Any, Any]
    slots: np.ndarray[Any, Any]  # packed into 32 bits where steps are adaptive, else floats
    cells: np.ndarray[Any, Any]  # packed into 16 bits where steps are adaptive, else floats
    tags: np.ndarray[Any, Any]
    scale: float
    threshold: float
    bias: float
    calibration: float
    columns: tuple[Column, ...] | None  # None: an open vocabulary
    numbered: bool = False  # the names of the columns are the numbers of features
    has_others: bool = False  # rows had more columns than the schema keeps
    bounds_others: bool = False  # the values of other numbered columns are at most 1 in size
    shrinks_others: bool = False  # their numbers, whose scales are not known, are v / (1 + |v|)

    @property
    def kind(self) -> str:
        """What it predicts, as templates name it."""
        return "labels" if self.target is None else "number"

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.keys.nbytes + self.slots.nbytes + self.cells.nbytes + self.tags.nbytes


def frozen(model: Any) -> FrozenModel:
    """Return what predicting needs of a trained model. CannotExport says what it does not cover.

    >>> import wmsketch
    >>> model = wmsketch.AWMSketch("4KiB")
    >>> model.learn_many([{"spam": 1.0}, {"ham": 1.0}] * 10, [True, False] * 10)
    >>> frozen(model).columns is None, frozen(model).nbytes < 4096
    (True, True)
    """
    metadata, arrays = unpack(model_bytes(model))
    document = json.loads(metadata["wmsketch"])
    config = document["config"]
    if document["class"] not in ("AWMSketch", "AWMRegressor"):
        raise CannotExport(
            f"only models of the class AWMSketch or AWMRegressor can be exported, got {document['class']}"
        )
    labels = (document["labels"] or {}).get("classes")
    if config is None or (labels is None and "target_mean" not in arrays):
        raise CannotExport("the model has not learned yet")
    if config["depth"] != 1 or config["hash_family"] != "mixer":
        raise CannotExport("only models of depth 1 with the hash family mixer can be exported")
    if "held_starts" in arrays:
        raise CannotExport("the model has seen fewer than ten rows: it is not known yet whether they are a table")
    schema = dict((document["parameters"]["schema"] or {"pairs": ()})["pairs"])
    rules = [rule for rule in _RULES_OF_READERS if schema.get(rule)]
    if rules or schema.get("missing") == "count":
        raise CannotExport(f"an exported model does not know the rules of the schema: {', '.join(rules) or 'missing'}")
    unknown = sorted(set(arrays) - _OF_LEARNING - _OF_PREDICTING)
    if unknown:
        raise CannotExport(f"an exported model would not use {', '.join(unknown)}")
    adaptive = config["step"] == "adaptive"  # then each cell has one owner, known by a tag
    bits = next(_splitmix64(config["seed"]))
    draws = _splitmix64(config["name_seed"] ^ 0x243F6A8885A308D3)
    return FrozenModel(
        labels=labels and tuple(labels),
        target=_target(config, arrays),
        secret=(next(draws), next(draws), next(draws)),
        mixer=(bits & 0xFFFFFFFF, bits >> 32),
        exact_set=config["exact_set"],
        adaptive=adaptive,
        keys=arrays["active_keys"],
        slots=arrays["active_slots" if adaptive else "active_weights"],
        cells=arrays["cells"],
        tags=arrays.get("tags", np.zeros(0, np.uint8)),
        scale=float(arrays["scale"][0]),
        threshold=float(np.float32(arrays["threshold"][0])),
        bias=float(arrays["bias"][0]),
        calibration=float(arrays["calibration_scale"][0]) if "calibration_scale" in arrays else 1.0,
        columns=_columns(arrays),
        numbered=_state(arrays) >= _NUMBERED,
        bounds_others=_state(arrays) == _NUMBERED,
        has_others=_state(arrays) == _WITH_OTHERS,
        shrinks_others=_state(arrays) == _WITH_OTHERS and schema.get("numbers") != "raw",
    )


def _target(config: Any, arrays: dict[str, Any]) -> Target | None:
    if "target_mean" not in arrays:
        return None
    unit = float(arrays["target_unit"][0])  # 0 until two targets differ
    return Target(config["loss"] == "poisson", float(arrays["target_mean"][0]), unit if unit > 0 else 1.0)


def _state(arrays: dict[str, Any]) -> int:
    return int(arrays["schema_state"][0]) if "schema_state" in arrays else 0


def _columns(arrays: dict[str, Any]) -> tuple[Column, ...] | None:
    if _state(arrays) < _TABLE:
        return None
    text = arrays["schema_names"].tobytes()
    ends = arrays["schema_name_ends"].tolist()
    scales = iter(arrays["schema_scales"].reshape(-1, 3).tolist())
    columns = []
    for begin, end, kind in zip([0, *ends], ends, arrays["schema_kinds"].tolist(), strict=False):
        count, mean, squares = next(scales) if kind & _SCALED else (0.0, 0.0, 0.0)
        name, from_zero = text[begin:end].decode(), kind & 15 == _SPARSE
        zero = 0.0 if from_zero else mean
        variance = squares / count if count > 0 else 0.0
        unit = math.sqrt(variance + mean * mean if from_zero else variance)
        tells = count >= _ENOUGH and squares > 0
        most = _FAR * _FAR * squares if tells else math.inf
        columns.append(Column(name, bool(kind & _SCALED), zero, unit, from_zero, count, mean, most))
    return tuple(columns)


def _splitmix64(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31
