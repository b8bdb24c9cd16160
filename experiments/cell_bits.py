"""Other layouts of the default learner's cells in the same 24 bits, simulated: longer tags, shorter weights.

    cmake -S . -B build/bench -DWMSKETCH_BENCH=ON -DWMSKETCH_MODULE=OFF && cmake --build build/bench --target cell_bits
    python -m experiments.cell_bits [--sets newsgroups imdb] [--budgets 2 8 32] [--seeds 5] [--share 0.5]

Every layout has a sign and 4 bits for the sum. `8/5/6` is the library's: 8 bits of tag, 5 of exponent, 6 of mantissa.
The online error of the others is relative to it; medians over the seeds, one pass, rows of length one. `library` is the
error of `AWMSketch` itself, which the simulation of its layout must equal. `--share` gives that share of the default
slots to all layouts, and the bytes of the others to the cells. The last lines have the median over all sets
and budgets, and the worst.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from experiments.csr_cache import Table
from experiments.datasets import load
from experiments.places import slots_of
from wmsketch import AWMSketch
from wmsketch.learners.models.introspection import shape_of

SETS = ("newsgroups", "urls_both", "reuters", "imdb", "assist2017")
OTHERS = ("assist2009", "spending2015", "w8a", "a9a", "urls")  # the layouts were not chosen on these
LAYOUTS = {  # bits of tag, exponent and mantissa; the lowest exponent
    "8/5/6": (8, 5, 6, -20),
    "10/4/5": (10, 4, 5, -11),
    "9/4/6": (9, 4, 6, -11),
    "9/5/5": (9, 5, 5, -20),
}
PROGRAM = Path(__file__).parent.parent / "build" / "bench" / "cell_bits"


def write(table: Table, path: Path) -> None:
    """Write a data set as the program reads it."""
    X = table.X
    with path.open("wb") as file:
        for array in (
            np.array([X.shape[0], X.nnz], np.int64),
            X.indptr.astype(np.int64),
            X.indices.astype(np.uint32),
            X.data.astype(np.float32),
            np.where(np.asarray(table.y) > 0, 1, -1).astype(np.int8),
        ):
            file.write(array.tobytes())


def simulated(data: Path, width: int, slots: int, seeds: int, layout: tuple[int, ...]) -> list[float]:
    """Return the online error for each seed."""
    command = [PROGRAM, data, width, slots, seeds, *layout]
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=(*SETS, *OTHERS))
    parser.add_argument("--budgets", nargs="+", type=int, default=[2, 8, 32], metavar="KIB")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--share", type=float, default=1.0)
    given = parser.parse_args()
    changes: dict[str, list[float]] = {layout: [] for layout in LAYOUTS}
    print(f"| data | KiB | library | {' | '.join(LAYOUTS)} |\n|---|---|---|{'---|' * len(LAYOUTS)}")
    for name in given.sets:
        table = load(name)
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "rows"
            write(table, data)
            for kib in given.budgets:
                model = AWMSketch(kib * 1024, seed=0, active_set_size=slots_of(kib * 1024, given.share))
                shape = shape_of(model, named=False)
                model.learn_many(table.X, table.y)
                cells = [f"{model.error_rate_:.4f}"]
                today: list[float] = []
                for layout, bits in LAYOUTS.items():
                    errors = simulated(data, shape.width, shape.active_set_size, given.seeds, bits)
                    today = today or errors
                    change = statistics.median(errors) / statistics.median(today) - 1
                    changes[layout].append(change)
                    first = f"{statistics.median(errors):.4f} (first seed {errors[0]:.4f})"
                    cells.append(first if errors is today else f"{change:+.1%}")
                print(f"| {name} | {kib} | {' | '.join(cells)} |", flush=True)
    for what, summary in (("median", statistics.median), ("worst", max)):
        row = " | ".join(f"{summary(values):+.1%}" for values in changes.values())
        print(f"| {what} | | | {row} |")


if __name__ == "__main__":
    main()
