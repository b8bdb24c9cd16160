"""BEAR against MISSION at equal bytes: the online error, one pass, rows of length one.

    python -m experiments.bear [--sets imdb reuters] [--budgets 2 8 32] [--seeds 3]

Each method has the default `eta0` and the best of `RATES` in hindsight, because the two take steps of different sizes;
medians over the seeds. `AWM` is the default `AWMSketch` of the same budget.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

from experiments.csr_cache import Table
from experiments.datasets import load
from wmsketch import AWMSketch
from wmsketch.baselines import Bear, Mission

SETS = ("imdb", "newsgroups", "reuters", "urls_both")
RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
DEFAULT = 0.1


def error(make: Callable[[int], Any], table: Table, seeds: int) -> float:
    """Return the median of the online error over the seeds."""
    errors = []
    for seed in range(seeds):
        model = make(seed)
        model.learn_many(table.X, table.y)
        errors.append(model.error_rate_)
    return statistics.median(errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--budgets", nargs="+", type=int, default=[2, 8, 32], metavar="KIB")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    print("| data | KiB | MISSION | best `eta0` | BEAR | best `eta0` | AWM |\n|---|---|---|---|---|---|---|")
    for name in given.sets:
        table = load(name)
        for kib in given.budgets:
            cells = []
            for learner in (Mission, Bear):
                errors = {
                    rate: error(lambda seed: learner(kib * 1024, eta0=rate, seed=seed), table, given.seeds)  # noqa: B023
                    for rate in RATES
                }
                best = min(errors, key=errors.__getitem__)
                cells += [f"{errors[DEFAULT]:.4f}", f"{errors[best]:.4f} ({best:g})"]
            awm = error(lambda seed: AWMSketch(kib * 1024, seed=seed), table, given.seeds)  # noqa: B023
            print(f"| {name} | {kib} | {' | '.join(cells)} | {awm:.4f} |", flush=True)


if __name__ == "__main__":
    main()
