"""What must be equal for two apps to be merged, and merging several of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wmsketch.errors import MergeError


def require_same_settings(one: object, other: object, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Refuse to merge objects of different classes or settings, and say which differ.

    >>> require_same_settings(1, 2, {"seed": 1, "budget": 8}, {"seed": 2, "budget": 8})
    Traceback (most recent call last):
        ...
    wmsketch.errors.MergeError: cannot merge: seed differs (1 and 2)
    """
    if type(one) is not type(other):
        raise MergeError(
            f"cannot merge: the class differs ({type(one).__name__} and {type(other).__name__})", ("class",)
        )
    if one is other:
        raise MergeError(f"cannot merge: both are the same {type(one).__name__}", ("model",))
    differing = {
        name: f"{name} differs ({value!r} and {theirs.get(name)!r})"
        for name, value in mine.items()
        if value != theirs.get(name)
    }
    if differing:
        raise MergeError(f"cannot merge: {', '.join(differing.values())}", tuple(differing))


def merge_apps(apps: Iterable[Any]) -> Any:
    """Return what several explainers, deltoids or PMIs know together; they themselves stay as they are.

    >>> from wmsketch.apps import Deltoids
    >>> parts = [Deltoids("16KiB"), Deltoids("16KiB")]
    >>> for part in parts:
    ...     part.learn_many(["tea"] * 3, ["milk"])
    >>> merge_apps(parts).total_a, parts[0].total_a
    (6.0, 3.0)
    """
    merged: Any = None
    for position, app in enumerate(apps):
        if merged is None:
            merged = app.copy()
            continue
        try:
            merged.merge(app)
        except ValueError as problem:
            raise MergeError(f"models[{position}]: {problem}", getattr(problem, "differs", ())) from problem
    if merged is None:
        raise ValueError("models must hold at least one model, got none")
    return merged
