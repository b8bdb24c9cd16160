"""Are probabilities calibrated, and what does the calibration scale change?

    python -m experiments.calibration [NAME...] [--budget 8KiB]

Each data set is predicted block by block, each block before it is learned, for rows in general (without `follow`),
from raw and from calibrated margins. Then prints the reliability over all sets: for each range of predicted
probabilities, the fraction of rows that were positive.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from experiments.datasets import DATASETS, load
from wmsketch import AWMSketch

BLOCK, BINS = 16, 10
Margins = NDArray[np.float64]


def foretold(name: str, budget: str) -> tuple[Margins, Margins, NDArray[np.bool_]]:
    """Return the margins of all rows before they were learned, raw and calibrated, and the labels."""
    table = load(name)
    X, y = table.X.tocsr(), np.asarray(table.y) > 0
    model = AWMSketch(budget)
    raw, calibrated = np.zeros(len(y)), np.zeros(len(y))
    for first in range(0, len(y), BLOCK):
        rows = slice(first, first + BLOCK)
        if first:
            raw[rows] = model.decision_function(X[rows])
            calibrated[rows] = model.calibrated(raw[rows])
        model.learn_many(X[rows], y[rows])
    return raw, calibrated, y


def log_loss(margins: Margins, y: NDArray[np.bool_]) -> float:
    return float(np.logaddexp(0.0, -np.where(y, 1, -1) * margins).mean())


def reliability(margins: Margins, y: NDArray[np.bool_]) -> list[tuple[int, float, float]]:
    """Return, for each tenth of the probabilities, the rows, their mean probability and the fraction of positives."""
    p = 1.0 / (1.0 + np.exp(-np.clip(margins, -30, 30)))
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        (int((bins == i).sum()), float(p[bins == i].mean()), float(y[bins == i].mean()))
        for i in range(BINS)
        if (bins == i).any()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--budget", default="8KiB")
    given = parser.parse_args()
    print("| data | log loss of raw margins | calibrated | change |\n|---|---|---|---|")
    tables = {}
    for name in given.names or DATASETS:
        raw, calibrated, y = foretold(name, given.budget)
        before, after = log_loss(raw, y), log_loss(calibrated, y)
        tables[name] = (reliability(raw, y), reliability(calibrated, y))
        print(f"| {name} | {before:.4f} | {after:.4f} | {after / before - 1:+.1%} |", flush=True)
    for name, (raw_bins, bins) in tables.items():
        print(f"\n{name}: predicted -> observed (rows)")
        for title, found in (("raw", raw_bins), ("calibrated", bins)):
            print(f"  {title:<11}" + "  ".join(f"{p:.2f} -> {share:.2f} ({n:,})" for n, p, share in found))


if __name__ == "__main__":
    main()
