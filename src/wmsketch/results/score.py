"""How well margins predict labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Any

from wmsketch.late import dataclass
from wmsketch.learners.models.outcomes import BINS, BINS_PER_UNIT, Outcomes, calibration, majority_error
from wmsketch.learners.rows.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class Score:
    """Counts mistakes and sums the logistic loss of predictions, block by block.

    >>> score = Score()
    >>> score.add(np.array([2.0, -1.0]), np.array([1, 1], dtype=np.int8))
    >>> score.examples, score.mistakes, round(score.log_loss, 3)
    (2, 1, 0.72)
    """

    examples: int = 0
    mistakes: int = 0
    loss_sum: float = 0.0
    label_counts: Counter[int] = field(default_factory=Counter)
    outcomes: Outcomes = field(default_factory=Outcomes)

    def add(self, margins: NDArray[np.float64], labels: NDArray[Any]) -> None:
        """Add predictions and the true labels (-1 or +1).

        For multiclass: a row of scores for each example, and the column of the true class. The column is -1 if the
        model does not know the class; this counts as a mistake, and its loss is that of the lowest score.
        """
        self.examples += len(labels)
        self.label_counts.update(np.asarray(labels).tolist())
        if margins.ndim == 2:
            self._add_classes(margins, labels)
            return
        self.mistakes += int(np.count_nonzero((margins >= 0) != (labels > 0)))
        self.loss_sum += float(np.logaddexp(0.0, -margins * labels).sum())
        self._add_outcomes(margins, labels > 0)

    def _add_outcomes(self, margins: NDArray[np.float64], positive: NDArray[np.bool_]) -> None:
        bins = np.clip(margins * BINS_PER_UNIT + BINS // 2, 0, BINS - 1).astype(np.int64)
        before, counts = self.outcomes, [np.bincount(bins[which], minlength=BINS) for which in (~positive, positive)]
        self.outcomes = Outcomes(
            before.examples + len(margins),
            before.predicted + float(np.exp(-np.logaddexp(0.0, -margins)).sum()),
            (np.asarray(before.negatives) + counts[0]).tolist(),
            (np.asarray(before.positives) + counts[1]).tolist(),
        )

    def _add_classes(self, scores: NDArray[np.float64], columns: NDArray[Any]) -> None:
        if not len(columns):
            return
        best = scores.max(axis=1)
        right = np.where(columns >= 0, scores[np.arange(len(columns)), columns], scores.min(axis=1))
        self.mistakes += int(np.count_nonzero(scores.argmax(axis=1) != columns))
        self.loss_sum += float((np.log(np.exp(scores - best[:, None]).sum(axis=1)) + best - right).sum())

    @property
    def error_rate(self) -> float:
        return self.mistakes / self.examples if self.examples else float("nan")

    @property
    def log_loss(self) -> float:
        return self.loss_sum / self.examples if self.examples else float("nan")

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "examples": self.examples,
            "mistakes": self.mistakes,
            "error_rate": self.error_rate,
            "log_loss": self.log_loss,
            "majority_error_rate": majority_error(list(self.label_counts.values())),
            **({"negatives": self.label_counts[-1], "positives": self.label_counts[1]} if self._two else {}),
            **(calibration(self.outcomes) if self._two else {}),
        }

    @property
    def _two(self) -> bool:
        return self.outcomes.examples == self.examples > 0
