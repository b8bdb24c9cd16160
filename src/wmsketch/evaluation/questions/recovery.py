"""How well does each method recover the heaviest weights in 8 KB, on each data set?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import grid, lines_over_k
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.questions.budgets import rows_at, runs_at
from wmsketch.evaluation.stream_run import SIZES, StreamRun
from wmsketch.evaluation.summary import Results, Row, ratio_text
from wmsketch.methods import KIB

BUDGET = 8 * KIB


def runs(plan: Plan) -> Iterator[StreamRun]:
    return runs_at([BUDGET], plan)


def rows(plan: Plan, results: Results) -> list[Row]:
    return rows_at([BUDGET], plan, results)


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
