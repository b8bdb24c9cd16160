"""Pairs as PMI answers with them."""

from __future__ import annotations

from dataclasses import dataclass

BETWEEN = "\x1f"  # the two names of a pair


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items and how much more often they stand together than chance would have it, as a natural logarithm.

    ``pmi`` is by counts of the pair and its items, ``low`` to ``high`` its range: 95 % for the chance in so few, and
    room for all that may have been missed. ``count`` is of the whole stream where ``exact`` says so, else at least so
    many there were, and at most ``count_high``. ``weight`` is the classifier's estimate of the PMI, which falls short
    of it while there were few occurrences: heavy pairs are both strong and sure. A pair that is not counted has its
    weight for PMI, and no upper bound. ``shortened``: one of the names is cut, and says so by its end.
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
        """The row as JSON has it."""
        numbers = {"pmi": self.pmi, "low": self.low, "high": self.high, "weight": self.weight, "count": self.count}
        bounds = {} if self.exact else {"count_low": self.count, "count_high": self.count_high}
        marks = {"exact": self.exact, "shortened": self.shortened}
        return {"pair": list(self.pair), **numbers, **bounds, **marks}


@dataclass(frozen=True, slots=True)
class ExactPair:
    """A pair counted exactly, with the counts of its two items."""

    pair: tuple[str, str]
    pmi: float
    count: int
    counts: tuple[int, int]


def pair_of(row: tuple[int, str, str, bool, bool, float, float, float, float, int, int, float], whole: bool) -> Pair:
    key, u, v, u_cut, v_cut, weight, pmi, low, high, count, missed, _ = row
    pair = u + "…" * u_cut, v + "…" * v_cut
    return Pair(pair, weight, pmi, low, high, count, count + missed, whole and missed == 0, u_cut or v_cut, key)


def two_names(name: str) -> tuple[str, str]:
    u, _, v = name.partition(BETWEEN)
    return u, v


def exact_pair_of(row: tuple[str, str, int, int, int, float]) -> ExactPair:
    u, v, count, u_count, v_count, pmi = row
    return ExactPair((u, v), pmi, count, (u_count, v_count))
