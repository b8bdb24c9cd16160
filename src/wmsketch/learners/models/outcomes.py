"""How predictions compare with labels, and what an error has to be compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from wmsketch.late import dataclass

# Bins of margins around 0; the outer ones take all beyond (cpp/include/wmsketch/rule/outcomes.hpp).
BINS, BINS_PER_UNIT = 64, 4


@dataclass
class Outcomes:
    """Margins of predictions, counted by label in bins a quarter wide, and the sum of the predicted probabilities.

    >>> outcomes = Outcomes(4, 2.2, [0] * 31 + [2, 0] + [0] * 31, [0] * 32 + [1, 1] + [0] * 30)
    >>> outcomes.auc, outcomes.predicted_rate, outcomes.observed_rate
    (1.0, 0.55, 0.5)
    """

    examples: int = 0
    predicted: float = 0.0
    negatives: Sequence[int] = field(default_factory=lambda: [0] * BINS)
    positives: Sequence[int] = field(default_factory=lambda: [0] * BINS)

    @property
    def auc(self) -> float:
        """How likely a positive example has a higher margin than a negative one; two in one bin count half."""
        below = pairs = 0.0
        for negative, positive in zip(self.negatives, self.positives, strict=True):
            pairs += positive * (below + negative / 2)
            below += negative
        every = below * sum(self.positives)
        return pairs / every if every else math.nan

    @property
    def predicted_rate(self) -> float:
        """The mean of the predicted probabilities of the positive label."""
        return self.predicted / self.examples if self.examples else math.nan

    @property
    def observed_rate(self) -> float:
        """The share of positive labels among the same examples."""
        counted = sum(self.positives) + sum(self.negatives)
        return sum(self.positives) / counted if counted else math.nan


def majority_error(counts: Sequence[int]) -> float:
    """The error of always saying the commonest label.

    >>> majority_error([75, 25])
    0.25
    """
    return 1 - max(counts) / sum(counts) if any(counts) else math.nan


def calibration(outcomes: Outcomes) -> dict[str, float | None]:
    """How well predictions rank examples, and whether their probabilities are true; None where it is not known."""
    rates = {"auc": outcomes.auc, "predicted_rate": outcomes.predicted_rate, "observed_rate": outcomes.observed_rate}
    return {name: None if math.isnan(rate) else rate for name, rate in rates.items()}
