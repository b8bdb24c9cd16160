"""The rows of a PMI result."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wmsketch.records import MARK


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items, and the natural logarithm of how many times as often they occur together as by chance.

    ``pmi`` is from the counts of the pair and its items, ``low`` to ``high`` its range: 95 % for chance in this number
    of occurrences, plus everything that may have been missed. If ``exact``, ``count`` covers the whole stream;
    otherwise it is the minimum and ``count_high`` the maximum. ``weight`` is the classifier's estimate of the PMI, and
    not a number without one. It is too low for few occurrences, so heavy pairs are both strong and certain. The PMI of
    an uncounted pair is its weight, without an upper bound; without a classifier, that of at most half an occurrence.
    ``shortened``: one of the names is cut, and ends in a mark.
    """

    pair: tuple[str, str]
    weight: float
    pmi: float
    low: float
    high: float
    count: int
    count_high: int
    exact: bool = True
    shortened: bool = False
    key: int = 0

    def as_record(self) -> dict[str, object]:
        """Return the JSON record."""
        weight = None if math.isnan(self.weight) else self.weight
        numbers = {"pmi": self.pmi, "low": self.low, "high": self.high, "weight": weight, "count": self.count}
        bounds = {} if self.exact else {"count_low": self.count, "count_high": self.count_high}
        marks = {"exact": self.exact, "shortened": self.shortened}
        return {"pair": list(self.pair), **numbers, **bounds, **marks}


@dataclass(frozen=True, slots=True)
class ExactPair:
    """A pair with its exact count and the counts of its two items."""

    pair: tuple[str, str]
    pmi: float
    count: int
    counts: tuple[int, int]


def pair_of(row: tuple[int, str, str, bool, bool, float, float, float, float, int, int, float], whole: bool) -> Pair:
    key, u, v, u_cut, v_cut, weight, pmi, low, high, count, missed, _ = row
    pair = u + MARK * u_cut, v + MARK * v_cut
    return Pair(pair, weight, pmi, low, high, count, count + missed, whole and missed == 0, u_cut or v_cut, key)


def exact_pair_of(row: tuple[str, str, int, int, int, float]) -> ExactPair:
    u, v, count, u_count, v_count, pmi = row
    return ExactPair((u, v), pmi, count, (u_count, v_count))
