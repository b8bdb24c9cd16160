"""Counters of items in 32 KiB, beside DataSketches: nanoseconds for an item, in the form in which Python has it.

    python -m benchmarks.bench_counters

DataSketches takes one item at a time. Ours take one (`learn_one`) or a list (`learn_many`).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.quiet import Times
from wmsketch import CountMin, SpaceSaving

BUDGET = "32KiB"
N_ITEMS, N_NAMES = 200_000, 100_000
Count = Callable[[list[str]], object]


def one_by_one(count: Callable[[str], object]) -> Count:
    def counts(items: list[str]) -> None:
        for item in items:
            count(item)

    return counts


def contenders() -> dict[str, Count]:
    """New counters. The map of DataSketches has 1,024 places for items, whose names are not in the budget."""
    from datasketches import count_min_sketch, frequent_strings_sketch

    space_saving, count_min = SpaceSaving(BUDGET), CountMin(BUDGET)
    return {
        "Space Saving, learn_one": one_by_one(space_saving.learn_one),
        "Space Saving, learn_many": space_saving.learn_many,
        "DataSketches frequent strings": one_by_one(frequent_strings_sketch(10).update),
        "Count-Min, learn_one": one_by_one(count_min.learn_one),
        "Count-Min, learn_many": count_min.learn_many,
        "DataSketches Count-Min": one_by_one(count_min_sketch(4, 1024).update),
    }


def counters(n_runs: int) -> dict[str, Times]:
    """Return the nanoseconds per item, from runs on different items with frequencies 1/rank."""
    names = [f"word{rank}" for rank in range(N_NAMES)]
    found: dict[str, Times] = {}
    for run in range(n_runs):
        random = np.random.default_rng(run)
        blocks = [[names[rank] for rank in (N_NAMES ** random.random(N_ITEMS)).astype(int).tolist()] for _ in range(4)]
        times: dict[str, list[float]] = {}
        ours = contenders()
        for number, block in enumerate(blocks):
            for name, count in ours.items():
                began = time.process_time()
                count(block)
                if number > 0:  # the first is a warm-up
                    times.setdefault(name, []).append((time.process_time() - began) / len(block) * 1e9)
        for name, each in times.items():
            found.setdefault(name, Times()).runs.append(each)
    return found


def main() -> None:
    """Print the nanoseconds per item."""
    for name, times in counters(3).items():
        print(f"{name:30} {times.best:6.1f} ns per item  {times.spread:5.0%}")


if __name__ == "__main__":
    main()
