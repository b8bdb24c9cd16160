"""What do the slow, failed or expensive rows have in common?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.explain.counts import StreamCounts
from wmsketch.apps.explain.held_attributes import HeldAttributes
from wmsketch.apps.explain.inputs import DictRows
from wmsketch.apps.explain.metric import Term
from wmsketch.apps.explain.reading import ReadsRows
from wmsketch.apps.explain.rows import SORTS, Explanation, fold, gather_same
from wmsketch.apps.explain.shape import DEFAULT_BUDGET, Sizes, budget_for, choose_sizes, shape_without_names
from wmsketch.apps.held import Held, bytes_option
from wmsketch.apps.merging import merge_in_order, require_same_settings
from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.whole_calls import alone, both_alone
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable, require_memory
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.half_life import half_life_config
from wmsketch.readers.condition import Condition, parse_condition


@dataclass(eq=False, repr=False)
class Explainer(ReadsRows, Saveable, StreamCounts):
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
        Percentiles are those of all rows of a file or a frame, and of pipes and dicts those of the rows so far.
    label, positive: instead of a condition, the column of a label and its value for outliers.
    where: a condition that rows must satisfy to count at all.
    attributes, ignore: columns to explain with, or not to explain with. Those of ``outlier`` are excluded unless
        listed, and so are columns whose values nearly never repeat or that restate the condition (`columns_not_used`).
    include: use these columns all the same.
    categorical, numeric: columns to read as categories, or to cut into bins; others are detected from their values.
    templates: columns of log messages, of which the template is an attribute: ``took <num> ms``.
    variable_words: templates in which words vary, like ``user <word> left``; None: found in the first rows of a file,
        a pipe, a frame or a list. Explainers of parts merge if these are the same.
    order: maximum number of attributes in a conjunction, 1 to 3.
    weight: a column with the amount of each row. Counts and ratios are then of amounts instead of rows.
    bins: quantile bins of a numeric column, of the whole stream; with conjunctions (``order`` above 1), of its first
        ``warm_up`` rows. A column of few whole numbers (up to two per bin) is not cut.
    half_life: a row counts half after this many rows, or after a time like ``"10min"`` by the column ``time``.
    warm_up: rows after which the bins of numeric columns are fixed, with conjunctions.
    time: the column with the time of a row, for a ``half_life`` in time.
    budget: true bytes of everything that stays: counts with names, sketches, columns.
    seed: seed of the hashes.
    """

    outlier: str | None = None
    label: str | None = field(default=None, kw_only=True)
    positive: str | float | bool | None = field(default=None, kw_only=True)
    where: str | None = field(default=None, kw_only=True)
    attributes: Sequence[str] = field(default=(), kw_only=True)
    ignore: Sequence[str] = field(default=(), kw_only=True)
    include: Sequence[str] = field(default=(), kw_only=True)
    categorical: Sequence[str] = field(default=(), kw_only=True)
    numeric: Sequence[str] = field(default=(), kw_only=True)
    templates: Sequence[str] = field(default=(), kw_only=True)
    variable_words: Sequence[str] | None = field(default=None, kw_only=True)
    order: int = field(default=1, kw_only=True)
    weight: str | None = field(default=None, kw_only=True)
    bins: int = field(default=10, kw_only=True)
    warm_up: int = field(default=10_000, kw_only=True)
    half_life: float | str | None = field(default=None, kw_only=True)
    time: str | None = field(default=None, kw_only=True)
    budget: int | str = field(default=DEFAULT_BUDGET, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if (self.outlier is None) == (self.label is None):
            raise ValueError("give either a condition (outlier) or a column (label) to mark the outliers")
        if self.positive is not None and self.label is None:
            raise ValueError(f"positive needs label, the column of the label; got {self.positive!r}")
        half_life = half_life_config(self.half_life)
        in_seconds = half_life["half_life_in"] == "seconds"
        if in_seconds != (self.time is not None):
            raise ValueError("a half_life in time needs the column time, and time needs such a half_life")
        self.condition = Condition() if self.outlier is None else parse_condition(self.outlier)
        self.where_condition = Condition() if self.where is None else parse_condition(self.where, "where")
        self._start()

    def _start(self) -> None:
        """Check the other parameters, and begin without rows."""
        require_integer("order", self.order, 1, 3)
        require_integer("bins", self.bins, 2, 1000)
        require_integer("warm_up", self.warm_up, 1)
        require_integer("seed", self.seed, 0, 2**63)
        self.sizes: Sizes = choose_sizes(
            self.budget, self.order, self._n_percentiles, self._n_moments, templates=bool(self.templates)
        )
        self._fades = self.half_life is not None
        self._stream = self._new_stream()
        self._waiting: list[_core.RowBlock] = []
        self._left_out: dict[str, str] = {}
        self._held_percentiles = self._moved_percentiles = False
        self._candidates = None
        self._finished: tuple[int, Self] | None = None
        self._dicts = DictRows(self._reader_options())

    def _new_stream(
        self, shape: tuple[int, int, int, int] | None = None, only_outliers: bool = False
    ) -> _core.AttributeStream:
        half_life = half_life_config(self.half_life)
        return _core.AttributeStream(
            outlier=self.condition.as_given(),
            where=self.where_condition.as_given(),
            attributes=list(self.attributes),
            order=self.order,
            bins=self.bins,
            warm_up=self.warm_up,
            half_life=half_life["half_life"],
            half_life_in_seconds=half_life["half_life_in"] == "seconds",
            shape=shape or self.sizes.table,
            quantile_bytes=self.sizes.quantile_bytes,
            column_bytes=self.sizes.column_bytes,
            seed=self.seed,
            only_outliers=only_outliers,
            metric=list(self._terms),
        )

    def _finder(self) -> Self:
        finder = self._new_one()
        finder._stream = finder._new_stream(shape_without_names(self.sizes), only_outliers=True)
        finder._hold_percentiles_of(self)
        return finder

    def _restart(self) -> None:
        before = self._new_one()
        before._hold_percentiles_of(self)
        self._stream, self._waiting, self._finished = before._stream, [], None

    def _new_one(self) -> Self:
        made = type(self).__new__(type(self))
        type(made).__init__(made, **self._parameters())
        return made

    def _hold_percentiles_of(self, other: Explainer) -> None:
        if other._held_percentiles:
            self._stream.hold_percentiles(other._stream.percentiles(True), other._stream.percentiles(False))
        self._held_percentiles, self._moved_percentiles = other._held_percentiles, other._moved_percentiles

    @property
    def _n_candidates(self) -> int:  # type: ignore[override]
        return int(0.9 * self.sizes.capacity)

    @property
    def _terms(self) -> Sequence[Term]:
        return ()  # of a metric

    @property
    def _n_moments(self) -> int:
        return 0

    @property
    def _n_percentiles(self) -> int:
        return self.condition.n_percentiles + self.where_condition.n_percentiles

    def merge(self, other: Explainer) -> Self:
        """Add the counts of another explainer with the same parameters.

        The result is exact if both hold all. Bins must agree, and percentiles must be those of `choose_percentiles`.

        >>> whole, part = Explainer("ms>100"), Explainer("ms>100")
        >>> whole.learn_one({"ms": 250, "host": "a"})
        >>> part.learn_one({"ms": 20, "host": "b"})
        >>> whole.merge(part).examples, whole.held.held
        (2, 2)
        """
        require_same_settings(self, other)
        with both_alone(self, other):
            self.share_words(other)
            self.finish_warm_up()
            merge_in_order(self, other.finished(), _join)
        return self

    def finished(self) -> Self:
        """Return an explainer that has learned the waiting rows too: this one, or a copy while its first rows wait."""
        if self._stream.warm:
            return self
        if self._finished is None or self._finished[0] != len(self._waiting):
            copy = self._new_one()
            copy._hold_percentiles_of(self)
            copy._take_columns_of(self)
            if self._candidates is not None:
                copy._stream.seal(*self._candidates)
            for block in self._waiting:
                copy._stream.observe(block)
            copy._waiting = list(self._waiting)
            copy.finish_warm_up()
            self._finished = len(self._waiting), copy
        return self._finished[1]

    # --- the object itself ---

    def _parameters(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    @alone
    def _document(self) -> Document:
        finished = self.finished()
        config: dict[str, Any] = {"left_out": finished._left_out}
        config |= {"held": self._held_percentiles, "moved": self._moved_percentiles}
        return self._parameters(), {"config": config}, finished._stream.state()

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        require_memory(parse_bytes(parameters.get("budget", DEFAULT_BUDGET)), n_bytes)
        type(self).__init__(self, **parameters)
        config = state.get("config", {})
        if not isinstance(config, dict):
            raise ValueError("config must be an object")
        self._prepare(config)
        self._stream.load_state(arrays)
        self._left_out = _left_out_in(config.get("left_out", {}))
        self._stream.leave_out(list(self._left_out))
        self._held_percentiles, self._moved_percentiles = bool(config.get("held")), bool(config.get("moved", True))
        if self._held_percentiles:
            self._stream.hold_percentiles(self._stream.percentiles(True), self._stream.percentiles(False))

    def _prepare(self, config: dict[str, Any]) -> None:
        """Take what the stream depends on from a file."""

    @alone
    def __repr__(self) -> str:
        shown = [] if self.outlier is None else [repr(self.outlier)]
        for each in fields(self)[1:]:
            default = () if each.default is MISSING else each.default
            if getattr(self, each.name) != default and each.name != "variable_words":  # which may be many
                shown.append(f"{each.name}={getattr(self, each.name)!r}")
        state = f"{self.examples:,} rows, {self.outliers:,} outliers, {self.held.held:,} attribute values"
        return f"Explainer({', '.join(shown)}): {state}"

    # --- answers out ---

    @alone
    def top(
        self,
        k: int | None = 20,
        *,
        sort: str = "evidence",
        min_support: float = 0.001,
        min_ratio: float = 1.0,
        certain: bool = True,
        folded: bool = True,
    ) -> list[Explanation]:
        """Return up to k rows (all for None), sorted by ``sort``.

        ``evidence``: how much the counts speak against chance, so that causes of many outliers come first. ``ratio``:
        the lower end of the range of the ratio. Others: ``weight``, ``support``, and ``low`` (certainly heavy).

        Rows need at least ``min_support`` and ``min_ratio``; with 0, attributes that are rarer among outliers are shown
        too. ``certain`` leaves out ratios that may be chance, given the number of attributes, or that may be 1 given
        what was not counted. ``folded`` joins attributes of the same rows, and folds a conjunction under a part that
        explains as much.

        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_many([{"ms": 250, "host": "a"}, {"ms": 20, "host": "b"}] * 50)
        >>> explainer.top(1)[0].attributes
        {'host': 'a'}
        """
        if sort not in SORTS:
            raise ParameterError("sort", f"must be one of {', '.join(SORTS)}", sort)
        finished = self.finished()
        if finished.problem is not None:
            return []
        totals = finished.totals
        held = finished._held(min_support * totals.outliers)
        places = held.select(finished.held.distinct or 0, min_support, min_ratio, certain)
        rows = held.rows(places)
        ordered = sorted(fold(gather_same(rows), totals.unit) if folded else rows, key=SORTS[sort])
        return ordered if k is None else ordered[: require_integer("k", k, 0)]

    rows = top

    def _held(self, least_outliers: float = 0.0) -> HeldAttributes:
        finished = self.finished()
        return HeldAttributes(finished._stream, self.totals, finished._left_out, least_outliers)

    @property
    @alone
    def held(self) -> Held:
        """How many attribute values are held, and which budget would hold all.

        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_many([{"ms": 250, "host": "a"}, {"ms": 20, "host": "b"}])
        >>> explainer.held.line("attribute values")
        'all 2 attribute values are held: every count is exact'
        """
        complete, held, values, conjunctions, let_go, name_bytes, cut = self.finished()._stream.coverage
        of = round(values + conjunctions)
        names = (name_bytes + 2) * values if cut else 0
        templates = bool(self.templates)
        n_bytes = budget_for(of, names, self.order, self._n_percentiles, self._n_moments, templates=templates)
        fits = complete and not cut and not self.columns_left_out
        needed = None if fits else bytes_option(max(n_bytes, self.budget_bytes))
        exact = held if complete else int((self._held().missed == 0).sum())
        return Held(held, of, exact, cut, needed, let_go, self.percentiles_moved)

    @property
    @alone
    def first_bins(self) -> list[str]:
        """Columns whose bins come from the first ``warm_up`` rows only.

        >>> explainer = Explainer("ms>100", order=2, warm_up=2)
        >>> explainer.learn_many([{"ms": ms, "load": ms / 7} for ms in range(50, 150)])
        >>> explainer.first_bins
        ['load']
        """
        late = self.examples > self.warm_up and not self._whole_stream_bins
        return [column for column, _ in self.finished()._stream.edges] if late else []

    @property
    @alone
    def uneven_bins(self) -> dict[str, tuple[str, float]]:
        """Columns whose bins no longer fit the stream: the fullest bin of each, and the share of rows in it."""
        return self._held().uneven_bins() if self.examples > self.warm_up and not self._whole_stream_bins else {}

    @property
    def _whole_stream_bins(self) -> bool:
        """Whether bins come from all rows, as without conjunctions, or from the first rows."""
        return self.order == 1

    @property
    def budget_bytes(self) -> int:
        """The budget in bytes."""
        return parse_bytes(self.budget)

    @property
    def nbytes(self) -> int:
        """True bytes of everything that stays; never above the budget."""
        return int(self._stream.nbytes) + self._word_bytes


def _join(one: Explainer, other: Explainer) -> None:
    one._stream.merge(other._stream)
    one._left_out = dict(sorted({**one._left_out, **other._left_out}.items()))
    one._stream.leave_out(list(one._left_out))
    one._moved_percentiles = one._moved_percentiles or other._moved_percentiles


def _left_out_in(given: Any) -> dict[str, str]:
    if not isinstance(given, dict) or not all(isinstance(each, str) for pair in given.items() for each in pair):
        raise ValueError("left_out must be columns and reasons")
    return dict(given)
