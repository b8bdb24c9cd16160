"""The weights that minimise the loss over all rows: the paper's w*, from scikit-learn's liblinear."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch import _core
from wmsketch._core import RowBlock
from wmsketch.learners.rows.learned_schema import SchemaColumn

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)  # scikit-learn's C
HELD_OUT = 5  # one row in this many is held out to choose the penalty


@dataclass(frozen=True)
class BatchOptimum:
    """The weight of each feature, and how the penalty was found."""

    keys: NDArray[np.int64]
    weights: NDArray[np.float64]
    c: float
    held_out_error: float


def require_scikit_learn() -> None:
    """Raise an error if scikit-learn is missing, before rows are read."""
    try:
        import sklearn  # noqa: F401
    except ImportError as missing:
        text = "the batch optimum needs it (pip install scikit-learn)"
        raise ModuleNotFoundError(text, name="scikit-learn") from missing


def batch_optimum(X: Any, y: NDArray[np.bool_], weights: NDArray[np.float32] | None = None) -> BatchOptimum:
    """Return the minimiser of the logistic loss of all rows with an L2 penalty.

    The penalty is chosen by the error on a held-out fifth of the rows, drawn at random: from the strongest on, until
    the next one has more errors. Then all rows are learned.

    >>> draw = np.random.default_rng(0)
    >>> X = draw.normal(size=(500, 20))
    >>> optimum = batch_optimum(X, X[:, 3] - 2 * X[:, 7] > 0)
    >>> [int(key) for key in optimum.keys[np.argsort(-abs(optimum.weights))[:2]]]
    [7, 3]
    """
    require_scikit_learn()
    if len(np.unique(y)) < 2:
        raise ValueError("the batch optimum needs rows of both labels")
    held = np.random.default_rng(0).permutation(len(y)) % HELD_OUT == 0
    if len(np.unique(y[~held])) < 2 or not held.any():
        raise ValueError(f"the batch optimum needs more than {len(y)} rows")
    given = np.ones(len(y), np.float32) if weights is None else weights
    best, least = PENALTIES[0], 1.0
    for c in PENALTIES:
        model = _fitted(c, X[~held], y[~held], given[~held])
        error = float(np.average(model.predict(X[held]) != y[held], weights=given[held] + 1e-12))
        if error > least:
            break
        if error < least:
            best, least = c, error
    final = _fitted(best, X, y, given)
    return BatchOptimum(np.arange(X.shape[1]), final.coef_[0].astype(np.float64), best, least)


def _fitted(c: float, X: Any, y: NDArray[np.bool_], weights: NDArray[np.float32]) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, solver="liblinear", tol=1e-3, max_iter=1000).fit(X, y, sample_weight=weights)


class GatheredRows:
    """All rows of a stream in memory, by the keys of their features; names are hashed under ``name_seed``."""

    def __init__(self, name_seed: int | None = None) -> None:
        self._name_seed = name_seed
        self._keys: list[NDArray[np.uint32]] = []
        self._values: list[NDArray[np.float32]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._labels: list[NDArray[np.int8]] = []
        self._weights: list[NDArray[np.float32]] = []

    def add(self, block: RowBlock) -> None:
        """Store a copy of the block's rows."""
        self._keys.append(block.keys.copy())
        self._values.append(block.values.copy())
        self._lengths.append(np.diff(block.starts))
        self._labels.append(block.labels.copy())
        self._weights.append(block.weights.copy() if len(block.weights) else np.ones(len(block), np.float32))

    def optimum(self, columns: Iterable[SchemaColumn] = ()) -> BatchOptimum:
        """Return the batch optimum; numbers of a table are standardised, as in models."""
        from scipy.sparse import csr_matrix

        keys, values = np.concatenate(self._keys), np.concatenate(self._values).astype(np.float64)
        for column in columns:
            if column.mean is not None:
                of_column = keys == _core.key_of(column.name, self._name_seed)
                values[of_column] = (values[of_column] - column.mean) / (column.deviation or 1.0)
        known, places = np.unique(keys, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(np.concatenate(self._lengths))])
        X = csr_matrix((values, places, starts), shape=(len(starts) - 1, len(known)))
        X.sum_duplicates()
        found = batch_optimum(X, np.concatenate(self._labels) > 0, np.concatenate(self._weights))
        return BatchOptimum(known.astype(np.int64), found.weights, found.c, found.held_out_error)
