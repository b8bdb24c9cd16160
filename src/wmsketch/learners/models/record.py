"""How a model has fared on its stream: every example is predicted before it is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.models.outcomes import Outcomes, majority_error

if TYPE_CHECKING:
    from wmsketch.learners.rows.labels import Labels


class Record:
    """Examples, mistakes and losses so far, and those of a baseline without features."""

    if TYPE_CHECKING:
        _labels: Labels

        def _learner(self) -> _core.Learner: ...

    @property
    def n_seen_(self) -> int:
        """Examples learned (those of weight zero do not count)."""
        return int(self._learner().progress[0])

    @property
    def features_seen_(self) -> int:
        return int(self._learner().progress[2])

    @property
    def mistakes_(self) -> int:
        """Wrong predictions, each made before its example was learned."""
        return int(self._learner().progress[3])

    @property
    def error_rate_(self) -> float:
        """Online error: mistakes over examples."""
        return self.mistakes_ / max(1, self._n_scored())

    @property
    def log_loss_(self) -> float:
        """Mean logistic loss of the predictions made before learning."""
        return float(self._learner().progress[4]) / max(1, self._n_scored())

    @property
    def label_counts_(self) -> dict[Any, int]:
        """How many examples of each label were learned."""
        n_seen, n_positive, *_ = self._learner().progress
        return dict(zip(self._labels.classes, (n_seen - n_positive, n_positive), strict=True))

    @property
    def majority_error_rate_(self) -> float:
        """What the online error has to be compared with: the error of always saying the commoner label.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"rain": 1.0}, {"sun": 1.0}, {"sun": 1.0}, {"sun": 1.0}], [True, False, False, False])
        >>> model.majority_error_rate_, model.label_counts_
        (0.25, {False: 3, True: 1})
        """
        return majority_error(list(self.label_counts_.values()))

    @property
    def auc_(self) -> float:
        """Area under the ROC curve of the predictions made before learning, from margins in bins a quarter wide."""
        return self._outcomes().auc

    @property
    def predicted_rate_(self) -> float:
        """The mean of the probabilities predicted before learning; near `observed_rate_` if they are calibrated."""
        return self._outcomes().predicted_rate

    @property
    def observed_rate_(self) -> float:
        """The share of positive labels among the examples that `predicted_rate_` is of."""
        return self._outcomes().observed_rate

    def _outcomes(self) -> Outcomes:
        return Outcomes(*self._learner().outcomes)

    @property
    def report_bytes(self) -> int:
        """Bytes of the report that `auc_` and `predicted_rate_` come from: fixed, and no part of `nbytes`."""
        return int(_core.Learner.report_bytes)

    def _n_scored(self) -> int:
        """How many examples were predicted before they were learned."""
        return self.n_seen_
