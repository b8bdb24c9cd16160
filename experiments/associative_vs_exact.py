"""Does the associative active set learn as well as the paper's exact one, and which eviction serves it better?

    python -m experiments.associative_vs_exact [--data imdb urls ...] [--seeds 5]

The paper's best shapes for 2, 8 and 32 KB (half of the bytes for the active set, depth 1), one pass, eta0 = 0.1,
l2 = 1e-6. Online error is predict-then-learn. RelErr(128) is relative to the same rule without a memory limit.
The paper's cost model omits the index of the heap. `exact*` is the heap in as many true bytes as `associative`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, starmap
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from experiments.csr_cache import Table
from experiments.datasets import load
from wmsketch import AWMSketch, LogisticRegression
from wmsketch.evaluation.provenance import provenance
from wmsketch.results.top_error import TopError

DATA = ("imdb", "urls", "reuters", "assist2017", "newsgroups")
SHAPES = {2: (128, 256), 8: (512, 1024), 32: (2048, 4096)}  # KB of the paper's cost model: active_set_size, width
ACTIVE_SETS, EVICTIONS = ("exact", "associative", "exact*"), ("paper", "drop")
RULE: dict[str, Any] = {"eta0": 0.1, "l2": 1e-6}
K = 128
RESULTS = Path(__file__).parent / "results" / "associative_vs_exact.json"


@dataclass(frozen=True)
class Setting:
    """One way to run the AWM-Sketch."""

    kilobytes: int
    active_set: str
    eviction: str

    def model(self, seed: int) -> AWMSketch:
        active_set_size, width = SHAPES[self.kilobytes]
        shape: dict[str, Any] = {"depth": 1, "width": width, "active_set_size": active_set_size}
        rule = {"step": "plain", "eviction": self.eviction, "seed": seed, **RULE}
        if self.active_set == "exact*":
            return AWMSketch(AWMSketch(**shape, step="plain").nbytes, active_set="exact", **rule)
        return AWMSketch(**shape, active_set=self.active_set, **rule)


def unlimited(table: Table) -> tuple[float, TopError]:
    """Return the online error of the same rule without a memory limit, and RelErr relative to its weights."""
    model = LogisticRegression(**RULE)
    model.learn_many(table.X, table.y)
    return model.error_rate_, TopError(model.weights(np.arange(table.X.shape[1])))


def scores(model: AWMSketch, table: Table, truth: TopError) -> tuple[float, float]:
    """Return online error and RelErr(K) of one run."""
    model.learn_many(table.X, table.y)
    top = model.top(K)
    rel_err = truth.at([int(row.feature) for row in top], [row.weight for row in top], [K])
    return model.error_rate_, rel_err[K]


def compare(name: str, seeds: range) -> Iterator[dict[str, Any]]:
    """Yield one result for each shape, active set and eviction on one data set."""
    table = load(name)
    unlimited_error, truth = unlimited(table)
    for setting in starmap(Setting, product(SHAPES, ACTIVE_SETS, EVICTIONS)):
        errors, rel_errs = zip(*(scores(setting.model(seed), table, truth) for seed in seeds), strict=True)
        yield {
            "data": name,
            **vars(setting),
            "nbytes": setting.model(seed=0).nbytes,
            "error_rate": median(errors),
            "error_rates": errors,
            "rel_err": {str(K): median(rel_errs)},
            "rel_errs": {str(K): rel_errs},
            "unlimited_error_rate": unlimited_error,
        }


def table_line(kilobytes: int, rows: list[dict[str, Any]]) -> str:
    of_size = [row for row in rows if row["kilobytes"] == kilobytes]
    cells = [f"{row['error_rate']:.4f} / {row['rel_err'][str(K)]:.4f}" for row in of_size]
    first = of_size[0]
    start, end = f"{first['data']:12} {kilobytes:3}", f"{first['unlimited_error_rate']:10.4f}"
    return " ".join([start, *(f"{cell:>18}" for cell in cells), end])


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
    rows: list[dict[str, Any]] = []
    for name in options.data:
        found = list(compare(name, seeds))
        for kilobytes in SHAPES:
            print(table_line(kilobytes, found), flush=True)
        rows += found
    for kilobytes in SHAPES:
        sizes = [f"{name} {Setting(kilobytes, name, 'paper').model(0).nbytes:,}" for name in ACTIVE_SETS]
        print(f"true bytes at {kilobytes} KB: {', '.join(sizes)}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    document = {**provenance(), "seeds": list(seeds), "rule": RULE, "depth": 1, "shapes": SHAPES, "rows": rows}
    options.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
