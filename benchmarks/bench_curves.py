"""How the time of a feature grows: with the depth of a sketch, the number of features, and the budget.

python -m benchmarks.bench_curves
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.bench_stores import BUDGET, Round, batches, race, touch_arrays
from benchmarks.generated_rows import zipf_blocks
from benchmarks.quiet import Times
from wmsketch import AWMSketch, WMSketch

DEPTHS = (1, 2, 4, 8, 16, 32)
BUDGETS = ("2KiB", "32KiB", "256KiB", "4MiB", "64MiB")
DIMENSIONS = {"10^4": 10**4, "10^6": 10**6, "10^8": 10**8}


def depths(run: int) -> Round:
    """The WM-Sketch with more and more rows of 128 cells."""
    contenders = {
        f"wm, depth {depth}": batches(WMSketch(depth=depth, width=128, active_set_size=128)) for depth in DEPTHS
    }
    return contenders, zipf_blocks(6, rows=2_000, per_row=88, n_features=50_000, seed=run), touch_arrays


def budgets(run: int) -> Round:
    """The default learner with more and more bytes, on features that fill them."""
    contenders = {f"awm {budget}, 10^6 features": batches(AWMSketch(budget)) for budget in BUDGETS}
    return contenders, zipf_blocks(8, rows=5_000, per_row=75, n_features=10**6, seed=run), touch_arrays


def dimensions(run: int) -> Iterator[Round]:
    """The default learner on more and more features."""
    for name, n_features in DIMENSIONS.items():
        contenders = {f"awm, {name} features": batches(AWMSketch(BUDGET))}
        yield contenders, zipf_blocks(6, rows=5_000, per_row=75, n_features=n_features, seed=run), touch_arrays


def curves(n_runs: int) -> dict[str, Times]:
    """Return the nanoseconds per feature at each place of the curves, from runs on different rows."""
    found: dict[str, Times] = {}
    for run in range(n_runs):
        for contenders, blocks, touch in (depths(run), budgets(run), *dimensions(run)):
            for name, times in race(contenders, blocks, touch).items():
                found.setdefault(name, Times()).runs.append(times)
    return found


def main() -> None:
    """Print the nanoseconds per feature."""
    for name, times in curves(3).items():
        print(f"{name:28} {times.best:6.2f} ns per feature  {times.spread:5.0%}")


if __name__ == "__main__":
    main()
