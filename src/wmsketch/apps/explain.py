"""What do the slow, failed or expensive rows have in common?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.explain_counts import StreamCounts
from wmsketch.apps.explain_held import HeldAttributes
from wmsketch.apps.explain_input import DictRows
from wmsketch.apps.explain_rows import SORTS, Explanation, fold, gather_same
from wmsketch.apps.explain_sizes import DEFAULT_BUDGET, Sizes, budget_for, choose_sizes
from wmsketch.apps.held import Held, bytes_option
from wmsketch.apps.merging import NAME_HASH, name_hash_of, require_same_settings
from wmsketch.errors import ParameterError
from wmsketch.learners.awm import AWMSketch
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.checks import require_integer
from wmsketch.learners.half_life import half_life_config
from wmsketch.learners.introspection import has_learned, native_of
from wmsketch.learners.options import Schedule
from wmsketch.learners.saveable import Arrays, Document, Saveable, part_in, part_out, require_memory
from wmsketch.learners.whole_calls import alone, both_alone
from wmsketch.readers import BadInput, Examples, open_examples
from wmsketch.readers.condition import Condition, parse_condition


@dataclass(eq=False, repr=False)
class Explainer(Saveable, StreamCounts):
    """Find attributes, alone and in conjunctions, that are more common among outliers, in a fixed number of bytes.

    Outliers are the rows that satisfy the condition ``outlier``, or whose column ``label`` has the value ``positive``.
    Counts are exact while the budget holds all attribute values (`held`). Otherwise the attributes that were not
    counted from the first row on are marked, and their ranges include what was missed.

    >>> import pandas as pd
    >>> flights = pd.DataFrame({"carrier": ["EV", "EV", "UA", "DL"] * 500, "delay": [90, 60, 0, 5] * 500})
    >>> explainer = Explainer("delay>30")
    >>> explainer.learn_many(flights)
    >>> explainer.top()[0]
    Explanation(carrier=EV, weight=7.6, risk_ratio=inf, support=1)
    >>> explainer
    Explainer('delay>30'): 2,000 rows, 1,000 outliers, 3 attribute values

    Parameters
    ----------
    outlier: a condition like ``"dep_delay>p80"`` or ``"status>=500 and not user is missing"``; see ``parse_condition``.
        Percentiles are those of the stream so far, and at least of the first ``warm_up`` rows.
    label, positive: instead of a condition, the column of a label and its value for outliers. where: a condition that
    rows must satisfy to count at all. attributes, ignore: columns to explain with, or not to explain with. Those of
    ``outlier`` are excluded unless listed. categorical, numeric: columns to read as categories, or to cut into bins;
    others are detected from their values. order: maximum number of attributes in a conjunction, 1 to 3. whole_rows:
    take the weights from an AWM-Sketch of whole rows, in a quarter of the budget. Attributes that occur
        together then share their weight.
    weight: a column with the amount of each row. Counts and ratios are then of amounts instead of rows.
    bins: quantile bins of a numeric column, of the whole stream; with conjunctions (``order`` above 1) or
        ``whole_rows``, of its first ``warm_up`` rows. A column of few whole numbers (up to two per bin) is not cut.
    half_life: a row counts half after this many rows, or after a time like ``"10min"`` by the column ``time``.
    budget: true bytes of everything that stays: counts with names, sketches, columns, model.
    eta0, l2, schedule: the learning rule of the model of whole rows.
    """

    outlier: str | None = None
    label: str | None = field(default=None, kw_only=True)
    positive: str | float | bool | None = field(default=None, kw_only=True)
    where: str | None = field(default=None, kw_only=True)
    attributes: Sequence[str] = field(default=(), kw_only=True)
    ignore: Sequence[str] = field(default=(), kw_only=True)
    categorical: Sequence[str] = field(default=(), kw_only=True)
    numeric: Sequence[str] = field(default=(), kw_only=True)
    order: int = field(default=1, kw_only=True)
    whole_rows: bool = field(default=False, kw_only=True)
    weight: str | None = field(default=None, kw_only=True)
    bins: int = field(default=10, kw_only=True)
    warm_up: int = field(default=10_000, kw_only=True)
    half_life: float | str | None = field(default=None, kw_only=True)
    time: str | None = field(default=None, kw_only=True)
    budget: int | str = field(default=DEFAULT_BUDGET, kw_only=True)
    eta0: float = field(default=0.1, kw_only=True)
    l2: float = field(default=0.0, kw_only=True)
    schedule: Schedule = field(default="constant", kw_only=True)
    seed: int = field(default=0, kw_only=True)

    _name_hash = NAME_HASH

    def __post_init__(self) -> None:
        if (self.outlier is None) == (self.label is None):
            raise ValueError("give either a condition (outlier) or a column (label) to mark the outliers")
        if self.positive is not None and self.label is None:
            raise ValueError(f"positive needs label, the column of the label; got {self.positive!r}")
        require_integer("order", self.order, 1, 3)
        require_integer("bins", self.bins, 2, 1000)
        require_integer("warm_up", self.warm_up, 1)
        require_integer("seed", self.seed, 0, 2**63)
        half_life = half_life_config(self.half_life)
        in_seconds = half_life["half_life_in"] == "seconds"
        if in_seconds != (self.time is not None):
            raise ValueError("a half_life in time needs the column time, and time needs such a half_life")
        self.condition = Condition() if self.outlier is None else parse_condition(self.outlier)
        self.where_condition = Condition() if self.where is None else parse_condition(self.where, "where")
        self.sizes: Sizes = choose_sizes(self.budget, self.order, self._n_percentiles, self.whole_rows)
        self.model = self._new_model() if self.sizes.model else None
        self._stream = _core.AttributeStream(
            outlier=self.condition.as_given(),
            where=self.where_condition.as_given(),
            attributes=list(self.attributes),
            order=self.order,
            whole_rows=self.whole_rows,
            bins=self.bins,
            warm_up=self.warm_up,
            half_life=half_life["half_life"],
            half_life_in_seconds=in_seconds,
            shape=self.sizes.table,
            quantile_bytes=self.sizes.quantile_bytes,
            column_bytes=self.sizes.column_bytes,
            seed=self.seed,
            name_hash=self._name_hash,
        )
        self._waiting: list[_core.RowBlock] = []  # the first rows, until bins and percentiles are chosen
        self._dicts = DictRows(self._reader_options())

    @property
    def _n_percentiles(self) -> int:
        return self.condition.n_percentiles + self.where_condition.n_percentiles

    def _new_model(self) -> AWMSketch:
        shape = self.sizes.model
        assert shape is not None
        return AWMSketch(
            depth=1,
            width=shape.width,
            active_set_size=shape.active_set_size,
            name_bytes=0,
            seed=self.seed,
            step="plain",
            eta0=self.eta0,
            l2=self.l2,
            schedule=self.schedule,
        ).check_parameters()

    # --- rows in ---

    def _reader_options(self) -> dict[str, Any]:
        asked = {*self.condition.columns, *self.where_condition.columns}
        return {
            "features": [*self.attributes, *sorted(asked - {*self.attributes})] if self.attributes else [],
            "ignore": [name for name in self.ignore if name not in asked],
            "categorical": [*self.categorical, *sorted(asked - {*self.categorical})],  # as exact text
            "numeric": [name for name in self.numeric if name not in asked],
            "weight": self.weight or "",
            "time": self.time or "",
            "name_seed": self.seed if self._name_hash == NAME_HASH else None,
            **({"label": self.label, "positive": self.positive} if self.label else {}),
        }

    def open(self, source: Any, format: str | None = None, **options: Any) -> Examples:
        """Open files, or a data frame, for `learn_block`, with every column as this explainer needs it."""
        if hasattr(source, "reset_index"):
            source = source.reset_index(drop=True)  # pandas would add its index as a column
        return open_examples(source, format, **self._reader_options(), **options)

    def learn_one(self, row: Mapping[str, Any]) -> None:
        """Learn one row: a value for each column.

        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_one({"ms": 250, "host": "a"})
        >>> explainer.learn_one({"ms": 20, "host": None})
        >>> explainer.examples, explainer.outliers
        (2, 1)
        """
        self.learn_many([row])

    def learn_many(self, rows: Any, **options: Any) -> None:
        """Learn the rows of a data frame, an Arrow table or an iterable of dicts. The options are those of a reader."""
        if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "reset_index"):
            self.learn_file(rows, **options)
            return
        for block in self._dicts.blocks(rows):
            self.learn_block(block)

    def learn_file(self, source: Any, format: str | None = None, **options: Any) -> None:
        """Learn all rows of files (paths, globs, ``-``). The options are those of a reader."""
        file = _name_of(source)
        try:
            with self.open(source, format, **options) as examples:
                for block in examples:
                    self.learn_block(block, file=file)
        except BadInput as problem:
            raise self.in_own_words(problem) from problem

    learn = learn_file

    def in_own_words(self, problem: BadInput) -> BadInput:
        """Return a reader's error about a column, with the parameter that names the column here."""
        conditions = {"where": self.where_condition.columns, "outlier": self.condition.columns}
        return problem.as_asked(**conditions, attributes=self.attributes)

    @alone
    def learn_block(self, block: _core.RowBlock, file: str | None = None) -> None:
        """Learn the rows of one block from `open`."""
        try:
            if self._stream.warm:
                self._learn(block)
                return
            self._waiting.append(block)
            if self._stream.observe(block):
                self.finish_warm_up()
        except ValueError as problem:
            if isinstance(problem, BadInput):
                raise
            raise BadInput(str(problem), file) from problem

    def choose_bins(self, source: Any, **options: Any) -> Self:
        """Choose the bins of numbers from these rows without counting them; return self.

        Explainers that start as copies of this one have the same bins, so they can be merged.

        >>> import pandas as pd
        >>> explainer = Explainer("ms>100").choose_bins(pd.DataFrame({"ms": [250, 20], "load": [0.5, 0.1]}))
        >>> explainer.copy().examples
        0
        """
        with self.open(source, **options) as examples:
            for block in examples:
                if self._stream.observe(block):
                    break
        self._stream.finish_warm_up()
        return self

    @alone
    def finish_warm_up(self) -> None:
        """Choose bins from the rows so far, and learn the waiting rows."""
        waiting, self._waiting = self._waiting, []
        if not self._stream.warm:
            self._stream.finish_warm_up()
        for block in waiting:
            self._learn(block)

    def _learn(self, block: _core.RowBlock) -> None:
        examples = self._stream.learn(block)
        if self.model is not None and examples is not None and len(examples):
            self.model.learn_block(examples)

    def merge(self, other: Explainer) -> Self:
        """Add the counts of another explainer with the same parameters.

        The result is exact if both hold all. Bins must agree, and percentiles cannot be merged.

        >>> whole, part = Explainer("ms>100"), Explainer("ms>100")
        >>> whole.learn_one({"ms": 250, "host": "a"})
        >>> part.learn_one({"ms": 20, "host": "b"})
        >>> whole.merge(part).examples, whole.held.held
        (2, 2)
        """
        require_same_settings(self, other)
        with both_alone(self, other):
            for side in (self, other):
                side.finish_warm_up()
            self._stream.merge(other._stream)
            if self.model is not None and other.model is not None and has_learned(other.model):
                self.model.merge(other.model)
        return self

    # --- the object itself ---

    def _parameters(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @alone
    def _document(self) -> Document:
        self.finish_warm_up()
        config: dict[str, Any] = {"learned": self.examples > 0, "name_hash": self._name_hash}
        arrays: Arrays = self._stream.state()
        if self.model is not None:
            config["model"], more = part_out("model", self.model)
            arrays |= more
        return self._parameters(), {"config": config}, arrays

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        self._name_hash = name_hash_of(state)
        config = state["config"]
        require_memory(parse_bytes(parameters.get("budget", DEFAULT_BUDGET)), n_bytes)
        type(self).__init__(self, **parameters)
        own = {name: array for name, array in arrays.items() if not name.startswith("model.")}
        if self.model is not None:
            self.model = part_in("model", AWMSketch, config.get("model"), arrays, n_bytes)
        self._stream.load_state(own)

    @alone
    def __repr__(self) -> str:
        shown = [] if self.outlier is None else [repr(self.outlier)]
        for each in fields(self)[1:]:
            default = () if each.default is MISSING else each.default
            if getattr(self, each.name) != default:
                shown.append(f"{each.name}={getattr(self, each.name)!r}")
        state = f"{sum(map(len, self._waiting)):,} rows waiting"
        if not self._waiting:
            state = f"{self.examples:,} rows, {self.outliers:,} outliers, {self.held.held:,} attribute values"
        return f"Explainer({', '.join(shown)}): {state}"

    # --- answers out ---

    @alone
    def top(
        self,
        k: int | None = 20,
        *,
        sort: str = "ratio",
        min_support: float = 0.001,
        min_ratio: float = 1.0,
        certain: bool = True,
        folded: bool = True,
    ) -> list[Explanation]:
        """Return up to k rows (all for None), sorted by ``sort``: ratio, weight, support, or low (certainly heavy).

        Rows need at least ``min_support`` and ``min_ratio``; with 0, attributes that are rarer among outliers are shown
        too. ``certain`` leaves out ratios that may be chance, given the number of attributes, or that may be 1 given
        what was not counted. ``folded`` joins attributes of the same rows, and folds a conjunction under a part that
        explains as much.
        """
        if sort not in SORTS:
            raise ParameterError("sort", f"must be one of {', '.join(SORTS)}", sort)
        self.finish_warm_up()
        if self.problem is not None:
            return []
        held, totals = self._held(), self.totals
        places = held.select(self.held.distinct or 0, min_support, min_ratio, certain)
        rows = held.rows(places, None if self.model is None else native_of(self.model))
        ordered = sorted(fold(gather_same(rows), totals.unit) if folded else rows, key=SORTS[sort])
        return ordered if k is None else ordered[: require_integer("k", k, 0)]

    rows = top

    def _held(self) -> HeldAttributes:
        return HeldAttributes(self._stream, self.totals)

    @property
    @alone
    def held(self) -> Held:
        """How many attribute values are held, and which budget would hold all.

        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_many([{"ms": 250, "host": "a"}, {"ms": 20, "host": "b"}])
        >>> explainer.held.line("attribute values")
        'all 2 attribute values are held: every count is exact'
        """
        self.finish_warm_up()
        complete, held, values, conjunctions, let_go, name_bytes, cut = self._stream.coverage
        of = round(values + conjunctions)
        names = (name_bytes + 2) * values if cut else 0
        n_bytes = budget_for(of, names, self.order, self._n_percentiles, self.whole_rows)
        fits = complete and not cut and not self.columns_left_out
        needed = None if fits else bytes_option(max(n_bytes, self.budget_bytes))
        exact = held if complete else int((self._held().missed == 0).sum())
        return Held(held, of, exact, cut, needed, let_go)

    @property
    @alone
    def first_bins(self) -> list[str]:
        """Columns whose bins come from the first ``warm_up`` rows only.

        >>> explainer = Explainer("ms>100", order=2, warm_up=2)
        >>> explainer.learn_many([{"ms": ms, "load": ms / 7} for ms in range(50, 150)])
        >>> explainer.first_bins
        ['load']
        """
        self.finish_warm_up()
        late = self.examples > self.warm_up and not self._whole_stream_bins
        return [column for column, _ in self._stream.edges] if late else []

    @property
    @alone
    def uneven_bins(self) -> dict[str, tuple[str, float]]:
        """Columns whose bins no longer fit the stream: the fullest bin of each, and the share of rows in it."""
        return self._held().uneven_bins() if self.examples > self.warm_up and not self._whole_stream_bins else {}

    @property
    def _whole_stream_bins(self) -> bool:
        """Whether bins come from all rows, as without conjunctions, or from the first rows."""
        return self.order == 1 and not self.whole_rows

    @property
    def budget_bytes(self) -> int:
        """The budget in bytes."""
        return parse_bytes(self.budget)

    @property
    def nbytes(self) -> int:
        """True bytes of everything that stays; never above the budget."""
        return int(self._stream.nbytes + (self.model.nbytes if self.model else 0))


def _name_of(source: Any) -> str | None:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    paths = list(source) if isinstance(source, Iterable) and not hasattr(source, "__arrow_c_stream__") else []
    return os.fspath(paths[0]) if len(paths) == 1 else None
