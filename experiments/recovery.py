"""How well a method recovers the heaviest weights: the paper's relative error (section "Recovery Error Comparison")."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from wmsketch.results.top_error import TopError


def relative_error(keys: ArrayLike, weights: ArrayLike, true_weights: ArrayLike, k: int) -> float:
    """Return RelErr(w^K, w*) = |w^K - w*| / |w*^K - w*|, at best 1.

    `keys` and `weights` are a method's own answer, at most `k` features, each once; every other weight of w^K is zero.
    `true_weights` is w*, the unlimited model's whole weight vector, indexed by key; w*^K is its `k` heaviest entries.

    >>> relative_error([0, 1], [3.0, 2.0], [3.0, 2.0, 1.0], k=2)
    1.0
    >>> relative_error([0, 2], [3.0, 1.0], [3.0, 2.0, 1.0], k=2)
    2.0
    """
    error, n_keys, n_weights = TopError(true_weights), len(np.asarray(keys)), len(np.asarray(weights))
    if n_keys != n_weights or n_keys > k:
        raise ValueError(f"keys and weights must be equally long and at most k={k}, got {n_keys} and {n_weights}")
    if not 0 <= k < error.n_nonzero:
        raise ValueError(f"k must be below the {error.n_nonzero} non-zero weights of the true model, got {k}")
    return error.at(keys, weights, [k])[k]
