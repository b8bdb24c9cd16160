"""Rows one at a time, as dicts: `learn_one` and `predict_proba_one` beside River, in one run.

    python -m benchmarks.bench_rows

Rows of 10 and 100 words are compared with River's LogisticRegression, and tables of numbers and texts with its
pipeline that scales the numbers and makes a feature of each text. The result is CPU time, the best of several rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from river import compose, linear_model, preprocessing

from wmsketch import AWMSketch

ROWS, ROUNDS = 2000, 10
Row = dict[str, Any]


def tables(draw: np.random.Generator, n: int) -> list[Row]:
    """Rows of n columns: a third of them floats, a third integers, a third texts."""
    texts = [f"value {i}" for i in range(12)]
    values = (
        lambda: float(draw.normal()),
        lambda: int(draw.integers(1000)),
        lambda: texts[draw.integers(len(texts))],
    )
    columns = [f"column {i}" for i in range(n)]
    return [{column: values[i % 3]() for i, column in enumerate(columns)} for _ in range(ROWS)]


def bags(draw: np.random.Generator, n: int) -> list[Row]:
    """Rows of n words out of twenty thousand."""
    words = [f"word{i}" for i in range(20_000)]
    rows = (dict.fromkeys((words[i] for i in draw.zipf(1.2, 10 * n) % len(words)), 1) for _ in range(ROWS))
    return [dict(list(row.items())[:n]) for row in rows]


def columns_of_river() -> Any:
    numbers = compose.SelectType(float, int) | preprocessing.StandardScaler()
    texts = compose.SelectType(str) | preprocessing.OneHotEncoder()
    return (numbers + texts) | linear_model.LogisticRegression()


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
    print(f"{'rows':<18}{'call':<20}{'River, us':>10}{'ours, us':>10}{'ratio':>8}")
    for name, rows, river in (
        ("10 words", bags(draw, 10), linear_model.LogisticRegression),
        ("100 words", bags(draw, 100), linear_model.LogisticRegression),
        ("10 columns", tables(draw, 10), columns_of_river),
        ("100 columns", tables(draw, 100), columns_of_river),
    ):
        theirs, ours = measure(river, rows, labels), measure(lambda: AWMSketch("32KiB"), rows, labels)
        for call, river_seconds, own_seconds in zip(("learn_one", "predict_proba_one"), theirs, ours, strict=True):
            ratio = river_seconds / own_seconds
            print(f"{name:<18}{call:<20}{river_seconds * 1e6:>10.2f}{own_seconds * 1e6:>10.2f}{ratio:>8.1f}")


if __name__ == "__main__":
    main()
