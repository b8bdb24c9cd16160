"""How a model has fared on its stream: every example is predicted before it is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.models.outcomes import Outcomes, majority_error
from wmsketch.records import StreamRecord

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
    def error_rate_(self) -> float:
        """Online error: mistakes over examples."""
        return self._mistakes() / max(1, self._n_scored())

    @property
    def log_loss_(self) -> float:
        """Mean logistic loss of the predictions made before learning."""
        return float(self._learner().progress[4]) / max(1, self._n_scored())

    @property
    def record_(self) -> StreamRecord:
        """All that is known of the predictions made before learning, and of the rows: a snapshot.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"rain": 1.0}, {"sun": 1.0}, {"sun": 1.0}, {"sun": 1.0}], [True, False, False, False])
        >>> model.record_.majority_error_rate, model.record_.label_counts
        (0.25, {False: 3, True: 1})
        """
        counts, outcomes = self._label_counts(), self._outcomes()
        return StreamRecord(
            examples=self.n_seen_,
            features_seen=self._features_seen(),
            mistakes=self._mistakes(),
            error_rate=self.error_rate_,
            log_loss=self.log_loss_,
            majority_error_rate=majority_error(list(counts.values())),
            label_counts=counts,
            auc=outcomes.auc,
            predicted_rate=outcomes.predicted_rate,
            observed_rate=outcomes.observed_rate,
            names_shortened=self._learner().names_shortened,
        )

    def _features_seen(self) -> int:
        return int(self._learner().progress[2])

    def _mistakes(self) -> int:
        return int(self._learner().progress[3])

    def _label_counts(self) -> dict[Any, int]:
        n_seen, n_positive, *_ = self._learner().progress
        return dict(zip(self._labels.classes, (n_seen - n_positive, n_positive), strict=True))

    def _outcomes(self) -> Outcomes:
        return Outcomes(*self._learner().outcomes)

    def _report_bytes(self) -> int:
        """Bytes of the report that the outcomes come from: fixed, and no part of `nbytes`."""
        return int(_core.Learner.report_bytes)

    def _n_scored(self) -> int:
        """How many examples were predicted before they were learned."""
        return self.n_seen_
