"""Code shared by the figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmsketch.evaluation.budget_shapes import LABELS
from wmsketch.methods import EVALUATED

if TYPE_CHECKING:
    from wmsketch.evaluation.question import Draw
    from wmsketch.evaluation.summary import Row


def color(method: str) -> str:
    """Return the color of a method, the same in all figures."""
    return f"C{EVALUATED.index(method)}"


def grid(figure: Any, panels: int, across: int = 3) -> list[Any]:
    """Return the axes of a figure with this many panels."""
    columns = min(panels, across)
    lines = -(-panels // columns)
    figure.set_size_inches(max(5.0, 3.6 * columns), 3.2 * lines + 0.6)
    axes = list(figure.subplots(lines, columns, squeeze=False).flat)
    for empty in axes[panels:]:
        empty.remove()
    return axes[:panels]


def lines_over_k(axes: Any, rows: Sequence[Row], title: str) -> None:
    """Plot RelErr - 1 over K for each method: the median, and the range of the seeds as a shaded area."""
    for row in rows:
        points = [(int(k), found) for k, found in row["rel_err"].items() if found["runs"]]
        sizes = [k for k, _ in points]
        low, middle, high = ([max(found[name] - 1, 1e-4) for _, found in points] for name in ("low", "median", "high"))
        paint = color(row["method"])
        axes.plot(sizes, middle, marker="o", markersize=3, color=paint, label=LABELS[row["method"]])
        axes.fill_between(sizes, low, high, color=paint, alpha=0.2, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="K", ylabel="RelErr - 1", title=title)


def save_figure(draw: Draw, rows: Sequence[Row], path: Path) -> None:
    """Draw the rows and write a png."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw(figure, rows)
    labels = {
        label: line for axes in figure.axes for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if labels:
        figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    figure.savefig(path, dpi=80)
