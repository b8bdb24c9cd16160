"""How well a method's heaviest features agree with a w* that does not come from an online learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well the K heaviest features of a method agree with w*.

    ``recall`` is the share of the K heaviest of w* that are among them. ``sign_errors`` is, of those with a weight in
    w*, the share with the opposite sign. ``rank_correlation`` is Spearman's, of |weight| over the K heaviest of w*; a
    feature that the method does not list has weight 0.
    """

    recall: float
    sign_errors: float
    rank_correlation: float


class TopAgreement:
    """Compares answers with one w*: the batch optimum, or the weights behind generated rows.

    RelErr (`TopError`) compares with the method's own rule without a limit. It measures the cost of the bytes, not
    whether that rule finds the truth: a learner that hardly moves is easy to follow.

    >>> agreement = TopAgreement([7, 8, 9], [3.0, -2.0, 1.0])
    >>> agreement.at([8, 9], [1.0, 0.5], [2])
    {2: Agreement(recall=0.5, sign_errors=0.5, rank_correlation=-1.0)}
    """

    def __init__(self, keys: ArrayLike, true_weights: ArrayLike) -> None:
        keys, weights = np.asarray(keys, np.int64), np.asarray(true_weights, np.float64)
        if keys.shape != weights.shape:
            raise ValueError(f"keys and true_weights must be equally long, got {len(keys)} and {len(weights)}")
        order = np.argsort(-np.abs(weights), kind="stable")
        order = order[weights[order] != 0]
        self._keys, self._weights = keys[order], weights[order]  # heaviest first
        self._known = dict(zip(self._keys.tolist(), self._weights.tolist(), strict=True))

    @property
    def n_nonzero(self) -> int:
        """The number of nonzero weights of w*."""
        return len(self._keys)

    def at(self, keys: ArrayLike, weights: ArrayLike, sizes: Sequence[int]) -> dict[int, Agreement]:
        """Return the agreement of an answer, heaviest first, for each K; nan if w* has fewer than K weights."""
        keys, weights = np.asarray(keys, np.int64), np.asarray(weights, np.float64)
        return {k: self._at(keys[:k], weights[:k], k) for k in sizes}

    def _at(self, keys: NDArray[np.int64], weights: NDArray[np.float64], k: int) -> Agreement:
        if k > self.n_nonzero:
            return Agreement(float("nan"), float("nan"), float("nan"))
        named = {key: weight for key, weight in zip(keys.tolist(), weights.tolist(), strict=True) if weight != 0}
        heaviest = self._keys[:k].tolist()
        signs = [weight * self._known[key] > 0 for key, weight in named.items() if key in self._known]
        answers = np.array([abs(named.get(key, 0.0)) for key in heaviest])
        return Agreement(
            recall=sum(key in named for key in heaviest) / k,
            sign_errors=signs.count(False) / len(signs) if signs else float("nan"),
            rank_correlation=_correlation(_ranks(answers), _ranks(np.abs(self._weights[:k]))),
        )


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean_ranks: NDArray[np.float64] = ends - (counts - 1) / 2
    return mean_ranks[place]


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")
