"""Which key a question is about: features by name, by number, by a row of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from wmsketch import _core
from wmsketch.late import pattern
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.records import MARK, ChangedFeature, Contribution, HeavyFeature, shared_names, with_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch._core import Learner

Feature = str | int | HeavyFeature | ChangedFeature
_Row = TypeVar("_Row", bound=HeavyFeature | ChangedFeature)
_MARK_AND_KEY = pattern(MARK + "#[0-9a-f]{8}$")
_MOST_KEY = 2**32 - 1


Pairs = Sequence[tuple[str, str]]


def key_of(feature: Any, native: Any, held: Any, interactions: Pairs = ()) -> int:
    """Return the key of a feature in a native model: a name, a number, or a row of `top`, which knows its key.

    A shortened name, with or without its key behind it, is looked up in ``held()``, the rows of the native `top`.
    ``interactions`` are pairs of columns whose values are combined.
    """
    if isinstance(feature, (HeavyFeature, ChangedFeature)):
        if feature.key is not None:
            return feature.key
        feature = feature.feature
    if isinstance(feature, str) and (feature.endswith(MARK) or _MARK_AND_KEY.search(feature)):
        return _key_of_shortened(feature, native, held())
    return key_of_name(feature, native, interactions)


def key_of_name(name: Any, native: Any, interactions: Pairs) -> int:
    """Return the key of a whole name, or of a number; that of ``a=x&b=y`` is made of the keys of its two sides.

    >>> key_of_name("a=x&b=y", _core, [("a", "b")]) == key_of_name("a=x&b=y", _core, [])
    False
    """
    parts = name.split("&") if isinstance(name, str) and interactions else []
    for at in range(1, len(parts)):
        left, right = "&".join(parts[:at]), "&".join(parts[at:])
        if any(_is_of(left, a) and _is_of(right, b) for a, b in interactions):
            return _core.combine_keys(native.key_of(left), native.key_of(right))
    return int(native.key_of(name))


def _is_of(name: str, column: str) -> bool:
    return name == column or name.startswith(column + "=")


def _key_of_shortened(feature: str, native: Any, rows: list[tuple[int, float, float, float, str, bool]]) -> int:
    if not any(name for _, _, _, _, name, _ in rows):  # names are not kept, so none was cut
        return int(native.key_of(feature))
    whole = [key for key, _, _, _, name, short in rows if name == feature and not short]
    cut = {key for key, _, _, _, name, short in rows if short and feature in (name + MARK, with_key(name + MARK, key))}
    return whole[0] if whole else one_shortened(feature, sorted(cut))


def told_apart(rows: Iterable[_Row]) -> list[_Row]:
    """Return the rows; names that were cut and are now equal get their keys appended.

    >>> rows = [HeavyFeature("day=2024…", 1.0, 0.0, 2.0, shortened=True, key=key) for key in range(2)]
    >>> [row.feature for row in told_apart(rows)]
    ['day=2024…#00000000', 'day=2024…#00000001']
    """
    rows = list(rows)
    shared = shared_names([row.feature for row in rows], [row.key for row in rows])
    return [
        replace(row, feature=with_key(str(row.feature), row.key or 0))
        if row.shortened and row.feature in shared
        else row
        for row in rows
    ]


def one_shortened(name: str, keys: list[int]) -> int:
    """Return the key that is held under a shortened name; several or none is an error."""
    if len(keys) == 1:
        return keys[0]
    found = f"{len(keys)} features that are held" if keys else "no feature that is held"
    raise ValueError(f"the shortened name {name!r} is that of {found}: ask by the whole name, by the row or its key")


def keys_of(features: Any, native: Any, held: Any, interactions: Pairs = ()) -> NDArray[np.uint32]:
    """Return the keys of many features in a native model.

    >>> keys_of(np.array([3, 2**32]), None, list)
    Traceback (most recent call last):
        ...
    ValueError: keys[1] must be from 0 to 4294967295, got 4294967296
    """
    array = np.asarray(features) if not isinstance(features, (list, tuple)) else np.asarray(features, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"keys must be a list or a 1-d array, got {array.ndim} dimensions")
    if array.dtype.kind in "iu":
        wrong = np.flatnonzero((array < 0) | (array > _MOST_KEY))
        if wrong.size:
            at = int(wrong[0])
            raise ValueError(f"keys[{at}] must be from 0 to {_MOST_KEY}, got {array[at]}")
        return np.ascontiguousarray(array, dtype=np.uint32)
    return np.array([key_of(feature, native, held, interactions) for feature in array.tolist()], dtype=np.uint32)


def called(
    key: int, name: str, shortened: bool, *, empty: int | None, feature_names: Sequence[Any] | None = None
) -> str | int:
    """Return how to show a feature: by its name, or a number by the name of its column, where names are given.

    ``empty`` is the key of the empty name where features came by name: it is shown as that name, not as a number.
    """
    if name or shortened or key == empty:
        return name + MARK * shortened
    if feature_names is None:
        return key
    if key >= len(feature_names):
        raise ValueError(f"feature_names must name all columns, got {len(feature_names)} names and the feature {key}")
    return str(feature_names[key])


def features_of_row(native: Learner, row: Any) -> dict[int, tuple[str | int, float]]:
    """Return what a row is made of: key to name and value. The values of a repeated key are added."""
    found: dict[int, tuple[str | int, float]] = {}
    for key, value, name in native.features_row(row):
        found[key] = (key if name is None else name, value + (found[key][1] if key in found else 0.0))
    return found


def contributions_of(features: dict[int, tuple[str | int, float]], weights: Sequence[float]) -> list[Contribution]:
    """Return value times weight of each feature, largest |contribution| first."""
    rows = [
        Contribution(name, value, weight, value * weight)
        for (name, value), weight in zip(features.values(), weights, strict=True)
    ]
    return sorted(rows, key=lambda row: -abs(row.contribution))
