"""The shape of every method for a budget in the paper's cost model: 4 bytes for each id, weight and auxiliary value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import wmsketch
from wmsketch.learners.base import OnlineClassifier

KIB = 1024
BUDGETS = tuple(size * KIB for size in (2, 4, 8, 16, 32))
CLASSES = {
    "awm": "AWMSketch",
    "wm": "WMSketch",
    "hash": "FeatureHashing",
    "truncation": "SimpleTruncation",
    "ptruncation": "ProbabilisticTruncation",
    "space-saving": "SpaceSavingFrequent",
    "count-min": "CountMinFrequent",
}
METHODS = tuple(CLASSES)
SEEDLESS = ("truncation", "space-saving")  # nothing random in them: one run says all
LABELS = {
    "awm": "AWM-Sketch",
    "wm": "WM-Sketch",
    "hash": "feature hashing",
    "truncation": "simple truncation",
    "ptruncation": "probabilistic truncation",
    "space-saving": "Space Saving",
    "count-min": "Count-Min",
}
# Table 2 of the paper: active set, width, depth
_WM_TABLE = {2: (128, 128, 2), 4: (256, 256, 2), 8: (128, 128, 14), 16: (128, 128, 30), 32: (128, 256, 31)}


def paper_shape(method: str, budget: int) -> dict[str, Any]:
    """Return the shape that the paper found best (Table 2), or that fills the budget.

    >>> paper_shape("awm", 8192)
    {'active_set_size': 512, 'width': 1024, 'depth': 1}
    >>> paper_shape("truncation", 1024)
    {'active_set_size': 128}
    """
    if method == "awm":
        return sketch_shape(budget // 16, budget // 8, 1)
    if method == "wm":
        return sketch_shape(*_WM_TABLE.get(budget // KIB, (budget // 32, budget // 32, 6)))
    if method == "hash":
        return {"width": budget // 4}
    if method == "count-min":  # half of the bytes for entries (id, weight, count), half for two rows of counts
        return sketch_shape(budget // 24, budget // 16, 2)
    return {"active_set_size": budget // (8 if method == "truncation" else 12)}


def sketch_shape(active_set_size: int, width: int, depth: int) -> dict[str, Any]:
    return {"active_set_size": active_set_size, "width": width, "depth": depth}


def searched_shapes(method: str, budget: int) -> Iterator[dict[str, Any]]:
    """Yield the shapes to try for a sketch: powers of two for the active set and the width, the depth fills the rest.

    >>> [tuple(shape.values()) for shape in searched_shapes("awm", 1024)]
    [(32, 64, 3), (32, 128, 1), (32, 192, 1), (64, 64, 2), (64, 128, 1)]
    """
    active_set_size = 32
    while 8 * active_set_size < budget:
        cells = (budget - 8 * active_set_size) // 4
        widths = [2**power for power in range(6, 14) if 2**power <= cells]
        depths = {width: cells // width for width in widths if cells // width <= 64}
        if cells not in depths:
            depths[cells] = 1
        for width, depth in depths.items():
            yield sketch_shape(active_set_size, width, depth)
        active_set_size *= 2


def make_model(method: str, shape: dict[str, Any], **rule: Any) -> OnlineClassifier:
    """Return the paper's version of a method: an exact active set and, for AWM, write-back on eviction."""
    fixed: dict[str, Any] = {"active_set": "exact"} if method in ("awm", "wm") else {}
    fixed |= {"step": "plain", "eviction": "paper"} if method == "awm" else {}
    model: OnlineClassifier = getattr(wmsketch, CLASSES[method])(**fixed, **shape, **rule)
    return model
