"""The row of one item: its ratio, the range of the ratio, and whether it may be chance."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.apps.diff.failures import tells_failure
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.methods import COUNT_TABLE
from wmsketch.records import DEVIATIONS_95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


LEVEL = 0.05  # the probability that "beyond noise" is wrong for any item
_BOUNDS = ("count_a_low", "count_a_high", "count_b_low", "count_b_high")


@dataclass(frozen=True, slots=True)
class Difference:
    """How the rate of an item differs: `weight` and `log_ratio` both estimate log(rate in a / rate in b).

    `count_a` and `count_b` are exact counts of the whole stream if `exact` is true. Otherwise they are the counts since
    the item got a slot, and the true counts are between `count_a_low` and `count_a_high` (and the same for b): the
    upper ends include what may have been missed before. `low` to `high` is the range of the log ratio: 95 % for chance
    in this number of rows, plus everything that may have been missed. `beyond_noise`: see `Diff.statement`.
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
    sure_log_ratio: float = 0.0  # the least |log ratio| within the range; 0: the streams may not differ
    beyond_noise: bool = False
    shortened: bool = False
    key: int = 0
    example: str | None = None  # the first line of a template

    @property
    def only_in(self) -> str | None:
        """`"a"` or `"b"` for an item that certainly never occurred in the other stream."""
        if self.count_b_high == 0 and self.count_a:
            return "a"
        return "b" if self.count_a_high == 0 and self.count_b else None

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """The ratio of the rate in a to that in b, and the two ends of its range."""
        if self.log_ratio is None:
            return None
        return math.exp(self.log_ratio), math.exp(self.low), math.exp(self.high)

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        record = asdict(self)
        names = ["feature", "weight", "low", "high", "log_ratio", "count_a", "count_b"]
        if not self.exact:
            names += _BOUNDS
        ratio = dict(zip(("ratio", "ratio_low", "ratio_high"), self.ratio or (None, None, None), strict=True))
        marks = {"only_in": self.only_in, "exact": self.exact, "shortened": self.shortened}
        example = {} if self.example is None else {"example": self.example}
        return {name: record[name] for name in names} | ratio | marks | example


class Differences:
    """All held items. The quantities of all are computed at once; `row` makes a readable row of one.

    `needed` is the evidence required to be beyond noise.
    """

    def __init__(self, table: _core.DiffRows, totals: tuple[float, float], needed: float, method: str) -> None:
        self._table = table
        self.weights, self.keys = table.weights, table.keys
        self.low, self.high = table.lows, table.highs
        self.counts = a, b = table.amounts
        (missed_a, missed_b), (rounding_a, rounding_b) = table.missed, table.rounding
        if method == "paired-count-min":  # its counts are upper bounds
            self.ends = np.zeros_like(a), a, np.zeros_like(b), b
            self.exact = np.zeros(len(a), dtype=bool)
        else:
            self.ends = a - rounding_a, a + rounding_a + missed_a, b - rounding_b, b + rounding_b + missed_b
            self.exact = (missed_a + missed_b + rounding_a + rounding_b) == 0
        self.nameless = table.nameless.astype(bool)
        self.shortened = table.shortened.astype(bool) | self.nameless
        self.log_ratios = np.full(len(a), np.nan)  # for items with nothing to compare
        self.sure = np.zeros(len(a))
        self.likely = self.sure  # as if nothing had been missed
        self.beyond_noise = np.zeros(len(a), dtype=bool)
        if min(totals) > 0 and len(a):
            self._compare(totals, needed, method)

    def _compare(self, totals: tuple[float, float], needed: float, method: str) -> None:
        a, b = self.counts
        square_a, square_b = self._table.squares
        share = totals[0] / (totals[0] + totals[1])
        unit = (square_a + square_b) / (a + b)  # the typical amount of a row; 1 without weights

        def middle(in_a: Numbers, in_b: Numbers) -> Numbers:
            # add half a row on both sides, so that the ratio stays finite if one count is 0
            return np.log((in_a + 0.5 * unit) / (in_b + 0.5 * unit)) - math.log(totals[0] / totals[1])

        def spread(in_a: Numbers, in_b: Numbers) -> Numbers:
            return DEVIATIONS_95 * np.sqrt(unit / (in_a + 0.5 * unit) + unit / (in_b + 0.5 * unit))

        self.log_ratios, chance = middle(a, b), spread(a, b)
        low_a, high_a, low_b, high_b = self.ends
        if method == COUNT_TABLE:
            low = np.minimum(self.weights, self.log_ratios - chance)
            high = np.maximum(self.weights, self.log_ratios + chance)
            self.likely = np.maximum(0.0, np.maximum(low, -high))
            if not self.exact.all():
                low = np.minimum(self.weights, middle(low_a, high_b) - spread(low_a, high_b))
                high = np.maximum(self.weights, middle(high_a, low_b) + spread(high_a, low_b))
            self.low, self.high = low, high
        elif method == "lr":
            self.low = np.minimum(self.low, self.log_ratios - chance)
            self.high = np.maximum(self.high, self.log_ratios + chance)
        self.sure = np.maximum(0.0, np.maximum(self.low, -self.high))
        self.likely = self.likely if method == COUNT_TABLE else self.sure
        some = np.flatnonzero(self.sure > 0)
        if method == COUNT_TABLE:
            # the least evidence over all counts within their bounds
            low_a, high_a, low_b, high_b = (ends[some] for ends in self.ends)
            more_a, more_b = low_a * (1 - share) > high_b * share, high_a * (1 - share) < low_b * share
            of_b = np.where(more_b, _evidence(high_a, low_b, share), 0.0)
            evidence = np.where(more_a, _evidence(low_a, high_b, share), of_b)
        else:
            evidence = _evidence(a[some], b[some], share)
        self.beyond_noise[some] = evidence / unit[some] > needed

    def __len__(self) -> int:
        return len(self.keys)

    def ordered(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the places of items in order: those beyond noise first, by the end of their range nearer to 1.

        Whether an item is beyond noise counts all that it may have missed; its place does not.
        """
        by = (self.keys, -np.abs(self.weights), -self.likely, ~self.beyond_noise)
        return places[np.lexsort([each[places] for each in by])]

    def ordered_templates(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the places of templates of log lines in the order of urgency.

        Errors that only one log has come first, then errors whose rate at least doubled or halved, then other templates
        that only one log has, then the rest. Within each, the order is that of all items.
        """
        order = self.ordered(places)
        low_a, high_a, low_b, high_b = (ends[order] for ends in self.ends)
        only = ((low_a > 0) & (high_b == 0)) | ((low_b > 0) & (high_a == 0))
        urgent = self.beyond_noise[order] & (only | (self.likely[order] >= math.log(2)))
        for place in np.flatnonzero(urgent):
            urgent[place] = tells_failure(str(self._table.feature(int(order[place]))))
        return order[np.lexsort((~only, ~urgent, ~self.beyond_noise[order]))]

    def feature(self, i: int) -> str | int:
        """Return the name of an item, marked if it is cut, or its number."""
        feature = "" if self.nameless[i] else self._table.feature(i)
        return f"{feature}…" if self.shortened[i] else feature

    def row(self, i: int) -> Difference:
        """Return the row of one item."""
        log_ratio = float(self.log_ratios[i])
        count_a, count_b, *ends = (_whole(float(each[i])) for each in (*self.counts, *self.ends))
        return Difference(
            feature=self.feature(i),
            weight=float(self.weights[i]),
            low=float(self.low[i]),
            high=float(self.high[i]),
            log_ratio=None if math.isnan(log_ratio) else log_ratio,
            count_a=count_a,
            count_b=count_b,
            count_a_low=ends[0],
            count_a_high=ends[1],
            count_b_low=ends[2],
            count_b_high=ends[3],
            exact=bool(self.exact[i]),
            sure_log_ratio=float(self.sure[i]),
            beyond_noise=bool(self.beyond_noise[i]),
            shortened=bool(self.shortened[i]),
            key=int(self.keys[i]),
        )


def differences_of(native: _core.Diff, method: str) -> Differences:
    """Return the items that are held now."""
    needed = math.log(2 * max(1, native.n_tried) / LEVEL)
    return Differences(native.table(), native.totals, needed, method)


def _whole(amount: float) -> float:
    return int(amount) if amount.is_integer() else amount


def _evidence(a: Numbers, b: Numbers, share: float) -> Numbers:
    """Return -log of the Chernoff bound on the probability of a split of a + b this uneven, given a's expected share.

    >>> _evidence(np.array([20.0]), np.array([0.0]), 0.5) / math.log(2)  # twenty times heads
    array([20.])
    """
    n = np.maximum(a + b, 1e-300)
    of_a = a * np.log(np.maximum(a, 1e-300) / (n * share))
    of_b = b * np.log(np.maximum(b, 1e-300) / (n * (1 - share)))
    return np.maximum(0.0, of_a + of_b)
