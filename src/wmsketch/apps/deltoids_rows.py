"""What can be said of one item: its ratio, how sure that is, and whether it may be chance."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from wmsketch.records import DEVIATIONS_95

_BOUNDS = ("count_a_low", "count_a_high", "count_b_low", "count_b_high")


@dataclass(frozen=True, slots=True)
class Difference:
    """How the rate of an item differs: `weight` and `log_ratio` both estimate log(rate in a / rate in b).

    `count_a` and `count_b` are exact counts of the whole stream where `exact` says so. Else they are what was counted
    since the item was given a place, and the true counts lie between `count_a_low` and `count_a_high` (and so for b):
    the upper ends hold what may have been missed before. `low` to `high` is the range of the log ratio: 95 % for the
    chance in so few rows, and room for all that may have been missed. `beyond_noise`: see `Deltoids.statement`.
    """

    feature: str | int
    weight: float
    low: float
    high: float
    log_ratio: float | None
    count_a: float | None
    count_b: float | None
    count_a_low: float | None = None
    count_a_high: float | None = None
    count_b_low: float | None = None
    count_b_high: float | None = None
    exact: bool = False
    sure_log_ratio: float = 0.0  # the least |log ratio| within the range; 0: the streams may not differ in it
    beyond_noise: bool = False
    shortened: bool = False
    key: int = 0

    @property
    def only_in(self) -> str | None:
        """`"a"` or `"b"` for an item that surely never came in the other stream."""
        if self.count_b_high == 0 and self.count_a:
            return "a"
        return "b" if self.count_a_high == 0 and self.count_b else None

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """How many times as often in a: the estimate, and the two ends of its range."""
        if self.log_ratio is None:
            return None
        return math.exp(self.log_ratio), math.exp(self.low), math.exp(self.high)

    def as_record(self) -> dict[str, Any]:
        """The row as JSON has it."""
        record = asdict(self)
        names = ["feature", "weight", "low", "high", "log_ratio", "count_a", "count_b"]
        if not self.exact:
            names += _BOUNDS
        ratio = dict(zip(("ratio", "ratio_low", "ratio_high"), self.ratio or (None, None, None), strict=True))
        marks = {"only_in": self.only_in, "exact": self.exact, "shortened": self.shortened}
        return {name: record[name] for name in names} | ratio | marks


def difference_of(row: Any, totals: tuple[float, float], needed: float, method: str) -> Difference:
    """A held item of the native object; `needed` is the evidence that lies beyond noise."""
    key, feature, shortened, weight, low, high, counted = row
    name = feature + "…" if shortened else feature
    if counted is None:
        return Difference(name, weight, low, high, None, None, None, shortened=shortened, key=key)
    a, b, square_a, square_b, missed_a, missed_b, rounding_a, rounding_b = counted
    exact = missed_a == missed_b == rounding_a == rounding_b == 0 and method != "paired-count-min"
    found = Difference(name, weight, low, high, None, _whole(a), _whole(b), shortened=shortened, exact=exact, key=key)
    if method != "paired-count-min":
        ends = a - rounding_a, a + rounding_a + missed_a, b - rounding_b, b + rounding_b + missed_b
    else:  # its counts are at least the true ones
        ends = 0.0, a, 0.0, b
    bounds: dict[str, Any] = dict(zip(_BOUNDS, map(_whole, ends), strict=True))
    found = replace(found, **bounds)
    if min(totals) <= 0 or a + b <= 0:  # nothing to compare with
        return found
    share = totals[0] / (totals[0] + totals[1])
    unit = (square_a + square_b) / (a + b)  # the amount of a typical row; 1 without weights

    def log_ratio(in_a: float, in_b: float) -> float:
        # half a row more on both sides: the ratio stays finite where one of them has none
        return math.log((in_a + 0.5 * unit) / (in_b + 0.5 * unit)) - math.log(totals[0] / totals[1])

    def spread(in_a: float, in_b: float) -> float:
        return DEVIATIONS_95 * math.sqrt(unit / (in_a + 0.5 * unit) + unit / (in_b + 0.5 * unit))

    if method == "awm":
        low_a, high_a, low_b, high_b = ends
        low = min(weight, log_ratio(low_a, high_b) - spread(low_a, high_b))
        high = max(weight, log_ratio(high_a, low_b) + spread(high_a, low_b))
        evidence = _least_evidence(ends, share)
    else:
        if method == "lr":
            middle, width = log_ratio(a, b), spread(a, b)
            low, high = min(low, middle - width), max(high, middle + width)
        evidence = _evidence(a, b, share)
    sure = max(0.0, low, -high)
    beyond = sure > 0 and evidence / unit > needed
    return replace(found, log_ratio=log_ratio(a, b), low=low, high=high, sure_log_ratio=sure, beyond_noise=beyond)


def _whole(amount: float) -> float:
    return int(amount) if float(amount).is_integer() else amount


def _least_evidence(ends: tuple[float, float, float, float], share: float) -> float:
    """Of all counts within their bounds, the evidence of those that differ least."""
    low_a, high_a, low_b, high_b = ends
    if low_a * (1 - share) > high_b * share:
        return _evidence(low_a, high_b, share)
    if high_a * (1 - share) < low_b * share:
        return _evidence(high_a, low_b, share)
    return 0.0


def _evidence(a: float, b: float, share: float) -> float:
    """-log of Chernoff's bound on the chance of a split of a + b as uneven as this, where a's share is expected.

    >>> round(_evidence(20, 0, 0.5) / math.log(2))  # twenty times heads
    20
    """
    n = a + b
    divergence = (a * math.log(a / (n * share)) if a else 0.0) + (b * math.log(b / (n * (1 - share))) if b else 0.0)
    return max(0.0, divergence)
