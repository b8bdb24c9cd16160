"""Merging, slowly: one weight from what several learners know of a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

PRIOR_COUNT = 20  # in squared gradients of average size


class Known(NamedTuple):
    """What one side knows of a feature: its weight, and the sum of its squared gradients."""

    weight: float
    squares: float


NOTHING = Known(0.0, 0.0)


def prior_of(states: Sequence[dict[str, Any]], base: dict[str, Any] | None = None) -> float:
    """Return the prior, which holds weights near zero: PRIOR_COUNT mean squared gradients of all streams."""
    features, values = (
        sum(float(state[name][0]) for state in states)
        - (len(states) - 1) * (0.0 if base is None else float(base[name][0]))
        for name in ("squares_of_features", "squares_values")
    )
    return PRIOR_COUNT * features / max(values, 1.0)


def merged(sides: Sequence[Known], prior: float, base: Known = NOTHING) -> Known:
    """Merge the sides that know the feature: a sum of (squares + prior) * (movement since the base).

    >>> merged([Known(0.5, 3.0)], prior=1.0)
    Known(weight=0.5, squares=3.0)
    >>> merged([Known(0.5, 0.0), Known(0.5, 0.0)], prior=1.0)  # partial movements add up
    Known(weight=1.0, squares=0.0)
    >>> merged([Known(0.5, 3.0), Known(0.5, 3.0)], prior=0.0)  # converged weights are averaged
    Known(weight=0.5, squares=6.0)
    """
    since = [max(side.squares - base.squares, 0.0) for side in sides]
    ways = [side.weight - base.weight for side in sides]
    total = sum((squares + prior) * way for squares, way in zip(since, ways, strict=True))
    return Known(base.weight + total / (sum(since) + prior), base.squares + sum(since))
