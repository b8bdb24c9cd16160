"""How many mistakes does each method make online, at each budget?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.evaluation.figures import color, grid
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.questions import budgets
from wmsketch.evaluation.summary import Results, Row, percent_text
from wmsketch.methods import EVALUATED, KIB


def rows(plan: Plan, results: Results) -> list[Row]:
    """Return one row for each data set and budget: the error of every method."""
    found: dict[tuple[str, int], Row] = {}
    for one in budgets.rows(plan, results):
        place = one["data"], one["budget_bytes"]
        row = found.setdefault(place, {"data": place[0], "budget_bytes": place[1], "error_rate": {}})
        row["unlimited"] = one["unlimited_error_rate"]
        row["error_rate"][one["method"]] = one["error_rate"]
    return list(found.values())


def cells(row: Row) -> dict[str, str]:
    start = {"data": row["data"], "KB": str(row["budget_bytes"] // KIB)}
    errors = {
        LABELS[method]: percent_text(row["error_rate"][method]) for method in EVALUATED if method in row["error_rate"]
    }
    return {**start, **errors, "unlimited": f"{100 * row['unlimited']:.2f}"}


def draw(figure: Any, rows: Sequence[Row]) -> None:
    streams = list(dict.fromkeys(row["data"] for row in rows))
    for axes, stream in zip(grid(figure, len(streams)), streams, strict=True):
        mine = [row for row in rows if row["data"] == stream]
        sizes = [row["budget_bytes"] // KIB for row in mine]
        for method in EVALUATED:
            done = [row for row in mine if method in row["error_rate"]]
            places = [row["budget_bytes"] // KIB for row in done]
            errors = [100 * row["error_rate"][method]["median"] for row in done]
            axes.plot(places, errors, marker="o", markersize=3, color=color(method), label=LABELS[method])
        axes.axhline(100 * mine[0]["unlimited"], color="black", linestyle=":", label="unlimited")
        axes.set(xscale="log", xlabel="budget (KB)", ylabel="online error (%)", title=stream)
        axes.set_xticks(sizes, [str(size) for size in sizes], minor=False)
        axes.minorticks_off()


QUESTION = Question("online-error", "Online error over budgets (%)", "Figure 6", budgets.runs, rows, cells, draw)
