"""How well does each method recover the heaviest weights in 8 KB, on each data set?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import KIB, LABELS, METHODS
from wmsketch.evaluation.figures import grid, lines_over_k
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import SIZES, StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, of_runs, ratio_text

BUDGET = 8 * KIB


def runs(plan: Plan) -> Iterator[StreamRun]:
    for stream in plan.streams:
        for method in METHODS:
            yield from budget_runs(stream, method, BUDGET, plan.seeds)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for stream in plan.streams:
        for method in METHODS:
            summary = of_runs(budget_runs(stream, method, BUDGET, plan.seeds), results)
            if summary:
                found.append({"data": stream, "method": method, "budget_bytes": BUDGET, **summary})
    return found


def cells(row: Row) -> dict[str, str]:
    start = {"data": row["data"], "method": LABELS[row["method"]]}
    ratios = {f"K={k}": ratio_text(row["rel_err"][str(k)]) for k in SIZES}
    return {**start, **ratios, "true bytes": f"{row['nbytes']:,}"}


def draw(figure: Any, rows: Sequence[Row]) -> None:
    streams = list(dict.fromkeys(row["data"] for row in rows))
    for axes, stream in zip(grid(figure, len(streams)), streams, strict=True):
        lines_over_k(axes, [row for row in rows if row["data"] == stream], stream)


QUESTION = Question(
    "recovery", "RelErr of the top K in 8 KB, every method and data set", "Figure 3", runs, rows, cells, draw
)
