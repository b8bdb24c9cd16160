"""Rows of the answer to "why did the number change": what each attribute contributes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from wmsketch.apps.explain.rows import OfAttributes, label_of

Range = tuple[float, float]
_NO_RANGE = (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Driver(OfAttributes):
    """What the rows with some attributes contribute to the change of a metric from ``control`` to ``test``.

    ``control`` and ``test`` are the metric's values of these rows; without sides, those of all other rows and of these.
    ``contribution`` is their part of the change of all rows, ``low`` to ``high`` its 95 % range, ``share`` the part as
    a fraction; within a column contributions add up to the change. For a ratio it is ``mix`` (they are more or fewer of
    the rows) plus ``rate`` (their own ratio changed). ``excess`` is by how much the change of all rows would differ
    without them. ``evidence`` is how much the rows speak against chance. If ``exact``, all rows are counted; otherwise
    the ranges include those that were missed. ``folded`` are rows that add nothing to this one. ``negated``: the row is
    about all rows without the attribute.

    >>> Driver({"country": "DE"}, 100.0, 80.0, 5, 4, -20.0, -30.0, -10.0, share=0.5)
    Driver(country=DE, 100 to 80, contribution=-20)
    """

    attributes: dict[str, str]
    control: float
    test: float
    control_rows: float
    test_rows: float
    contribution: float
    low: float
    high: float
    share: float = math.nan
    mix: float | None = None
    rate: float | None = None
    excess: float = 0.0
    score: float = 0.0
    exact: bool = True
    control_range: Range = _NO_RANGE
    test_range: Range = _NO_RANGE
    shortened: bool = False
    same_rows: tuple[dict[str, str], ...] = ()
    folded: tuple[Driver, ...] = ()
    rows_mark: int = 0  # equal for attributes of the same rows
    negated: bool = False

    @property
    def label(self) -> str:
        """The attributes as one text; of a negation after "not"."""
        return f"not {label_of(self.attributes)}" if self.negated else label_of(self.attributes)

    @property
    def evidence(self) -> float:
        """How much the rows speak against chance: a log likelihood ratio."""
        return self.score**2 / 2

    @property
    def mark(self) -> tuple[float, ...]:
        """Equal for attributes of the same rows."""
        return self.rows_mark, self.control_rows, self.test_rows

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        parts = {} if self.mix is None else {"mix": self.mix, "rate": self.rate}
        ranges = {"control_range": list(self.control_range), "test_range": list(self.test_range)}
        return {
            "attributes": {} if self.negated else self.attributes,
            **({"not": self.attributes} if self.negated else {}),
            "control": self.control,
            "test": self.test,
            "control_rows": int(self.control_rows),
            "test_rows": int(self.test_rows),
            "contribution": self.contribution,
            "low": self.low,
            "high": self.high,
            "share": self.share,
            **parts,
            "excess": self.excess,
            "evidence": self.evidence,
            "exact": self.exact,
            **({} if self.exact else ranges),
            **({"shortened": True} if self.shortened else {}),
            **({"same_rows": list(self.same_rows)} if self.same_rows else {}),
            **({"folded": [row.attributes for row in self.folded]} if self.folded else {}),
        }

    def __repr__(self) -> str:
        return f"Driver({self.label}, {self.control:.4g} to {self.test:.4g}, contribution={self.contribution:.4g})"


def by_evidence(rows: Iterable[Driver]) -> list[Driver]:
    """Return the rows with the strongest evidence first; those that tie, by their attributes."""
    return sorted(rows, key=lambda row: (-row.evidence, len(row.attributes)))


def fold_conjunctions(rows: Sequence[Driver]) -> list[Driver]:
    """Fold each conjunction under a part of itself that has more evidence.

    >>> a = Driver({"a": "1"}, 9, 5, 50, 50, -4, -5, -3, score=-6.0)
    >>> both = replace(a, attributes={"a": "1", "b": "2"}, score=-5.0)
    >>> [(row.label, len(row.folded)) for row in fold_conjunctions([a, both])]
    [('a=1', 1)]
    """
    known = {frozenset(row.attributes.items()): row for row in rows}
    for row in rows:
        known.update({frozenset(same.items()): row for same in row.same_rows})
    under: dict[frozenset[tuple[str, str]], list[Driver]] = {}
    kept = []
    for row in rows:
        items = sorted(row.attributes.items())
        parts = [known.get(frozenset(part)) for n in range(1, len(items)) for part in combinations(items, n)]
        better = [part for part in parts if part is not None and part.evidence >= row.evidence]
        if better:
            best = max(better, key=lambda part: part.evidence)
            under.setdefault(frozenset(best.attributes.items()), []).append(row)
        else:
            kept.append(row)
    return [replace(row, folded=tuple(under.get(frozenset(row.attributes.items()), ()))) for row in kept]
