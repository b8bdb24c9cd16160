"""How well numbers are predicted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wmsketch.late import dataclass
from wmsketch.learners.models.introspection import features_seen_by, predicts_numbers
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.results.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch.learners.models.base import OnlineClassifier


@dataclass
class NumberScore:
    """Sums the errors of predicted numbers, block by block, and those of a baseline that is always the same number.

    >>> score = NumberScore(baseline=2.0)
    >>> score.add(np.array([1.0, 4.0]), np.array([1.0, 3.0]))
    >>> score.mae, score.baseline_mae, score.r2
    (0.5, 1.0, 0.5)
    """

    baseline: float = math.nan  # learned from other rows
    baseline_is: str = "mean"
    examples: int = 0
    absolute: float = 0.0
    squared: float = 0.0
    of_baseline: float = 0.0
    mean: float = 0.0  # of these targets
    spread: float = 0.0  # their sum of squared distances from it

    def add(self, predicted: NDArray[np.float64], targets: NDArray[np.float64]) -> None:
        """Add predictions and the true numbers."""
        n = len(targets)
        if not n:
            return
        self.absolute += float(np.abs(predicted - targets).sum())
        self.squared += float(((predicted - targets) ** 2).sum())
        self.of_baseline += float(np.abs(targets - self.baseline).sum())
        mean = float(targets.mean())
        apart, all_rows = mean - self.mean, self.examples + n
        self.spread += float(((targets - mean) ** 2).sum()) + apart**2 * self.examples * n / all_rows
        self.mean += apart * n / all_rows
        self.examples = all_rows

    @property
    def mae(self) -> float:
        """Mean absolute error."""
        return self.absolute / self.examples if self.examples else math.nan

    @property
    def rmse(self) -> float:
        """Root of the mean squared error."""
        return math.sqrt(self.squared / self.examples) if self.examples else math.nan

    @property
    def baseline_mae(self) -> float:
        """Mean absolute error of the baseline."""
        return self.of_baseline / self.examples if self.examples else math.nan

    @property
    def r2(self) -> float:
        """The share of the variance that is explained; nan if these targets do not differ."""
        return 1 - self.squared / self.spread if self.spread else math.nan

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "examples": self.examples,
            **known(mae=self.mae, rmse=self.rmse, r2=self.r2, baseline_mae=self.baseline_mae),
            "baseline": self.baseline_is,
        }


def score_for(model: OnlineClassifier) -> Any:
    """Return an empty score of what the model predicts: labels, or numbers, compared with their mean or median."""
    if not predicts_numbers(model):
        return Score()
    regressor: Any = model
    which = baseline_of(model)
    return NumberScore(regressor.target_[which] if regressor.__sklearn_is_fitted__() else math.nan, which)


def number_progress(model: Any) -> dict[str, Any]:
    """Return how a regressor has fared on its stream, each row predicted before it was learned."""
    return {
        "examples": model.n_seen_,
        "features_seen": features_seen_by(model),
        **known(mae=model.mae_, rmse=model.rmse_, r2=model.r2_, baseline_mae=model.baseline_mae_),
        "baseline": baseline_of(model),
        "target": model.target_,
    }


def baseline_of(model: Any) -> str:
    """Return what the baseline of a loss always predicts: the mean, or for absolute loss the median."""
    return "median" if model.loss == "absolute" else "mean"


def known(**numbers: float) -> dict[str, float | None]:
    """Return the numbers, None where they are not known.

    >>> known(r2=math.nan, mae=1.5)
    {'r2': None, 'mae': 1.5}
    """
    return {name: None if math.isnan(number) else number for name, number in numbers.items()}
