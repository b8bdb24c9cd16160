"""What do the slow, failed or expensive rows have in common?"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wmsketch import _core
from wmsketch.apps.explain_condition import Comparison, parse_condition
from wmsketch.apps.explain_rows import SORTS, Explanation, Totals, explain_feature, fold, is_certain
from wmsketch.apps.explain_sizes import Sizes, choose_sizes
from wmsketch.learners.awm import AWMSketch
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.checks import require_integer
from wmsketch.readers import BadInput, Examples, open_examples
from wmsketch.records import HeavyFeature

_ROWS_AT_ONCE = 1024
_ROWS_BETWEEN_LOOKS = 8192  # at which keys are heavy; fixed, so that it does not matter how rows arrive


@dataclass(eq=False)
class Explainer:
    """Find attributes, alone and together, that outliers have and other rows have not, in a fixed number of bytes.

    Outliers are the rows that fulfil the condition ``outlier``, or whose column ``label`` has the value ``positive``.
    Each attribute of a row is an example of its own, so that its weight in the AWM-Sketch follows its relative risk.

    >>> import pandas as pd
    >>> flights = pd.DataFrame({"carrier": ["EV", "EV", "UA", "DL"] * 500, "delay": [90, 60, 0, 5] * 500})
    >>> explainer = Explainer("delay>30")
    >>> explainer.learn(flights)
    >>> explainer.rows()[0]
    Explanation(carrier=EV, weight=6.9, risk_ratio=inf, support=1)

    Parameters
    ----------
    outlier: a condition like ``"dep_delay>p80"`` or ``"amount>100 and country==US"``; see ``parse_condition``.
        Percentiles are those of the stream so far, of the first ``warm_up`` rows at least.
    label, positive: in place of a condition, the column of a label and the value of it that means outlier.
    attributes, ignore: columns that may explain, or that may not. The condition's columns do not unless asked for.
    categorical, numeric: columns to take as categories, or to cut into bins; others by what they hold.
    order: how many attributes a conjunction may have, 1 to 3.
    whole_rows: make one example of a row. Weights then share what attributes have in common.
    weight: a column by which rows count, in place of one each. Counts and ratios are then of amounts.
    bins: quantile bins of a numeric column, chosen by its first ``warm_up`` rows. A column of few whole numbers
        (up to two for each bin) is not cut.
    budget: true bytes of all that stays: model with names, counters, quantile sketches, columns.
    eta0, l2, schedule, seed: the learning rule of the model: for attributes on their own, that of those not held.
    """

    outlier: str | None = None
    label: str | None = field(default=None, kw_only=True)
    positive: str | float | bool | None = field(default=None, kw_only=True)
    attributes: Sequence[str] = field(default=(), kw_only=True)
    ignore: Sequence[str] = field(default=(), kw_only=True)
    categorical: Sequence[str] = field(default=(), kw_only=True)
    numeric: Sequence[str] = field(default=(), kw_only=True)
    order: int = field(default=1, kw_only=True)
    whole_rows: bool = field(default=False, kw_only=True)
    weight: str | None = field(default=None, kw_only=True)
    bins: int = field(default=10, kw_only=True)
    warm_up: int = field(default=10_000, kw_only=True)
    budget: int | str = field(default="128KiB", kw_only=True)
    eta0: float = field(default=0.1, kw_only=True)
    l2: float = field(default=0.0, kw_only=True)
    schedule: str = field(default="constant", kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if (self.outlier is None) == (self.label is None):
            raise ValueError("say which rows are outliers: by a condition (outlier) or by a column (label), not both")
        if self.positive is not None and self.label is None:
            raise ValueError(f"positive is a value of the column label, which is missing; got {self.positive!r}")
        require_integer("order", self.order, 1, 3)
        require_integer("bins", self.bins, 2, 1000)
        require_integer("warm_up", self.warm_up, 1)
        require_integer("seed", self.seed, 0, 2**63)
        self.comparisons: list[Comparison] = [] if self.outlier is None else parse_condition(self.outlier)
        n_percentiles = sum(each.percentile is not None for each in self.comparisons)
        kind = "awm" if self.whole_rows else "adaptive_awm"
        self.sizes: Sizes = choose_sizes(self.budget, self.order, n_percentiles, kind)
        self.model = AWMSketch(
            depth=1,
            width=self.sizes.model.width,
            active_set_size=self.sizes.model.active_set_size,
            name_bytes=self.sizes.model.name_bytes,
            seed=self.seed,
            **self._rule(),
        )
        self._encoder = _core.AttributeEncoder(
            condition=[(each.column, each.operator, each.value, each.percentile) for each in self.comparisons],
            attributes=list(self.attributes),
            order=self.order,
            whole_rows=self.whole_rows,
            bins=self.bins,
            warm_up=self.warm_up,
            quantile_bytes=self.sizes.quantile_bytes,
            column_bytes=self.sizes.column_bytes,
            seed=self.seed,
        )
        self._counts = _core.AttributeCounts(self.sizes.tracked, self.sizes.count_bytes, self.seed)
        self._held: list[_core.RowBlock] = []  # the first rows, until they have chosen bins and percentiles

    def _rule(self) -> dict[str, Any]:
        shared = {"eta0": self.eta0, "l2": self.l2, "schedule": self.schedule}
        if self.whole_rows:
            return {**shared, "step": "plain", "fit_intercept": True, "class_weight": None}
        # Newton's steps settle on the log odds of all that was seen of an attribute, be it rare or frequent, next to
        # those of all rows, which are the intercept.
        return {**shared, "step": "newton", "fit_intercept": True, "class_weight": None}

    # --- rows in ---

    def open(self, source: Any, format: str | None = None, **options: Any) -> Examples:
        """Open files, or a data frame, for `learn_block`: every column as this explainer wants it."""
        if hasattr(source, "reset_index"):
            source = source.reset_index(drop=True)  # pandas would hand over its index as one more column
        asked = {each.column for each in self.comparisons}
        reader: dict[str, Any] = {
            "features": [*self.attributes, *sorted(asked - {*self.attributes})] if self.attributes else [],
            "ignore": [name for name in self.ignore if name not in asked],
            "categorical": [*self.categorical, *sorted(asked - {*self.categorical})],  # as text, which is exact
            "numeric": [name for name in self.numeric if name not in asked],
            "weight": self.weight or "",
            **({"label": self.label, "positive": self.positive} if self.label else {}),
        }
        return open_examples(source, format, **reader, **options)

    def learn(self, source: Any, format: str | None = None, **options: Any) -> None:
        """Learn all rows of files (paths, globs, ``-``), or of a data frame or Arrow table."""
        with self.open(source, format, **options) as examples:
            for block in examples:
                self.learn_block(block, file=_name_of(source))

    def learn_block(self, block: _core.RowBlock, file: str | None = None) -> None:
        """Learn the rows of one block of `open`."""
        try:
            if self._encoder.warm:
                self._learn(block)
                return
            self._held.append(block)
            if self._encoder.observe(block):
                self.finish_warm_up()
        except ValueError as problem:
            if isinstance(problem, BadInput):
                raise
            raise BadInput(str(problem), file) from problem

    def finish_warm_up(self) -> None:
        """Choose bins by the rows so far, and learn those that waited for it."""
        if self._encoder.warm:
            return
        held, self._held = self._held, []
        self._encoder.finish_warm_up()
        for block in held:
            self._learn(block)

    def _learn(self, block: _core.RowBlock) -> None:
        row = 0
        while row < len(block):
            rows_seen = self.examples + self.skipped
            examples = self._encoder.encode(block, row, row + _ROWS_AT_ONCE - rows_seen % _ROWS_AT_ONCE)
            row = examples.next_row
            if len(examples):
                self._counts.count(examples)
                self.model.learn_block(examples)
            rows_seen = self.examples + self.skipped
            between = _ROWS_AT_ONCE if rows_seen <= 2 * _ROWS_BETWEEN_LOOKS else _ROWS_BETWEEN_LOOKS
            if rows_seen % between == 0:
                self._track()

    def _track(self) -> None:
        if self.model._started:
            heavy = self.model._learner().top(2**32 - 1)
            self._counts.track(np.array([row[0] for row in heavy], dtype=np.uint32))

    # --- answers out ---

    def rows(
        self,
        k: int | None = 20,
        *,
        sort: str = "ratio",
        min_support: float = 0.001,
        min_ratio: float = 1.0,
        certain: bool = True,
        folded: bool = True,
    ) -> list[Explanation]:
        """Return up to k rows (all for None), first by ``sort``: ratio, weight, support or low (surely heavy).

        Rows need at least ``min_support`` and ``min_ratio``; 0 shows what outliers have less often, too. ``certain``
        leaves out ratios that chance alone would give to some attribute. ``folded`` puts a conjunction under a part of
        it that explains as much.
        """
        if sort not in SORTS:
            raise ValueError(f"sort must be one of {', '.join(SORTS)}, got {sort!r}")
        self.finish_warm_up()
        if self.problem is not None:
            return []
        self._track()
        totals, heavy = self.totals, self.model._learner().top(2**32 - 1)
        rows = [self._row(feature, totals) for feature in heavy]
        kept = [
            row
            for row in rows
            if row.support >= min_support and row.risk_ratio >= min_ratio
            if not certain or is_certain(row, totals, self.model.features_seen_)
        ]
        ordered = sorted(fold(kept, totals.unit) if folded else kept, key=SORTS[sort])
        return ordered if k is None else ordered[: require_integer("k", k, 0)]

    def _row(self, heavy: tuple[int, float, float, float, str, bool], totals: Totals) -> Explanation:
        key, weight, low, high, name, shortened = heavy
        feature = HeavyFeature(name, weight, low, high, shortened)
        return explain_feature(feature, self._attributes_of(name, shortened), self._counts.of(key), totals)

    def _attributes_of(self, name: str, shortened: bool) -> dict[str, str]:
        # a letter for each column, then the values; see AttributeBlock
        letters, *values = name.split("\x1f")
        columns = self._encoder.columns
        if shortened:
            values = [*values[:-1], values[-1] + "…"] if values else []
        values += ["…"] * (len(letters) - len(values))
        found: dict[str, str] = {}
        for letter, value in zip(letters, values, strict=True):
            column = columns[ord(letter) - 0x100]
            found[column] = f"{found[column]} {value}" if column in found else value
        return found

    @property
    def problem(self) -> str | None:
        """Why there is nothing to explain; None when there is."""
        self.finish_warm_up()
        needed = ", ".join(dict.fromkeys(each.column for each in self.comparisons))
        if self.examples == 0:
            return f"no row has a value in {needed}" if self.skipped else "there are no rows"
        if self.outliers in (0, self.examples):
            which = "every row" if self.outliers else "no row"
            return f"{which} of {self.examples:,} is an outlier, so that there is nothing to compare"
        if not self.model._started:
            return "no row has an attribute"
        return None

    @property
    def examples(self) -> int:
        """Rows learned."""
        return int(self._encoder.counts[0])

    @property
    def outliers(self) -> int:
        """How many of them were outliers."""
        return int(self._encoder.counts[1])

    @property
    def skipped(self) -> int:
        """Rows left out, because the condition's columns have no value in them."""
        return int(self._encoder.counts[2])

    @property
    def totals(self) -> Totals:
        """Outliers and inliers, by rows or by weight."""
        _, _, _, outliers, inliers, squared = self._encoder.counts
        return Totals(outliers, inliers, squared / (outliers + inliers) if outliers + inliers else 1.0)

    @property
    def thresholds(self) -> dict[str, float]:
        """The percentiles of the condition as they are now."""
        found = zip(self.comparisons, self._encoder.thresholds, strict=True)
        return {str(each): value for each, value in found if each.percentile is not None}

    @property
    def columns_left_out(self) -> int:
        """Values of columns for which the budget had no room."""
        return int(self._encoder.columns_left_out)

    @property
    def budget_bytes(self) -> int:
        """The budget as a number."""
        return parse_bytes(self.budget)

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays; never above the budget."""
        return int(self.model.nbytes + self._counts.nbytes + self._encoder.nbytes)


def _name_of(source: Any) -> str | None:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    paths = list(source) if isinstance(source, Iterable) and not hasattr(source, "__arrow_c_stream__") else []
    return os.fspath(paths[0]) if len(paths) == 1 else None


def drift_note(explainer: Explainer) -> str | None:
    """A remark when far more or fewer rows passed a lone percentile than it says: the column drifted."""
    [only] = explainer.comparisons if len(explainer.comparisons) == 1 else [None]
    if only is None or only.percentile is None or not explainer.examples:
        return None
    expected = only.percentile / 100 if only.operator.startswith("<") else 1 - only.percentile / 100
    share = explainer.outliers / explainer.examples
    if math.isclose(share, expected, rel_tol=0.1, abs_tol=0.005):
        return None
    fulfilled = f"{share:.1%} of the rows fulfilled {only} when they came, not {expected:.1%}"
    return f"{fulfilled}: {only.column} drifts or is sorted"
