"""Merge models of shards, then learn a sample of all rows again: held-out error and log loss relative to one model.

    python -m experiments.relearning [--sets newsgroups imdb] [--budget 128KiB] [--shards 8 64]

Rows are dealt to the shards in turn. `equal bytes` merges once, like `merge`. `wide` lets shards learn in sixteen times
the bytes, merges once and shrinks the result, like Spark. `rounds` merges wide shards 16 times, like `--jobs`. Each
merged model then learns rows again as `merge_models(relearn=(X, y))` does.
"""

from __future__ import annotations

import argparse
import copy
from typing import Any

import numpy as np

from experiments.merging import Task
from wmsketch import AWMSketch, merge_models
from wmsketch.learners.shards.partitions import emptied
from wmsketch.learners.shards.relearning import learn_again
from wmsketch.learners.sizes.resize import narrowed, widened

SETS = ("newsgroups", "reuters", "imdb", "urls_both", "assist2009", "spending2015")
ROWS = 60_000
MOST_IN_ROUNDS = 8  # shards


def merged_models(task: Task, new: Any, one: Any, shards: int) -> dict[str, Any]:
    """Return models of all shards, merged in each way."""
    parts = task.shards(shards, by_column=False)
    started = emptied(one)
    started._labels = copy.copy(one._labels)
    wide = widened(started)
    found = {
        "equal bytes": merge_models([task.learned(new, rows) for rows in parts]),
        "wide": narrowed(merge_models([task.learned(wide, rows) for rows in parts]), one),
    }
    if shards <= MOST_IN_ROUNDS:
        found["rounds"] = narrowed(task.in_rounds(wide, parts), one)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--budget", default="128KiB")
    parser.add_argument("--shards", nargs="+", type=int, default=[8, 64])
    given = parser.parse_args()
    print(
        "| data | shards | merge | error before / after | log loss before / after | passes |\n|---|---|---|---|---|---|"
    )
    for name in given.sets:
        task = Task(name, ROWS)
        new = AWMSketch(given.budget)
        one = task.learned(new, np.arange(len(task.y)))
        best = task.scores(one, one)
        print(f"| {name} | 1 | | {best['error']:.4f} | {best['log_loss']:.4f} | |", flush=True)
        for shards in given.shards:
            for how, merged in merged_models(task, new, one, shards).items():
                before = task.scores(merged, one)
                again = learn_again(merged, (task.X, task.y))
                after = task.scores(merged, one)
                cells = [f"{before[by] / best[by]:.2f} / {after[by] / best[by]:.2f}" for by in ("error", "log_loss")]
                print(f"| {name} | {shards} | {how} | {' | '.join(cells)} | {again.passes} |", flush=True)


if __name__ == "__main__":
    main()
