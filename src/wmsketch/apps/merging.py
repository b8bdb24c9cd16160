"""Merging applications, and what must be equal for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wmsketch.errors import MergeError


def require_same_settings(one: Any, other: Any) -> None:
    """Raise an error that names the differences if classes or settings differ.

    >>> from wmsketch.apps import PMI
    >>> require_same_settings(PMI(seed=1), PMI(seed=2))
    Traceback (most recent call last):
        ...
    wmsketch.errors.MergeError: cannot merge: seed differs (1 and 2)
    """
    if type(one) is not type(other):
        raise MergeError(
            f"cannot merge: the class differs ({type(one).__name__} and {type(other).__name__})", ("class",)
        )
    if one is other:
        raise MergeError("cannot merge: an object cannot be merged with itself", ("model",))
    mine, theirs = one._parameters(), other._parameters()
    mine.pop("variable_words", None)  # see `HasVariableWords.share_words`
    differing = {
        name: f"{name} differs ({value!r} and {theirs.get(name)!r})"
        for name, value in mine.items()
        if _plain(value) != _plain(theirs.get(name))
    }
    if differing:
        raise MergeError(f"cannot merge: {', '.join(differing.values())}", tuple(differing))


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else value  # a file has lists


def merge_in_order(one: Any, other: Any, join: Callable[[Any, Any], object]) -> None:
    """Join the other into ``one``, or one into a copy of the other: the first by its bytes always takes the second.

    So a merge gives the same bytes whichever is merged into which. An error leaves both unchanged if ``join`` does.

    >>> from wmsketch.apps import PMI
    >>> a, b = PMI(budget="1MiB"), PMI(budget="1MiB")
    >>> b.learn_text("tea and milk")
    >>> a.copy().merge(b).to_bytes() == b.copy().merge(a).to_bytes()
    True
    """
    if one.to_bytes() <= other.to_bytes():
        join(one, other)
        return
    joined = other.copy()
    join(joined, one)
    one.__dict__.update(joined.__dict__)


def merge_apps(apps: Iterable[Any]) -> Any:
    """Return the merge of several objects of `Explainer`, `Diff` or `PMI`, which do not change.

    Their order changes nothing.

    >>> from wmsketch.apps import Diff
    >>> parts = [Diff("16KiB"), Diff("16KiB")]
    >>> for part in parts:
    ...     part.learn_many(["tea"] * 3, ["milk"])
    >>> merge_apps(parts).total_a, parts[0].total_a
    (6.0, 3.0)
    """
    from hashlib import blake2b  # loads OpenSSL

    merged: Any = None
    for position, app in sorted(enumerate(apps), key=lambda each: blake2b(each[1].to_bytes()).digest()):
        if merged is None:
            merged = app.copy()
            continue
        try:
            merged.merge(app)
        except ValueError as problem:
            raise MergeError(f"models[{position}]: {problem}", getattr(problem, "differs", ())) from problem
    if merged is None:
        raise ValueError("models must contain at least one model, got none")
    return merged
