"""Rows of an explanation: their order, which are equivalent, and which are folded under a simpler row."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from wmsketch.apps.explain.ratios import wilson
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.results.heavy_features import sure_weight

if TYPE_CHECKING:
    from wmsketch.apps.explain.drivers import Driver

_NOTABLE = 1.1  # a conjunction gets its own row only if it raises the ratio by this factor
_SURE = 3.0  # and by this many standard deviations, because each part has many conjunctions


class OfAttributes:
    """A row of an answer about some attributes, and about equivalent ones."""

    __slots__ = ()
    attributes: dict[str, str]
    same_rows: tuple[dict[str, str], ...]

    @property
    def label(self) -> str:
        """The attributes as one text."""
        return label_of(self.attributes)

    @property
    def full_label(self) -> str:
        """The attributes, and equivalent ones."""
        return " = ".join([self.label, *map(label_of, self.same_rows)])


@dataclass(frozen=True, slots=True)
class Explanation(OfAttributes):
    """Attributes that are more common, or less common, among outliers than among other rows.

    ``risk_ratio`` is how many times as likely a row with the attributes is an outlier as a row without; ``ratio_low``
    to ``ratio_high`` is its 95 % range. ``support`` is the share of all outliers that have them. ``outliers`` and
    ``inliers`` count rows, or their weights. If ``exact``, they cover all rows; otherwise some rows came before the
    attributes were held, and ``outliers_range`` and ``inliers_range`` include them. ``weight`` is the log odds relative
    to those of all rows, ``low`` to ``high`` its 95 % range. ``evidence`` is how much the counts speak against chance.
    ``same_rows`` are attributes of exactly the same rows, ``folded`` conjunctions that add nothing. ``shortened``: a
    value was cut to fit the budget.

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
    exact: bool = True
    outliers_range: tuple[float, float] = (math.nan, math.nan)
    inliers_range: tuple[float, float] = (math.nan, math.nan)
    shortened: bool = False
    same_rows: tuple[dict[str, str], ...] = ()
    folded: tuple[Explanation, ...] = ()
    evidence: float = 0.0  # a log likelihood ratio
    rows_mark: int = 0  # equal for attributes of the same rows

    @property
    def rate(self) -> float:
        """The share of outliers among the rows with the attributes."""
        return self.outliers / (self.outliers + self.inliers) if self.outliers + self.inliers else math.nan

    @property
    def mark(self) -> tuple[float, ...]:
        """Equal for attributes of the same rows."""
        return self.rows_mark, self.outliers, self.inliers

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record; counts of rows are whole numbers."""
        ranges = {
            "outliers_range": [_whole(each) for each in self.outliers_range],
            "inliers_range": [_whole(each) for each in self.inliers_range],
        }
        return {
            "attributes": self.attributes,
            "weight": self.weight,
            "low": self.low,
            "high": self.high,
            "risk_ratio": self.risk_ratio,
            "support": self.support,
            "outliers": _whole(self.outliers),
            "inliers": _whole(self.inliers),
            "ratio_low": self.ratio_low,
            "ratio_high": self.ratio_high,
            "evidence": self.evidence,
            "exact": self.exact,
            **({} if self.exact else ranges),
            **({"shortened": True} if self.shortened else {}),
            **({"same_rows": list(self.same_rows)} if self.same_rows else {}),
            **({"folded": [row.attributes for row in self.folded]} if self.folded else {}),
        }

    def __repr__(self) -> str:
        return (
            f"Explanation({self.label}, weight={self.weight:.3g}, risk_ratio={self.risk_ratio:.3g}, "
            f"support={self.support:.3g})"
        )


_Row = TypeVar("_Row", bound="Explanation | Driver")


def label_of(attributes: dict[str, str]) -> str:
    """Attributes as one text.

    >>> label_of({"carrier": "EV", "origin": "EWR"})
    'carrier=EV & origin=EWR'
    """
    return " & ".join(f"{column}={value}" for column, value in attributes.items())


SORTS = {
    # causes of many outliers come first; of counts that may be wrong, the likely values
    "evidence": lambda row: (-row.evidence, -row.ratio_low),
    "weight": lambda row: -row.weight,
    "ratio": lambda row: (-row.ratio_low, -row.support),  # what is certain of the ratio
    "support": lambda row: -row.support,
    "low": lambda row: -math.copysign(sure_weight(row.low, row.high), row.weight),
}


def gather_same(rows: Iterable[_Row]) -> list[_Row]:
    """Join attributes of exactly the same rows into one row: the simplest, which lists the others.

    >>> code = Explanation({"code": "D"}, 1, 1, 1, risk_ratio=3.0, support=0.5, outliers=5, inliers=5, rows_mark=7)
    >>> [row.full_label for row in gather_same([code, replace(code, attributes={"name": "Discount"})])]
    ['code=D = name=Discount']
    """
    groups: dict[Any, list[_Row]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(row.mark if row.exact else number, []).append(row)
    gathered = []
    for group in groups.values():
        first, *others = sorted(group, key=lambda row: len(row.attributes))
        named: list[_Row] = []
        for row in others:  # skip conjunctions that contain one already listed
            if not any(row.attributes.items() >= known.attributes.items() for known in (first, *named)):
                named.append(row)
        gathered.append(replace(first, same_rows=tuple(row.attributes for row in named)) if named else first)
    return gathered


def fold(rows: Iterable[Explanation], unit: float = 1.0) -> list[Explanation]:
    """Fold each conjunction under its simplest part whose ratio is not notably lower.

    `unit` is that of the totals.

    >>> a = Explanation({"a": "1"}, 1, 1, 1, risk_ratio=3.0, support=0.5, outliers=50, inliers=50)
    >>> both = replace(a, attributes={"a": "1", "b": "2"}, support=0.1, outliers=10, inliers=9)
    >>> [(row.label, len(row.folded)) for row in fold([a, both])]
    [('a=1', 1)]
    """
    rows = list(rows)
    by_attributes = {frozenset(row.attributes.items()): row for row in rows}
    for row in rows:  # a part may be listed under an equivalent attribute
        by_attributes.update({frozenset(same.items()): row for same in row.same_rows})
    under: dict[frozenset[tuple[str, str]], list[Explanation]] = {}
    kept = []
    for row in rows:
        items = sorted(row.attributes.items())
        parts = (frozenset(part) for size in range(1, len(items)) for part in combinations(items, size))
        simpler = next(
            (
                by_attributes[part]
                for part in parts
                if part in by_attributes and _explains(by_attributes[part], row, unit)
            ),
            None,
        )
        if simpler is None:
            kept.append(row)
        else:
            under.setdefault(frozenset(simpler.attributes.items()), []).append(row)
    return [replace(row, folded=tuple(_all_under(row, under))) for row in kept]


def _explains(simple: Explanation, row: Explanation, unit: float) -> bool:
    # compare rates instead of ratios, because rates are never infinite
    rate, low, high = (float(x) for x in wilson(np.array(row.outliers), np.array(row.inliers), unit, _SURE))
    if row.risk_ratio < 1:  # below 1 a conjunction must be lower
        return simple.rate <= max(rate * _NOTABLE, high)
    return min(rate / _NOTABLE, low) <= simple.rate


def _all_under(row: Explanation, under: dict[frozenset[tuple[str, str]], list[Explanation]]) -> Iterable[Explanation]:
    for folded in under.get(frozenset(row.attributes.items()), ()):
        yield folded
        yield from _all_under(folded, under)


def _whole(count: float) -> float | int:
    return int(count) if count == math.floor(count) else count
