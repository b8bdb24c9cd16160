"""The paper's two figures about explanations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wmsketch.results.plots import new_figure, save_figure

Floats = NDArray[np.float64]


def draw_risks(path: Path, log_risks: Mapping[str, Floats]) -> None:
    """Draw how the relative risks of each method's features are spread (the paper's figure 8)."""
    figure = new_figure(7.2, 4.4)
    bins = np.linspace(np.log(1 / 64), np.log(8), 50)
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for axes, (method, values) in zip(panels, log_risks.items(), strict=True):
        axes.hist(np.clip(values, bins[0], bins[-1]), bins=bins, color="#2a6fb3")
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_title(method, fontsize=9)
    ticks = [1 / 64, 1 / 16, 1 / 4, 1, 4]
    panels[-1].set_xticks(np.log(ticks), ["≤1/64", "1/16", "1/4", "1", "4"])
    figure.supxlabel("relative risk", fontsize=9)
    figure.supylabel("features", fontsize=9)
    save_figure(figure, path)


def draw_scatter(path: Path, methods: Mapping[str, tuple[Floats, Floats]]) -> None:
    """Draw weights over the logarithms of relative risks (the paper's figure 9)."""
    figure = new_figure(7.2, 3.4)
    panels = figure.subplots(1, len(methods), sharey=True)
    for axes, (method, (weights, log_risk)) in zip(panels, methods.items(), strict=True):
        axes.plot(log_risk, weights, ".", markersize=2, alpha=0.4, color="#b3402a")
        axes.set_title(f"{method}: r = {np.corrcoef(weights, log_risk)[0, 1]:.2f}", fontsize=9)
        axes.set_xlabel("log relative risk", fontsize=9)
        axes.grid(linewidth=0.3)
    panels[0].set_ylabel("weight", fontsize=9)
    save_figure(figure, path)
