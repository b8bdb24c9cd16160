"""Regression in the bytes of one AWM-Sketch: a number instead of a class."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from wmsketch import _core
from wmsketch.learners.models.awm import AWMModel
from wmsketch.learners.models.features import contributions_of, features_of_row
from wmsketch.learners.models.outcomes import Outcomes
from wmsketch.learners.protocols.options import NumberLoss
from wmsketch.learners.protocols.river_protocol import Row
from wmsketch.learners.rows.inputs import as_seconds
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.numbers import Numbers
from wmsketch.learners.sizes.shapes import Wanted
from wmsketch.records import Contributions

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _OfClasses:
    """An attribute of classifiers, which a regressor does not have."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} predicts numbers, and has no {self._name}")


@dataclass(eq=False, repr=False)
class AWMRegressor(AWMModel):
    """Learn to predict a number in a fixed number of bytes, and say which features raise or lower it.

    It is linear regression: `AWMSketch` with another loss. The target may have any scale and offset, because the model
    measures it in standard deviations from its mean; predictions and weights are in the units of the target. A residual
    counts as at most ten standard deviations, so that one absurd target does not decide a model.

    >>> model = AWMRegressor("8KiB")
    >>> for age in range(200):
    ...     model.learn_one({"age": age % 20, "kind": "diesel" if age % 2 else "petrol"}, 20_000 - 500 * (age % 20))
    >>> abs(model.predict_one({"age": 10, "kind": "diesel"}) - 15_000) < 300
    True
    >>> model.top(1)[0].feature, model.nbytes <= 8192
    ('age', True)

    Parameters
    ----------
    loss: ``"squared"`` predicts the mean, ``"absolute"`` the median, ``"poisson"`` the mean of counts: the logarithm of
        the prediction is linear then, and weights are logarithms of ratios.
    half_life: as for AWMSketch; the target's mean and deviation fade too.
    budget, depth, width, ... seed: as for AWMSketch.
    """

    _labels_class: ClassVar[type[Labels]] = Numbers
    _losses: ClassVar[tuple[str, ...]] = get_args(NumberLoss)
    _estimator_type = "regressor"
    _river_base: ClassVar[str] = "MiniBatchRegressor"
    _numeric: ClassVar[bool] = True

    loss: NumberLoss = field(default="squared", kw_only=True)  # type: ignore[assignment]
    class_weight: None = field(default=None, init=False)
    classes: None = field(default=None, init=False)

    # --- the native model ---

    def _wanted(self, named: bool, reserved: int) -> Wanted:
        return super()._wanted(named, reserved + _core.Regressor.target_bytes)

    @classmethod
    def _native_of(cls, config: dict[str, Any], named: bool, rules: _core.ColumnRules) -> Any:
        return _core.Regressor(_core.Config(**config), named, rules)

    def _number(self) -> _core.Regressor:
        native: Any = self._learner()
        return native  # type: ignore[no-any-return]

    def _has_labels(self, block: _core.RowBlock) -> bool:
        return block.has_targets

    def _labels_in(self, block: _core.RowBlock) -> Any:
        return block.targets

    def learn_one(self, x: Row, y: Any, w: float = 1.0, time: float | datetime | None = None) -> None:
        """Learn one example and its number; see `AWMSketch.learn_one`.

        >>> model = AWMRegressor("8KiB")
        >>> model.learn_one({"rooms": 3}, 120.0)
        >>> model.n_seen_
        1
        """
        target = self._labels_class().sign(y)
        if not self._started:
            self._learn_new(x, y, w, time)
            return
        try:
            self._native.learn_row(x, target, w, None if time is None else as_seconds(time))
        except _core.ShapeWanted:
            self._learn_new(x, y, w, time)

    def _right_answers(self, block: _core.RowBlock) -> NDArray[Any]:
        """Return the true answers to `_decision_function_block`: the targets."""
        return block.targets

    # --- predictions ---

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted number of each row.

        >>> X, y = [[0.0], [1.0], [2.0]] * 50, [1.0, 3.0, 5.0] * 50
        >>> AWMRegressor("8KiB").fit(X, y).predict([[1.5]]).round(1).tolist()
        [4.0]
        """
        return self._margins(X)

    def predict_one(self, x: Row) -> float:
        """Return the predicted number of one example; 0 before anything was learned.

        >>> AWMRegressor("8KiB").predict_one({"rooms": 3})
        0.0
        """
        return float(self._native.margin_row(x, self.follow)) if self._started else 0.0

    def predict_many(self, X: Any) -> Any:
        """Return the predicted number of each row; of a pandas frame, as a series with the same index.

        >>> AWMRegressor("8KiB").predict_many([{"rooms": 3}, {"rooms": 4}]).tolist()
        [0.0, 0.0]
        """
        return super().predict_many(X)

    def _margins_many(self, X: Any) -> NDArray[np.float64]:
        following, self.follow = self.follow, False
        try:
            numbers = super()._margins_many(X)
        finally:
            self.follow = following
        if not (following and self._started):
            return numbers
        shift = self._native.next_shift
        return numbers * math.exp(shift) if self.loss == "poisson" else numbers + shift

    def _labels_of(self, margins: NDArray[np.float64]) -> NDArray[Any]:
        return margins

    def calibrated(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the predictions as they are.

        >>> AWMRegressor("8KiB").calibrated([1.5])
        [1.5]
        """
        return margins

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R2 on these rows: the share of the target's variance that predictions explain.

        >>> X, y = [[0.0], [1.0], [2.0]] * 50, [1.0, 3.0, 5.0] * 50
        >>> AWMRegressor("8KiB").fit(X, y).score(X, y) > 0.99
        True
        """
        targets = self._labels_class().signs(np.asarray(y).ravel())
        errors = (targets - self.predict(X)) ** 2
        around = (targets - np.average(targets, weights=sample_weight)) ** 2
        spread = float(np.average(around, weights=sample_weight))
        error = float(np.average(errors, weights=sample_weight))
        return 1.0 - error / spread if spread > 0 else float(error == 0)

    # --- how it has fared ---

    @property
    def mae_(self) -> float:
        """Mean absolute error of the predictions made before learning; the first row has none.

        >>> model = AWMRegressor("8KiB")
        >>> model.learn_many([{"a": i % 5} for i in range(500)], [3.0 * (i % 5) for i in range(500)])
        >>> model.mae_ < model.baseline_mae_, model.r2_ > 0.9
        (True, True)
        """
        scored, absolute, *_ = self._number().errors
        return float(absolute / scored) if scored else math.nan

    @property
    def rmse_(self) -> float:
        """Root of the mean squared error of the predictions made before learning."""
        scored, _, squared, *_ = self._number().errors
        return math.sqrt(squared / scored) if scored else math.nan

    @property
    def baseline_mae_(self) -> float:
        """Mean absolute error of the running mean, or for absolute loss of the running median (an estimate)."""
        scored, _, _, baseline, _ = self._number().errors
        return float(baseline / scored) if scored else math.nan

    @property
    def r2_(self) -> float:
        """R2 of the predictions made before learning: 1 - their squared error over that of the running mean."""
        *_, squared, _, baseline = self._number().errors
        return 1.0 - squared / baseline if baseline else math.nan

    @property
    def target_(self) -> dict[str, float]:
        """Mean, standard deviation and median (an estimate) of the target, as of all rows learned."""
        _, mean, deviation, median = self._number().target
        return {"mean": mean, "deviation": deviation, "median": median}

    def _outcomes(self) -> Outcomes:
        return Outcomes()

    def _report_bytes(self) -> int:
        """Bytes of the report: 0, because the errors are part of `nbytes`."""
        return 0

    # --- questions ---

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of all columns, in units of the target per unit of the column; ``X @ coef_ + intercept_``."""
        return super().coef_[0]  # type: ignore[no-any-return]

    def explain_one(self, x: Row) -> Contributions:
        """Return what each feature of one example adds to its prediction, largest |contribution| first.

        With ``intercept`` the contributions add up to the prediction; for Poisson loss, to its logarithm.

        >>> model = AWMRegressor("8KiB")
        >>> model.learn_many([{"rooms": i % 4, "floor": i % 3} for i in range(600)], [i % 4 for i in range(600)])
        >>> model.explain_one({"rooms": 3, "floor": 0})[0].feature
        'rooms'
        """
        if not self._started:
            return Contributions([], 0.0, 0.0)
        native = self._learner()
        found = features_of_row(native, x)
        rows = contributions_of(found, native.weights(np.array(list(found), dtype=np.uint32)).tolist())
        predicted = native.margin_row(x)
        if self.loss == "poisson":
            predicted = math.log(predicted) if predicted > 0 else -math.inf
        return Contributions(rows, native.bias, predicted)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True, positive_only=self.loss == "poisson"),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(sparse=True),
        )

    predict_proba = _OfClasses()
    predict_log_proba = _OfClasses()
    predict_proba_one = _OfClasses()
    predict_proba_many = _OfClasses()
    decision_function = _OfClasses()
    decision_function_one = _OfClasses()
    classes_ = _OfClasses()
    record_ = _OfClasses()
    error_rate_ = _OfClasses()
    log_loss_ = _OfClasses()
