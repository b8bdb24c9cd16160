"""Memory of learners of 1 KiB to 16 MiB, and of their process, after 5 million distinct names.

    python -m benchmarks.memory [--names 5000000]

Every budget runs in its own process, after a warm-up with a model of the same kind. So the growth shown is that of the
model alone.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from wmsketch import AWMSketch
from wmsketch.evaluation.provenance import provenance

BUDGETS = ("1KiB", "8KiB", "64KiB", "512KiB", "4MiB", "16MiB")
PER_ROW, ROWS_PER_BATCH = 100, 500


def batches(names: int, prefix: str) -> Iterator[tuple[list[dict[str, float]], list[bool]]]:
    """Yield batches of rows in which no name is ever repeated."""
    value = PER_ROW**-0.5
    rows = range(0, names, PER_ROW)
    for start in range(0, len(rows), ROWS_PER_BATCH):
        firsts = rows[start : start + ROWS_PER_BATCH]
        X = [{f"{prefix}{k}": value for k in range(first, min(first + PER_ROW, names))} for first in firsts]
        yield X, [row % 2 == 0 for row in range(len(X))]


def resident_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def feed(model: AWMSketch, names: int, prefix: str) -> int:
    """Feed this many names to the model and return its largest size on the way."""
    largest = 0
    for X, y in batches(names, prefix):
        model.learn_many(X, y)
        largest = max(largest, model.nbytes)
    if model.record_.features_seen != names:
        raise SystemExit(f"{names:,} names were fed, the model saw {model.record_.features_seen:,}")
    return largest


def run(budget: str, names: int) -> tuple[int, int, int, int]:
    """Return bytes of the model, its largest size on the way, and resident bytes of the process before and after."""
    feed(AWMSketch("1KiB"), 500_000, "warm-up ")
    gc.collect()
    before = resident_bytes()
    model = AWMSketch(budget)
    largest = feed(model, names, "feature number ")
    gc.collect()
    return model.nbytes, largest, before, resident_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed millions of names to learners of a fixed size.")
    parser.add_argument("--names", type=int, default=5_000_000)
    options = parser.parse_args()
    about = provenance()
    print(f"{about['machine']}; commit {about['commit']}; {options.names:,} distinct names")
    print("  budget       nbytes      largest of budget  RSS before   RSS after    growth")
    for budget in BUDGETS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            nbytes, largest, before, after = pool.submit(run, budget, options.names).result()
        allowed = int(budget[:-3]) * {"KiB": 1 << 10, "MiB": 1 << 20}[budget[-3:]]
        print(
            f"{budget:>8} {nbytes:12,} {largest:12,} {largest / allowed:9.1%} {before / 2**20:7.1f} MiB"
            f" {after / 2**20:7.1f} MiB {(after - before) / 2**20:5.1f} MiB",
            flush=True,
        )
        if largest > allowed:
            raise SystemExit(f"{budget}: the model grew to {largest:,} bytes")


if __name__ == "__main__":
    main()
