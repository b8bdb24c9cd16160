"""Online error of the AWM-Sketch with and without a half-life, on drifting and on stationary streams.

    python -m experiments.forgetting [NAME...]

One pass, 8 KiB, eta0 0.1, l2 1e-6, and seeds 0 to 2 for the hashes and the generated streams. Medians over the seeds
are written to experiments/results/forgetting.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from experiments.datasets import load
from wmsketch import AWMSketch
from wmsketch.evaluation.provenance import provenance

Stream = tuple[sp.csr_matrix, NDArray[np.bool_]]

BUDGET = 8192
SEEDS = [0, 1, 2]
HALF_LIVES = [None, 1_000, 3_000, 10_000, 30_000, 100_000]
STEPS = ["plain", "adaptive"]


def rotating(seed: int, every: int, n: int = 100_000, n_features: int = 20_000, per_row: int = 20) -> Stream:
    """Generate rows of a skewed distribution. Every `every` rows, 300 of the 1,000 most common features are drawn
    again, with new weights, to determine the label."""
    rng = np.random.default_rng(seed)
    keys = (n_features * rng.random((n, per_row)) ** 4).astype(np.int32)
    starts = np.arange(0, n * per_row + 1, per_row)
    X = sp.csr_matrix((np.ones(n * per_row, dtype=np.float32), keys.ravel(), starts), shape=(n, n_features))
    X.sum_duplicates()
    X.data /= np.float32(per_row**0.5)  # rows of length about one
    margins = np.empty(n)
    for first in range(0, n, every):
        weights = np.zeros(n_features)
        weights[rng.choice(1_000, 300, replace=False)] = 1.5 * per_row**0.5 * rng.normal(size=300)
        margins[first : first + every] = X[first : first + every] @ weights
    return X, rng.random(n) < 1 / (1 + np.exp(-margins))


def stored(name: str) -> Callable[[int], Stream]:
    def stream(seed: int) -> Stream:
        table = load(name)
        return table.X, table.y

    return stream


STREAMS: dict[str, Callable[[int], Stream]] = {
    "new weights every 5,000 rows": lambda seed: rotating(seed, 5_000),
    "new weights every 20,000 rows": lambda seed: rotating(seed, 20_000),
    "the same weights": lambda seed: rotating(seed, 100_000),
    **{name: stored(name) for name in ("assist2009", "assist2017", "spending2015", "reuters", "urls")},
}


def main() -> None:
    rows = []
    for name in sys.argv[1:] or STREAMS:
        found: dict[tuple[str, int | None], list[tuple[float, float]]] = {}
        for seed in SEEDS:
            X, y = STREAMS[name](seed)
            for step in STEPS:
                for half_life in HALF_LIVES:
                    model = AWMSketch(BUDGET, step=step, seed=seed, half_life=half_life)
                    model.learn_many(X, y)
                    found.setdefault((step, half_life), []).append((model.error_rate_, model.log_loss_))
        for step in STEPS:
            errors, losses = ([median(run[i] for run in found[step, h]) for h in HALF_LIVES] for i in (0, 1))
            rows.append({"stream": name, "step": step, "error_rates": errors, "log_losses": losses})
            cells = " | ".join(f"{error:.4f} / {loss:.3f}" for error, loss in zip(errors, losses, strict=True))
            print(f"| {name} | {step} | {cells} |", flush=True)
    report = {**provenance(), "budget_bytes": BUDGET, "seeds": SEEDS, "half_lives": HALF_LIVES, "rows": rows}
    path = Path(__file__).parent / "results" / "forgetting.json"
    path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
