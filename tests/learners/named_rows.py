"""Rows with named columns, and the methods that learn from them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from wmsketch import AWMSketch, FeatureHashing, LogisticRegression, MulticlassAWMSketch, WMSketch
from wmsketch.learners.models.base import OnlineClassifier

Row = dict[str, Any]
METHODS: dict[str, Callable[..., OnlineClassifier]] = {
    "awm": lambda **p: AWMSketch("8KiB", **p),
    "wm": lambda **p: WMSketch("8KiB", **p),
    "hash": lambda **p: FeatureHashing("8KiB", **p),
    "lr": lambda **p: LogisticRegression(**p),
    "multiclass": lambda **p: MulticlassAWMSketch("8KiB", **p),
}

TABLE = [{"a": float(i * i % 7), "b": "xyz"[i % 3], "c": i % 2 == 0} for i in range(40)]
LABELS = [i % 3 == 0 for i in range(40)]


def bags(n: int, seed: int = 0) -> tuple[list[Row], list[bool]]:
    draw = random.Random(seed)
    rows: list[Row] = [
        {f"w{int(300 * draw.random() ** 2)}": float(draw.randrange(1, 4)) for _ in range(6)} for _ in range(n)
    ]
    return rows, ["w0" in row or "w1" in row or "w2" in row for row in rows]
