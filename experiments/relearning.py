"""Merge models of shards, then learn a sample of all rows once more: held-out error relative to one model.

    python -m experiments.relearning [--sets newsgroups imdb] [--budget 128KiB] [--shards 8 64]

Rows are dealt to the shards in turn. Models are merged all at once, or pair by pair. The sample is drawn from all rows
and learned in the order of the rows, with the steps that the merged model has.
"""

from __future__ import annotations

import argparse
import copy
from typing import Any

import numpy as np

from experiments.merging import Task
from wmsketch import AWMSketch, merge_models

SETS = ("newsgroups", "reuters", "imdb", "urls_both")
SHARES = (0.0, 0.05, 0.1, 0.2, 0.4)
ROWS, SEED = 60_000, 5


def pair_by_pair(models: list[Any]) -> Any:
    """Return the models merged two at a time."""
    while len(models) > 1:
        models = [
            merge_models(models[i : i + 2]) if i + 1 < len(models) else models[i] for i in range(0, len(models), 2)
        ]
    return models[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--budget", default="128KiB")
    parser.add_argument("--shards", nargs="+", type=int, default=[8, 64])
    given = parser.parse_args()
    for name in given.sets:
        task, draw = Task(name, ROWS), np.random.default_rng(SEED)
        new, n = AWMSketch(given.budget), len(task.y)
        one = task.learned(new, np.arange(n))
        error = task.scores(one, one)["error"]
        print(f"{name}, {n:,} rows: one model {error:.4f}", flush=True)
        for shards in given.shards:
            parts = [task.learned(new, rows) for rows in task.shards(shards, by_column=False)]
            for how, merged in (("at once", merge_models(parts)), ("pair by pair", pair_by_pair(parts))):
                cells = []
                for share in SHARES:
                    rows = np.sort(draw.permutation(n)[: int(share * n)])
                    model = task.learned(copy.copy(merged), rows) if share else merged
                    cells.append(f"{share:.0%} {task.scores(model, one)['error'] / error:.3f}")
                print(f"  {shards} shards {how}: {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
