"""How many of the top suppliers by exact counts does `diff` show, by name?

    python -m experiments.diff_named

Payments of UK public bodies by supplier, 2014 against 2015, interleaved like files. Exact counts are those of
`--method lr`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from experiments.diff import supplier_names
from wmsketch.apps import Diff

BUDGETS, FIRST, SEEDS, PARTS = ("8KiB", "32KiB", "128KiB"), (100, 500), range(3), 400


def shown(method: str, sides: list[list[str]], **options: object) -> list[str]:
    """Return the items that differ significantly, the most different first."""
    diff = Diff(method=method, name_bytes=32, **options)  # type: ignore[arg-type]
    cuts = [np.linspace(0, len(side), PARTS + 1).astype(int) for side in sides]
    for a, b in zip(*(pairwise(cut) for cut in cuts), strict=True):
        diff.update(sides[0][slice(*a)], sides[1][slice(*b)])
    return [str(row.feature) for row in diff.top(len(sides[0]) + len(sides[1]))]


def main() -> None:
    sides = supplier_names(("2014", "2015"))
    exact = shown("lr", sides)
    print(f"{len(exact)} suppliers surely differ by exact counts; shown of the first {FIRST}, median of three seeds:")
    for budget in BUDGETS:
        runs = [set(shown("count-table", sides, budget=budget, seed=seed)) for seed in SEEDS]
        shares = [np.median([len(run & set(exact[:n])) / n for run in runs]) for n in FIRST]
        print(f"{budget:>7}  " + "  ".join(f"{share:.2f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
