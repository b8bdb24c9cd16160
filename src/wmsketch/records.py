"""The types that every stage shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

DEVIATIONS_95 = 1.959963984540054  # on either side of the mean: 95 % of a normal distribution


def range_95(value: float, deviation: float) -> tuple[float, float]:
    """Return the 95 % range of a value with this standard deviation.

    >>> [round(end, 2) for end in range_95(1.0, 0.5)]
    [0.02, 1.98]
    """
    return value - DEVIATIONS_95 * deviation, value + DEVIATIONS_95 * deviation


@dataclass(frozen=True, slots=True)
class HeavyFeature:
    """A feature, its weight, and from ``low`` to ``high`` the 95 % range of its weight in the unlimited learner.

    The range is calibrated on generated data with independent features; features that say the same thing may share
    their weight in another way without a limit. The bounds are ``nan`` where a method keeps no evidence about its own
    error. ``shortened`` says that the name was cut to fit into the budget.

    The range says nothing of how many rows the weight is from. ``rows_error`` does: 1.96 standard errors, by the sum of
    the feature's squared gradients, as if other weights were known; ``nan`` where the model does not hold the
    feature by itself, forgets, or learned plain steps or weighted rows.

    >>> HeavyFeature("carrier=UA", 0.5, 0.4, 0.6)
    HeavyFeature('carrier=UA', weight=0.5, low=0.4, high=0.6)
    """

    feature: str | int
    weight: float
    low: float
    high: float
    shortened: bool = False
    rows_error: float = math.nan

    def __repr__(self) -> str:
        mark = ", shortened=True" if self.shortened else ""
        return (
            f"HeavyFeature({self.feature!r}, weight={self.weight:.4g}, low={self.low:.4g}, high={self.high:.4g}{mark})"
        )


@dataclass(frozen=True, slots=True)
class ChangedFeature:
    """A feature, its weight in an old and in a new model, and the 95 % range of the change.

    The range is that of the noise of collisions in both models together; ``nan`` where one of them keeps no evidence
    about its own error.

    >>> ChangedFeature("carrier=UA", 0.5, 2.0, 1.5, 1.3, 1.7)
    ChangedFeature('carrier=UA', before=0.5, after=2, change=1.5, low=1.3, high=1.7)
    """

    feature: str | int
    before: float
    after: float
    change: float
    low: float
    high: float
    shortened: bool = False

    def __repr__(self) -> str:
        numbers = ", ".join(
            f"{name}={getattr(self, name):.4g}" for name in ("before", "after", "change", "low", "high")
        )
        return f"ChangedFeature({self.feature!r}, {numbers}{', shortened=True' if self.shortened else ''})"


@dataclass(frozen=True, slots=True, repr=False)
class ClassFeature(HeavyFeature):
    """A feature of one class, whose label stands beside it.

    >>> ClassFeature("goal", 2.5, 2.0, 3.0, label="sport")
    ClassFeature('goal', label='sport', weight=2.5, low=2, high=3)
    """

    label: Any = None

    def __repr__(self) -> str:
        return (
            HeavyFeature.__repr__(self)
            .replace("HeavyFeature", "ClassFeature", 1)
            .replace(", weight=", f", label={self.label!r}, weight=", 1)
        )
