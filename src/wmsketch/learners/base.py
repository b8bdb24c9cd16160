"""What all learners share: parameters, the native learner behind them, and the questions one can ask."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from wmsketch import _core
from wmsketch.learners.checks import not_fitted, require_flag, require_integer, require_real
from wmsketch.learners.half_life import half_life_config
from wmsketch.learners.inputs import Rows
from wmsketch.learners.labels import Labels
from wmsketch.learners.lazy_numpy import np
from wmsketch.learners.parameters import Parameters
from wmsketch.learners.river_protocol import RiverProtocol
from wmsketch.learners.saveable import Arrays, Document, Saveable
from wmsketch.learners.shapes import Shape
from wmsketch.learners.sklearn_protocol import SklearnProtocol
from wmsketch.records import ChangedFeature, HeavyFeature, range_95

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(eq=False, repr=False)
class OnlineClassifier(SklearnProtocol, RiverProtocol, Parameters, Saveable):
    """A linear classifier learned one example at a time; subclasses differ in where its weights live."""

    kind: ClassVar[str]
    _labels_class: ClassVar[type[Labels]] = Labels

    eta0: float = field(default=0.1, kw_only=True)
    l2: float = field(default=1e-6, kw_only=True)
    l1: float = field(default=0.0, kw_only=True)
    schedule: str = field(default="optimal", kw_only=True)
    loss: str = field(default="logistic", kw_only=True)
    fit_intercept: bool = field(default=True, kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)
    half_life: float | str | None = field(default=None, kw_only=True)
    passes: int = field(default=1, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        _core.Config(**self._weights_config(self._config(named=False)))  # refuses bad parameters at once

    # --- what subclasses say ---

    def _shape(self, named: bool) -> Shape:
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """Options of the store that cost no bytes."""
        return {}

    # --- the native learner ---

    def _config(self, named: bool) -> dict[str, Any]:
        shape = self._shape(named)
        sizes = {name: getattr(shape, name) for name in Shape.__slots__}
        negative, positive, balanced = self._class_weights()
        rule = {name: require_real(name, getattr(self, name)) for name in ("eta0", "l2", "l1")}
        require_integer("passes", self.passes, 1)
        options = {"eviction": "paper", "project": 0.0, **self._options()}
        return {
            **sizes,
            **rule,
            **options,
            "schedule": str(self.schedule),
            "loss": str(self.loss),
            "fit_intercept": require_flag("fit_intercept", self.fit_intercept),
            "balanced": balanced,
            "negative_weight": negative,
            "positive_weight": positive,
            **half_life_config(self.half_life),
            "seed": require_integer("seed", self.seed, 0, 2**64 - 1),
        }

    def _class_weights(self) -> tuple[float, float, bool]:
        if self.class_weight is None or self.class_weight == "balanced":
            return 1.0, 1.0, self.class_weight == "balanced"
        if not isinstance(self.class_weight, Mapping):
            raise ValueError(f"class_weight must be None, 'balanced' or a mapping, got {self.class_weight!r}")
        labels: Labels | None = getattr(self, "_labels", None)
        weights = dict(self.class_weight)
        classes = labels.classes if labels is not None else (False, True)
        # -1 and False are the same side until labels have been seen
        negative = weights.pop(classes[0], weights.pop(-1, 1.0) if labels is None else 1.0)
        positive = weights.pop(classes[1], 1.0)
        if weights and labels is not None:
            raise ValueError(f"class_weight names labels that are not among the classes {classes}: {sorted(weights)}")
        return require_real("class_weight", negative), require_real("class_weight", positive), False

    def _start(self, *, named: bool, labels: Labels | None = None) -> None:
        self._labels = labels or self._labels_class()
        self._started_as = self._config(named)  # parameters may be set anew while the model lives
        native = self._native_of(self._started_as)
        self._labels.introduce(native)
        self._native = native

    @classmethod
    def _weights_config(cls, config: dict[str, Any]) -> dict[str, Any]:
        """The part of a configuration that is of the learner which holds the weights."""
        return config

    @classmethod
    def _native_of(cls, config: dict[str, Any]) -> Any:
        return _core.Learner(_core.Config(**config))

    @property
    def _started(self) -> bool:
        return "_native" in self.__dict__

    def _learner(self) -> _core.Learner:
        if not self._started:
            raise not_fitted(self)
        native: _core.Learner = self._native
        return native

    def _learn_rows(
        self,
        rows: Rows,
        signs: NDArray[np.int8],
        weights: NDArray[np.float32] | None,
        times: NDArray[np.float64] | None = None,
    ) -> None:
        rows.learn(self._learner(), signs, weights, times)

    # --- blocks of a reader ---

    def learn_block(
        self,
        block: _core.RowBlock,
        sample_weight: NDArray[np.float32] | None = None,
        times: NDArray[np.float64] | None = None,
    ) -> None:
        """Learn the rows of one block that `wmsketch.readers.open_examples` gave, in order.

        ``sample_weight`` and ``times`` stand in for those of the block; a row of weight 0 is passed over.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_block(_core.LibsvmParser().feed(b"1 7:2\\n-1 9:1\\n", True))
        >>> [row.feature for row in model.top()]
        [7, 9]
        """
        if not block.has_labels:
            raise ValueError("the rows have no labels to learn from")
        if not self._started:
            self._start(named=block.named, labels=Labels.of_readers())
        self._learner().learn_block(block, sample_weight, None, times)

    def decision_function_block(self, block: _core.RowBlock) -> NDArray[np.float64]:
        """Return the margin of each row of a block: positive means the label +1."""
        return self._learner().margins_block(block)

    def right_answers(self, block: _core.RowBlock) -> NDArray[Any]:
        """Return what `decision_function_block` should have said: -1 or +1 for each row."""
        return block.labels

    # --- questions ---

    def weight(self, feature: str | int) -> float:
        """Return the weight of one feature, heavy or not: exact where the model holds it exactly, else estimated."""
        return self._learner().weight(_core.key_of(feature))

    def weights(self, keys: NDArray[Any]) -> NDArray[np.float64]:
        """Return the weights of many integer features at once."""
        return self._learner().weights(np.ascontiguousarray(keys, dtype=np.uint32))

    def interval(self, feature: str | int) -> tuple[float, float]:
        """Return the range that holds this feature's weight in the same learner without a limit, at 95 %."""
        return range_95(self.weight(feature), self._learner().deviation(_core.key_of(feature)))

    def top(self, k: int = 10) -> list[HeavyFeature]:
        """Return up to k features by name, largest |weight| first."""
        native, k = self._learner(), require_integer("k", k, 0)
        if not native.keeps_keys:
            raise ValueError(
                f"{type(self).__name__} keeps no features, only their weights: ask weight(feature) instead"
            )
        return [
            HeavyFeature(name + "…" * short if name else key, weight, low, high, short)
            for key, weight, low, high, name, short in native.top(k)
        ]

    def largest_missed(self, k: int = 10) -> float:
        """Return the most that a feature which ``top(k)`` does not list may weigh, at 95 % for any one of them.

        ``nan`` where a method keeps no evidence about its own error.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"heavy": 3.0}, {"light": 0.1}], [True, True])
        >>> model.weight("light") <= model.largest_missed(1) < model.weight("heavy")
        True
        """
        return self._learner().largest_missed(require_integer("k", k, 0))

    def changes_since(self, old: OnlineClassifier, k: int = 10) -> list[ChangedFeature]:
        """Return the k features whose weights changed most since an older model, largest |change| first.

        They are looked for among all that either model holds by itself, and each model answers as `weight` does. The
        two need not have the same shape, seed or class, but the same labels and the same kind of features.

        >>> import copy
        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"rain": 1.0}, {"sun": 1.0}] * 50, [True, False] * 50)
        >>> monday = copy.copy(model)
        >>> model.learn_many([{"snow": 1.0}, {"sun": 1.0}] * 50, [True, False] * 50)
        >>> [row.feature for row in model.changes_since(monday, k=1)]
        ['snow']
        """
        from wmsketch.learners.changes import changes_between

        return changes_between(old, self, k)

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays or grows: cells, active set, keys, names, counters, hash seeds."""
        return self._learner().nbytes if self._started else self._shape(named=False).nbytes

    @property
    def paper_bytes(self) -> int:
        """The paper's cost: 4 bytes for each identifier, weight and auxiliary value."""
        return self._learner().paper_bytes

    @property
    def intercept_(self) -> float:
        return self._learner().bias

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

    def _n_scored(self) -> int:
        """How many examples were predicted before they were learned."""
        return self.n_seen_

    @property
    def names_shortened_(self) -> int:
        """How many names in the active set were cut to fit into the budget."""
        return self._learner().names_shortened

    def hash(self, row: int, key: int) -> int:
        """Return the 32 bits that row ``row`` of the sketch takes bucket and sign from."""
        return self._learner().hash(row, key)

    # --- files and merging ---

    def _document(self) -> Document:
        from wmsketch.learners.model_document import document_of_classifier

        return document_of_classifier(self)

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        from wmsketch.learners.model_document import restore_classifier

        type(self).__init__(self, **parameters)
        restore_classifier(self, state, arrays, n_bytes)

    def merge(self, other: Self) -> Self:
        """Become the average of two models of one shape, seed and rule, weighted by their examples; returns itself."""
        from wmsketch.learners.merging import merge_into

        merge_into(self, other)
        return self

    # --- copies ---

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._started:
            state["_native"] = self._native.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        arrays = state.pop("_native", None)
        self.__dict__.update(state)
        if arrays is not None:
            native = self._native_of(self._started_as)
            native.load_state(arrays)
            self._native = native

    def __copy__(self) -> Self:
        twin: Self = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        if self._started:
            twin._native = self._native.copy()
            twin._labels = copy.copy(self._labels)
        return twin

    def __sklearn_is_fitted__(self) -> bool:
        return self._started
