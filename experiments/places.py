"""Fewer named slots and more cells in the same bytes: online error, and recall of the heaviest features.

    python -m experiments.places [--sets imdb newsgroups] [--budgets 2 8 32 128] [--seeds 3] [--recall]

Each model has the default number of slots, or a share of it; the bytes of the others go to the cells. The error is
relative to the default; medians over the seeds. `--recall` adds recall@128 of the batch optimum, as in
`experiments.yardstick`.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy as np

from experiments.datasets import load
from experiments.yardstick import agreement_with, measures
from wmsketch import AWMSketch
from wmsketch.learners.models.introspection import shape_of

SETS = ("imdb", "newsgroups", "urls_both", "reuters", "assist2009", "assist2017", "spending2015", "w8a", "a9a")
SHARES = (1.0, 0.5, 0.25)
LINE = 8  # slots


def slots_of(budget: int, share: float) -> int:
    """Return a share of the slots that a budget has by default, in whole lines."""
    default = shape_of(AWMSketch(budget), named=False).active_set_size
    return max(LINE, round(default * share / LINE) * LINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--budgets", nargs="+", type=int, default=[2, 8, 32, 128], metavar="KIB")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--recall", action="store_true")
    given = parser.parse_args()
    head = "".join(f" {share:g} of the slots |" for share in SHARES)
    print(f"| data | KiB |{head}\n|---|---|{'---|' * len(SHARES)}")
    for name in given.sets:
        table = load(name)
        X, y = table.X, np.asarray(table.y) > 0
        truth = agreement_with(name, X, y) if given.recall else None
        for kib in given.budgets:
            cells: list[str] = []
            default = 0.0
            for share in SHARES:
                slots = slots_of(kib * 1024, share)
                models: list[Any] = [
                    AWMSketch(kib * 1024, seed=seed, active_set_size=slots) for seed in range(given.seeds)
                ]
                for model in models:
                    model.learn_many(X, y)
                error = statistics.median(model.error_rate_ for model in models)
                default = default or error
                text = f"{slots}: {error:.4f}" if share == 1 else f"{slots}: {error / default - 1:+.1%}"
                if truth is not None:
                    text += f", recall {statistics.median(measures(model, truth)['recall'] for model in models):.2f}"
                cells.append(text)
            print(f"| {name} | {kib} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
