"""How does recovery improve with more bytes?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import grid, lines_over_k
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, of_runs, ratio_text
from wmsketch.methods import EVALUATED, KIB

SHOWN = (8, 32, 128, 512)


def runs_at(budgets: Sequence[int], plan: Plan) -> Iterator[StreamRun]:
    """Return the runs of every method on every data set, at these budgets."""
    for stream in plan.streams:
        for budget in budgets:
            for method in EVALUATED:
                yield from budget_runs(stream, method, budget, plan.seeds)


def rows_at(budgets: Sequence[int], plan: Plan, results: Results) -> list[Row]:
    found = []
    for stream in plan.streams:
        for budget in budgets:
            for method in EVALUATED:
                summary = of_runs(budget_runs(stream, method, budget, plan.seeds), results)
                if summary:
                    found.append({"data": stream, "method": method, "budget_bytes": budget, **summary})
    return found


def runs(plan: Plan) -> Iterator[StreamRun]:
    return runs_at(plan.budgets, plan)


def rows(plan: Plan, results: Results) -> list[Row]:
    return rows_at(plan.budgets, plan, results)


def cells(row: Row) -> dict[str, str]:
    start = {"data": row["data"], "KB": str(row["budget_bytes"] // KIB), "method": LABELS[row["method"]]}
    return {**start, **{f"K={k}": ratio_text(row["rel_err"][str(k)]) for k in SHOWN}}


def draw(figure: Any, rows: Sequence[Row]) -> None:
    first = [row for row in rows if row["data"] == rows[0]["data"]]
    budgets = sorted({row["budget_bytes"] for row in first})
    for axes, budget in zip(grid(figure, len(budgets)), budgets, strict=True):
        chosen = [row for row in first if row["budget_bytes"] == budget]
        lines_over_k(axes, chosen, f"{first[0]['data']}, {budget // KIB} KB")


QUESTION = Question("budgets", "RelErr over budgets of 2 to 32 KB", "Figure 4", runs, rows, cells, draw)
