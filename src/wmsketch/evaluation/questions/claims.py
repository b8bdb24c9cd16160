"""The paper's headline claims as numbers: how many times better is the AWM-Sketch than each method?"""

from __future__ import annotations

from collections.abc import Iterator

from wmsketch.evaluation.budget_shapes import KIB, LABELS, METHODS
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.questions import budgets, recovery
from wmsketch.evaluation.stream_run import StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, spread

K = "128"


def runs(plan: Plan) -> Iterator[StreamRun]:
    yield from recovery.runs(plan)
    yield from budgets.runs(plan)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for stream in plan.streams:
        found += [_excess(plan, results, stream, method) for method in METHODS if method != "awm"]
        found += [_lead_over_hashing(plan, results, stream, budget) for budget in plan.budgets]
    return [row for row in found if row["value"]["runs"]]


def _excess(plan: Plan, results: Results, stream: str, method: str) -> Row:
    """(RelErr - 1) of a method over that of AWM, seed by seed; a method without chance meets every seed of AWM."""
    theirs = budget_runs(stream, method, recovery.BUDGET, plan.seeds)
    ours = budget_runs(stream, "awm", recovery.BUDGET, plan.seeds)
    pairs = [(theirs[number % len(theirs)], our) for number, our in enumerate(ours)]
    ratios = [
        (results[their]["rel_err"][K] - 1) / max(results[our]["rel_err"][K] - 1, 1e-12)
        for their, our in pairs
        if their in results and our in results
    ]
    claim = f"excess RelErr(K={K}, 8 KB) of {LABELS[method]}, in AWM's"
    return {"data": stream, "claim": claim, "unit": "times", "value": spread(ratios)}


def _lead_over_hashing(plan: Plan, results: Results, stream: str, budget: int) -> Row:
    pairs = zip(
        budget_runs(stream, "hash", budget, plan.seeds), budget_runs(stream, "awm", budget, plan.seeds), strict=True
    )
    leads = [
        100 * (results[hashed]["error_rate"] - results[ours]["error_rate"])
        for hashed, ours in pairs
        if hashed in results and ours in results
    ]
    claim = f"hashing's online error minus AWM's, {budget // KIB} KB"
    return {"data": stream, "claim": claim, "unit": "points", "value": spread(leads)}


def cells(row: Row) -> dict[str, str]:
    value, digits = row["value"], 1 if row["unit"] == "times" else 2
    median, low, high = (f"{value[name]:.{digits}f}" for name in ("median", "low", "high"))
    value_text = f"{median} ({low} to {high}) {row['unit']}"
    return {"data": row["data"], "claim": row["claim"], "median (range)": value_text, "seeds": str(value["runs"])}


QUESTION = Question("claims", "Headline claims as numbers", "sections 1, 7.2 and 7.3", runs, rows, cells)
