"""How often do the error bars of the AWM-Sketch contain the weight of the same learner without a memory limit?

    python -m experiments.error_bars [NAME...]

Measured for the default and for plain steps. The nominal coverage is 95 %.

Generated data have independent features of frequency 1/rank, some of which determine the label (`GENERATED`); one pass.
The factors in `stores/awm.hpp` were chosen on seed 1 and are measured on seeds 2 to 4. Data sets of
experiments.datasets are measured if they are named. Columns: the active set, its heaviest 128, all features outside
it, and the fraction of unlisted features below `largest_missed(128)`. The result is written to
experiments/results/error_bars.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from experiments.datasets import load
from wmsketch import AWMSketch, LogisticRegression
from wmsketch.evaluation.provenance import provenance

# rows, features, features per row, features that matter, standard deviation of the true margin
GENERATED = {
    "short rows": (60_000, 50_000, 8, 800, 3.0),
    "long rows": (20_000, 50_000, 80, 800, 3.0),
    "many features": (60_000, 1_000_000, 20, 2000, 3.0),
    "weak": (60_000, 50_000, 20, 400, 1.0),
    "few features": (60_000, 5000, 20, 500, 3.0),
    "many rows": (200_000, 100_000, 20, 2000, 3.0),
}
REAL = ["imdb", "reuters", "newsgroups", "urls_both", "assist2009", "spending2015"]
BUDGETS = [2048, 8192, 32768, 131072]
SEEDS = [2, 3, 4]
K = 128
Rows = tuple[sp.csr_matrix, NDArray[np.bool_]]
Counts = dict[str, tuple[int, int]]


def generated(name: str, seed: int) -> Rows:
    """Rows of length one, and labels drawn from the logistic model of the true weights."""
    n_rows, n_features, per_row, n_heavy, strength = GENERATED[name]
    rng = np.random.default_rng(seed)
    weights = np.zeros(n_features)
    weights[rng.choice(n_features // 5, n_heavy, replace=False)] = rng.normal(size=n_heavy)
    rows = [np.unique(np.exp(rng.random(per_row) * np.log(n_features)).astype(np.int32)) for _ in range(n_rows)]
    lengths = np.array([len(row) for row in rows])
    values = np.repeat(1 / np.sqrt(lengths), lengths).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    X = sp.csr_matrix((values, np.concatenate(rows), starts), shape=(n_rows, n_features))
    margins = X @ weights
    return X, rng.random(n_rows) < 1 / (1 + np.exp(-strength * margins / margins.std()))


def covered(data: Rows, model: AWMSketch, seed: int, truth: NDArray[np.float64]) -> Counts:
    """Return the number of intervals, and of those that contain the truth, for each kind of feature."""
    X, y = data
    model.learn_many(X, y)
    rows = model.top(X.shape[1])
    active = np.array([row.feature for row in rows])
    holds = np.array([abs(row.weight - truth[row.feature]) <= row.bytes_error for row in rows])
    rng = np.random.default_rng(seed)
    tail = np.setdiff1d(rng.choice(np.unique(X.indices), 4000), active)
    ends = np.array([model.interval(int(key)) for key in tail]).reshape(-1, 2)
    tail_holds = (ends[:, 0] <= truth[tail]) & (truth[tail] <= ends[:, 1])  # no error due to rows
    unlisted = np.setdiff1d(np.unique(X.indices), active[:K])
    below = np.abs(truth[unlisted]) <= model.largest_missed(K)
    kinds = {"active": holds, "top": holds[:K], "tail": tail_holds, "missed": below}
    return {kind: (len(found), int(found.sum())) for kind, found in kinds.items()}


def measure(name: str, steps: str) -> list[dict[str, Any]]:
    """Return the counts of all seeds and budgets; `steps` is default or plain."""
    found = []
    step = "plain" if steps == "plain" else "adaptive"
    for seed in SEEDS:
        if name in GENERATED:
            data = generated(name, seed)
        else:
            table = load(name)
            data = table.X, table.y
        reference = LogisticRegression(n_features=data[0].shape[1], step=step)
        reference.learn_many(*data)
        truth = reference.weights(np.arange(data[0].shape[1], dtype=np.uint32))
        for budget in BUDGETS:
            model = AWMSketch(budget, step=step, seed=seed)
            counts = covered(data, model, seed, truth)
            found.append({"data": name, "step": steps, "budget_bytes": budget, "seed": seed, "counts": counts})
    return found


def coverage(rows: list[dict[str, Any]], kind: str) -> float:
    """Return the fraction of intervals that contain the truth, each run with equal weight."""
    return float(np.mean([row["counts"][kind][1] / max(1, row["counts"][kind][0]) for row in rows]))


def print_line(title: str, rows: list[dict[str, Any]]) -> None:
    kinds = ("active", "top", "tail", "missed")
    print(f"| {title} | " + " | ".join(f"{coverage(rows, kind):.1%}" for kind in kinds) + " |", flush=True)


def main() -> None:
    rows: list[dict[str, Any]] = []
    print("| data, steps | active | top 128 | tail | below largest_missed |\n|---|---|---|---|---|")
    for step in ("default", "plain"):
        for name in sys.argv[1:] or [*GENERATED, *REAL]:
            rows += measure(name, step)
            print_line(f"{name}, {step}", [row for row in rows if (row["data"], row["step"]) == (name, step)])
        together = [row for row in rows if row["data"] in GENERATED and row["step"] == step]
        if together:
            print_line(f"**all generated**, {step}", together)
        for budget in BUDGETS if together else []:
            print_line(f"generated, {budget // 1024} KiB", [row for row in together if row["budget_bytes"] == budget])
    path = Path(__file__).parent / "results" / "error_bars.json"
    path.write_text(json.dumps({**provenance(), "seeds": SEEDS, "rows": rows}) + "\n")


if __name__ == "__main__":
    main()
