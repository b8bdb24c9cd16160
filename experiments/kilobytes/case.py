"""What is measured, and a record of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOPS = (20, 100)
MOST = max(TOPS)


@dataclass(frozen=True)
class Case:
    """A table of about so many rows, and the orders, budgets and methods to try."""

    table: str
    rows: int
    orders: Sequence[str]
    budgets: Sequence[str]
    methods: Sequence[str]


def record(
    order: str,
    budget: str,
    method: str,
    found: Sequence[Any],
    wanted: Sequence[Any],
    value: Mapping[Any, float],
    inside: Sequence[bool] = (),
) -> dict[str, Any]:
    """Return the share of the first k wanted that are in the first k found, for each k of `TOPS`.

    One with the same `value` as the last wanted is as good. `inside` says which ranges hold.
    """
    shares: dict[str, float | None] = {}
    known = set(wanted)
    for k in TOPS:
        least = value[wanted[:k][-1]] - 1e-9 if wanted else 0.0
        good = sum(each in known and value[each] >= least for each in found[:k])
        shares[f"top {k}"] = min(1.0, good / len(wanted[:k])) if wanted else None
    ranges = sum(inside) / len(inside) if inside else None
    return {"order": order, "budget": budget, "method": method, **shares, "ranges": ranges}
