"""What all learners share: parameters, the native learner behind them, and the questions one can ask."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.learners.models.questions import Questions
from wmsketch.learners.models.record import Record
from wmsketch.learners.protocols.block_protocol import BlockProtocol
from wmsketch.learners.protocols.checks import not_fitted, require_flag, require_integer, require_real
from wmsketch.learners.protocols.options import Loss, NumberLoss, Schedule
from wmsketch.learners.protocols.parameters import Parameters
from wmsketch.learners.protocols.river_protocol import RiverProtocol
from wmsketch.learners.protocols.sklearn_protocol import SklearnProtocol, differing_names
from wmsketch.learners.rows.inputs import ColumnRows, Rows, as_rows, warn_of_codes, warn_of_columns
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.learned_schema import LearnedSchema, column_of
from wmsketch.learners.rows.messages import bytes_of_words
from wmsketch.learners.rows.row_lengths import warn_of_long_rows
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.half_life import half_life_config
from wmsketch.learners.sizes.random_seed import chosen_seed
from wmsketch.learners.sizes.seeds import drawn
from wmsketch.learners.sizes.shapes import Shape
from wmsketch.learners.sizes.wide_tables import fit_budget, restore_budget
from wmsketch.readers import Schema
from wmsketch.records import ChangedFeature, RowList

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_SCHEMA_BYTES = 2**24  # of a model without a budget; half of it for the columns of a table


@dataclass(eq=False, repr=False)
class OnlineClassifier(SklearnProtocol, RiverProtocol, BlockProtocol, Questions, Record, Parameters, Saveable):
    """A linear classifier learned one example at a time; subclasses differ in where its weights live."""

    kind: ClassVar[str]
    _labels_class: ClassVar[type[Labels]] = Labels
    _losses: ClassVar[tuple[str, ...]] = get_args(Loss)
    _numeric: ClassVar[bool] = False  # whether it predicts a number
    # the seed that names are hashed under; None: the seed of the model. Not annotated, so that it is no parameter
    _names_under = None  # type: int | None

    eta0: float = field(default=0.1, kw_only=True)
    l2: float = field(default=1e-6, kw_only=True)
    l1: float = field(default=0.0, kw_only=True)
    schedule: Schedule = field(default="optimal", kw_only=True)
    loss: Loss = field(default="logistic", kw_only=True)
    fit_intercept: bool = field(default=True, kw_only=True)
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = field(default=None, kw_only=True)
    half_life: float | str | None = field(default=None, kw_only=True)
    follow: bool = field(default=False, kw_only=True)
    passes: int | None = field(default=None, kw_only=True)
    shuffle: bool | None = field(default=None, kw_only=True)
    schema: Schema | Mapping[str, Any] | None = field(default=None, kw_only=True)
    classes: Any = field(default=None, kw_only=True)
    seed: int | str = field(default=0, kw_only=True)
    random_state: Any = field(default=None, kw_only=True)

    def check_parameters(self, *, named: bool = False) -> Self:
        """Raise an error for bad parameters now, not when the first example is learned; returns itself.

        Features that are ``named`` need room for their names.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch(passes=0).check_parameters()
        Traceback (most recent call last):
            ...
        wmsketch.errors.ParameterError: passes must be at least 1, got 0
        """
        self._new_labels()
        Schema.of(self.schema)
        _core.Config(**self._weights_config(self._config(named=named)))
        return self

    # --- what subclasses say ---

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        """The sizes of the store; ``reserved`` bytes of the budget go to something else."""
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """Options of the store that cost no bytes."""
        return {}

    # --- the native learner ---

    def _config(self, named: bool, reserved: int = 0) -> dict[str, Any]:
        shape = self._shape(named, reserved + bytes_of_words(self))
        sizes: dict[str, Any] = {name: getattr(shape, name) for name in Shape.__match_args__}
        negative, positive, balanced = self._class_weights()
        self._require_loss()
        rule = {name: require_real(name, getattr(self, name)) for name in ("eta0", "l2", "l1")}
        if self.passes is not None:
            require_integer("passes", self.passes, 1)
        if self.shuffle is not None:
            require_flag("shuffle", self.shuffle)
        options = {"eviction": "paper", "project": 0.0, **self._options()}
        return {
            **sizes,
            **rule,
            **options,
            "schedule": str(self.schedule),
            "loss": str(self.loss),
            "fit_intercept": self._fits_intercept(),
            "balanced": balanced,
            "negative_weight": negative,
            "positive_weight": positive,
            **half_life_config(self.half_life),
            "seed": (seed := self._seed_in_use()),
            "name_seed": seed if self._names_under is None else self._names_under,
        }

    def _require_loss(self) -> None:
        if self.loss in self._losses:
            return
        others = ": AWMRegressor predicts numbers" if self.loss in get_args(NumberLoss) else ""
        ways = ", ".join(f"{{={loss}}}" for loss in self._losses)
        raise ParameterError("loss", f"must be one of {ways}{others}", self.loss)

    def _fits_intercept(self) -> bool:
        return require_flag("fit_intercept", self.fit_intercept)

    def _config_again(self, named: bool, reserved: int = 0) -> dict[str, Any]:
        """The configuration of a started model in another shape; the seed of its names stays the same."""
        return {**self._config(named, reserved), **{name: self._started_as[name] for name in ("seed", "name_seed")}}

    def _name_seed(self) -> int | None:
        """The seed that names are hashed under; None if it is not known yet."""
        if self._started:
            return int(self._started_as["name_seed"])
        drawn_later = self.random_state is not None and not isinstance(self.random_state, int)
        return self._names_under if self._names_under is not None or drawn_later else self._seed_in_use()

    def _seed_in_use(self) -> int:
        self.seed = drawn(self.seed)  # so that the parameters say which one it is
        return chosen_seed(self.seed, self.random_state)

    def _class_weights(self) -> tuple[float, float, bool]:
        if self.class_weight is None or self.class_weight == "balanced":
            return 1.0, 1.0, self.class_weight == "balanced"
        if not isinstance(self.class_weight, Mapping):
            raise ParameterError("class_weight", "must be {=balanced} or a mapping", self.class_weight)
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
        self._started_as = self._config(named)  # parameters may be changed while the model is in use
        native = self._native_of(self._started_as, named, self._column_rules())
        self._labels.introduce(native)
        self._native = native

    def _column_rules(self) -> _core.ColumnRules:
        schema = Schema.of(self.schema)
        budget = None if getattr(self, "chooses_budget", False) else getattr(self, "budget", None)
        most = _MOST_SCHEMA_BYTES if budget is None else min(parse_bytes(budget), 2**62)
        return _core.ColumnRules(
            **schema.encoder_options(),
            many_classes=self._multiclass,
            numeric_label=self._numeric,
            numbers=schema.numbers,
            most_bytes=most // 2,
            most_held_bytes=most,
        )

    def _shaped(self, learn: Callable[[], None]) -> None:
        """Call ``learn``; call it again if its rows need another shape, after giving the model that shape."""
        before, budget = None, getattr(self, "budget", None)
        while True:
            try:
                return learn()
            except _core.ShapeWanted:
                before = before or self._native.copy()
                fit_budget(self, self._native.schema_nbytes)
                named = not self._native.is_numbered
                self._started_as = self._config_again(named=named, reserved=self._native.schema_nbytes)
                self._start_native(self._started_as, named)
            except BaseException:
                if before is not None:  # a call that fails changes nothing
                    self._native = before
                    restore_budget(self, budget)
                raise

    def _start_native(self, config: dict[str, Any], named: bool) -> None:
        self._native.start(_core.Config(**config), named=named)

    @classmethod
    def _weights_config(cls, config: dict[str, Any]) -> dict[str, Any]:
        """The part of a configuration that belongs to the learner which holds the weights."""
        return config

    @classmethod
    def _native_of(cls, config: dict[str, Any], named: bool, rules: _core.ColumnRules) -> Any:
        return _core.Learner(_core.Config(**config), named, rules)

    @property
    def _started(self) -> bool:
        return hasattr(self, "_native")

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
        *,
        in_order: Rows = None,
    ) -> None:
        """Learn rows. ``in_order`` are all rows before they were shuffled: warnings are about these."""
        native, in_blocks = self._learner(), isinstance(rows, ColumnRows)
        if not native.decided:
            warn_of_long_rows(self, rows)
        unknown, told_of = in_blocks and not native.decided, rows if in_order is None else in_order
        if unknown and (first := next(told_of.blocks(), None)) is not None:
            warn_of_columns(first, Schema.of(self.schema).numeric)
        before = native.copy() if in_blocks and rows.several() else None
        try:
            rows.learn(native, signs, weights, times, self._shaped)
        except BaseException:
            if before is not None:  # some blocks were learned
                self._native = before
            raise
        if unknown:
            warn_of_codes(told_of.codes or rows.codes)

    def _as_rows(self, X: Any, *, to_learn: bool) -> Rows:
        """Recognise rows; those with named columns are read by the schema."""
        by_position = hasattr(self, "n_features_in_") and not hasattr(self, "feature_names_in_")
        return as_rows(X, None if by_position else lambda: self._reading(to_learn=to_learn))

    def _require_columns(self, names: list[str]) -> None:
        """Refuse a frame to predict that lacks a column of the table, or has one that was never learned."""
        unseen, missing = self.schema_.compare(names, may_have_more=self._native.has_other_columns)
        if missing or unseen:
            raise ValueError(differing_names(unseen, missing))

    def _reading(self, *, to_learn: bool) -> dict[str, Any]:
        """Return the options of `open_examples` for rows of this model, except those about files.

        For predictions the kinds of columns are fixed; while learning they may change.
        """
        schema = Schema.of(self.schema)
        words = {"word_values": schema.word_values} if schema.text else {}
        rules = {name: rule for name, rule in schema.given().items() if name != "numbers"}
        learned = self.schema_
        kinds = learned.kinds()
        known = {"seen_kinds" if to_learn else "column_kinds": kinds} if kinds else {}
        seed = self._name_seed()
        complete = learned.table and not to_learn and not self._native.has_other_columns
        columns = [column.name for column in learned] if complete else None
        more = {
            "many_classes": self._multiclass or None,
            "numeric_label": self._numeric or None,
            "name_seed": seed,
            "known_columns": columns,
        }
        return {**rules, **words, **known, **{name: value for name, value in more.items() if value is not None}}

    # --- questions ---

    def changes_since(self, old: OnlineClassifier, k: int = 10) -> RowList[ChangedFeature]:
        """Return the k features whose weights changed most since an older model, largest |change| first.

        Compares the answers of `weight` for all features that have a slot of their own in one of the models. The two
        must have the same labels and the same kind of features; shape, seed and class may differ.

        >>> import copy
        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"rain": 1.0}, {"sun": 1.0}] * 50, [True, False] * 50)
        >>> monday = copy.copy(model)
        >>> model.learn_many([{"snow": 1.0}, {"sun": 1.0}] * 50, [True, False] * 50)
        >>> [row.feature for row in model.changes_since(monday, k=1)]
        ['snow']
        """
        from wmsketch.learners.models.changes import changes_between

        return changes_between(old, self, k)

    @property
    def schema_(self) -> LearnedSchema:
        """What the model knows of the columns of its rows, and the rules that were given for them.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"age": 30, "city": "Rome"}, {"age": 50, "city": None}], [True, False])
        >>> model.schema_
        Schema(): a table of 2 columns
          age   number   mean 40, standard deviation 10
          city  text
        """
        rules = Schema.of(self.schema)
        if not self._started:
            return LearnedSchema(rules, [], None, 0)
        columns = self._native.schema
        if columns is None:
            return LearnedSchema(rules, [], False if self._native.named else None, 0)
        return LearnedSchema(rules, [column_of(*each) for each in columns], True, self._native.schema_nbytes)

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays or grows: cells, active set, keys, names, counters, hash seeds."""
        return self._learner().nbytes + bytes_of_words(self) if self._started else self._shape(named=False).nbytes

    @property
    def paper_bytes(self) -> int:
        """The paper's cost: 4 bytes for each identifier, weight and auxiliary value."""
        return self._learner().paper_bytes

    # --- files and merging ---

    def _document(self) -> Document:
        from wmsketch.learners.saving.model_document import document_of_classifier

        return document_of_classifier(self)

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        from wmsketch.learners.saving.model_document import restore_classifier

        type(self).__init__(self, **parameters)
        self.check_parameters()
        restore_classifier(self, state, arrays, n_bytes)

    def merge(self, other: Self, *, base: Self | None = None) -> Self:
        """Merge another model of the same shape, seed and rule into this one; returns itself.

        ``base`` is the model that both started from, if there is one; see `merge_models`, which takes any number.

        >>> from wmsketch import AWMSketch
        >>> one, two = AWMSketch("8KiB"), AWMSketch("8KiB")
        >>> one.learn_one({"free": 1}, True)
        >>> two.learn_one({"the": 1}, False)
        >>> one.merge(two).n_seen_
        2
        """
        from wmsketch.learners.shards.merging import merge_into

        merge_into(self, other, base)
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
            named = self._started_as["name_bytes"] > 0 or not _core.has_set(self.kind)
            native = self._native_of(self._started_as, named, self._column_rules())
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
