"""How much slower is each method than the unlimited model?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import color, grid
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.summary import Results, Row
from wmsketch.evaluation.timing_run import TimingRun
from wmsketch.methods import EVALUATED, KIB


def runs(plan: Plan) -> Iterator[TimingRun]:
    for budget in plan.budgets:
        yield TimingRun(plan.main, budget)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for run in runs(plan):
        if run in results:
            times = results[run]["ns_per_feature"]
            for method, ns in times.items():
                place = {"data": run.stream, "budget_bytes": run.budget, "method": method}
                found.append({**place, "ns_per_feature": ns, "times_unlimited": ns / times["unlimited"]})
    return found


def cells(row: Row) -> dict[str, str]:
    return {
        "data": row["data"],
        "KB": str(row["budget_bytes"] // KIB),
        "method": LABELS.get(row["method"], row["method"]),
        "ns/feature": f"{row['ns_per_feature']:.1f}",
        "times the unlimited model": f"{row['times_unlimited']:.1f}",
    }


def draw(figure: Any, rows: Sequence[Row]) -> None:
    budgets = sorted({row["budget_bytes"] for row in rows})
    [axes] = grid(figure, 1)
    for method in EVALUATED:
        mine = [row for row in rows if row["method"] == method]
        times = [row["times_unlimited"] for row in mine]
        axes.plot(
            [row["budget_bytes"] // KIB for row in mine], times, marker="o", color=color(method), label=LABELS[method]
        )
    axes.set(xscale="log", yscale="log", xlabel="budget (KB)", ylabel="time / unlimited model", title=rows[0]["data"])
    axes.set_xticks([budget // KIB for budget in budgets], [str(budget // KIB) for budget in budgets], minor=False)


QUESTION = Question("run-time", "CPU time in units of the unlimited model", "Figure 7", runs, rows, cells, draw)
