"""What can be said of one item: its ratio, how sure that is, and whether it may be chance."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from wmsketch.records import DEVIATIONS_95


@dataclass(frozen=True, slots=True)
class Difference:
    """How the rate of an item differs: `weight` and `log_ratio` both estimate log(rate in a / rate in b).

    `weight` is the classifier's, `low` to `high` its 95 % range. `count_a` and `count_b` are counts from the moment the
    item came to be counted, so they are at most the true ones; `log_ratio` compares them with what the two streams
    brought since then. Counts of integer items are exact up to 1,023 and within about 3 % above; all others are exact.
    (The paired Count-Min's are of the whole stream, and at least the true ones.) `beyond_noise`: see
    `Deltoids.statement`.
    """

    feature: str | int
    weight: float
    low: float
    high: float
    log_ratio: float | None
    count_a: float | None
    count_b: float | None
    sure_log_ratio: float = 0.0  # the least |log ratio| that the counts leave room for (95 %)
    beyond_noise: bool = False
    shortened: bool = False

    def as_record(self) -> dict[str, Any]:
        """The row as JSON has it."""
        record = asdict(self)
        return {name: record[name] for name in ("feature", "weight", "low", "high", "log_ratio", "count_a", "count_b")}


def difference_of(row: Any, totals: tuple[float, float], needed: float, method: str) -> Difference:
    """A held item of the native object; `needed` is the evidence that lies beyond noise."""
    feature, shortened, weight, low, high, counted = row
    name = feature + "…" if shortened else feature
    if counted is None:
        return Difference(name, weight, low, high, None, None, None, shortened=shortened)
    a, b, square_a, square_b, since_a, since_b = counted
    total_a, total_b = totals[0] - since_a, totals[1] - since_b
    count_a, count_b = (int(a), int(b)) if float(a).is_integer() and float(b).is_integer() else (a, b)
    if total_a <= 0 or total_b <= 0 or a + b <= 0:  # no counts of one stream since then: nothing to compare with
        return Difference(name, weight, low, high, None, count_a, count_b, shortened=shortened)
    share = total_a / (total_a + total_b)
    unit = (square_a + square_b) / (a + b)  # the amount of a typical row; 1 without weights
    # half a row more on both sides: the ratio stays finite where one of them has none
    log_ratio = math.log((a + 0.5 * unit) / (b + 0.5 * unit)) - math.log(total_a / total_b)
    spread = DEVIATIONS_95 * math.sqrt(unit / (a + 0.5 * unit) + unit / (b + 0.5 * unit))
    beyond = _evidence(a, b, share) / unit > needed
    if method == "paired-count-min":  # its counts are too high: the bounds must keep away from zero as well
        beyond = beyond and not low <= 0 <= high
    sure = max(0.0, abs(log_ratio) - spread)
    return Difference(name, weight, low, high, log_ratio, count_a, count_b, sure, beyond, shortened)


def _evidence(a: float, b: float, share: float) -> float:
    """-log of Chernoff's bound on the chance of a split of a + b as uneven as this, where a's share is expected.

    >>> round(_evidence(20, 0, 0.5) / math.log(2))  # twenty times heads
    20
    """
    n = a + b
    divergence = (a * math.log(a / (n * share)) if a else 0.0) + (b * math.log(b / (n * (1 - share))) if b else 0.0)
    return max(0.0, divergence)
