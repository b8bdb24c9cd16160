"""The paper's relative error of a method's K heaviest weights (section "Recovery Error Comparison")."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


class TopError:
    """RelErr(w^K, w*) = |w^K - w*| / |w*^K - w*| for many answers and one w*, the unlimited model's weight vector.

    An answer is a list of features and weights, heaviest first; w^K holds its first K and is zero elsewhere.
    (`RecoveryError` asks a model for every feature instead.) 1 is perfect; nan if K is all weights of w* or more.

    >>> error = TopError([3.0, 2.0, 1.0])
    >>> error.at([0, 2], [3.0, 1.0], [1, 2])
    {1: 1.0, 2: 2.0}
    """

    def __init__(self, true_weights: ArrayLike) -> None:
        self._truth: NDArray[np.float64] = np.asarray(true_weights, np.float64)
        squares = np.sort(np.square(self._truth[self._truth != 0]))
        self._smallest = np.concatenate([[0.0], np.cumsum(squares)])  # of the n lightest weights
        self._mass = float(self._smallest[-1])

    @property
    def n_nonzero(self) -> int:
        """The number of nonzero weights of w*."""
        return len(self._smallest) - 1

    def at(self, keys: ArrayLike, weights: ArrayLike, sizes: Sequence[int]) -> dict[int, float]:
        """Return RelErr for each K."""
        keys, weights = np.asarray(keys, np.int64), np.asarray(weights, np.float64)
        if keys.shape != weights.shape:
            raise ValueError(f"keys and weights must be equally long, got {len(keys)} and {len(weights)}")
        if len(np.unique(keys)) < len(keys):
            raise ValueError("keys must be distinct")
        gains = np.square(weights - self._truth[keys]) - np.square(self._truth[keys])
        missed = self._mass + np.concatenate([[0.0], np.cumsum(gains)])
        return {k: self._ratio(float(missed[min(k, len(keys))]), k) for k in sizes}

    def _ratio(self, missed: float, k: int) -> float:
        if k >= self.n_nonzero:
            return float("nan")
        least = float(self._smallest[self.n_nonzero - k])
        return float(np.sqrt(max(missed, least) / least))
