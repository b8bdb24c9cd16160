"""The comparison as a plot."""

from __future__ import annotations

from typing import Any

from wmsketch.cli.parts.output import bytes_text


def draw(rows: list[dict[str, Any]], path: str) -> None:
    """Plot online error over bytes, and RelErr over K for each budget."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    limited = [row for row in rows if row["budget_bytes"]]
    budgets = sorted({row["budget_bytes"] for row in limited})
    methods = list(dict.fromkeys(row["method"] for row in limited))
    figure = Figure(figsize=(4.2 * (1 + len(budgets)), 3.8), layout="constrained")
    first, *others = figure.subplots(1, 1 + len(budgets), squeeze=False)[0]
    for number, method in enumerate(methods):
        mine = sorted((row for row in limited if row["method"] == method), key=lambda row: int(row["budget_bytes"]))
        style = {"marker": "o", "markersize": 3, "color": f"C{number}"}
        first.plot(
            [row["budget_bytes"] for row in mine], [100 * row["error_rate"] for row in mine], label=method, **style
        )
        for axes, row in zip(others, mine, strict=True):
            axes.plot(list(row["rel_err"]), list(row["rel_err"].values()), **style)
    for row, line in zip((row for row in rows if not row["budget_bytes"]), (":", "--", "-."), strict=False):
        first.axhline(100 * row["error_rate"], color="black", linestyle=line, label=f"{row['method']}, no limit")
    first.set(xlabel="budget", ylabel="online error (%)", title="online error")
    first.set_xscale("log", base=2)
    first.set_xticks(budgets, [bytes_text(budget) for budget in budgets])
    for axes, budget in zip(others, budgets, strict=True):
        axes.set(yscale="log", xlabel="K", ylabel="RelErr", title=f"RelErr at {bytes_text(budget)}")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside lower center", ncols=min(8, len(methods) + 1), frameon=False)
    figure.savefig(path, dpi=150)
