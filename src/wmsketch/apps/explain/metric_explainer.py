"""Why did the number change? Attributes by what they contribute to the change of a metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.explain.candidates import candidates_of
from wmsketch.apps.explain.drivers import Driver, by_evidence, fold_conjunctions
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.apps.explain.held_attributes import HeldAttributes
from wmsketch.apps.explain.metric import Metric, Term, parse_metric
from wmsketch.apps.explain.metric_held import MetricHeld
from wmsketch.apps.explain.metric_sides import combined, seconds_of, side_percentile
from wmsketch.apps.explain.metric_values import MetricValues
from wmsketch.apps.explain.percentiles import can_be_read_again, name_of
from wmsketch.apps.explain.rows import gather_same
from wmsketch.apps.explain.shape import shape_without_names
from wmsketch.errors import MergeError, ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.whole_calls import alone
from wmsketch.learners.saving.saveable import Document
from wmsketch.readers import BadInput
from wmsketch.readers.condition import Condition, parse_condition


@dataclass(eq=False, repr=False)
class MetricExplainer(Explainer, MetricValues):
    """Find the attributes, alone and in conjunctions, that a metric's change comes from, in a fixed number of bytes.

    The sides are the rows that satisfy ``test`` and those that satisfy ``control`` (by default all others); or the rows
    from the time ``after`` on and those before; or two sources (`learn_sides`). Without sides each attribute is
    compared with all other rows.

    >>> import pandas as pd
    >>> sales = pd.DataFrame({"day": ["mon", "tue"] * 400, "country": ["DE", "DE", "FR", "FR"] * 200,
    ...                       "revenue": [10, 10, 10, 4] * 200})
    >>> explainer = MetricExplainer("sum(revenue)", test="day==tue", control="day==mon")
    >>> explainer.learn_many(sales)
    >>> explainer.control_value, explainer.test_value
    (4000.0, 2800.0)
    >>> explainer.top()[0]
    Driver(country=FR, 2000 to 800, contribution=-1200)

    Parameters
    ----------
    metric: ``sum(x)``, ``avg(x)``, ``count()``, ``count(x)`` (rows with a number), a ratio of two such totals, or a
        percentile like ``p99(x)``. A percentile's change is explained by the share of rows above that of the control.
    test, control: conditions; see ``parse_condition``.
    after: a time, with the column ``time``.
    scale: a factor for the control of a total; ``"rows"`` makes both sides have as many rows, the default without a
        control. The other parameters are those of `Explainer`.
    """

    outlier: None = field(init=False, default=None)
    label: None = field(init=False, default=None)
    positive: None = field(init=False, default=None)
    weight: None = field(init=False, default=None)
    half_life: None = field(init=False, default=None)
    metric: str = ""
    test: str | None = field(default=None, kw_only=True)
    control: str | None = field(default=None, kw_only=True)
    after: str | float | None = field(default=None, kw_only=True)
    scale: float | str | None = field(default=None, kw_only=True)

    _both_sides = True

    def __post_init__(self) -> None:
        if self.control is not None and self.test is None:
            raise ValueError("control needs test, the condition of the other side")
        if self.control is not None and self.control == self.test:
            raise ParameterError("control", "must be another condition than {test}", self.control)
        if self.test is not None and self.after is not None:
            raise ValueError("give either test, a condition, or after, a time, not both")
        if self.time is None and self.after is not None:
            raise ParameterError("after", "needs {time}, the column of the times")
        if self.time is not None and self.after is None:
            raise ParameterError("time", "needs {after}, the time from which on rows are on the test side")
        if isinstance(self.scale, str) and self.scale != "rows":
            raise ValueError(f"scale must be a number or 'rows', got {self.scale!r}")
        if isinstance(self.scale, (int, float)) and not 0 < self.scale < math.inf:
            raise ValueError(f"scale must be above 0 and finite, got {self.scale}")
        self._from = None if self.after is None else seconds_of(self.after)
        self._two_sources = False
        self._threshold: float | None = None
        self.percentiles: tuple[float, float] | None = None
        self._metric = self._parsed_metric()
        self._metric_columns = self._metric.columns
        for each in (self.test, self.control):
            if each is not None and parse_condition(each).n_percentiles:
                raise ValueError(f"a side cannot be chosen by a percentile, got {each!r}")
        self.condition = Condition() if self.test is None else parse_condition(self.test, "test")
        both = combined(self.where, None if self.control is None else f"({self.test}) or ({self.control})")
        self.where_condition = Condition() if both is None else parse_condition(both, "where")
        self._start()

    def _parsed_metric(self) -> Metric:
        found = parse_metric(self.metric)
        if self.has_sides or found.is_ratio:
            return found
        if found.terms[0][0] == "rows":
            raise ValueError("metric count() needs two sides: give test, after, or two sources")
        return found.per_row()

    @property
    def has_sides(self) -> bool:
        """Whether there are two sides, or each attribute is compared with all other rows."""
        return self.test is not None or self.after is not None or getattr(self, "_two_sources", False)

    @property
    def _terms(self) -> Sequence[Term]:
        if self._metric.percentile is None:
            return self._metric.terms
        return self._metric.above(math.inf if self._threshold is None else self._threshold).terms

    @property
    def _n_moments(self) -> int:
        return self._metric.n_moments

    # --- rows in ---

    def learn_sides(self, test: Any, control: Any, format: str | None = None, **options: Any) -> None:
        """Learn the rows of two sources: files or data frames.

        >>> import pandas as pd
        >>> old = pd.DataFrame({"host": ["a", "b"] * 200, "ms": [10, 12] * 200})
        >>> new = pd.DataFrame({"host": ["a", "b"] * 200, "ms": [10, 30] * 200})
        >>> explainer = MetricExplainer("avg(ms)")
        >>> explainer.learn_sides(new, old)
        >>> explainer.top()[0]
        Driver(host=b, 12 to 30, contribution=9)
        """
        self.learn_sources(test, control, format=format, **options)

    def learn_file(self, source: Any, format: str | None = None, **options: Any) -> None:
        """Learn all rows of files (paths, globs, ``-``) or of a data frame. The options are those of a reader."""
        try:
            self.learn_sources(source, format=format, **options)
        except BadInput as problem:
            raise self.in_own_words(problem) from problem

    def learn_sources(
        self, *sources: Any, format: str | None = None, watched: Callable[..., Any] = iter, **options: Any
    ) -> None:
        """Learn the rows of one source, or of two, test and control; ``watched`` may look at the blocks.

        What can be read twice is read twice if the metric is a percentile, and if not all attributes fit the budget.
        """
        if len(sources) == 2:
            self.start_sides()
        self._choose_percentiles(sources, format, options)
        ordered = list(zip(sources, (True, False), strict=False))[::-1]  # the control first

        def learn(into: Self, until_full: bool) -> bool:
            for source, side in ordered:
                with into.open(source, format, **options) as examples:
                    for block in watched(examples):
                        into.learn_block(block, name_of(source), side)
                        if until_full and into.wants_candidates:
                            return False
            return True

        first = self._candidates is None and self._n_read == 0 and all(map(can_be_read_again, sources))
        if learn(self, first):
            return
        finder = self._finder()
        learn(finder, False)
        finder.finish_warm_up()
        self._restart()
        self._candidates = candidates_of(finder._stream, self._n_candidates, both_sides=True)
        self._stream.seal(*self._candidates)
        learn(self, False)
        self.finish_warm_up()
        self._stream.open()
        self._candidates = None

    def _choose_percentiles(self, sources: Sequence[Any], format: str | None, options: Any) -> None:
        """Take the percentiles of ``where``, and the percentile that is the metric, from these rows."""
        self.choose_percentiles(sources[0], format, **options)
        if self._metric.percentile is None or self._threshold is not None or self._n_read > 0:
            return
        if not all(map(can_be_read_again, sources)):
            return
        control, test = self.control or (None if self.test is None else f"not ({self.test})"), self.test
        values = [
            side_percentile(self, source, combined(self.where, side), format, options)
            for source, side in ((sources[-1], control), (sources[0], test))
        ]
        if not math.isnan(values[0]):
            self._threshold, self.percentiles = values[0], (values[0], values[1])
            before = self._stream
            self._start()
            if before.percentiles(True):
                self._stream.hold_percentiles(before.percentiles(True), [])

    def start_sides(self) -> None:
        """Say that the sides are two sources; `learn_block` takes the side of each block."""
        if self.test is not None or self.after is not None:
            raise ValueError("two sources need no test and no after")
        if not self._two_sources:
            self._two_sources = True
            self._metric = self._parsed_metric()
            self._start()

    def learn_block(self, block: _core.RowBlock, file: str | None = None, side: bool = True) -> None:
        """Learn the rows of one block from `open`; ``side`` is that of its source: True for test."""
        self.label_block(block, side)
        super().learn_block(block, file)

    def label_block(self, block: _core.RowBlock, side: bool = True) -> None:
        """Mark the rows of the test side, unless a condition does."""
        if self._from is not None:
            _core.label_rows_by_time(block, self._from)
        elif self.test is None:
            _core.label_rows(block, side)

    @alone
    def finish_warm_up(self) -> None:
        """Choose bins, and the percentile of the metric, from the rows so far, and learn the waiting rows."""
        if self._metric.percentile is not None and self._threshold is None and not self._stream.warm:
            waiting = self._waiting
            self._threshold = side_percentile(self, waiting, self.where, None, {})
            self.percentiles = None
            self._stream, self._waiting = self._new_stream(), waiting
            for block in waiting:
                self._stream.observe(block)
        super().finish_warm_up()

    def _finder(self) -> Self:
        finder = self._new_one()
        finder._stream = finder._new_stream(shape_without_names(self.sizes))
        finder._hold_percentiles_of(self)
        return finder

    def _new_one(self) -> Self:
        made = super()._new_one()
        made._threshold, made.percentiles = self._threshold, self.percentiles
        if self._two_sources:
            made.start_sides()
        made._start()
        return made

    def _leave_out(self, blocks: Sequence[_core.RowBlock]) -> None:
        super()._leave_out(blocks)
        if self.control is not None and not self.attributes:
            others = parse_condition(self.control).columns
            self._stream.leave_out([name for name in others if name not in self.include])

    def merge(self, other: Explainer) -> Self:
        """Add the sums of another explainer with the same parameters."""
        theirs = getattr(other, "_threshold", None), getattr(other, "_two_sources", False)
        if type(other) is type(self) and theirs != (self._threshold, self._two_sources):
            raise MergeError("cannot merge: the percentile of the metric, or the kind of sides, differs", ("metric",))
        return super().merge(other)

    def in_own_words(self, problem: BadInput) -> BadInput:
        """Return a reader's error about a column, with the parameter that names the column here."""
        sides = {
            name: parse_condition(text).columns
            for name, text in (("where", self.where), ("test", self.test), ("control", self.control))
            if text is not None
        }
        return problem.as_asked(metric=self._metric_columns, **sides, attributes=self.attributes)

    # --- answers out ---

    @property
    def problem(self) -> str | None:
        """Return the reason if there is nothing to explain, or None."""
        finished = self.finished()
        if self.examples == 0 or finished._stream.coverage[1] == 0:
            return super().problem
        control, test = self.examples - self.outliers, self.outliers
        if self.has_sides and 0 in (control, test):
            return f"no row of {self.examples:,} is on the {'control' if test else 'test'} side"
        if self._metric_columns and finished._stream.metric[3] == 0:
            return f"no number in {', '.join(self._metric_columns)}"
        values = [self.test_value, *([self.control_value] if self.has_sides else [])]
        return None if all(map(math.isfinite, values)) else f"the denominator of {self.metric} is 0"

    def _snapshot(self) -> MetricHeld:
        finished = self.finished()
        scale = self.scale
        if scale is None:
            scale = "rows" if self.test is not None and self.control is None else 1.0
        return MetricHeld(finished._held(), finished._stream, self.has_sides, scale)

    def _held(self, least_outliers: float = 0.0) -> HeldAttributes:
        finished = self.finished()
        held = HeldAttributes(finished._stream, self.totals, finished._left_out)
        split = self._split(held)
        return HeldAttributes(finished._stream, self.totals, {*finished._left_out, *split}) if split else held

    def _split(self, held: HeldAttributes) -> list[str]:
        if not self.has_sides or self.attributes or 0 in (self.outliers, self.examples - self.outliers):
            return []
        return [column for column in held.split_columns() if column not in self.include]

    @property
    def columns_not_used(self) -> dict[str, str]:
        """Columns that explain nothing, and why.

        "unique", "restates" (the metric), "sides" (other values on each side) or "one side" (values on one side only).
        """
        finished = self.finished()
        held = HeldAttributes(finished._stream, self.totals, finished._left_out)
        return finished._left_out | {
            column: "one side" if held.has_one_side(column) else "sides"
            for column in self._split(held)
            if column not in finished._left_out
        }

    @alone
    def top(  # type: ignore[override]
        self, k: int | None = 20, *, min_support: float = 0.001, certain: bool = True, folded: bool = True
    ) -> list[Driver]:
        """Return up to k rows (all for None), those with the strongest evidence first.

        Rows need at least ``min_support``, a share of the rows of a side. ``certain`` leaves out attributes that did
        not change otherwise than the rest beyond noise, given how many were tried. ``folded`` joins attributes of the
        same rows, and folds a conjunction under a part with more evidence. `small_set` folds more.
        """
        finished = self.finished()
        if finished.problem is not None:
            return []
        rows = self._snapshot().rows(finished.held.distinct or 0, min_support, certain)
        ordered = by_evidence(fold_conjunctions(gather_same(rows)) if folded else rows)
        return ordered if k is None else ordered[: require_integer("k", k, 0)]

    def small_set(
        self, *sources: Any, format: str | None = None, min_support: float = 0.001, **options: Any
    ) -> list[Driver]:
        """Return the few rows that together account for the change, each with what it makes redundant.

        The sources are those that were learned, which are read once more: one, or test and control.

        >>> import pandas as pd
        >>> rows = pd.DataFrame({"side": ["a", "b"] * 900, "os": ["x", "x", "y"] * 600, "app": [*range(5)] * 360})
        >>> rows["ms"] = 5 + (rows.index % 7) + 10 * ((rows.side == "b") & (rows.os == "y"))
        >>> explainer = MetricExplainer("avg(ms)", test="side==b", control="side==a", categorical=["app"])
        >>> explainer.learn_many(rows)
        >>> [row.label for row in explainer.small_set(rows)]
        ['os=y']
        """
        from wmsketch.apps.explain.small_set import small_set

        rows = self.top(None, min_support=min_support)
        return small_set(self, rows, sources, format, options, min_support)

    # --- the object itself ---

    def _document(self) -> Document:
        parameters, state, arrays = super()._document()
        finished = self.finished()
        state["config"] |= {
            "threshold": finished._threshold,
            "percentiles": None if finished.percentiles is None else list(finished.percentiles),
            "two_sources": self._two_sources,
        }
        return parameters, state, arrays

    def _prepare(self, config: dict[str, Any]) -> None:
        threshold, percentiles = config.get("threshold"), config.get("percentiles")
        if threshold is not None and not isinstance(threshold, (int, float)):
            raise ValueError("threshold must be a number")
        if percentiles is not None:
            if not isinstance(percentiles, (list, tuple)) or len(percentiles) != 2:
                raise ValueError("percentiles must be two numbers")
            percentiles = float(percentiles[0]), float(percentiles[1])
        if config.get("two_sources"):
            self.start_sides()
        self._threshold, self.percentiles = threshold, percentiles
        self._start()

    def __repr__(self) -> str:
        return (
            f"MetricExplainer({self.metric!r}): {self.examples:,} rows, {self.control_value:.6g} to "
            f"{self.test_value:.6g}, {self.held.held:,} attribute values"
        )
