"""What happens if rows do not have length one, or if numbers of a column are not about as large as 1?

    python -m experiments.row_length

Online error of the default and of the paper's learner in the same bytes. Newsgroups have rows scaled to other lengths,
or a value of 1 for every word. Generated rows have two categories and a number, which is multiplied by a factor. One
pass, seed 0. The result is written to experiments/results/row_length.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets import load
from wmsketch import AWMSketch
from wmsketch.evaluation.provenance import provenance

BUDGET = 8 * 1024
LENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 10_000.0, 100_000.0)
FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0, 10_000.0)


def errors(X: Any, y: Any) -> dict[str, float]:
    """Learn the rows, and return the online error of each learner."""
    models = {
        "default": AWMSketch(BUDGET),
        "default, eta0=0.01": AWMSketch(BUDGET, eta0=0.01),
        "paper": AWMSketch.paper(BUDGET // 2),  # the paper counts half of its true bytes
    }
    for model in models.values():
        model.learn_many(X, y)
    return {name: round(model.error_rate_, 4) for name, model in models.items()}


def lengths() -> Iterator[dict[str, Any]]:
    """Newsgroups with rows scaled from length one to other lengths."""
    table = load("newsgroups")
    for length in LENGTHS:
        yield {"rows": f"newsgroups, length {length:g}", **errors(table.X * np.float32(length), table.y)}
    words = table.X.sign()
    mean = float(np.sqrt(np.diff(words.indptr)).mean())
    yield {"rows": f"newsgroups, 1 for each word (mean length {mean:.0f})", **errors(words, table.y)}


def columns() -> Iterator[dict[str, Any]]:
    """Rows of a table: a category of 200 values, one of 3, and a number of about 1, times a factor."""
    rng = np.random.default_rng(0)
    shop, device, price = rng.integers(0, 200, 20_000), rng.integers(0, 3, 20_000), rng.lognormal(0, 1, 20_000)
    margin = rng.normal(size=200)[shop] + np.array([-0.7, 0.0, 0.7])[device] + 0.8 * (price - 1.6)
    y = rng.random(20_000) < 1 / (1 + np.exp(-margin))
    for factor in FACTORS:
        rows = [
            {"shop": str(a), "device": str(b), "price": c * factor} for a, b, c in zip(shop, device, price, strict=True)
        ]
        yield {"rows": f"two categories and a number times {factor:g}", **errors(rows, y)}


def main() -> None:
    rows = []
    for row in [*lengths(), *columns()]:
        rows.append(row)
        print("| " + " | ".join(str(value) for value in row.values()) + " |", flush=True)
    path = Path(__file__).parent / "results" / "row_length.json"
    path.write_text(json.dumps({**provenance(), "budget_bytes": BUDGET, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
