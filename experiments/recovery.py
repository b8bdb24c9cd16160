"""How well a method recovers the heaviest weights: the paper's relative error (section "Recovery Error Comparison")."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def relative_error(keys: ArrayLike, weights: ArrayLike, true_weights: ArrayLike, k: int) -> float:
    """Return RelErr(w^K, w*) = |w^K - w*| / |w*^K - w*|, at best 1.

    `keys` and `weights` are a method's own answer, at most `k` features, each once; every other weight of w^K is zero.
    `true_weights` is w*, the unlimited model's whole weight vector, indexed by key; w*^K is its `k` heaviest entries.

    >>> relative_error([0, 1], [3.0, 2.0], [3.0, 2.0, 1.0], k=2)
    1.0
    >>> relative_error([0, 2], [3.0, 1.0], [3.0, 2.0, 1.0], k=2)
    2.0
    """
    keys, weights = np.asarray(keys, np.int64), np.asarray(weights, np.float64)
    truth = np.asarray(true_weights, np.float64)
    if keys.shape != weights.shape or len(keys) > k:
        raise ValueError(f"keys and weights must be equally long and at most k={k}, got {len(keys)} and {len(weights)}")
    if len(np.unique(keys)) < len(keys):
        raise ValueError("keys must name each feature once")
    if not 0 <= k < np.count_nonzero(truth):
        raise ValueError(f"k must be below the {np.count_nonzero(truth)} non-zero weights of the true model, got {k}")
    squares = np.square(truth)
    missed = squares.sum() - squares[keys].sum() + np.square(weights - truth[keys]).sum()
    smallest = np.partition(squares, len(squares) - k)[: len(squares) - k].sum()
    return float(np.sqrt(missed / smallest))
