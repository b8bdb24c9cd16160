"""Many seeds in one line: the median, and the range from the best to the worst run."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wmsketch.evaluation.journal import Run

Results = Mapping[Run, dict[str, Any]]
Row = dict[str, Any]


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return the median, minimum and maximum of the finite values.

    >>> spread([3.0, 1.0, 2.0])
    {'median': 2.0, 'low': 1.0, 'high': 3.0, 'runs': 3}
    """
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return {"median": math.nan, "low": math.nan, "high": math.nan, "runs": 0}
    return {"median": statistics.median(known), "low": min(known), "high": max(known), "runs": len(known)}


def of_runs(runs: Sequence[Run], results: Results) -> Row | None:
    """Return error, RelErr and bytes over the finished seeds; None if there is none."""
    done = [results[run] for run in runs if run in results]
    if not done:
        return None
    return {
        "error_rate": spread(result["error_rate"] for result in done),
        "rel_err": {k: spread(result["rel_err"][k] for result in done) for k in done[0]["rel_err"]},
        "nbytes": max(result["nbytes"] for result in done),
        "paper_bytes": max(result["paper_bytes"] for result in done),
        "unlimited_error_rate": done[0]["unlimited_error_rate"],
    }


def ratio_text(found: Mapping[str, float]) -> str:
    """Format RelErr for a table: the median, and the range if there is one."""
    if math.isnan(found["median"]):
        return "-"
    if found["low"] == found["high"]:
        return f"{found['median']:.3f}"
    return f"{found['median']:.3f} ({found['low']:.3f}-{found['high']:.3f})"


def percent_text(found: Mapping[str, float]) -> str:
    """Format an error rate for a table.

    >>> percent_text(spread([0.0812, 0.08]))
    '8.06 (8.00-8.12)'
    """
    if found["low"] == found["high"]:
        return f"{100 * found['median']:.2f}"
    return f"{100 * found['median']:.2f} ({100 * found['low']:.2f}-{100 * found['high']:.2f})"
