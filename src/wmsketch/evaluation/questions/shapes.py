"""Which shape of a sketch wins at each budget?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS, paper_shape, searched_shapes
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import StreamRun, stream_runs
from wmsketch.evaluation.summary import Results, Row, of_runs, percent_text, ratio_text
from wmsketch.methods import KIB

SKETCHES = ("wm", "awm")
K = "128"


def tried_shapes(method: str, budget: int) -> list[dict[str, Any]]:
    """The paper's shape first, then all others."""
    paper = paper_shape(method, budget)
    return [paper, *(shape for shape in searched_shapes(method, budget) if shape != paper)]


def runs(plan: Plan) -> Iterator[StreamRun]:
    for budget in plan.budgets:
        for method in SKETCHES:
            yield from stream_runs(plan.main, method, plan.search_seeds, tried_shapes(method, budget))


def rows(plan: Plan, results: Results) -> list[Row]:
    """One row for each budget and sketch: the best shape for recovery, the best for error, and the paper's."""
    found = []
    for budget in plan.budgets:
        for method in SKETCHES:
            tried = []
            for shape in tried_shapes(method, budget):
                summary = of_runs(list(stream_runs(plan.main, method, plan.search_seeds, [shape])), results)
                if summary:
                    tried.append(
                        {"shape": shape, "rel_err": summary["rel_err"][K], "error_rate": summary["error_rate"]}
                    )
            if tried:
                # a smaller set returns fewer than K features
                full = [one for one in tried if one["shape"]["active_set_size"] >= int(K)]
                best = min(full, key=lambda one: one["rel_err"]["median"])
                best_error = min(tried, key=lambda one: one["error_rate"]["median"])
                found.append(
                    {
                        "data": plan.main,
                        "method": method,
                        "budget_bytes": budget,
                        "tried": len(tried),
                        "best": best,
                        "best_of_any_set": min(tried, key=lambda one: one["rel_err"]["median"]),
                        "best_error": best_error,
                        "paper": tried[0],
                        "all": tried,
                    }
                )
    return found


def cells(row: Row) -> dict[str, str]:
    return {
        "data": row["data"],
        "KB": str(row["budget_bytes"] // KIB),
        "method": LABELS[row["method"]],
        "tried": str(row["tried"]),
        "best S, width, depth": _sizes(row["best"]),
        f"RelErr {K}": ratio_text(row["best"]["rel_err"]),
        "with any S": f"{_sizes(row['best_of_any_set'])}: {row['best_of_any_set']['rel_err']['median']:.3f}",
        "paper's": _sizes(row["paper"]),
        f"its RelErr {K}": ratio_text(row["paper"]["rel_err"]),
        "lowest error": _sizes(row["best_error"]),
        "error %": percent_text(row["best_error"]["error_rate"]),
    }


def _sizes(one: Row) -> str:
    return ", ".join(str(size) for size in one["shape"].values())


QUESTION = Question("shapes", "Shapes with the least RelErr at K = 128", "Table 2", runs, rows, cells)
