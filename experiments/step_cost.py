"""The time per feature of each learner, on the same blocks of rows in turn, in one process.

    python -m experiments.step_cost [--budget 8KiB] [NAME...]

Prints CPU nanoseconds per feature (the 20th percentile over blocks, because the machine is shared).
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from experiments.beyond_the_paper import NAMES
from experiments.datasets import load
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression

FEATURES_OF_A_BLOCK, MOST_BLOCKS = 60_000, 150


def learners(budget: str, n_features: int) -> dict[str, Any]:
    return {
        "default": AWMSketch(budget),
        "plain": AWMSketch(budget, step="plain"),
        "paper": AWMSketch.paper(budget),
        "hashing": FeatureHashing(budget),
        "adaptive hashing": FeatureHashing(budget, step="adaptive"),
        "unlimited": LogisticRegression(n_features=n_features),
        "adaptive unlimited": LogisticRegression(n_features=n_features, step="adaptive"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", default="8KiB")
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    arguments = parser.parse_args()
    columns = ["data", *learners(arguments.budget, 1)]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for name in arguments.names:
        data = load(name)
        n_rows = max(1, FEATURES_OF_A_BLOCK * data.X.shape[0] // data.X.nnz)
        models = learners(arguments.budget, data.X.shape[1])
        times = []
        for first in range(0, min(data.X.shape[0], n_rows * MOST_BLOCKS), n_rows):
            X, y = data.X[first : first + n_rows], data.y[first : first + n_rows]
            times.append([1e9 * _seconds(model, X, y) / max(1, X.nnz) for model in models.values()])
        found = np.array(times[1:])
        cells = [f"{nanoseconds:.1f}" for nanoseconds in np.percentile(found, 20, axis=0)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def _seconds(model: Any, X: object, y: object) -> float:
    begin = time.thread_time()
    model.learn_many(X, y)
    return time.thread_time() - begin


if __name__ == "__main__":
    main()
