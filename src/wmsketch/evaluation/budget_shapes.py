"""The shape of every method for a budget in the paper's cost model: 4 bytes for each id, weight and auxiliary value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.methods import KIB, METHODS, sketch_shape

BUDGETS = tuple(size * KIB for size in (2, 4, 8, 16, 32))
LABELS = {name: each.label for name, each in METHODS.items()}
SEEDLESS = tuple(name for name, each in METHODS.items() if not each.random)  # one run is enough


def paper_shape(method: str, budget: int) -> dict[str, Any]:
    """Return the shape that the paper found best (Table 2), or that fills the budget.

    >>> paper_shape("awm", 8192)
    {'active_set_size': 512, 'width': 1024, 'depth': 1}
    >>> paper_shape("truncation", 1024)
    {'active_set_size': 128}
    """
    shape = METHODS[method].paper_shape
    assert shape is not None  # every method with a budget has a shape
    return shape(budget)


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
    model: OnlineClassifier = METHODS[method].load_class()(**METHODS[method].paper_rule, **shape, **rule)
    return model
