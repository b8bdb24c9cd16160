"""How many true bytes does each method hold, compared with the paper's count?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import color, grid
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row
from wmsketch.methods import EVALUATED, KIB


def runs(plan: Plan) -> Iterator[StreamRun]:
    for budget in plan.budgets:
        for method in EVALUATED:
            yield from budget_runs(plan.main, method, budget, 1)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for budget in plan.budgets:
        for run in (run for method in EVALUATED for run in budget_runs(plan.main, method, budget, 1)):
            if run in results:
                sizes = {name: results[run][name] for name in ("paper_bytes", "nbytes")}
                found.append({"method": run.method, "budget_bytes": budget, "shape": dict(run.shape), **sizes})
    return found


def cells(row: Row) -> dict[str, str]:
    return {
        "KB": str(row["budget_bytes"] // KIB),
        "method": LABELS[row["method"]],
        "shape": ", ".join(f"{name} {size}" for name, size in row["shape"].items()),
        "paper's bytes": f"{row['paper_bytes']:,}",
        "true bytes": f"{row['nbytes']:,}",
        "true / paper's": f"{row['nbytes'] / row['paper_bytes']:.2f}",
    }


def draw(figure: Any, rows: Sequence[Row]) -> None:
    [axes] = grid(figure, 1)
    for method in EVALUATED:
        mine = [row for row in rows if row["method"] == method]
        sizes = [row["paper_bytes"] for row in mine]
        axes.plot(sizes, [row["nbytes"] for row in mine], marker="o", color=color(method), label=LABELS[method])
    axes.set(xscale="log", yscale="log", xlabel="the paper's bytes", ylabel="true bytes", title="memory")


QUESTION = Question("memory", "Nominal and true bytes", "Memory Cost Model (section 7.1)", runs, rows, cells, draw)
