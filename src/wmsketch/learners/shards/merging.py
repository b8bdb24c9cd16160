"""Merging: models that learned from parts of the data become one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

from wmsketch.errors import MergeError
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.shards.relearning import learn_again
from wmsketch.learners.sizes.resize import with_columns_of, within
from wmsketch.learners.sizes.shapes import Shape
from wmsketch.readers import Schema

Model = TypeVar("Model", bound=OnlineClassifier)

# What a constructor calls the parts of a native configuration that have another name there.
_SPELLED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "exact_set": ("active_set", lambda exact: "exact" if exact else "associative"),
    "balanced": ("class_weight", lambda balanced: "balanced" if balanced else "given"),
    "negative_weight": ("class_weight of the negative class", lambda weight: weight),
    "positive_weight": ("class_weight of the positive class", lambda weight: weight),
    "half_life": ("half_life", lambda half_life: half_life or None),
    "half_life_in": ("the unit of half_life", lambda unit: unit),
    "name_seed": ("the seed of the names", lambda seed: seed),
}


def merge_models(
    models: Iterable[Model], *, base: Model | None = None, budget: int | str | None = None, relearn: Any = None
) -> Model:
    """Return one model of what models of the same shape, seed and rule have learned; they do not change.

    Each feature is averaged by what each model knows of it: with adaptive steps by its sum of squared gradients, with
    plain ones by the examples of the models in which its weight ever moved. So a feature that one model alone has seen
    keeps its weight. The result is close to that of one long run. The order of the models changes nothing.

    If all models started from one model, give it as ``base``: what it knew then counts only once. Shards
    can then start from a merged model and be merged again, round after round.

    ``budget`` is the size of the result; by default it is that of the models. Merging large models loses little. So let
    AWM-Sketches learn in many bytes, and make the result small: its heaviest features keep slots of their own, and the
    others share the cells. A list of one model gives that model in another size.

    ``relearn`` are rows of all parts, which the merged model learns again: a pair of X and y, as for `fit`, or files or
    a table in which the schema of the models names the label. Up to 32,768 of them, spread over all, are learned up to
    eight times: as long as an eighth that is held back is predicted better. They count as examples only once. This
    takes back most of what many small parts lose.

    >>> from wmsketch import AWMSketch
    >>> parts = [AWMSketch("2KiB"), AWMSketch("2KiB")]
    >>> for model, feature in zip(parts, (1, 2)):
    ...     model.learn_many([{feature: 1.0}] * 50, [True] * 50)
    >>> merged = merge_models(parts)
    >>> [round(model.weight(1), 3) for model in (merged, *parts)], merged.n_seen_
    ([3.009, 3.009, 0.0], 100)
    >>> parts = [copy.copy(merged), copy.copy(merged)]
    >>> for model in parts:
    ...     model.learn_many([{1: 1.0}] * 10, [False] * 10)
    >>> merge_models(parts, base=merged).n_seen_
    120
    >>> merge_models(parts, base=merged, budget=500).nbytes <= 500
    True
    >>> again = merge_models(parts, base=merged, relearn=([{1: 1.0}, {2: 1.0}] * 10, [False, True] * 10))
    >>> again.weight(1) < merge_models(parts, base=merged).weight(1), again.n_seen_
    (True, 120)
    """
    all_models = list(models)
    if not all_models:
        raise ValueError("models must hold at least one model, got none")
    if len({id(model) for model in all_models}) < len(all_models):
        raise MergeError("cannot merge: one of the models is given twice, so that it would count twice", ("model",))
    with_room = _with_room_for_all_columns(all_models)
    numbered = sorted(enumerate(with_room), key=lambda each: not _decided(each[1]))  # held rows are learned last
    merged: Model = copy.copy(numbered[0][1])
    decided = []
    for position, model in numbered[1:]:
        try:
            if _decided(model):
                _agree(merged, model)
                decided.append(model)
                continue
            _join(merged, decided, base)
            decided = []
            merge_into(merged, model)
        except ValueError as problem:
            raise MergeError(f"models[{position}]: {problem}", getattr(problem, "differs", ())) from problem
    _join(merged, decided, base)
    sized = merged if budget is None else within(merged, budget)
    if relearn is not None:
        learn_again(sized, relearn)
    return sized


def merge_into(model: OnlineClassifier, other: OnlineClassifier, base: OnlineClassifier | None = None) -> None:
    """Merge the other into ``model``; an error leaves it unchanged."""
    if model is other:
        raise MergeError("cannot merge: a model cannot be merged with itself, it would count twice", ("model",))
    if _decided(model) and _decided(other):
        before = dict(model.__dict__)
        try:
            resized, other = _with_room_for_all_columns([model, other])
            model.__dict__.update(resized.__dict__)
            _agree(model, other)
            _join(model, [other], base)
        except BaseException:
            model.__dict__.clear()
            model.__dict__.update(before)
            raise
        return
    described = _description(model, other)
    if base is not None and _decided(base):
        raise MergeError("cannot merge from a base: a model has not gone out from it", ("base",))
    if other._started:
        if model._started:
            begun = other._native.decided and not model._native.decided
            if not model._native.decided and other._native.named > model._native.named:
                model._started_as = model._config_again(named=True)
                model._start_native(model._started_as, named=True)
            model._shaped(lambda: model._native.merge(other._native))
            if begun:
                model._started_as = dict(other._started_as)
        else:
            model._native, model._started_as = other._native.copy(), dict(other._started_as)
    model.__dict__.update(described)


def _with_room_for_all_columns(models: list[Any]) -> list[Any]:
    """Return the models in the shape that all columns leave, where some know columns that others do not."""
    tables = [model for model in models if _decided(model) and model.schema_.table]
    names = {frozenset(column.name for column in model.schema_) for model in tables}
    if len(names) < 2 or any(model.kind != "awm" or model.budget is None for model in tables):
        return models
    rest = [model._native for model in tables[1:]]
    try:
        columns = tables[0]._native.most_schema_nbytes_with(rest)
    except ValueError:
        return models  # what does not fit is said by whoever merges
    return [with_columns_of(model, columns) if model in tables else model for model in models]


def _decided(model: Any) -> bool:
    """Whether the model knows what its rows are; before that it holds the first ones."""
    return isinstance(model, OnlineClassifier) and model._started and model._native.decided


def _join(model: OnlineClassifier, others: Sequence[OnlineClassifier], base: OnlineClassifier | None) -> None:
    """Merge others that agree with the model, all in one pass."""
    if base is not None and _decided(base):
        _description(model, base)
    else:
        base = None
    rest = [other._native for other in others]
    if len(rest) > 1 or base is not None:  # two may be swapped; with more, the last bits depend on their order
        first, *rest = sorted([model._native, *rest], key=_digest)
        model._native = first.copy()
    if rest:
        model._native.merge_all(rest, None if base is None else base._native)


def _digest(native: Any) -> bytes:
    """A sort key: models get the same order, whatever the order they came in."""
    digest = blake2b(digest_size=16)
    for name, array in sorted(native.state().items()):
        digest.update(name.encode() + array.tobytes())
    return digest.digest()


def _agree(model: OnlineClassifier, other: OnlineClassifier) -> None:
    model.__dict__.update(_description(model, other))


def _description(model: OnlineClassifier, other: OnlineClassifier) -> dict[str, Any]:
    """The attributes of the merged model, except what it has learned; an error says what does not fit."""
    if type(model) is not type(other):
        if not isinstance(other, OnlineClassifier):
            raise TypeError(f"other must be a {type(model).__name__}, got {other!r}")
        raise MergeError(
            f"cannot merge: the class differs ({type(model).__name__} and {type(other).__name__})", ("class",)
        )
    mine, theirs = Schema.of(model.schema), Schema.of(other.schema)
    if mine != theirs:
        raise MergeError(f"cannot merge: the schema differs ({mine!r} and {theirs!r})", ("schema",))
    if _decided(model) and _decided(other):
        _require_same_columns(model, other)
    _require_same_config(_config_with(model, other), _config_with(other, model))
    described = _merged_columns(model, other)
    if other._started:
        described["_labels"] = (
            _merged_labels(model._labels, other._labels) if model._started else copy.copy(other._labels)
        )
    return described


def _config_with(model: OnlineClassifier, other: OnlineClassifier) -> dict[str, Any]:
    """The configuration that the model was started with, or would be started with on the other's data."""
    if model._started and (model._native.decided or not other._started):
        return model._started_as
    if model._started and not other._native.decided:  # either may hold nothing but rows without features
        return model._config_again(named=model._native.named or other._native.named)
    if model._started:  # it holds rows, and will be of the other's shape
        mine = model._config_again(named=other._native.named)
        chosen = (*Shape.__match_args__, *(("fit_intercept",) if model.fit_intercept is None else ()))
        return {**mine, **{name: other._started_as[name] for name in chosen}}
    if not other._started:
        return model._config(named=False)
    fresh = model.clone()
    fresh._names_under = model._names_under
    fresh.__dict__.update({name: other.__dict__[name] for name in ("_labels", "_columns") if name in other.__dict__})
    return fresh._config(named=other._started_as["name_bytes"] > 0)


def _require_same_config(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    differences = {}
    for key in {**mine, **theirs}:
        value, other = mine.get(key), theirs.get(key)
        if value != other:
            name, spell = _SPELLED.get(key, (key, lambda same: same))
            differences[key] = f"{name} differs ({spell(value)!r} and {spell(other)!r})"
    if "seed" in differences and all(each["name_seed"] == each["seed"] for each in (mine, theirs)):
        differences.pop("name_seed", None)  # one difference, not two: names are hashed under the seed of the model
    if differences:
        raise MergeError(f"cannot merge: {', '.join(differences.values())}", tuple(differences))


def _require_same_columns(mine: OnlineClassifier, theirs: OnlineClassifier) -> None:
    tables = [model.schema_.table for model in (mine, theirs)]
    if tables[0] != tables[1]:
        shown = ["a table with scaled numbers" if table else "rows taken as they are" for table in tables]
        raise MergeError(f"cannot merge: one learned from {shown[0]}, the other from {shown[1]}", ("rows",))
    known = {column.name: column for column in theirs.schema_}
    for column in mine.schema_:
        other = known.get(column.name, column)
        if column.kind != other.kind and {column.kind, other.kind} <= {"number", "boolean", "text"}:
            raise MergeError(
                f"cannot merge: one model took the column {column.name!r} as {column.kind}, the other as {other.kind}",
                ("columns",),
            )


def _merged_labels(mine: Labels, theirs: Labels) -> Labels:
    """The labels of both, which must be the same. Where one side has seen only the label 1, the other knows more."""
    if mine.names is not None and theirs.names is not None:
        both = copy.copy(mine)
        both.rename(theirs.names)
        return both
    known = [labels for labels in (mine, theirs) if labels._classes is not None]
    if len(known) == 2 and mine._classes != theirs._classes:
        raise MergeError(f"cannot merge: the labels differ ({_shown(mine)} and {_shown(theirs)})", ("labels",))
    # 0 and False are equal, but not written the same: choose one whichever side it stands on
    chosen = copy.copy(min(known, key=lambda labels: repr(labels._classes)) if known else mine)
    chosen._only_ones = not known and (mine._only_ones or theirs._only_ones)
    return chosen


def _shown(labels: Labels) -> str:
    return str(tuple(getattr(label, "item", lambda label=label: label)() for label in labels.classes))


def _merged_columns(mine: OnlineClassifier, theirs: OnlineClassifier) -> dict[str, Any]:
    """The attributes that describe the columns of arrays and frames; where both sides have them they must agree."""
    merged = {}
    for name in ("n_features_in_", "feature_names_in_", "_columns"):
        found = [model.__dict__[name] for model in (mine, theirs) if name in model.__dict__]
        if len(found) == 2 and not _same(*found):
            shown = [list(value) if name == "feature_names_in_" else value for value in found]
            raise MergeError(f"cannot merge: {name} differs ({shown[0]!r} and {shown[1]!r})", (name,))
        if found:
            merged[name] = found[0]
    return merged


def _same(mine: Any, theirs: Any) -> bool:
    return list(mine) == list(theirs) if hasattr(mine, "__len__") else bool(mine == theirs)
