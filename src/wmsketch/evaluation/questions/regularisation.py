"""Does stronger regularisation make recovery easier, and what does it cost in errors?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import grid
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.stream_run import L2, StreamRun, budget_runs
from wmsketch.evaluation.summary import Results, Row, of_runs, percent_text, ratio_text
from wmsketch.methods import EVALUATED, KIB

BUDGET = 8 * KIB
SHOWN = (8, 32, 128)


def seeds(plan: Plan) -> int:
    return min(plan.seeds, 5)


def runs(plan: Plan) -> Iterator[StreamRun]:
    for stream in plan.streams:
        for l2 in plan.l2s:
            for method in EVALUATED:
                yield from budget_runs(stream, method, BUDGET, seeds(plan), l2)


def rows(plan: Plan, results: Results) -> list[Row]:
    found: list[Row] = []
    for stream in plan.streams:
        if not any(run in results for l2 in plan.l2s if l2 != L2 for run in budget_runs(stream, "awm", BUDGET, 1, l2)):
            continue  # only runs shared with other questions: nothing to compare
        for method in EVALUATED:
            for l2 in plan.l2s:
                summary = of_runs(budget_runs(stream, method, BUDGET, seeds(plan), l2), results)
                if summary:
                    found.append({"data": stream, "method": method, "l2": l2, **summary})
    return found


def cells(row: Row) -> dict[str, str]:
    return {
        "data": row["data"],
        "method": LABELS[row["method"]],
        "l2": f"{row['l2']:g}",
        **{f"K={k}": ratio_text(row["rel_err"][str(k)]) for k in SHOWN},
        "error %": percent_text(row["error_rate"]),
        "unlimited %": f"{100 * row['unlimited_error_rate']:.2f}",
    }


def draw(figure: Any, rows: Sequence[Row]) -> None:
    """The AWM-Sketch alone, as in the paper."""
    streams = list(dict.fromkeys(row["data"] for row in rows))
    l2s = sorted({row["l2"] for row in rows})
    for axes, stream in zip(grid(figure, len(streams)), streams, strict=True):
        for row in rows:
            if row["data"] == stream and row["method"] == "awm":
                points = [(int(k), found["median"]) for k, found in row["rel_err"].items() if found["runs"]]
                style = {"marker": "o", "markersize": 3, "color": f"C{l2s.index(row['l2'])}"}
                axes.plot(*zip(*points, strict=True), label=f"l2 = {row['l2']:g}", **style)
        axes.set(xscale="log", xlabel="K", ylabel="RelErr", title=stream)


QUESTION = Question("regularisation", "RelErr and online error over l2, in 8 KB", "Figure 5", runs, rows, cells, draw)
