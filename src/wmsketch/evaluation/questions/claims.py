"""The paper's main claims as numbers: how many times better does the AWM-Sketch recover than other methods, and does it
predict better than feature hashing?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.questions import budgets, recovery
from wmsketch.evaluation.stream_run import StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, spread
from wmsketch.methods import EVALUATED, KIB

K = "128"


def runs(plan: Plan) -> Iterator[StreamRun]:
    yield from recovery.runs(plan)
    yield from budgets.runs(plan)


def rows(plan: Plan, results: Results) -> list[Row]:
    """Return one row for each data set: the others' excess in units of AWM's, and AWM's lead over hashing."""
    found: list[Row] = []
    for stream in plan.streams:
        excess = {method: _excess(plan, results, stream, method) for method in EVALUATED if method != "awm"}
        lead = {str(budget // KIB): _lead_over_hashing(plan, results, stream, budget) for budget in plan.budgets}
        found.append({"data": stream, "excess_in_awms": excess, "points_below_hashing": lead})
    return [row for row in found if any(one["runs"] for one in row["excess_in_awms"].values())]


def _excess(plan: Plan, results: Results, stream: str, method: str) -> dict[str, float]:
    """Return (RelErr - 1) of a method over that of AWM by seed; a deterministic method is compared with every seed."""
    theirs = budget_runs(stream, method, recovery.BUDGET, plan.seeds)
    ours = budget_runs(stream, "awm", recovery.BUDGET, plan.seeds)
    pairs = [(theirs[number % len(theirs)], our) for number, our in enumerate(ours)]
    return spread(
        (results[their]["rel_err"][K] - 1) / max(results[our]["rel_err"][K] - 1, 1e-12)
        for their, our in pairs
        if their in results and our in results
    )


def _lead_over_hashing(plan: Plan, results: Results, stream: str, budget: int) -> dict[str, float]:
    pairs = zip(
        budget_runs(stream, "hash", budget, plan.seeds), budget_runs(stream, "awm", budget, plan.seeds), strict=True
    )
    return spread(
        100 * (results[hashed]["error_rate"] - results[ours]["error_rate"])
        for hashed, ours in pairs
        if hashed in results and ours in results
    )


def cells(row: Row) -> dict[str, str]:
    excess = {LABELS[method]: _text(found, ".1f", "x") for method, found in row["excess_in_awms"].items()}
    lead = {f"{size} KB": _text(found, "+.2f") for size, found in row["points_below_hashing"].items()}
    return {"data": row["data"], **excess, **lead}


def _text(found: Mapping[str, float], form: str, unit: str = "") -> str:
    if not found["runs"]:
        return "-"
    return f"{found['median']:{form}}{unit} ({found['low']:{form}} to {found['high']:{form}})"


QUESTION = Question(
    "claims",
    "Excess RelErr (RelErr - 1, K = 128, 8 KB) in units of AWM's; points of online error that AWM is below hashing",
    "sections 1, 7.2 and 7.3",
    runs,
    rows,
    cells,
)
