"""What adaptive steps cost beside plain ones: the same blocks of rows in turns, one process.

    python -m experiments.step_cost [--budget 8KiB] [NAME...]

Prints nanoseconds a feature (the 20th percentile over blocks, because the machine is shared) and the median ratio.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from experiments.datasets import load
from wmsketch import AWMSketch

FEATURES_OF_A_BLOCK, MOST_BLOCKS = 60_000, 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", default="8KiB")
    parser.add_argument("names", nargs="*", default=["imdb", "urls", "assist2017"], metavar="NAME")
    arguments = parser.parse_args()
    print("| data | plain, ns | adaptive, ns | ratio |\n|---|---|---|---|")
    for name in arguments.names:
        data = load(name)
        n_rows = max(1, FEATURES_OF_A_BLOCK * data.X.shape[0] // data.X.nnz)
        models = [AWMSketch(arguments.budget, step=step) for step in ("plain", "adaptive")]
        times = []
        for first in range(0, min(data.X.shape[0], n_rows * MOST_BLOCKS), n_rows):
            X, y = data.X[first : first + n_rows], data.y[first : first + n_rows]
            times.append([1e9 * _seconds(model, X, y) / max(1, X.nnz) for model in models])
        plain, adaptive = np.array(times[1:]).T
        ratio = np.median(adaptive / plain)
        print(
            f"| {name} | {np.percentile(plain, 20):.1f} | {np.percentile(adaptive, 20):.1f} | {ratio:.2f} |", flush=True
        )


def _seconds(model: AWMSketch, X: object, y: object) -> float:
    begin = time.perf_counter()
    model.learn_many(X, y)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
