"""Generated streams with known weights; no file is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 1


def weighted_stream(
    n_rows: int, n_features: int, per_row: int, n_heavy: int, strength: float, seed: int, exponent: float = 1.1
) -> tuple[Any, NDArray[np.bool_], NDArray[np.float64]]:
    """Return rows, labels and the true weights: the label is +1 with probability sigmoid(w.x).

    Features are drawn from a power law. `n_heavy` of them, common and rare ones, have the weight +-`strength`; the
    others have none. Values are equal and the l1 norm of each row is at most one: gamma = 1 in the theorems.

    >>> X, y, weights = weighted_stream(100, 50, per_row=5, n_heavy=10, strength=2.0, seed=0)
    >>> X.shape, y.shape, int((weights != 0).sum()), float(abs(X).sum(axis=1).max()) <= 1.000001
    ((100, 50), (100,), 10, True)
    """
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(seed)
    share = np.arange(1.0, n_features + 1) ** -exponent
    drawn = rng.choice(n_features, size=(n_rows, per_row), p=share / share.sum())
    drawn.sort(axis=1)
    first = np.ones_like(drawn, dtype=bool)
    first[:, 1:] = drawn[:, 1:] != drawn[:, :-1]  # a feature counts once in a row
    starts = np.concatenate([[0], np.cumsum(first.sum(axis=1))]).astype(np.int32)
    values = np.full(int(starts[-1]), 1.0 / per_row, np.float32)
    X = csr_matrix((values, drawn[first].astype(np.int32), starts), shape=(n_rows, n_features))
    weights = np.zeros(n_features)
    # evenly over the logarithm of the rank, so that heavy does not mean frequent
    ranks = np.unique(np.geomspace(2, n_features, 4 * n_heavy).astype(int) - 1)
    weights[rng.choice(ranks, n_heavy, replace=False)] = strength * rng.choice([-1.0, 1.0], n_heavy)
    y = rng.random(n_rows) < 1.0 / (1.0 + np.exp(-(X @ weights)))
    return X, y, weights


def generated() -> tuple[Any, NDArray[np.bool_]]:
    """A stream of 40,000 rows over 50,000 features in rows of norm 1, 400 of them heavy."""
    X, y, _ = weighted_stream(40_000, 50_000, per_row=40, n_heavy=400, strength=60.0, seed=11)
    _make_length_one(X)
    return X, y


def planted() -> tuple[Any, NDArray[np.bool_], NDArray[np.float64]]:
    """A stream of 60,000 rows over 20,000 features in rows of norm 1, and its true weights.

    128 weights are not zero; the heaviest is 8 times the lightest; common and rare features are equally likely.
    """
    X, _, weights = weighted_stream(60_000, 20_000, per_row=30, n_heavy=128, strength=1.0, seed=12)
    _make_length_one(X)
    draw = np.random.default_rng(13)
    weights[weights != 0] *= draw.permutation(np.geomspace(4.0, 32.0, 128))
    return X, draw.random(X.shape[0]) < 1.0 / (1.0 + np.exp(-(X @ weights))), weights


def _make_length_one(X: Any) -> None:
    lengths = np.sqrt(np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.data**2))
    X.data = (X.data / np.repeat(lengths, np.diff(X.indptr))).astype(np.float32)


STREAMS: dict[str, Callable[[], tuple[Any, NDArray[np.bool_]]]] = {"generated": generated}
