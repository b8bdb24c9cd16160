"""The scikit-learn side of a learner: fit, partial_fit, predict, and its rules about features and classes."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from wmsketch import _core
from wmsketch.learners.protocols.metadata_routing import MetadataRouting
from wmsketch.learners.rows.frames import column_names
from wmsketch.learners.rows.inputs import ColumnRows, Rows, as_times, as_weights, rows_have_names
from wmsketch.learners.rows.labels import Labels, is_missing
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.row_order import (
    can_take_rows,
    parts_of,
    take_rows,
    warn_of_other_order,
    warn_of_sorted_labels,
)
from wmsketch.learners.rows.settling import settle_by
from wmsketch.learners.rows.shuffled import passes_over
from wmsketch.learners.rows.whole_calls import whole_call
from wmsketch.learners.sizes.shipping import learned_large, passes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SklearnProtocol(MetadataRouting):
    """Strict about the number and the names of columns; `learn_many` is the lenient twin for streams."""

    _estimator_type = "classifier"

    if TYPE_CHECKING:
        passes: int | None
        half_life: Any
        follow: bool
        classes: Any
        _started_as: dict[str, Any]
        shuffle: bool | None
        _labels: Labels
        _labels_class: ClassVar[type[Labels]]
        _multiclass: ClassVar[bool]
        _numeric: ClassVar[bool]

        @property
        def _started(self) -> bool: ...
        def _start(self, *, named: bool, labels: Labels | None = None) -> None: ...
        def _learner(self) -> _core.Learner: ...
        def _as_rows(self, X: Any, *, to_learn: bool) -> Rows: ...
        def _fit_file(self, source: Any, label: str, positive: Any, shuffle: bool | None) -> Self: ...

        _learn_rows: Callable[..., None]

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        times: Any = None,
        shuffle: bool | None = None,
        label: str | None = None,
        positive: Any = None,
        ship_budget: int | str | None = None,
    ) -> Self:
        """Forget everything and learn these rows, ``passes`` times.

        They are shuffled anew for each pass, and few rows are learned up to ten times if no ``passes`` are given. They
        are learned in their order if the parameter ``shuffle`` is False, and where the order has a meaning: with
        ``times`` (as in `partial_fit`), ``half_life`` and ``follow``, and with plain steps, as in the paper.
        `partial_fit` always learns in order, once. The argument ``shuffle`` of this method will be gone in 0.3: it is a
        parameter of the constructor.

        With ``label``, X is a path, a frame or any source of `learn_file`, whose column ``label`` is to be predicted.
        Two values of it are two classes; the second in order is positive, unless ``positive`` says another. Rows
        without a label are left out with a warning, and so are columns that number the rows. Files and frames are
        shuffled, and small ones learned several times if no ``passes`` are given, unless ``shuffle`` is False.

        ``ship_budget`` is the size of the finished model: it learns in ``budget`` (16 MiB if there is none), is reduced
        to these bytes, which become its ``budget``, and learns all rows once more. That has fewer errors than learning
        in so few bytes.

        If the share of positive labels drifts, the intercept fits the last rows best. So at the end it is fitted to
        rows from the whole input, unless there are ``times``, weights of rows or classes, or a half-life.

        >>> from wmsketch import AWMSketch
        >>> rows, labels = [{"free": 1}, {"meeting": 1}] * 50, [True, False] * 50
        >>> AWMSketch().fit(rows, labels, ship_budget="1KiB").nbytes <= 1024
        True
        """
        if ship_budget is not None:
            with learned_large(self, ship_budget):
                return self.fit(X, y, sample_weight, times=times, shuffle=shuffle, label=label, positive=positive)
        if shuffle is None:
            shuffle = self.shuffle
        else:
            warnings.warn("shuffle is a parameter of the constructor now", DeprecationWarning, stacklevel=2)
        if label is not None:
            if any(each is not None for each in (y, sample_weight, times)):
                raise ValueError("label says which column is to be predicted: give X and label alone; see learn_file")
            return self._fit_file(X, label, positive, shuffle)
        if positive is not None:
            raise ValueError(f"positive needs label, the column that it is a value of; got {positive!r}")
        if shuffle and times is not None:
            raise ValueError("shuffle must not be True where rows have times: they are learned in the order of time")
        warn_of_other_order(X, y)
        with whole_call(self, anew=True):
            array = _column(y)
            labels = self._labels_to_fit(array)
            rows = self._rows(X, reset=True)
            signs = _signs(labels, array, rows)
            weights, seconds = as_weights(sample_weight, rows.shape[0]), as_times(times, rows.shape[0])
            if weights is not None and not np.any(weights):
                raise ValueError("sample_weight must hold a weight above zero, got only zeros")
            in_order = not shuffle if shuffle is not None else self._order_is_meant(times) or not can_take_rows(X)
            if in_order and shuffle is None and times is None and not self._numeric:
                warn_of_sorted_labels(array)
            self._start(named=rows_have_names(rows), labels=labels)
            passes = self.passes or (1 if in_order else passes_over(len(array), rows.n_values / max(1, len(array))))
            draw = np.random.default_rng(self._started_as["seed"])
            for _ in passes_of(self, passes):
                if in_order:
                    self._learn_rows(rows, signs, weights, seconds)
                    continue
                for part in parts_of(draw.permutation(len(array))):
                    again = rows.taken(part) if isinstance(rows, ColumnRows) else None
                    again = again or self._rows(take_rows(X, part), reset=False)
                    own = None if weights is None else weights[part]
                    self._learn_rows(again, _signs(labels, array[part], again), own, in_order=rows)
            if seconds is None and weights is None:
                settle_by(self, X, signs)
        return self

    def _order_is_meant(self, times: Any) -> bool:
        plain = getattr(self, "step", "plain") == "plain"
        return plain or times is not None or self.half_life is not None or self.follow

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, times: Any = None) -> Self:
        """Learn these rows too. ``classes`` is needed once, for labels other than booleans, 0/1 or -1/+1.

        ``times`` are those of the rows, for a ``half_life`` that is a time; see `learn_one`.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB").partial_fit([{"free": 1}, {"the": 1}], ["spam", "ham"], classes=["ham", "spam"])
        >>> model.partial_fit([{"free": 1}], ["spam"]).n_seen_
        3
        """
        warn_of_other_order(X, y)
        with whole_call(self):
            first = not self._started
            rows = self._rows(X, reset=not hasattr(self, "n_features_in_"))
            labels = self._new_labels(classes) if first else copy.copy(self._labels)
            signs = _signs(labels, _column(y), rows)
            weights, seconds = as_weights(sample_weight, rows.shape[0]), as_times(times, rows.shape[0])
            if first:
                self._start(named=rows_have_names(rows), labels=labels)
            self._learn_rows(rows, signs, weights, seconds)
            self._labels = labels
        return self

    def _new_labels(self, classes: Any = None) -> Labels:
        """The labels of a model that has seen none: those given here, else those of the constructor, if any."""
        return self._labels_class(self.classes if classes is None else classes)

    def _labels_to_fit(self, y: NDArray[Any]) -> Labels:
        if self._numeric:
            return self._new_labels()
        different = _different_labels(y)
        return self._labels_class.to_fit(different) if self.classes is None else self._new_labels()

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the margin of each row: positive means the second class.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.decision_function([{"free": 1}, {"the": 1}]) > 0
        array([ True, False])
        """
        return self._margins(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.predict([{"free": 1}, {"the": 1}]).tolist()
        [True, False]
        """
        return self._labels_of(self._margins(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of `classes_`.

        It is the logistic function of the calibrated margin, see `calibrated`.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.predict_proba([{"free": 1}, {"the": 1}]).round() @ [0, 1]  # of the second class
        array([1., 0.])
        """
        return self._probabilities(self._margins(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> bool((model.predict_log_proba([{"free": 1}]) < 0).all())
        True
        """
        return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on these rows.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.score([{"free": 1}, {"the": 1}], [True, False])
        1.0
        """
        return float(np.average(self.predict(X) == _column(y), weights=sample_weight))

    @property
    def classes_(self) -> NDArray[Any]:
        """The two labels, negative first."""
        self._learner()
        return np.asarray(self._labels.classes)

    def _margins(self, X: Any) -> NDArray[np.float64]:
        native = self._learner()
        return self._rows(X, reset=False, to_learn=False).margins(native)  # type: ignore[no-any-return]

    def _labels_of(self, margins: NDArray[np.float64]) -> NDArray[Any]:
        labels = self._labels if self._started else self._labels_class()
        return labels.restore(margins >= 0)

    def calibrated(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return log odds for margins: the margins times a positive number that is learned with the weights.

        It is 1 for learners without adaptive steps, like those of the paper.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB").calibrated(np.array([0.5]))
        array([0.5])
        """
        return margins * self._learner().calibration if self._started else margins

    def _probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        positive = probability(self.calibrated(margins))
        return np.column_stack([1.0 - positive, positive])

    def _rows(self, X: Any, *, reset: bool, to_learn: bool = True) -> Rows:
        """Recognise the rows; arrays and frames must have the columns of the first ones."""
        names = column_names(X)
        if reset:
            for name in ("n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)  # so that they are taken as columns
        rows = self._as_rows(X, to_learn=to_learn)
        n_columns = rows.shape[1] if names is None else len(names)
        if n_columns is None:
            return rows
        shape = (rows.shape[0], n_columns)
        if rows.shape[0] == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
        if n_columns == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        self._check_columns(names, n_columns, reset)
        return rows

    def _check_columns(self, names: list[str] | None, n_columns: int, reset: bool) -> None:
        model = type(self).__name__
        if reset:
            self.n_features_in_ = n_columns
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is None and hasattr(self, "n_features_in_"):
            warnings.warn(f"X has feature names, but {model} was fitted without feature names", stacklevel=4)
        if names is None and known is not None:
            raise ValueError(
                f"X does not have valid feature names, but {model} was fitted with feature names: give it a data frame "
                "or dicts with these columns, not an array"
            )
        if names is not None and known is not None and list(known) != names:
            raise ValueError(differing_names(sorted(set(names) - set(known)), sorted(set(known) - set(names))))
        if n_columns != getattr(self, "n_features_in_", n_columns):
            raise ValueError(
                f"X has {n_columns} features, but {model} is expecting {self.n_features_in_} features as input."
            )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=self._multiclass),
            input_tags=InputTags(sparse=True),
        )


def probability(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of the positive class.

    >>> probability(np.array([0.0])).tolist()
    [0.5]
    """
    return _core.sigmoids(np.ascontiguousarray(margins, dtype=np.float64))


def _signs(labels: Labels, array: NDArray[Any], rows: Rows) -> NDArray[np.int8]:
    if len(array) != rows.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {rows.shape[0]}, y has {len(array)}"
        )
    return labels.signs(array)


def _column(y: Any) -> NDArray[Any]:
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        problem = (
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,)."
        )
        warnings.warn(problem, _conversion_warning(), stacklevel=5)
        return array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    return array


def _conversion_warning() -> type[Warning]:
    if "sklearn" in sys.modules:
        from sklearn.exceptions import DataConversionWarning

        return DataConversionWarning  # type: ignore[no-any-return]
    return UserWarning


def _different_labels(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)):
            raise ValueError("Input y contains NaN or infinity. Leave out the rows without a label first.")
        if np.any(array != np.floor(array)):
            raise ValueError("Unknown label type: continuous. Labels must be classes, not real numbers.")
    missing = array.dtype == object and any(map(is_missing, array.tolist()))
    if missing:
        raise ValueError("Input y contains NaN or None. Leave out the rows without a label first.")
    try:
        return np.unique(array)
    except TypeError:  # what is missing has no order, nor have labels of several types
        kinds = sorted({type(label).__name__ for label in array})
        raise TypeError(f"y must hold labels of one type, and none that is missing, got {', '.join(kinds)}") from None


def differing_names(unseen: list[str], missing: list[str]) -> str:
    """scikit-learn's own words, because its users grep for them."""

    def listing(title: str, found: list[str]) -> str:
        return title + "".join(f"- {name}\n" for name in found[:5]) + ("- ...\n" if len(found) > 5 else "")

    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += listing("Feature names unseen at fit time:\n", unseen)
    if missing:
        message += listing("Feature names seen at fit time, yet now missing:\n", missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message
