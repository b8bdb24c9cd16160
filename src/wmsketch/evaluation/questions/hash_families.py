"""Does the family of hash functions matter?"""

from __future__ import annotations

from collections.abc import Iterator

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, of_runs, percent_text, ratio_text
from wmsketch.methods import KIB

BUDGET = 8 * KIB
FAMILIES = ("mixer", "tabulation", "polynomial")
HASHED = ("awm", "wm", "hash")


def runs(plan: Plan) -> Iterator[StreamRun]:
    for stream in plan.streams[: 1 if plan.quick else 3]:
        for method in HASHED:
            for family in FAMILIES:
                yield from budget_runs(stream, method, BUDGET, plan.seeds, hash_family=family)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for stream in plan.streams[: 1 if plan.quick else 3]:
        for method in HASHED:
            for family in FAMILIES:
                summary = of_runs(budget_runs(stream, method, BUDGET, plan.seeds, hash_family=family), results)
                if summary:
                    found.append({"data": stream, "method": method, "hash_family": family, **summary})
    return found


def cells(row: Row) -> dict[str, str]:
    return {
        "data": row["data"],
        "method": LABELS[row["method"]],
        "hash family": row["hash_family"],
        "RelErr 128": ratio_text(row["rel_err"]["128"]),
        "error %": percent_text(row["error_rate"]),
        "true bytes": f"{row['nbytes']:,}",
    }


QUESTION = Question("hash-families", "Hash families in 8 KB", "appendix on k-independence", runs, rows, cells)
