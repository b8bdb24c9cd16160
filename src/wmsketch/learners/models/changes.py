"""What changed between two models: the features whose weights differ most."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.features import told_apart
from wmsketch.learners.models.uncertainty import uncertainty_of
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.records import ChangedFeature, RowList


class _Name(NamedTuple):
    """A name as a model holds it; empty for an integer feature."""

    text: str
    shortened: bool

    def better_than(self, other: _Name) -> bool:
        return (not self.shortened, len(self.text)) > (not other.shortened, len(other.text))


def changes_between(old: OnlineClassifier, new: OnlineClassifier, k: int = 10) -> RowList[ChangedFeature]:
    """Return the k features that either model holds by itself and whose weights differ most, largest |change| first.

    The models may differ in class, shape, seed and rule, because each answers for its own weights. They must agree on
    the meaning of labels and features. Comparing takes no more memory than the two models.
    """
    k = require_integer("k", k, 0)
    before, after = old._learner(), new._learner()
    _require_same_labels(old, new)
    if not (before.keeps_keys or after.keeps_keys):
        raise ValueError("neither model keeps features, only their weights: ask weight(feature) of both instead")
    names = _names(old, new)
    keys = np.fromiter(names, dtype=np.uint32, count=len(names))
    earlier = _keys_in(old, new, names)
    was, is_now = before.weights(earlier), after.weights(keys)
    rows: list[ChangedFeature] = []
    for at in np.lexsort((keys, -np.abs(is_now - was)))[:k]:
        key, change = int(keys[at]), float(is_now[at] - was[at])
        errors = (
            uncertainty_of(before, int(earlier[at]), old.n_iter_).both,
            uncertainty_of(after, key, new.n_iter_).both,
        )
        low, high = change - math.hypot(*errors), change + math.hypot(*errors)
        text, shortened = names[key]
        feature = (new if after.keeps_keys else old)._called(key, text, shortened)
        rows.append(ChangedFeature(feature, float(was[at]), float(is_now[at]), change, low, high, shortened, key))
    return RowList(told_apart(rows))


def _names(old: OnlineClassifier, new: OnlineClassifier) -> dict[int, _Name]:
    """The keys of both active sets, as the new model knows them, each with the more complete of its two names."""
    held = [_held(old), _held(new)]
    named = {any(name.text for name in names.values()) for names in held if names}
    if len(named) == 2:
        raise ValueError("cannot compare: one model knows its features by name, the other by number")
    merged, more = held
    if _hash_differently(old, new) and named == {True}:
        if any(name.shortened for names in held for name in names.values()):
            raise ValueError(
                "cannot compare: the two models hash names under different seeds, and some names are shortened; "
                "give both more name_bytes, or the same seed"
            )
        merged = {new._key_of(name.text): name for name in merged.values()}
    for key, name in more.items():
        if key not in merged or name.better_than(merged[key]):
            merged[key] = name
    return merged


def _hash_differently(old: OnlineClassifier, new: OnlineClassifier) -> bool:
    return old._name_seed() != new._name_seed()


def _keys_in(old: OnlineClassifier, new: OnlineClassifier, names: dict[int, _Name]) -> NDArray[np.uint32]:
    """The keys of these features in the old model."""
    again = _hash_differently(old, new)
    return np.array([old._key_of(n.text) if again and n.text else key for key, n in names.items()], np.uint32)


def _held(model: OnlineClassifier) -> dict[int, _Name]:
    native = model._learner()
    rows = native.top(2**32 - 1) if native.keeps_keys else []
    return {key: _Name(name, shortened) for key, _, _, _, name, shortened in rows}


def _require_same_labels(old: OnlineClassifier, new: OnlineClassifier) -> None:
    known = [model._labels._classes for model in (old, new)]
    if None not in known and known[0] != known[1]:
        shown = [[getattr(label, "item", lambda label=label: label)() for label in classes or ()] for classes in known]
        raise ValueError(f"cannot compare: the labels differ ({tuple(shown[0])} and {tuple(shown[1])})")
