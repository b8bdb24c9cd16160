"""How much larger are the heaviest weights of a small model than those of the same learner without a memory limit?

    python -m experiments.heaviest_weights [NAME...]

Prints the median ratio over the heaviest 128 features of the default learner in 8, 32 and 128 KiB.
"""

from __future__ import annotations

import sys

import numpy as np

from experiments.datasets import load
from wmsketch import AWMSketch
from wmsketch.baselines import LogisticRegression

K = 128


def main() -> None:
    for name in sys.argv[1:] or ("newsgroups", "reuters"):
        data = load(name)
        unlimited = LogisticRegression(n_features=data.X.shape[1], step="adaptive")
        unlimited.learn_many(data.X, data.y)
        weights = unlimited.weights(np.arange(data.X.shape[1], dtype=np.uint32))
        for budget in ("8KiB", "32KiB", "128KiB"):
            model = AWMSketch(budget)
            model.learn_many(data.X, data.y)
            ratios = [abs(row.weight) / max(1e-9, abs(weights[int(row.feature)])) for row in model.top(K)]
            print(f"{name} {budget}: {np.median(ratios):.2f}", flush=True)


if __name__ == "__main__":
    main()
