"""Do the errors shrink as Theorems 1 and 2 say, and does an adversarial order hurt?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from wmsketch.evaluation.figures import grid
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.summary import Results, Row, spread
from wmsketch.evaluation.theory_run import L2, N_FEATURES, TheoryRun

ORDERS = ("random", "negatives first")
ERRORS = ("batch", "count_sketch", "averaged", "last_iterate")
DELTA = 0.05


def sizes(plan: Plan) -> list[tuple[int, int]]:
    widths, depths = ((32, 128, 512), (1, 7)) if plan.quick else ((16, 32, 64, 128, 256, 512, 1024), (1, 3, 7, 15))
    return [(width, depth) for depth in depths for width in widths]


def seeds(plan: Plan) -> int:
    return min(plan.seeds, 5)


def runs(plan: Plan) -> Iterator[TheoryRun]:
    for width, depth in sizes(plan):
        for order in ORDERS:
            for seed in range(seeds(plan)):
                yield TheoryRun(width, depth, order, seed)


def promised(k: int) -> float:
    """Return the epsilon of Theorem 1 for k cells, with its open constant set to 1 (beta = gamma = 1)."""
    return float((math.log(N_FEATURES / DELTA) ** 3 * max(1.0, L2**-2) / k) ** 0.25)


def rows(plan: Plan, results: Results) -> list[Row]:
    found = []
    for width, depth in sizes(plan):
        for order in ORDERS:
            done = [
                results[run] for seed in range(seeds(plan)) if (run := TheoryRun(width, depth, order, seed)) in results
            ]
            if done:
                errors = {
                    name: spread(result[name] for result in done) if done[0][name] is not None else None
                    for name in ERRORS
                }
                place = {"data": "theory", "width": width, "depth": depth, "k": width * depth, "order": order}
                found.append({**place, **errors, "all_zero": done[0]["all_zero"], "promised": promised(width * depth)})
    return found


def cells(row: Row) -> dict[str, str]:
    start = {name: str(row[name]) for name in ("k", "width", "depth", "order")}
    titles = ("batch (Thm 1)", "sketch of w*", "averaged (Thm 2)", "last iterate")
    found = {title: _text(row[name]) for title, name in zip(titles, ERRORS, strict=True)}
    return {**start, **found, "all zero": f"{row['all_zero']:.4f}", "promised (C=1)": f"{row['promised']:.1f}"}


def _text(found: dict[str, float] | None) -> str:
    return "" if found is None else f"{found['median']:.4f} ({found['low']:.4f}-{found['high']:.4f})"


def draw(figure: Any, rows: Sequence[Row]) -> None:
    panels = [("batch", "random"), ("averaged", "random"), ("averaged", "negatives first")]
    reached = [row[name]["median"] for name, order in panels for row in rows if row["order"] == order]
    limits = (min(reached) / 1.5, max(reached) * 1.5)
    for axes, (name, order) in zip(grid(figure, 3), panels, strict=True):
        for number, depth in enumerate(sorted({row["depth"] for row in rows})):
            mine = [row for row in rows if row["depth"] == depth and row["order"] == order]
            points = [(row["k"], row[name]["median"]) for row in mine]
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, color=f"C{number}", label=f"depth {depth}")
        axes.axhline(rows[0]["all_zero"], color="black", linestyle=":", label="all estimates zero")
        axes.set(xscale="log", yscale="log", ylim=limits, xlabel="cells k", title=f"{name}, {order}")
        axes.set_ylabel("max error / |w*|_1")


QUESTION = Question(
    "theory", "Largest error in units of |w*|_1 (the epsilon reached)", "Theorems 1 and 2", runs, rows, cells, draw
)
