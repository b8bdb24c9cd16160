"""The River side of a learner: one dict at a time, or many rows as they come."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from wmsketch import _core
from wmsketch.learners.inputs import Rows, as_rows, as_seconds, as_times, as_weights, row_has_names, rows_have_names
from wmsketch.learners.labels import Labels
from wmsketch.learners.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = Any  # a mapping from feature to value, or a list of (feature, value) pairs


class RiverProtocol:
    """New features may come at any time, and predicting before learning is fine."""

    if TYPE_CHECKING:
        _labels: Labels
        _labels_class: ClassVar[type[Labels]]
        _native: Any

        @property
        def _started(self) -> bool: ...
        @property
        def nbytes(self) -> int: ...
        def _start(self, *, named: bool, labels: Labels | None = None) -> None: ...
        def _learn_rows(
            self,
            rows: Rows,
            signs: NDArray[np.int8],
            weights: NDArray[np.float32] | None,
            times: NDArray[np.float64] | None,
        ) -> None: ...
        def _labels_of(self, margins: NDArray[np.float64]) -> NDArray[Any]: ...
        def _probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]: ...

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        _register_with_river(cls)
        return super().__new__(cls)

    def learn_one(self, x: Row, y: Any, w: float = 1.0, time: float | datetime | None = None) -> None:
        """Learn one example: a mapping from feature (string or integer) to value, or a list of such pairs.

        A string value makes the feature ``name=value``. Keys that stand twice are summed. ``w`` weighs the example.
        ``time`` says when it was, in seconds since 1970 or as a datetime, for a ``half_life`` that is a time: whatever
        was learned before fades by the time that has passed. A time before the latest one counts as the latest.
        """
        try:
            native, labels = self._native, self._labels
        except AttributeError:  # the first example
            labels = self._labels_class()
            sign = labels.sign(y)
            self._start(named=row_has_names(x), labels=labels)
            native = self._native
        else:
            sign = labels.sign(y)
        native.learn_row(x, sign, w, None if time is None else as_seconds(time))

    def learn_many(self, X: Any, y: Any, sample_weight: Any = None, times: Any = None) -> None:
        """Learn many rows in their order: the same bits as `learn_one` in a loop; arrays release the GIL."""
        rows = as_rows(X)
        labels = self._labels if self._started else self._labels_class()
        signs = labels.signs(y)
        if len(signs) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]} rows, y has {len(signs)}")
        weights, seconds = as_weights(sample_weight, rows.shape[0]), as_times(times, rows.shape[0])
        if not self._started:
            if rows.shape[0] == 0:
                return
            self._start(named=rows_have_names(rows), labels=labels)
        self._learn_rows(rows, signs, weights, seconds)

    def decision_function_one(self, x: Row) -> float:
        """Return the margin of one example; 0 before anything was learned.

        After `learn_one` this is the margin of the *next* row of the stream: with adaptive steps it leans on the base
        rate of the last rows, and so do all predictions named ``_one`` and ``_many``. After `learn_many`, `fit`,
        `partial_fit`, `merge` or loading a file, and always with `decision_function`, `predict` and `predict_proba`,
        it is that of rows in general: a finished model does not lean to where its stream happened to end.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> for label in ([True] * 50 + [False] * 50) * 20 + [True] * 50:  # labels come in runs
        ...     model.learn_one({"a": 1.0}, label)
        >>> model.predict_proba_one({"a": 1.0})[True] > 0.9  # the next row
        True
        >>> bool(0.4 < model.predict_proba([{"a": 1.0}])[0, 1] < 0.8)  # any row
        True
        """
        return self._native.margin_row(x) if self._started else 0.0

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Return the probability of each label."""
        positive = _core.sigmoid(self.decision_function_one(x))
        negative_label, positive_label = self._labels.classes if self._started else (False, True)
        return {negative_label: 1.0 - positive, positive_label: positive}

    def predict_one(self, x: Row) -> Any:
        """Return the label of one example; a margin of 0 counts as positive, as in the paper."""
        classes = self._labels.classes if self._started else (False, True)
        return classes[self.decision_function_one(x) >= 0]

    def _margins_many(self, X: Any) -> NDArray[np.float64]:
        rows = as_rows(X)
        if not self._started:
            return np.zeros(rows.shape[0])
        margins: NDArray[np.float64] = rows.margins(self._native)
        return margins if self._multiclass else margins + self._native.next_shift

    def predict_many(self, X: Any) -> Any:
        """Return the label of each row; of a pandas frame, as a series with the same index."""
        return _like_input(X, self._labels_of(self._margins_many(X)))

    def predict_proba_many(self, X: Any) -> Any:
        """Return the probability of each label, a column each; of a pandas frame, as a frame with the same index."""
        return _like_input(X, self._probabilities(self._margins_many(X)), self._known_labels())

    def _known_labels(self) -> list[Any]:
        return list(self._labels.classes if self._started else (False, True))

    _multiclass: ClassVar[bool] = False
    _supervised = True
    _is_stochastic = False  # seeded: the same stream gives the same model

    def _unit_test_skips(self) -> set[str]:
        """Of River's checks: after `learn_many` the next rows are as far away as the batch is long."""
        return {"check_learn_many_matches_learn_one"} if getattr(self, "step", "plain") == "adaptive" else set()

    @property
    def _tags(self) -> set[str]:
        return set()

    @property
    def _mutable_attributes(self) -> set[str]:
        return set()

    @property
    def _raw_memory_usage(self) -> int:
        return self.nbytes

    @property
    def _memory_usage(self) -> str:
        return f"{self.nbytes} B"


def _like_input(data: Any, values: NDArray[Any], columns: list[Any] | None = None) -> Any:
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, pandas.DataFrame):
        return values
    if columns is None:
        return pandas.Series(values, data.index)
    return pandas.DataFrame(values, index=data.index, columns=columns)


_registered: set[type] = set()


def _register_with_river(cls: type) -> None:
    """River asks isinstance: where it is loaded, its abstract classifiers take ours in."""
    if cls in _registered or "river.base" not in sys.modules:
        return
    from river.base import MiniBatchClassifier

    MiniBatchClassifier.register(cls)
    _registered.add(cls)
