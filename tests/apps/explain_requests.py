"""Rows with a known cause, and exact counts of them."""

from __future__ import annotations

import numpy as np
import pandas as pd


def requests(n: int = 20_000, seed: int = 1) -> pd.DataFrame:
    """Requests are slow with a bad version, and slower on one of its hosts; cities and users do not matter."""
    draw = np.random.default_rng(seed)
    version = draw.choice(["1.0", "1.1", "2.0-bad"], n, p=[0.5, 0.4, 0.1])
    host = draw.choice([f"h{i}" for i in range(20)], n)
    slow = draw.random(n) < np.where(version == "2.0-bad", np.where(host == "h7", 0.95, 0.4), 0.05)
    return pd.DataFrame(
        {
            "version": version,
            "host": host,
            "city": draw.choice(["Rome", "Oslo", "Paris", "Lima"], n),
            "user": draw.integers(0, 5000, n).astype(str),
            "hour": draw.integers(0, 24, n),
            "size": draw.gamma(2.0, 100.0, n).round(2),
            "ms": np.where(slow, draw.uniform(500, 900, n), draw.uniform(1, 100, n)).round(1),
        }
    )


def exact(frame: pd.DataFrame, attributes: dict[str, str], slow: pd.Series) -> tuple[int, int]:
    has = np.logical_and.reduce([frame[column].astype(str) == value for column, value in attributes.items()])
    return int((has & slow).sum()), int((has & ~slow).sum())
