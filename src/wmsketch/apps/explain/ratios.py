"""Risk ratios from counts, with ranges for chance and for what was not counted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from wmsketch.late import dataclass
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.records import DEVIATIONS_95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Totals:
    """Sums over all rows; `unit` is the typical weight of a row, for the error of the ratios."""

    outliers: float
    inliers: float
    unit: float = 1.0


class Counts(NamedTuple):
    """Outliers and inliers that have an attribute: estimates, and the bounds `low` and `high`."""

    outliers: Array
    inliers: Array
    outliers_low: Array
    outliers_high: Array
    inliers_low: Array
    inliers_high: Array


def exact_counts(outliers: Array | float, inliers: Array | float) -> Counts:
    """Return exact counts."""
    o, i = np.asarray(outliers, dtype=float), np.asarray(inliers, dtype=float)
    return Counts(o, i, o, o, i, i)


def risk_ratios(counts: Counts, totals: Totals) -> tuple[Array, Array, Array]:
    """Return risk ratios and their 95 % ranges; nan if a ratio is undefined.

    A range divides the Wilson bound of one rate by that of the other, over the minimum and maximum of the counts. It is
    valid for few rows and for rates of 0 and 1.

    >>> [round(float(x), 2) for x in risk_ratios(exact_counts(30, 70), Totals(outliers=100, inliers=900))]
    [3.86, 2.25, 6.38]
    """
    ratio = _ratio(counts.outliers, counts.inliers, totals)[0]
    low = _ratio(counts.outliers_low, counts.inliers_high, totals)[1]
    high = _ratio(counts.outliers_high, counts.inliers_low, totals)[2]
    known = ~np.isnan(ratio)  # an undefined bound is no bound
    low, high = np.where(known & np.isnan(low), 0.0, low), np.where(known & np.isnan(high), np.inf, high)
    return ratio, np.fmin(low, ratio), np.fmax(high, ratio)


def weights(counts: Counts, totals: Totals) -> tuple[Array, Array, Array]:
    """Return the log odds of being an outlier relative to those of all rows, and their 95 % ranges."""
    base = math.log((totals.outliers + 0.5 * totals.unit) / (totals.inliers + 0.5 * totals.unit))

    def odds(outliers: Array, inliers: Array, z: float) -> Array:
        o, i = outliers / totals.unit + 0.5, inliers / totals.unit + 0.5
        found: Array = np.log(o / i) - base + z * np.sqrt(1 / o + 1 / i)
        return found

    return (
        odds(counts.outliers, counts.inliers, 0),
        odds(counts.outliers_low, counts.inliers_high, -DEVIATIONS_95),
        odds(counts.outliers_high, counts.inliers_low, DEVIATIONS_95),
    )


def corrected_z(n_tried: float) -> float:
    """Return how many standard errors are significant at 5 %, corrected for the number of attributes tried.

    >>> round(corrected_z(1), 2), round(corrected_z(1000), 2)
    (1.96, 4.06)
    """
    from statistics import NormalDist  # which loads fractions: the command line does so while rows are read

    return NormalDist().inv_cdf(1 - 0.025 / max(1.0, n_tried))


def are_certain(
    counts: Counts, ratios: tuple[Array, Array, Array], totals: Totals, n_tried: float
) -> NDArray[np.bool_]:
    """Return whether ratios differ from 1 significantly, corrected for `n_tried` attributes, whatever was missed.

    >>> lucky, totals = exact_counts(9, 6), Totals(100, 400)
    >>> [bool(are_certain(lucky, risk_ratios(lucky, totals), totals, n)) for n in (1, 1000)]
    [True, False]
    """
    z = corrected_z(n_tried)
    ratio, low, high = ratios
    with np.errstate(invalid="ignore"):
        beyond = np.where(ratio >= 1, low > 1, high < 1)
    # the likelihood ratio is valid in the tails and for few rows: 3 of 3 is not significant among many attributes
    found: NDArray[np.bool_] = beyond & (np.abs(evidence(counts, ratio, totals)) > totals.unit * z * z / 2)
    return found


def evidence(counts: Counts, ratio: Array, totals: Totals) -> Array:
    """Return how much counts speak against chance: a log likelihood ratio, negative for ratios below 1.

    It is that of the least favourable counts within their bounds; 0 if there is nothing to compare.

    >>> few, many, totals = exact_counts(3, 0), exact_counts(40, 9), Totals(100, 400)
    >>> [round(float(evidence(each, risk_ratios(each, totals)[0], totals))) for each in (few, many)]
    [5, 50]
    """
    more = ratio >= 1
    outliers = np.where(more, counts.outliers_low, counts.outliers_high)
    inliers = np.where(more, counts.inliers_high, counts.inliers_low)
    other = totals.outliers - outliers, totals.inliers - inliers
    with np.errstate(divide="ignore", invalid="ignore"):
        n, n_other = outliers + inliers, other[0] + other[1]
        shared = totals.outliers / (totals.outliers + totals.inliers)
        # none if the least favourable counts have no ratio on this side of 1
        apart = (outliers * n_other > other[0] * n) == more
        surprise = _surprise(outliers, inliers, shared) + _surprise(other[0], other[1], shared)
    signed: Array = np.where((n > 0) & (n_other > 0) & apart, np.where(more, surprise, -surprise), 0.0)
    return signed


def wilson(outliers: Array, inliers: Array, unit: float, z: float = DEVIATIONS_95) -> tuple[Array, Array, Array]:
    """Return the shares of outliers and their Wilson bounds."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n = (outliers + inliers) / unit
        rate = outliers / (outliers + inliers)
        middle, spread = rate + z * z / (2 * n), z * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
        low, high = ((middle + side * spread) / (1 + z * z / n) for side in (-1, 1))
        # exactly 0 and 1, without rounding
        return rate, np.where(outliers > 0, np.maximum(0, low), 0.0), np.where(inliers > 0, np.minimum(1, high), 1.0)


def _ratio(outliers: Array, inliers: Array, totals: Totals) -> tuple[Array, Array, Array]:
    rate, low, high = wilson(outliers, inliers, totals.unit)
    base, base_low, base_high = wilson(
        np.maximum(0, totals.outliers - outliers), np.maximum(0, totals.inliers - inliers), totals.unit
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return rate / base, low / base_high, high / base_low


def _surprise(outliers: Array, inliers: Array, rate: float) -> Array:
    """Return the log likelihood ratio of counts under their own rate and under this one."""
    n = outliers + inliers
    terms = [
        np.where(count > 0, count * np.log(np.where(count > 0, count, 1) / np.maximum(n * share, 1e-300)), 0.0)
        for count, share in ((outliers, rate), (inliers, 1 - rate))
    ]
    total: Array = terms[0] + terms[1]
    return total
