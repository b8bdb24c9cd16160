"""Rows one at a time, as dicts: `learn_one` and `predict_proba_one` beside River, in one run.

    python -m benchmarks.bench_rows

A table of 20 numbers is compared with River's StandardScaler | LogisticRegression (both scale online), and rows of a
hundred sparse names with its LogisticRegression. The result is CPU time, the best of several rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from river import linear_model, preprocessing

from wmsketch import AWMSketch

ROWS, ROUNDS = 2000, 15
Row = dict[str, float]


def tables(draw: np.random.Generator) -> list[Row]:
    """Rows of 20 numbers."""
    columns = [f"column {i}" for i in range(20)]
    return [dict(zip(columns, map(float, row), strict=True)) for row in draw.normal(size=(ROWS, 20))]


def bags(draw: np.random.Generator) -> list[Row]:
    """Rows of a hundred words out of twenty thousand."""
    words = [f"word{i}" for i in range(20_000)]
    rows = ({words[i]: 1.0 for i in draw.zipf(1.2, 400) % len(words)} for _ in range(ROWS))
    return [dict(list(row.items())[:100]) for row in rows]


def seconds(work: Callable[[], Any]) -> float:
    """The least CPU time of the work, per row."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times) / ROWS


def measure(make: Callable[[], Any], rows: list[Row], labels: list[bool]) -> tuple[float, float]:
    """Seconds to learn and to predict a row."""
    model = make()
    for x, y in zip(rows, labels, strict=True):
        model.learn_one(x, y)
    learning = seconds(lambda: [model.learn_one(x, y) for x, y in zip(rows, labels, strict=True)])
    return learning, seconds(lambda: [model.predict_proba_one(x) for x in rows])


def main() -> None:
    draw = np.random.default_rng(0)
    labels = (draw.random(ROWS) < 0.5).tolist()
    scaled = lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression()  # noqa: E731
    print(f"{'rows':<18}{'call':<20}{'River, us':>10}{'ours, us':>10}{'ratio':>8}")
    for name, rows, river in (
        ("20 numbers", tables(draw), scaled),
        ("100 sparse names", bags(draw), linear_model.LogisticRegression),
    ):
        theirs, ours = measure(river, rows, labels), measure(lambda: AWMSketch("32KiB"), rows, labels)
        for call, river_seconds, own_seconds in zip(("learn_one", "predict_proba_one"), theirs, ours, strict=True):
            ratio = river_seconds / own_seconds
            print(f"{name:<18}{call:<20}{river_seconds * 1e6:>10.2f}{own_seconds * 1e6:>10.2f}{ratio:>8.1f}")


if __name__ == "__main__":
    main()
