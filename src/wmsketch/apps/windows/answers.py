"""Two parts of a stream compared: shares, ratios with ranges, what is certain, and the order of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wmsketch.apps.explain.ratios import Counts, Totals, are_certain, risk_ratios, wilson
from wmsketch.apps.windows.table import Ints, ItemTable

if TYPE_CHECKING:
    from wmsketch.apps.explain.ratios import Array

_NOTABLE = 1.1  # a pair gets a row of its own only if it says this much more than its parts


@dataclass(frozen=True)
class Part:
    """The rows of a time, and of bins of the measure: from the first to before the second."""

    begin: float
    end: float
    bins: tuple[int, int] | None = None


@dataclass(frozen=True)
class ComparedRow:
    """An attribute, or two together, in parts a and b. `ratio` is share_a / share_b, with its 95 % range."""

    attributes: dict[str, str]
    count_a: int
    count_b: int
    share_a: float
    share_b: float
    ratio: float
    ratio_low: float
    ratio_high: float
    exact: bool
    score: float  # how much of the difference it surely explains; its sign says which part has more
    folded: int = 0  # pairs that say no more

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        names = ("attributes", "count_a", "count_b", "share_a", "share_b", "ratio", "ratio_low", "ratio_high", "exact")
        return {**{name: getattr(self, name) for name in names}, "score": self.score, "folded": self.folded}


@dataclass(frozen=True)
class Compared:
    """The answer: rows, the sizes of both parts, and the times and windows that they really cover."""

    rows: list[ComparedRow]
    total_a: int
    total_b: int
    covered_a: tuple[float, ...]
    covered_b: tuple[float, ...]
    items: int
    exact: int  # items whose counts are exact

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        names = ("total_a", "total_b", "covered_a", "covered_b", "items", "exact")
        return {"rows": [row.as_record() for row in self.rows], **{name: getattr(self, name) for name in names}}


def compare(
    table: ItemTable, own: Ints, other: Ints, k: int, given: int | None, covered: tuple[tuple[float, ...], ...]
) -> Compared:
    """Compare the cells of two parts; with `given`, among the rows that have this item."""
    slots = table.used()
    if given is not None:
        slots = np.array([slot for slot in slots.tolist() if given in table.parts[:, slot].tolist()], dtype=np.int64)
        totals = [int(table.sums(cells, np.array([given]))[0][0]) for cells in (own, other)]
    else:
        totals = [int(table.rows[cells].sum()) for cells in (own, other)]
    total_a, total_b = totals
    (a, missed_a), (b, missed_b) = table.sums(own, slots), table.sums(other, slots)
    exact = (missed_a + missed_b) == 0
    found = Compared([], total_a, total_b, covered[0], covered[1], len(slots), int(exact.sum()))
    if not total_a or not total_b or not len(slots):
        return found
    high_a, high_b = np.minimum(a + missed_a, total_a), np.minimum(b + missed_b, total_b)
    shares, ends = (
        [wilson(n.astype(float), of - n.astype(float), 1.0) for n, of in ((n_a, total_a), (n_b, total_b))]
        for n_a, n_b in ((a, b), (high_a, high_b))
    )
    lows, highs = (shares[0][1], shares[1][1]), (ends[0][2], ends[1][2])
    score = _score(lows, highs)
    counts = Counts(*(each.astype(float) for each in (a, b, a, high_a, b, high_b)))
    both = Totals(float(total_a), float(total_b))
    certain = are_certain(counts, risk_ratios(counts, both), both, len(slots))
    everywhere = (high_a == total_a) & (high_b == total_b)
    keep = np.flatnonzero(certain & ~everywhere & (score != 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = shares[0][0] / shares[1][0], lows[0] / highs[1], highs[0] / lows[1]
    rows: dict[int, ComparedRow] = {}
    for place in keep.tolist():
        slot = int(slots[place])
        attributes = table.attributes(slot)
        if given is not None:
            attributes = {name: each for name, each in attributes.items() if name not in table.attributes(given)}
        share_a, share_b, *ratio = (float(each[place]) for each in (shares[0][0], shares[1][0], *ratios))
        rows[slot] = ComparedRow(
            attributes,
            int(a[place]),
            int(b[place]),
            share_a,
            share_b,
            ratio=ratio[0],
            ratio_low=ratio[1],
            ratio_high=ratio[2],
            exact=bool(exact[place]),
            score=float(score[place]),
        )
    kept = list(rows.values()) if given is not None else _folded(table, rows)
    ordered = sorted(kept, key=lambda row: (row.score < 0, -abs(row.score), len(row.attributes), str(row.attributes)))
    return replace(found, rows=ordered[:k])


def _score(lows: tuple[Array, Array], highs: tuple[Array, Array]) -> Array:
    """Return share times log ratio, at the ends of both ranges that are nearest to each other; 0 if these overlap."""

    def one_way(low: Array, high: Array) -> Array:
        sure = (low > high) & (high > 0)
        found: Array = np.where(sure, low * np.log(np.where(sure, low, 1) / np.where(sure, high, 1)), 0.0)
        return found

    more: Array = one_way(lows[0], highs[1]) - one_way(lows[1], highs[0])
    return more


def _folded(table: ItemTable, rows: dict[int, ComparedRow]) -> list[ComparedRow]:
    """Leave out pairs that say no more than one of their parts, and count them there."""
    under: dict[int, int] = {}
    kept: dict[int, ComparedRow] = {}
    for slot, row in rows.items():
        left, right = table.parts[:, slot].tolist()
        parts = [part for part in (left, right) if part in rows and math.copysign(1, rows[part].score * row.score) > 0]
        best = max(parts, key=lambda part: abs(rows[part].score), default=None)
        if best is not None and abs(row.score) <= _NOTABLE * abs(rows[best].score):
            under[best] = under.get(best, 0) + 1
        else:
            kept[slot] = row
    return [replace(row, folded=under.get(slot, 0)) for slot, row in kept.items()]
