"""Plots of results, as SVG text and as files."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wmsketch.terminal import safe_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS = 60
_LONGEST_LABEL = 60
_MOST_TICKS = 8
_POSITIVE, _NEGATIVE = "#b3402a", "#2a6fb3"

Interval = tuple[str, float, float, float]


def intervals(
    path: str | Path | None,
    rows: Sequence[Interval],
    title: str,
    xlabel: str,
    *,
    times: bool = False,
    ratios: bool = False,
) -> str:
    """Plot (label, value, low, high), first row on top, each as a dot with its bar; return the plot as SVG.

    Bounds may be nan. A bar with an infinite end reaches the edge and ends in an arrow; an infinite value has no dot.
    With `times`, the numbers are logarithms of ratios, and the axis shows the ratios, the same on both sides. With
    `ratios`, the axis shows the numbers themselves, which may be below 1. With a path, the plot is also written there,
    in the format of the suffix (png, svg, pdf). Rows beyond the first 60 are left out, and the plot says so.

    >>> intervals(None, [("carrier=UA", 0.5, 0.4, 0.6)], "late flights", "weight").startswith("<svg")
    True
    """
    figure = new_figure(6.4, 1.2 + 0.24 * max(3, min(len(rows), _MOST_ROWS)))
    axes = figure.subplots()
    shown = rows[:_MOST_ROWS]
    axes.axvline(0, color="black", linewidth=0.6)
    for place, (_, value, *bounds) in enumerate(shown):
        ends = [number for number in (value, *bounds) if math.isfinite(number)]
        axes.plot(ends, [place] * len(ends), alpha=0)  # extend the axis to all of them
    for place, row in enumerate(shown):
        _draw_interval(axes, place, *row[1:])
    if not rows:
        axes.set_xlim(-1, 1)
        axes.text(0.5, 0.5, "nothing to show", transform=axes.transAxes, ha="center", backgroundcolor="white")
    axes.set_yticks(range(len(shown)), [_short(label) for label, *_ in shown], fontsize=8)
    if times:
        _label_times(axes)
    if ratios and rows:
        _label_ratios(axes)
    axes.set_ylim(max(len(shown), 3) - 0.5, -0.5)
    axes.grid(axis="x", linewidth=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    left_out = f" (the first {_MOST_ROWS} of {len(rows)})" if len(rows) > _MOST_ROWS else ""
    axes.set_xlabel(_plain(xlabel))
    axes.set_title(_plain(title + left_out), loc="left", fontsize=10)
    return save_figure(figure, path)


def _draw_interval(axes: Axes, place: int, value: float, low: float, high: float) -> None:
    color = _POSITIVE if value >= 0 else _NEGATIVE
    first, last = axes.get_xlim()
    if not (math.isnan(low) or math.isnan(high)):
        axes.plot([max(low, first), min(high, last)], [place, place], color=color, linewidth=1.4, alpha=0.6)
        for end, edge, arrow in ((low, first, "<"), (high, last, ">")):
            if math.isinf(end):
                axes.plot([edge], [place], arrow, color=color, markersize=4, clip_on=False)
    if math.isfinite(value):
        axes.plot([value], [place], "o", color=color, markersize=4)
    axes.set_xlim(first, last)


def _label_times(axes: Axes) -> None:
    """Return round ratios for the axis, the same on both sides of 1."""
    furthest = max(map(abs, axes.get_xlim()))
    scales = ((2, 5, 10), (10, 100, 1000), (100, 10**4, 10**6))
    scale = next((scale for scale in scales if furthest < math.log(3 * scale[-1])), scales[-1])
    steps = [step for step in scale if math.log(step) <= furthest] or [2]
    labels = {0.0: "1"} | {sign * math.log(step): f"{step:,}" for step in steps for sign in (-1, 1)}
    axes.set_xticks(sorted(labels), [labels[place] for place in sorted(labels)])


def _label_ratios(axes: Axes) -> None:
    """Return round ratios for the axis, including 1."""
    low, high = axes.get_xlim()
    for mantissas, decades in (((1, 2, 5), 1), ((1,), 1), ((1,), 3), ((1,), 30)):
        places = [mantissa * 10.0**power for power in range(-300, 301, decades) for mantissa in mantissas]
        inside = sorted({1.0, *(place for place in places if low <= math.log(place) <= high)})
        if len(inside) <= _MOST_TICKS:
            break
    axes.set_xticks([math.log(place) for place in inside], [f"{place:,g}" for place in inside])


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that needs no display; without matplotlib, raise an error with the install command."""
    try:
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise ImportError("plots need matplotlib: pip install wmsketch[plot]", name="matplotlib") from problem
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: str | Path | None) -> str:
    """Write the figure to the path, if there is one, and return it as SVG for a report."""
    import matplotlib

    # the same input gives the same bytes: no date, no random ids
    with matplotlib.rc_context({"svg.hashsalt": "wmsketch", "svg.fonttype": "none"}):
        if path is not None:
            figure.savefig(path, dpi=120)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.DOTALL)


def _plain(text: str) -> str:
    return safe_text(text).replace("$", r"\$")  # two dollar signs would be read as mathematics


def _short(label: str) -> str:
    label = safe_text(label)
    return _plain(label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…")
