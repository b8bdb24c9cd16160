"""What an attribute contributes to the change of a metric, with the error that the rows' variance leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wmsketch.records import DEVIATIONS_95

Array = NDArray[np.float64]
_PRIOR = 4.0  # rows, or rows that matter, by which the variance of few rows is drawn to that of all
_MORE_ROWS = 2.0  # so that no rows at all have a variance


@dataclass(frozen=True)
class Sides:
    """Rows and moments of attributes, or of all rows, by side: control, then test. The last axis has the moments.

    Moments are the sums of u and u^2 for a total u, and of u, v, u^2, uv and v^2 for a ratio u/v.
    """

    rows: Array  # ..., side
    moments: Array  # ..., side, moment

    @property
    def is_ratio(self) -> bool:
        return bool(self.moments.shape[-1] == 5)

    def minus(self, other: Sides) -> Sides:
        """Return the rows without those of the other."""
        return Sides(np.maximum(self.rows - other.rows, 0.0), self.moments - other.moments)

    def scaled(self, factor: float) -> Sides:
        """Return the sides with the sums of the control multiplied."""
        powers = [1, 1, 2, 2, 2] if self.is_ratio else [1, 2]
        factors = np.stack([factor ** np.array(powers), np.ones(len(powers))])
        return Sides(self.rows, self.moments * factors)


@dataclass(frozen=True)
class Changes:
    """For each attribute its values, its contribution to the change with the range, and its excess.

    `contribution` is the part of the change of all rows; `mix` and `rate` add up to it for a ratio. `excess` is by how
    much the change of all rows would differ without the attribute's rows, and `score` the excess in standard errors.
    """

    control: Array
    test: Array
    contribution: Array
    low: Array
    high: Array
    mix: Array
    rate: Array
    excess: Array
    score: Array


def changes_between(some: Sides, total: Sides) -> Changes:
    """Return the changes of attributes from control to test, given those of all rows.

    >>> one_day = Sides(np.array([[40.0, 20.0]]), np.array([[[400.0, 4000.0], [200.0, 2000.0]]]))
    >>> all_days = Sides(np.array([100.0, 80.0]), np.array([[1000.0, 10000.0], [800.0, 8000.0]]))
    >>> found = changes_between(one_day, all_days)
    >>> float(found.contribution[0]), float(found.excess[0]), round(float(found.score[0]), 1)
    (-200.0, -200.0, -1.7)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return _of_ratios(some, total) if total.is_ratio else _of_totals(some, total)


def differences_from_rest(some: Sides, total: Sides) -> Changes:
    """Return how the rows of attributes differ from all other rows of the test side, for a ratio.

    The contribution is what their rows add to the ratio of all rows.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = total.minus(some)
        inside, outside = _Terms(some, total, 1), _Terms(rest, total, 1)
        value, other = inside.u / inside.v, outside.u / outside.v
        variance = inside.variance(1 / inside.v, -value / inside.v)
        variance += outside.variance(1 / outside.v, -other / outside.v)
        effect = total.moments[1, 0] / total.moments[1, 1] - other
        share = inside.v / total.moments[1, 1]
        difference, spread = value - other, np.sqrt(variance)
        none = np.zeros_like(value)
        low, high = ((difference + side * DEVIATIONS_95 * spread) * share for side in (-1, 1))
        return Changes(other, value, effect, low, high, none, none, difference, difference / spread)


class _Terms:
    """Sums and smoothed squares of one side. The squares of few rows are drawn towards those of all rows."""

    def __init__(self, some: Sides, total: Sides, side: int) -> None:
        moments, all_moments = some.moments[..., side, :], total.moments[side]
        ratio = total.is_ratio
        first = 2 if ratio else 1
        self.u = moments[..., 0]
        self.v = moments[..., 1] if ratio else np.ones_like(self.u)
        n, n_all = some.rows[..., side], max(float(total.rows[side]), 1.0)
        # rare events tell little each: so many rows have as much to tell as four typical ones
        told = all_moments[0] ** 2 / max(n_all * all_moments[first], 1e-300)
        prior = min(_PRIOR / max(float(told), 1e-6), 1e6)
        squares = (moments[..., first:] + prior * all_moments[first:] / n_all) / (n + prior)[..., None]
        self._squares = (n + _MORE_ROWS)[..., None] * squares

    def variance(self, by_u: Array | float, by_v: Array | float = 0.0) -> Array:
        """Return the variance of a sum over rows of by_u times u plus by_v times v."""
        found: Array = by_u**2 * self._squares[..., 0]
        if self._squares.shape[-1] == 3:
            found = found + 2 * by_u * by_v * self._squares[..., 1] + by_v**2 * self._squares[..., 2]
        return np.maximum(found, 0.0)


def _of_totals(some: Sides, total: Sides) -> Changes:
    rest = total.minus(some)
    (control, test), (rest_control, rest_test) = (
        [_Terms(each, total, side) for side in (0, 1)] for each in (some, rest)
    )
    contribution = test.u - control.u
    spread = DEVIATIONS_95 * np.sqrt(test.variance(1.0) + control.variance(1.0))
    # what it would be, had it changed like the other rows
    common = (rest_control.u > 0) & (rest_test.u > 0)
    growth = np.where(common, rest_test.u / np.where(common, rest_control.u, 1.0), 1.0)
    excess = test.u - growth * control.u
    # under chance alone both sides have the same variance, up to the growth
    own = np.maximum(test.variance(1.0), growth * control.variance(1.0)) * (1 + growth)
    of_growth = np.where(
        common,
        (control.u / np.where(common, rest_control.u, 1.0)) ** 2
        * (rest_test.variance(1.0) + growth**2 * rest_control.variance(1.0)),
        0.0,
    )
    none = np.zeros_like(contribution)
    score = excess / np.sqrt(own + of_growth)
    low, high = contribution - spread, contribution + spread
    return Changes(control.u, test.u, contribution, low, high, none, none, excess, score)


def _of_ratios(some: Sides, total: Sides) -> Changes:
    rest = total.minus(some)
    ratios = total.moments[:, 0] / total.moments[:, 1]
    middle = ratios.mean()
    (c, t), (rc, rt) = ([_Terms(each, total, side) for side in (0, 1)] for each in (some, rest))
    shares = [each.v / total.moments[side, 1] for side, each in enumerate((c, t))]
    apart = shares[1] - shares[0]
    contribution = t.u / total.moments[1, 1] - c.u / total.moments[0, 1] - middle * apart
    values = [each.u / each.v for each in (c, t)]
    # a value that is new or gone has no rate of its own to change
    filled = [np.where(np.isfinite(one), one, other) for one, other in (values, values[::-1])]
    mix = np.where(np.isfinite(filled[0]), apart * (0.5 * (filled[0] + filled[1]) - middle), 0.0)
    variance = np.zeros_like(contribution)
    of_excess = np.zeros_like(contribution)
    for side, (inside, outside) in enumerate(((c, rc), (t, rt))):
        all_v, ratio, share = total.moments[side, 1], ratios[side], shares[side]
        sign = 1.0 if side else -1.0
        own = inside.u / all_v
        moved = 0.5 * apart  # the middle of both ratios moves too
        by_u_rest = -moved / all_v
        by_v_rest = (sign * (middle * share - own) + moved * ratio) / all_v
        variance += inside.variance(by_u_rest + sign / all_v, by_v_rest - sign * middle / all_v)
        variance += outside.variance(by_u_rest, by_v_rest)
        other = outside.u / outside.v
        of_excess += inside.variance(1 / all_v, -ratio / all_v)
        of_excess += outside.variance(1 / all_v - 1 / outside.v, other / outside.v - ratio / all_v)
    spread = DEVIATIONS_95 * np.sqrt(variance)
    excess = (ratios[1] - ratios[0]) - (rt.u / rt.v - rc.u / rc.v)
    score = excess / np.sqrt(of_excess)
    low, high = contribution - spread, contribution + spread
    return Changes(values[0], values[1], contribution, low, high, mix, contribution - mix, excess, score)
