"""What merging costs: processor time for 2, 8 and 64 models of 32 KiB, and for 512 KiB in the same run.

python -m benchmarks.merging
"""

from __future__ import annotations

import time

import numpy as np

from wmsketch import AWMSketch, merge_models

BUDGETS, REPEATS = ("32KiB", "512KiB"), 7


def models(budget: str, n: int, seed: int = 0) -> list[AWMSketch]:
    """Return models of 5,000 rows with 12 words each."""
    draw, made = np.random.default_rng(seed), []
    for _ in range(n):
        model = AWMSketch(budget)
        words = draw.zipf(1.2, size=(5000, 12)) % 10**6
        rows = [{f"word-{word}": 1.0 for word in row} for row in words.tolist()]
        model.learn_many(rows, [bool(row[0] % 2) for row in words])
        made.append(model)
    return made


def seconds(parts: list[AWMSketch]) -> float:
    """Return the processor time of one merge."""
    start = time.process_time()
    merge_models(parts)
    return time.process_time() - start


def main() -> None:
    """Print the least of REPEATS times, in milliseconds."""
    made = {budget: models(budget, 64) for budget in BUDGETS}
    for n in (2, 8, 64):
        times = [[seconds(made[budget][:n]) for budget in BUDGETS] for _ in range(REPEATS)]
        small, large = (1e3 * min(each) for each in zip(*times, strict=True))
        print(f"{n:2} models: {small:.1f} ms of 32 KiB, {large:.1f} ms of 512 KiB, {large / small:.1f} times as much")


if __name__ == "__main__":
    main()
