"""Rows of an explanation: what is kept, in which order, and what is folded under something simpler."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import Any

from wmsketch.records import HeavyFeature
from wmsketch.results.heavy_features import sure_weight

_NOTABLE = 1.1  # a conjunction must raise the ratio by this factor to be worth its own row,
_SURE = 3.0  # and by more than chance: this many standard deviations, because each part has many conjunctions


@dataclass(frozen=True, slots=True)
class Explanation:
    """Attributes that outliers have more often than other rows, or less often.

    ``risk_ratio`` is how many times likelier a row with the attributes is an outlier than one without; from
    ``ratio_low`` to ``ratio_high`` is its 95 % range. ``support`` is the share of all outliers that have them.
    ``outliers`` and ``inliers`` count rows, or their weights: exactly since the attributes became heavy (``counted``,
    from which the ratio is taken), and ``estimated`` of them by a sketch from before. ``low`` to ``high`` bounds the
    weight's noise from hash collisions. ``folded`` are conjunctions that add nothing to it.

    >>> Explanation({"carrier": "EV"}, 0.5, 0.4, 0.6, risk_ratio=2.0, support=0.25, outliers=50, inliers=50)
    Explanation(carrier=EV, weight=0.5, risk_ratio=2, support=0.25)
    """

    attributes: dict[str, str]
    weight: float
    low: float
    high: float
    risk_ratio: float
    support: float
    outliers: float
    inliers: float
    ratio_low: float = math.nan
    ratio_high: float = math.nan
    estimated: float = 0.0
    counted: tuple[float, float] = (0.0, 0.0)
    shortened: bool = False
    folded: tuple[Explanation, ...] = ()

    @property
    def rate(self) -> float:
        """The share of outliers among the rows with the attributes, of those that were counted."""
        return self.counted[0] / sum(self.counted) if sum(self.counted) else math.nan

    @property
    def label(self) -> str:
        """The attributes as one text."""
        return " & ".join(f"{column}={value}" for column, value in self.attributes.items())

    def as_record(self) -> dict[str, Any]:
        """The row as JSON has it: counts of rows are whole numbers."""
        extra = {"ratio_low": self.ratio_low, "ratio_high": self.ratio_high, "estimated": _whole(self.estimated)}
        return {
            "attributes": self.attributes,
            "weight": self.weight,
            "low": self.low,
            "high": self.high,
            "risk_ratio": self.risk_ratio,
            "support": self.support,
            "outliers": _whole(self.outliers),
            "inliers": _whole(self.inliers),
            **extra,
            **({"shortened": True} if self.shortened else {}),
            **({"folded": [row.attributes for row in self.folded]} if self.folded else {}),
        }

    def __repr__(self) -> str:
        return (
            f"Explanation({self.label}, weight={self.weight:.3g}, risk_ratio={self.risk_ratio:.3g}, "
            f"support={self.support:.3g})"
        )


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all rows; `unit` is what one row of typical weight adds, for the error of the ratios."""

    outliers: float
    inliers: float
    unit: float = 1.0


def explain_feature(
    feature: HeavyFeature, attributes: dict[str, str], counts: tuple[float, float, float, float], totals: Totals
) -> Explanation:
    """Return the row of one heavy feature from its counts (outliers, inliers, and the estimated part of each)."""
    # estimates may exceed what there was
    outliers, inliers = min(counts[0], totals.outliers), min(counts[1], totals.inliers)
    counted = max(0.0, outliers - counts[2]), max(0.0, inliers - counts[3])
    ratio, low, high = risk_ratio(counted, totals, (outliers, inliers))
    return Explanation(
        attributes,
        feature.weight,
        feature.low,
        feature.high,
        risk_ratio=ratio,
        support=outliers / totals.outliers if totals.outliers else math.nan,
        outliers=outliers,
        inliers=inliers,
        ratio_low=low,
        ratio_high=high,
        estimated=outliers + inliers - sum(counted),
        counted=counted,
        shortened=feature.shortened,
    )


def risk_ratio(
    counted: tuple[float, float], totals: Totals, all_with: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """Return the risk ratio and its range from outliers and inliers with the attributes; nan where it has no meaning.

    `all_with` are those without which the others are left, where `counted` is only a part. The range goes from the
    Wilson bound of one rate over that of the other, so that it is honest for few rows and for rates of 0 and 1.

    >>> [round(x, 2) for x in risk_ratio((30, 70), Totals(outliers=100, inliers=900))]
    [3.86, 2.25, 6.38]
    """
    outliers, inliers = all_with or counted
    other = totals.outliers - outliers, totals.inliers - inliers
    if sum(counted) <= 0 or sum(other) <= 0 or totals.outliers <= 0:
        return math.nan, math.nan, math.nan
    rate, low, high = _rate(counted, totals.unit)
    base, base_low, base_high = _rate(other, totals.unit)
    return _over(rate, base), _over(low, base_high), _over(high, base_low)


def _rate(counts: tuple[float, float], unit: float, z: float = 1.96) -> tuple[float, float, float]:
    """The share of the first count, and its Wilson bounds."""
    n = sum(counts) / unit
    rate = counts[0] / sum(counts)
    middle, spread = rate + z * z / (2 * n), z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return rate, max(0.0, (middle - spread) / (1 + z * z / n)), min(1.0, (middle + spread) / (1 + z * z / n))


def _over(rate: float, base: float) -> float:
    return rate / base if base > 0 else math.inf if rate > 0 else math.nan


def is_certain(row: Explanation, totals: Totals, n_tried: int) -> bool:
    """Whether the ratio differs from 1 by more than chance gives to the luckiest of `n_tried` attributes.

    >>> lucky = Explanation({"a": "1"}, 1, 1, 1, risk_ratio=3.0, support=0.1, outliers=9, inliers=6, counted=(9, 6))
    >>> is_certain(lucky, Totals(100, 400), 1), is_certain(lucky, Totals(100, 400), 1000)
    (True, False)
    """
    z = NormalDist().inv_cdf(1 - 0.025 / max(1, n_tried))
    other = totals.outliers - row.outliers, totals.inliers - row.inliers
    if sum(row.counted) <= 0 or sum(other) <= 0:
        return False
    # by the likelihood ratio, which is honest far out and for few rows: three outliers of three are nothing, of many
    shared = (row.counted[0] + other[0]) / (sum(row.counted) + sum(other))
    return _surprise(row.counted, shared) + _surprise(other, shared) > totals.unit * z * z / 2


def _surprise(counts: tuple[float, float], rate: float) -> float:
    """How much likelier counts are by their own rate than by this one, as a logarithm."""
    shares = zip(counts, (rate, 1 - rate), strict=True)
    return sum(count * math.log(count / (sum(counts) * share)) for count, share in shares if count > 0)


SORTS = {
    "weight": lambda row: -row.weight,
    "ratio": lambda row: (-row.risk_ratio, -row.rate),  # all outliers have it: infinite
    "support": lambda row: -row.support,
    "low": lambda row: -math.copysign(sure_weight(row.low, row.high), row.weight),
}


def fold(rows: Iterable[Explanation], unit: float = 1.0) -> list[Explanation]:
    """Fold each conjunction under the simplest of its parts that explains it: whose ratio is not notably lower.

    `unit` is that of the totals.

    >>> a = Explanation({"a": "1"}, 1, 1, 1, risk_ratio=3.0, support=0.5, outliers=50, inliers=50, counted=(50, 50))
    >>> both = replace(a, attributes={"a": "1", "b": "2"}, support=0.1, counted=(10, 9))
    >>> [(row.label, len(row.folded)) for row in fold([a, both])]
    [('a=1', 1)]
    """
    rows = list(rows)
    by_attributes = {frozenset(row.attributes.items()): row for row in rows}
    under: dict[frozenset[tuple[str, str]], list[Explanation]] = {}
    kept = []
    for row in rows:
        items = sorted(row.attributes.items())
        parts = (frozenset(part) for size in range(1, len(items)) for part in combinations(items, size))
        simpler = next(
            (part for part in parts if part in by_attributes and _explains(by_attributes[part], row, unit)), None
        )
        if simpler is None:
            kept.append(row)
        else:
            under.setdefault(simpler, []).append(row)
    return [replace(row, folded=tuple(_all_under(row, under))) for row in kept]


def _explains(simple: Explanation, row: Explanation, unit: float) -> bool:
    # ratios over one base are as their rates, and rates are never infinite
    rate, low, high = _rate(row.counted, unit, _SURE) if sum(row.counted) else (math.nan,) * 3
    if row.risk_ratio < 1:  # a conjunction that protects must protect more
        return simple.rate <= max(rate * _NOTABLE, high)
    return min(rate / _NOTABLE, low) <= simple.rate


def _all_under(row: Explanation, under: dict[frozenset[tuple[str, str]], list[Explanation]]) -> Iterable[Explanation]:
    for folded in under.get(frozenset(row.attributes.items()), ()):
        yield folded
        yield from _all_under(folded, under)


def _whole(count: float) -> float | int:
    return int(count) if count == math.floor(count) else count
