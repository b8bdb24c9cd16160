"""Four generated tables, of the kinds that streams have: skewed values, many values, numbers, missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

TABLES = ("skewed", "many", "numbers", "missing")


def table(name: str, n: int = 4000, seed: int = 5) -> pd.DataFrame:
    """Return a table whose column `slow` (0 or 1) has a cause in its other columns; `day` splits it in two."""
    draw = np.random.default_rng([seed, TABLES.index(name)])
    frame = pd.DataFrame({"day": draw.choice(["mon", "tue"], n)})

    def pick(values: int, power: float) -> Any:
        weights = 1 / np.arange(1, values + 1) ** power
        return draw.choice([f"v{i}" for i in range(values)], n, p=weights / weights.sum())

    frame["host"] = pick(12, 1.2) if name != "many" else pick(400, 0.6)
    frame["city"] = pick(5, 0.5)
    if name == "numbers":
        frame["load"] = draw.gamma(2.0, 10.0, n).round(2)
    if name == "missing":
        frame["city"] = frame["city"].where(draw.random(n) < 0.7)
    cause = (frame["host"] == "v1") & (frame["city"] == "v0")
    if name == "numbers":
        cause |= frame["load"] > 60
    frame["slow"] = ((draw.random(n) < 0.05) | (cause & (draw.random(n) < 0.6))).astype(float)
    moved = (frame["day"] == "tue") & (draw.random(n) < 0.2)
    frame.loc[moved, "host"] = "v2"
    return frame
