"""Does the associative active set learn as well as the paper's exact one, and which eviction serves it better?

    python -m experiments.associative_vs_exact [--data imdb urls ...] [--seeds 5]

The paper's shapes for 2, 8 and 32 KB (its best for RCV1: half of the bytes for the active set, depth 1), one pass, eta0 = 0.1,
l2 = 1e-6. Online error is predict-then-learn; RelErr(128) is measured against the same rule without limits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from experiments.csr_cache import Table
from experiments.datasets import load
from experiments.provenance import provenance
from experiments.recovery import relative_error
from wmsketch import AWMSketch, LogisticRegression

DATA = ("imdb", "urls", "reuters", "assist2017", "newsgroups")
SHAPES = {2: (128, 256), 8: (512, 1024), 32: (2048, 4096)}  # KB of the paper's cost model: active_set_size, width
ACTIVE_SETS, EVICTIONS = ("exact", "associative"), ("paper", "drop")
RULE = {"eta0": 0.1, "l2": 1e-6}
K = 128
RESULTS = Path(__file__).parent / "results" / "associative_vs_exact.json"

Scores = tuple[float, float]


def unlimited(table: Table) -> tuple[float, NDArray[np.float64]]:
    """Return the online error and the whole weight vector of the same rule without limits."""
    model = LogisticRegression(**RULE).learn_many(table.X, table.y)
    return model.mistakes_ / model.n_seen_, model.weights(np.arange(table.X.shape[1]))


def scores(
    table: Table, truth: NDArray[np.float64], kilobytes: int, active_set: str, eviction: str, seed: int
) -> Scores:
    """Return online error and RelErr(K) of one run."""
    active_set_size, width = SHAPES[kilobytes]
    model = AWMSketch(
        depth=1,
        width=width,
        active_set_size=active_set_size,
        active_set=active_set,
        eviction=eviction,
        seed=seed,
        **RULE,
    ).learn_many(table.X, table.y)
    top = model.top(K)
    error = relative_error([row.feature for row in top], [row.weight for row in top], truth, K)
    return model.mistakes_ / model.n_seen_, error


def compare(name: str, seeds: range) -> Iterator[dict[str, object]]:
    """Yield one result for each shape, active set and eviction on one data set."""
    table = load(name)
    unlimited_error, truth = unlimited(table)
    for kilobytes, active_set, eviction in product(SHAPES, ACTIVE_SETS, EVICTIONS):
        runs = [scores(table, truth, kilobytes, active_set, eviction, seed) for seed in seeds]
        errors, rel_errs = zip(*runs, strict=True)
        yield {
            "data": name,
            "kilobytes": kilobytes,
            "active_set": active_set,
            "eviction": eviction,
            "error_rate": median(errors),
            "error_rates": errors,
            f"rel_err_{K}": median(rel_errs),
            f"rel_errs_{K}": rel_errs,
            "unlimited_error_rate": unlimited_error,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", nargs="+", default=DATA, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5, help="how many, counted from 0")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    seeds = range(options.seeds)
    print(f"online error / RelErr({K}), medians of {options.seeds} seeds")
    head = [f"{active_set} {eviction}" for active_set, eviction in product(ACTIVE_SETS, EVICTIONS)]
    print(f"{'data':12} {'KB':>3} " + " ".join(f"{title:>18}" for title in head) + f" {'unlimited':>10}")
    rows: list[dict[str, object]] = []
    for name in options.data:
        found = list(compare(name, seeds))
        for kilobytes in SHAPES:
            of_size = [row for row in found if row["kilobytes"] == kilobytes]
            cells = [f"{row['error_rate']:.4f} / {row[f'rel_err_{K}']:.4f}" for row in of_size]
            print(
                f"{name:12} {kilobytes:3} "
                + " ".join(f"{cell:>18}" for cell in cells)
                + f" {of_size[0]['unlimited_error_rate']:10.4f}",
                flush=True,
            )
        rows += found
    options.out.parent.mkdir(parents=True, exist_ok=True)
    document = {**provenance(), "seeds": list(seeds), "rule": RULE, "depth": 1, "shapes": SHAPES, "rows": rows}
    options.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
