"""Many classes in the bytes of one AWM-Sketch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.features import Feature, called, contributions_of, features_of_row, keys_of, told_apart
from wmsketch.learners.models.outcomes import Outcomes
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.protocols.options import Step
from wmsketch.learners.protocols.river_protocol import Row
from wmsketch.learners.rows.class_labels import ClassCodes, ManyLabels, as_array, label_of, text_of
from wmsketch.learners.rows.inputs import Rows
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, parse_bytes
from wmsketch.learners.sizes.shapes import Wanted
from wmsketch.records import ClassFeature, Contributions, RowList, range_95

_BYTES_FOR_A_CLASS = 256  # of the budget, by default: a sixth of it is for the table of classes
_MOST_CLASSES = 2**21
_OWN = ("max_classes", "negatives", "fit_intercept", "balanced", "named")  # the others are the learner's


@dataclass(eq=False, repr=False)
class MulticlassAWMSketch(AWMSketch):
    """Learn to tell many classes apart in a fixed number of bytes that all classes share.

    It is multinomial logistic regression over pairs of class and feature: the heaviest pairs exactly, by name, the rest
    in a sketch. A class that needs more weights than others gets them, and new classes may come at any time. Labels are
    strings, integers or booleans.

    >>> model = MulticlassAWMSketch("8KiB")
    >>> for _ in range(30):
    ...     model.learn_one({"goal": 1, "the": 1}, "sport")
    ...     model.learn_one({"vote": 1, "the": 1}, "politics")
    ...     model.learn_one({"film": 1, "the": 1}, "culture")
    >>> model.predict_one({"goal": 1, "a": 1})
    'sport'
    >>> model.top(1, label="culture")[0].feature, model.nbytes <= 8192
    ('film', True)

    Parameters
    ----------
    budget: bytes for everything: weights, names, and the table of classes.
    max_classes: one class more is an error; by default one for each 256 bytes of the budget. A class takes 40 bytes.
    negatives: None learns each example against all classes; a number, only against this many drawn at random, which
        takes as long for a million classes as for a hundred. Half of the draws follow the classes' frequencies, half
        are even, and the scores are corrected for it.
    class_weight: a mapping from label to the weight of its examples, or ``"balanced"``: as if all labels were equally
        frequent so far.
    loss: ``"logistic"``, the only one for many classes.
    fit_intercept: learn an intercept for each class, on top of the logarithm of its share of the examples (by their
        weights), which every score has. None: only where a table has numbers, which are measured from their mean. Text
        does better without.
    half_life: as for `AWMSketch`; the classes' shares of the examples fade too.
    """

    _labels_class: ClassVar[type[Labels]] = ManyLabels
    _multiclass: ClassVar[bool] = True
    _set_share: ClassVar[float] = 0.25  # less than with two classes: there are more pairs in the tail

    step: Step = field(default="adaptive", kw_only=True)
    fit_intercept: bool | None = field(default=None, kw_only=True)  # type: ignore[assignment]
    max_classes: int | None = field(default=None, kw_only=True)
    negatives: int | None = field(default=None, kw_only=True)

    # --- the native model ---

    def _most_classes(self) -> int:
        if self.max_classes is not None:
            return require_integer("max_classes", self.max_classes, 2, _MOST_CLASSES)
        budget = parse_bytes(DEFAULT_BUDGET if self.budget is None else self.budget)
        return min(max(2, budget // _BYTES_FOR_A_CLASS), _MOST_CLASSES)

    def _wanted(self, named: bool, reserved: int) -> Wanted:
        names = 1 if self.name_bytes is None and not named else self.name_bytes  # 1: the least, for the class alone
        reserved += _core.class_bytes(self._most_classes())
        return Wanted(self.budget, self.depth, self.width, self.active_set_size, names, self.top_k, reserved)

    def _config(self, named: bool, reserved: int = 0) -> dict[str, Any]:
        if self.loss != "logistic":
            raise ParameterError("loss", "must be {=logistic} for many classes", self.loss)
        negatives = 0 if self.negatives is None else require_integer("negatives", self.negatives, 1)
        own = {"max_classes": self._most_classes(), "negatives": negatives}
        return {**super()._config(named, reserved), **own, "named": named or self.name_bytes is not None}

    def _fits_intercept(self) -> bool:
        if self.fit_intercept is None:
            return self._started and self._native.scales_numbers
        return super()._fits_intercept()

    def _class_weights(self) -> tuple[float, float, bool]:
        if self.class_weight not in (None, "balanced") and not isinstance(self.class_weight, Mapping):
            raise ParameterError("class_weight", "must be {=balanced} or a mapping", self.class_weight)
        return 1.0, 1.0, self.class_weight == "balanced"  # with a mapping, the examples' weights are multiplied instead

    def _is_in_use(self, name: str, value: Any) -> bool:
        acts_now = name == "class_weight" and isinstance(value, Mapping) and isinstance(self.class_weight, Mapping)
        return not acts_now and super()._is_in_use(name, value)

    @classmethod
    def _weights_config(cls, config: dict[str, Any]) -> dict[str, Any]:
        weights = {name: value for name, value in config.items() if name not in _OWN}
        return {**weights, "fit_intercept": False, "balanced": False}

    @classmethod
    def _native_of(cls, config: dict[str, Any], named: bool, rules: _core.ColumnRules) -> Any:
        own = {name: config[name] for name in _OWN}
        return _core.Multiclass(_core.Config(**cls._weights_config(config)), **own, names_now=named, rules=rules)

    def _start_native(self, config: dict[str, Any], named: bool) -> None:
        self._native.start(_core.Config(**self._weights_config(config)), **{name: config[name] for name in _OWN})

    def _many(self) -> _core.Multiclass:
        native: Any = self._learner()
        return native  # type: ignore[no-any-return]

    def _learn_rows(self, rows: Rows, signs: Any, weights: Any, times: Any = None, *, in_order: Rows = None) -> None:
        super()._learn_rows(rows, signs, self._weighted(signs, weights), times, in_order=in_order)

    def _weighted(self, labels: ClassCodes, weights: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
        if not isinstance(self.class_weight, Mapping):
            return weights
        of_text = {text_of(label): weight for label, weight in self.class_weight.items()}
        factors = np.asarray([of_text.get(text, 1.0) for text in labels.texts], dtype=np.float32)[labels.codes]
        return factors if weights is None else factors * weights

    # --- labels and predictions ---

    @property
    def nbytes(self) -> int:
        if self._started:
            return super().nbytes
        return super().nbytes + _core.class_bytes(self._most_classes())

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen so far, sorted as scikit-learn expects; those of several types as they came."""
        self._many()
        known = self._known_labels()
        return as_array([known[place] for place in self._sorted_places()])

    def _sorted_places(self, among: int | None = None) -> list[int]:
        """The places of the sorted labels among the scores, whose order is that of the first rows with each label.

        Labels of several types have no order and stay in that of the scores. ``among`` is the number of scores, because
        another thread may have added classes since.
        """
        known = self._known_labels()[:among]
        places = range(len(known))
        return list(places) if len(set(map(type, known))) > 1 else sorted(places, key=known.__getitem__)

    @property
    def class_counts_(self) -> dict[Any, int]:
        """How many examples of each class were learned."""
        counts = self._many().counts().tolist()  # first, because another thread may add a class
        return dict(zip(self._known_labels(), counts, strict=False))

    def _label_counts(self) -> dict[Any, int]:
        return self.class_counts_

    def _outcomes(self) -> Outcomes:
        return Outcomes()  # margins of many classes have no order

    def _known_labels(self) -> list[Any]:
        return [label_of(text) for text in self._native.labels] if self._started else []

    def _labels_of(self, margins: NDArray[np.float64]) -> NDArray[Any]:
        if margins.shape[1] == 0:
            return np.full(len(margins), None)
        labels: NDArray[Any] = as_array(self._known_labels())[margins.argmax(axis=1)]
        return labels

    def calibrated(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores as they are.

        >>> MulticlassAWMSketch("8KiB").calibrated(np.array([[0.5, 2.0]])).tolist()
        [[0.5, 2.0]]
        """
        return margins

    def _probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        powers = np.exp(margins - margins.max(axis=1, keepdims=True, initial=-np.inf))
        shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class for each row: the logarithm of its probability, up to a constant.

        With two classes, one number for each row, as scikit-learn expects: the second score minus the first.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}, {"film": 1}], ["sport", "vote", "arts"])
        >>> model.decision_function([{"goal": 1}]).shape
        (1, 3)
        """
        scores = self._margins(X)
        scores = scores[:, self._sorted_places(scores.shape[1])]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of `classes_`.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> round(float(model.predict_proba([{"goal": 1}]).sum()), 9)
        1.0
        """
        shares = self._probabilities(self._margins(X))
        return shares[:, self._sorted_places(shares.shape[1])]

    def _margins_many(self, X: Any) -> NDArray[np.float64]:
        rows = self._as_rows(X, to_learn=False)
        return rows.margins(self._native) if self._started else np.zeros((rows.shape[0], 0))

    def decision_function_one(self, x: Row) -> dict[Any, float]:  # type: ignore[override]
        """Return the score of each class; none before anything was learned.

        >>> MulticlassAWMSketch("8KiB").decision_function_one({"goal": 1})
        {}
        """
        if not self._started:
            return {}
        scores = self._native.margin_row(x).tolist()  # first, because another thread may add a class
        return dict(zip(self._known_labels(), scores, strict=False))

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        scores = self.decision_function_one(x)
        shares = self._probabilities(np.asarray([list(scores.values())]))[0] if scores else []
        return dict(zip(scores, map(float, shares), strict=True))

    def predict_one(self, x: Row) -> Any:
        """Return the label of one example; None before anything was learned.

        >>> MulticlassAWMSketch("8KiB").predict_one({"goal": 1}) is None
        True
        """
        if not self._started:
            return None
        best = self._native.margin_row(x).argmax()  # first, because another thread may add a class
        return label_of(self._native.labels[best])

    def learn_one(self, x: Row, y: Any, w: float = 1.0, time: float | datetime | None = None) -> None:
        """Learn one example; a label that was never seen makes a new class.

        >>> model = MulticlassAWMSketch("8KiB")
        >>> model.learn_one({"goal": 1}, "sport")
        >>> model.classes_.tolist()
        ['sport']
        """
        factor = self.class_weight.get(y, 1.0) if isinstance(self.class_weight, Mapping) else 1.0
        super().learn_one(x, y, w * factor, time)

    # --- blocks of a reader ---

    def _has_labels(self, block: _core.RowBlock) -> bool:
        return block.has_classes

    def _labels_in(self, block: _core.RowBlock) -> Any:
        return ClassCodes(block.classes, block.class_texts)

    def _learn_labelled(
        self, block: _core.RowBlock, weights: NDArray[np.float32] | None, times: NDArray[np.float64] | None
    ) -> None:
        labels = self._labels_in(block)
        if weights is None and len(block.weights):
            weights = block.weights
        self._many().learn_block(block, self._weighted(labels, weights), labels, times)

    def _right_answers(self, block: _core.RowBlock) -> NDArray[Any]:
        """Return what `_decision_function_block` should have ranked first: a column, or -1 for an unknown label."""
        column = {text: place for place, text in enumerate(self._many().labels)}
        return np.asarray([column.get(text, -1) for text in block.class_texts], dtype=np.int64)[block.classes]

    # --- questions ---

    def weight(self, feature: Feature, label: Any = None) -> float:
        """Return the weight of a feature for the class ``label``: what it adds to that class's score.

        A row of `top` knows its label.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> model.weight("goal", "sport") > 0 > model.weight("goal", "politics")
        True
        """
        return float(self._many().weight(self._known(_label(feature, label)), self._key_of(feature)))

    def weights(self, keys: Any, label: Any = None) -> NDArray[np.float64]:
        """Return the weights of many features for the class ``label`` at once.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> model.weights(["goal", "vote"], "sport") > 0
        array([ True, False])
        """
        weights: NDArray[np.float64] = self._many().weights(
            self._known(label), keys_of(keys, self._many(), self._held, self._interactions())
        )
        return weights

    def interval(self, feature: Feature, label: Any = None) -> tuple[float, float]:
        """Return the 95 % range of the noise that hash collisions put on such a weight.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> low, high = model.interval("goal", "sport")
        >>> low <= model.weight("goal", "sport") <= high
        True
        """
        text, key = self._known(_label(feature, label)), self._key_of(feature)
        return range_95(self._many().weight(text, key), self._many().deviation(text, key))

    def _held(self) -> list[tuple[int, float, float, float, str, bool]]:
        return [row for _, row in self._many().top(2**32 - 1, None)]

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of all columns, a row for each class; with two classes, the second minus the first."""
        rows = self._in_units(self._weights_of_columns(), np.zeros(len(self._known_labels())))[0]
        return rows[1:] - rows[:1] if len(rows) == 2 else rows

    def _weights_of_columns(self) -> NDArray[np.float64]:
        keys = self._columns_keys()
        return np.asarray([self.weights(keys, label) for label in self.classes_.tolist()])

    def explain_one(self, x: Row, label: Any = None) -> Contributions:
        """Return what each feature of one example adds to the score of a class, by default of the predicted one.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> model.explain_one({"goal": 1}, label="sport")[0].feature
        'goal'
        """
        if not self._started:
            return Contributions([], 0.0, 0.0)
        native = self._many()
        text = self._known(self.predict_one(x) if label is None else label)
        place = native.labels.index(text)
        found = features_of_row(native, x)  # type: ignore[arg-type]
        weights = native.weights(text, np.array(list(found), dtype=np.uint32))
        intercept, score = float(native.intercepts()[place]), float(native.margin_row(x)[place])
        return Contributions(contributions_of(found, weights.tolist()), intercept, score)

    def top(  # type: ignore[override]
        self, k: int = 10, label: Any = None, *, feature_names: Sequence[Any] | None = None
    ) -> RowList[ClassFeature]:
        """Return up to k pairs of class and feature, largest |weight| first; of one class where ``label`` is given.

        >>> model = MulticlassAWMSketch("8KiB").fit([{"goal": 1}, {"vote": 1}], ["sport", "politics"])
        >>> model.top(1, label="sport")[0].label
        'sport'
        """
        native, k = self._many(), require_integer("k", k, 0)
        rows = (
            ClassFeature(
                self._called(key, name, short, feature_names), weight, low, high, short, key, label=label_of(text)
            )
            for text, (key, weight, low, high, name, short) in native.top(
                k, None if label is None else self._known(label)
            )
        )
        return RowList(told_apart(rows))

    def _called(self, key: int, name: str, shortened: bool, feature_names: Sequence[Any] | None = None) -> str | int:
        empty = self._many().key_of("") if self._started_as["named"] else None
        return called(key, name, shortened, empty=empty, feature_names=feature_names)

    def _known(self, label: Any) -> str:
        if label is None:
            raise TypeError("label is missing: the class whose weight is asked for")
        text = text_of(label)
        if text not in self._many().labels:
            raise ParameterError("label", "must be one of the classes seen so far", label)
        return text

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The score of each class for a row of zeros, where there is a `coef_`; otherwise for one without features."""
        intercepts: NDArray[np.float64] = self._many().intercepts()
        intercepts = intercepts[self._sorted_places(len(intercepts))]
        return self._in_units(self._weights_of_columns(), intercepts)[1] if self._has_units() else intercepts

    def _n_scored(self) -> int:
        return int(self._many().progress[1])


def _label(feature: Feature, label: Any) -> Any:
    return feature.label if label is None and isinstance(feature, ClassFeature) else label
