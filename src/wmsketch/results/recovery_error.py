"""How well a model recovers the heaviest weights of the unlimited model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.baselines import LogisticRegression
from wmsketch.learners.models.introspection import has_learned, name_seed_of, native_of

_ALL = 1 << 31  # more features than a few rows have


class RecoveryError:
    """The paper's RelErr (section 7.2) relative to an unlimited model that learned the same rows by the same rule.

    RelErr at K is ``||w_K - w*|| / ||w*_K - w*||``: w_K holds the K heaviest of the model's estimates for all features
    that the unlimited model has seen, w*_K the K heaviest true weights. 1 is perfect.

    >>> reference, model = LogisticRegression(), LogisticRegression()
    >>> for learner in (reference, model):
    ...     learner.learn_many([{1: 1.0, 2: 0.5}], [True])
    >>> RecoveryError(reference).at(model, [1])
    {1: 1.0}
    """

    def __init__(self, reference: LogisticRegression) -> None:
        native = native_of(reference)
        # a model that holds its first rows has no arrays yet, but answers questions
        keys = native.state()["keys"] if native.decided else [key for key, *_ in native.top(_ALL)]
        self._keys = np.asarray(keys, dtype=np.uint32)
        self._weights = reference.weights(self._keys)
        self._named, self._name_seed = native_of(reference).named, name_seed_of(reference)
        self._mass = float(self._weights @ self._weights)

    @property
    def n_features(self) -> int:
        """Distinct features of the stream."""
        return len(self._keys)

    def at(self, model: OnlineClassifier, sizes: Sequence[int]) -> dict[int, float]:
        """Return RelErr for each K; nan if K is the number of features or more."""
        if has_learned(model) and self._named and name_seed_of(model) != self._name_seed:
            raise ValueError("cannot compare: the two models hash names with different seeds")
        estimates = model.weights(self._keys)
        chosen, best = _heaviest_first(estimates), _heaviest_first(self._weights)
        return {k: self._ratio(estimates, chosen[:k], best[:k]) for k in sizes}

    def _ratio(self, estimates: NDArray[np.float64], chosen: NDArray[np.intp], best: NDArray[np.intp]) -> float:
        missed = self._mass - float(np.sum(self._weights[chosen] ** 2))
        wrong = float(np.sum((estimates[chosen] - self._weights[chosen]) ** 2))
        least = self._mass - float(np.sum(self._weights[best] ** 2))
        if len(best) >= len(self._keys) or least <= 1e-12 * self._mass:
            return float("nan")
        return float(np.sqrt(max(least, missed + wrong) / least))


def _heaviest_first(weights: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.argsort(-np.abs(weights), kind="stable")
