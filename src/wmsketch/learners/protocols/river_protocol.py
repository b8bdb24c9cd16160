"""The River side of a learner: one dict at a time, or many rows as they come."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from wmsketch import _core
from wmsketch.learners.rows.frames import column_names
from wmsketch.learners.rows.inputs import (
    Rows,
    as_seconds,
    as_times,
    as_weights,
    row_has_names,
    rows_have_names,
)
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.row_order import warn_of_other_order
from wmsketch.learners.rows.whole_calls import whole_call

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = Any  # a mapping from feature to value, or a list of (feature, value) pairs


_registered: set[type] = set()


def _register_with_river(cls: type) -> None:
    """Register ours with River's abstract classes, if River is loaded."""
    if cls in _registered or "river.base" not in sys.modules:
        return
    from river import base

    getattr(base, cls._river_base).register(cls)  # type: ignore[attr-defined]
    _registered.add(cls)


class RiverClass:
    """Make isinstance checks of River succeed, also if River is imported after the model was made."""

    @property  # type: ignore[misc]
    def __class__(self) -> type[Any]:
        cls = type(self)
        _register_with_river(cls)
        return cls


class RiverProtocol(RiverClass):
    """New features may come at any time, and predicting before learning is fine."""

    if TYPE_CHECKING:
        _labels: Labels
        _labels_class: ClassVar[type[Labels]]
        _native: Any
        follow: bool

        @property
        def _started(self) -> bool: ...
        @property
        def nbytes(self) -> int: ...
        def _start(self, *, named: bool, labels: Labels | None = None) -> None: ...
        def _new_labels(self, classes: Any = None) -> Labels: ...
        def _learn_rows(
            self,
            rows: Rows,
            signs: NDArray[np.int8],
            weights: NDArray[np.float32] | None,
            times: NDArray[np.float64] | None,
        ) -> None: ...
        def _shaped(self, learn: Callable[[], None]) -> None: ...
        def _as_rows(self, X: Any, *, to_learn: bool) -> Rows: ...
        def _require_columns(self, names: list[str]) -> None: ...
        def _labels_of(self, margins: NDArray[np.float64]) -> NDArray[Any]: ...
        def _probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]: ...

    def learn_one(self, x: Row, y: Any, w: float = 1.0, time: float | datetime | None = None) -> None:
        """Learn one example: a mapping from feature (string or integer) to value, or a list of such pairs.

        A string value makes the feature ``name=value``. The values of repeated keys are added. ``w`` weighs the
        example. ``time`` says when it was, in seconds since 1970 or as a datetime, for a ``half_life`` that is a time:
        whatever was learned before fades by the time that has passed. A time before the latest one counts as the
        latest.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_one({"price": 3.5, "city": "Rome"}, True)
        >>> model.learn_one([("price", 2.0), ("city", "Oslo")], False, w=2.0)
        >>> model.n_seen_
        2
        """
        try:
            if self._native.learn_usual(x, y, self._labels._classes, w, time):
                return
        except AttributeError:  # the first example
            pass
        self._learn_any(x, y, w, time)

    def _learn_any(self, x: Row, y: Any, w: float, time: Any) -> None:
        """Learn a row of any kind, whatever its label and weight."""
        try:
            native, sign = self._native, self._labels.known_sign(y)
        except AttributeError:  # the first example
            sign = 0
        if sign:
            try:
                native.learn_row(x, sign, w, None if time is None else as_seconds(time))
            except _core.ShapeWanted:
                sign = 0
        if not sign:
            self._learn_new(x, y, w, time)

    def _learn_new(self, x: Row, y: Any, w: float, time: Any) -> None:
        """Learn the first example, or the first that shows which labels there are."""
        with whole_call(self):
            labels = copy.copy(self._labels) if self._started else self._new_labels()
            sign = labels.sign(y)
            if not self._started:
                self._start(named=row_has_names(x), labels=labels)
            native, seconds = self._native, None if time is None else as_seconds(time)
            self._shaped(lambda: native.learn_row(x, sign, w, seconds))
            self._labels = labels

    def learn_many(self, X: Any, y: Any, sample_weight: Any = None, times: Any = None) -> None:
        """Learn many rows in their order: the same bits as `learn_one` in a loop; arrays release the GIL.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"free": 1}, {"the": 1}], [True, False])
        >>> model.n_seen_
        2
        """
        if isinstance(X, (list, tuple)) and len(X) == len(y) == 0:
            return
        warn_of_other_order(X, y)
        rows = self._as_rows(X, to_learn=True)
        weights, seconds = as_weights(sample_weight, rows.shape[0]), as_times(times, rows.shape[0])
        with whole_call(self):
            labels = copy.copy(self._labels) if self._started else self._new_labels()
            signs = labels.signs(y)
            if len(signs) != rows.shape[0]:
                raise ValueError(f"X has {rows.shape[0]} rows, y has {len(signs)}")
            if not self._started:
                if rows.shape[0] == 0:
                    return
                self._start(named=rows_have_names(rows), labels=labels)
            self._learn_rows(rows, signs, weights, seconds)
            self._labels = labels

    def decision_function_one(self, x: Row) -> float:
        """Return the margin of one example; 0 before anything was learned.

        It is for rows in general: a finished model does not lean towards the end of its stream. With ``follow=True``
        and adaptive steps, methods ending in ``_one`` and ``_many`` predict the *next* row of the stream when they come
        after `learn_one`, and lean towards the base rate of the latest rows, as the online error does.

        >>> from wmsketch import AWMSketch
        >>> finished, following = AWMSketch("8KiB"), AWMSketch("8KiB", follow=True)
        >>> for label in ([True] * 50 + [False] * 50) * 20 + [True] * 50:  # labels come in runs
        ...     finished.learn_one({"a": 1.0}, label)
        ...     following.learn_one({"a": 1.0}, label)
        >>> 0.4 < finished.predict_proba_one({"a": 1.0})[True] < 0.8 < following.predict_proba_one({"a": 1.0})[True]
        True
        """
        try:
            native = self._native
        except AttributeError:  # nothing was learned
            return 0.0
        margin = native.margin_usual(x, self.follow)
        return native.margin_row(x, self.follow) if margin is None else margin  # type: ignore[no-any-return]

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Return the probability of each label.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB").predict_proba_one({"free": 1})  # before anything was learned
        {False: 0.5, True: 0.5}
        """
        try:
            native, classes = self._native, self._labels._classes
        except AttributeError:  # nothing was learned
            return dict.fromkeys(self._known_labels(), 0.5)
        found = native.probabilities_usual(x, classes, self.follow)
        if found is not None:
            return found  # type: ignore[no-any-return]
        negative, positive = self._known_labels()
        return native.probabilities_row(x, negative, positive, self.follow)  # type: ignore[no-any-return]

    def predict_one(self, x: Row) -> Any:
        """Return the label of one example; a margin of 0 counts as positive, as in the paper.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.predict_one({"free": 1})
        True
        """
        try:
            native, (negative, positive) = self._native, self._labels._classes  # type: ignore[misc]
        except (AttributeError, TypeError):  # nothing was learned, or only the label 1
            negative, positive = self._known_labels()
            return positive if self.decision_function_one(x) >= 0 else negative
        margin = native.margin_usual(x, self.follow)
        if margin is None:
            margin = native.margin_row(x, self.follow)
        return positive if margin >= 0 else negative

    def _margins_many(self, X: Any) -> NDArray[np.float64]:
        rows = self._as_rows(X, to_learn=False)
        if not self._started:
            return np.zeros(rows.shape[0])
        names = column_names(X)
        if names is not None:
            self._require_columns(names)
        margins: NDArray[np.float64] = rows.margins(self._native)
        return margins + self._native.next_shift if self.follow and not self._multiclass else margins

    def predict_many(self, X: Any) -> Any:
        """Return the label of each row; of a pandas frame, as a series with the same index.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.predict_many([{"free": 1}, {"the": 1}]).tolist()
        [True, False]
        """
        return _like_input(X, self._labels_of(self._margins_many(X)))

    def predict_proba_many(self, X: Any) -> Any:
        """Return the probability of each label, a column each; of a pandas frame, as a frame with the same index.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.predict_proba_many([{"free": 1}, {"the": 1}]).shape
        (2, 2)
        """
        return _like_input(X, self._probabilities(self._margins_many(X)), self._known_labels())

    def _known_labels(self) -> list[Any]:
        return list(self._labels.classes if self._started else (False, True))

    _multiclass: ClassVar[bool] = False
    _river_base: ClassVar[str] = "MiniBatchClassifier"
    _supervised = True
    _is_stochastic = False  # seeded: the same stream gives the same model

    def _unit_test_skips(self) -> set[str]:
        return set()

    @property
    def _tags(self) -> set[str]:
        return set()

    @property
    def _mutable_attributes(self) -> set[str]:
        return set()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes

    @property
    def _raw_memory_usage(self) -> int:
        return self.nbytes

    @property
    def _memory_usage(self) -> str:
        return f"{self.nbytes / 1024:,.2f} KiB"


def _like_input(data: Any, values: NDArray[Any], columns: list[Any] | None = None) -> Any:
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, pandas.DataFrame):
        return values
    if columns is None:
        return pandas.Series(values, data.index)
    return pandas.DataFrame(values, index=data.index, columns=columns)
