"""Every learner, small enough for collisions and evictions, and streams to learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import wmsketch
from wmsketch.learners.models.base import OnlineClassifier

Make = Callable[..., OnlineClassifier]

EVERY_LEARNER: dict[str, Make] = {
    "AWMSketch": lambda **p: wmsketch.AWMSketch("1KiB", **p),
    "AWMSketch-plain": lambda **p: wmsketch.AWMSketch("1KiB", step="plain", eviction="paper", **p),
    "AWMSketch-drop": lambda **p: wmsketch.AWMSketch("1KiB", step="plain", eviction="drop", **p),
    "AWMSketch-deep": lambda **p: wmsketch.AWMSketch(step="plain", depth=3, width=64, active_set_size=24, **p),
    "AWMSketch-adaptive-heap": lambda **p: wmsketch.AWMSketch(
        width=64, active_set_size=24, active_set="exact", eviction="drop", **p
    ),
    "AWMSketch.paper": lambda **p: wmsketch.AWMSketch.paper("1KiB", **p),
    "MulticlassAWMSketch": lambda **p: wmsketch.MulticlassAWMSketch("1200B", **p),
    "MulticlassAWMSketch-drawn": lambda **p: wmsketch.MulticlassAWMSketch("1200B", negatives=1, **p),
    "WMSketch": lambda **p: wmsketch.WMSketch("1KiB", **p),
    "WMSketch-exact": lambda **p: wmsketch.WMSketch(
        depth=2, width=64, active_set_size=16, active_set="exact", averaged=True, project=5.0, **p
    ),
    "WMSketch-adaptive": lambda **p: wmsketch.WMSketch("1KiB", step="adaptive", **p),
    "FeatureHashing": lambda **p: wmsketch.FeatureHashing("1KiB", **p),
    "FeatureHashing-adaptive": lambda **p: wmsketch.FeatureHashing("1KiB", step="adaptive", **p),
    "LogisticRegression": lambda **p: wmsketch.LogisticRegression(**p),
    "LogisticRegression-adaptive": lambda **p: wmsketch.LogisticRegression(step="adaptive", **p),
    "SimpleTruncation": lambda **p: wmsketch.SimpleTruncation("1KiB", **p),
    "SimpleTruncation-adaptive": lambda **p: wmsketch.SimpleTruncation("1KiB", step="adaptive", **p),
    "ProbabilisticTruncation": lambda **p: wmsketch.ProbabilisticTruncation("1KiB", **p),
    "ProbabilisticTruncation-quotient": lambda **p: wmsketch.ProbabilisticTruncation("1KiB", priority="quotient", **p),
    "SpaceSavingFrequent": lambda **p: wmsketch.SpaceSavingFrequent("1KiB", **p),
    "SpaceSavingFrequent-all": lambda **p: wmsketch.SpaceSavingFrequent("1KiB", newcomers="all", **p),
    "Mission": lambda **p: wmsketch.Mission("1KiB", **p),
    "Bear": lambda **p: wmsketch.Bear("1KiB", **p),
    "CountMinFrequent": lambda **p: wmsketch.CountMinFrequent("1KiB", **p),
    "CountMinFrequent-adaptive": lambda **p: wmsketch.CountMinFrequent("1KiB", step="adaptive", **p),
}

# Few cells and few places, so that keys collide and are evicted all the time: what the oracles are compared with.
BASELINE_SHAPES: dict[str, dict[str, Any]] = {
    "LogisticRegression": {},
    "FeatureHashing": {"width": 13},
    "SimpleTruncation": {"active_set_size": 7},
    "ProbabilisticTruncation": {"active_set_size": 7},
    "ProbabilisticTruncation, quotient": {"active_set_size": 7, "priority": "quotient"},
    "SpaceSavingFrequent": {"active_set_size": 7},
    "SpaceSavingFrequent, all": {"active_set_size": 7, "newcomers": "all"},
    "CountMinFrequent": {"active_set_size": 7, "depth": 3, "width": 13},
    "Mission": {"active_set_size": 7, "depth": 3, "width": 13},
}


def stream(n_rows: int = 400, n_features: int = 500, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows with 0 to 20 features of a skewed distribution, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    rows = [np.unique((n_features * rng.random(rng.integers(0, 20)) ** 3).astype(np.int32)) for _ in range(n_rows)]
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    indices = np.concatenate(rows)
    data = rng.normal(size=len(indices)).astype(np.float32)
    X = sp.csr_matrix((data, indices, indptr), shape=(n_rows, n_features))
    return X, X @ rng.normal(size=n_features) + 0.1 * rng.normal(size=n_rows) > 0


def as_dicts(X: sp.csr_matrix, prefix: str | None = None) -> list[dict[Any, float]]:
    """The rows as mappings from column, or from a name made of it."""
    return [
        {(f"{prefix}{i}" if prefix else int(i)): float(v) for i, v in zip(X.indices[a:b], X.data[a:b], strict=True)}
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


def state(model: OnlineClassifier) -> dict[str, bytes]:
    """The whole learned state, as bytes."""
    return {name: array.tobytes() for name, array in model._learner().state().items()}
