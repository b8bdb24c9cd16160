"""The totals of an explainer's stream."""

from __future__ import annotations

from typing import Self

from wmsketch import _core
from wmsketch.apps.explain.ratios import Totals
from wmsketch.learners.rows.whole_calls import alone
from wmsketch.readers.condition import Condition


class StreamCounts:
    """Counts of rows and of rows left out, and the reason if there is nothing to explain."""

    _stream: _core.AttributeStream
    _left_out: dict[str, str]
    condition: Condition
    where: str | None

    def finished(self) -> Self:
        """Return the object that has learned the waiting rows too."""
        raise NotImplementedError

    @property
    @alone
    def problem(self) -> str | None:
        """Return the reason if there is nothing to explain, or None."""
        needed = ", ".join(self.condition.columns)
        if self.examples == 0:
            if self.where_left_out and not self.skipped:
                return f"no row of {self.where_left_out:,} satisfies {self.where}"
            return f"no row has a value in {needed}" if self.skipped else "there are no rows"
        if self.outliers in (0, self.examples):
            which = "every row" if self.outliers else "no row"
            return f"{which} of {self.examples:,} is an outlier, so there is nothing to compare"
        if self.totals.outliers <= 0 or self.totals.inliers <= 0:
            return "all weights are 0 on one side, so there is nothing to compare"
        return None if self.finished()._stream.coverage[1] else "no row has an attribute"

    @property
    @alone  # the end of the warm-up learns rows again
    def _counts(self) -> tuple[int, int, int, int, float, float, float]:
        return self.finished()._stream.counts

    @property
    def examples(self) -> int:
        """The number of rows learned."""
        return int(self._counts[0])

    @property
    def outliers(self) -> int:
        """The number of outliers among them."""
        return int(self._counts[1])

    @property
    def skipped(self) -> int:
        """Rows left out because they lack a value that the outlier condition needs."""
        return int(self._counts[2])

    @property
    def where_left_out(self) -> int:
        """Rows left out because they do not satisfy ``where``."""
        return int(self._counts[3])

    @property
    def totals(self) -> Totals:
        """Outliers and inliers, in rows or weight, after forgetting."""
        outliers, inliers, squared = self._counts[4:]
        return Totals(outliers, inliers, squared / (outliers + inliers) if outliers + inliers else 1.0)

    @property
    @alone
    def thresholds(self) -> dict[str, float]:
        """The current percentiles of the condition."""
        found = zip(self.condition.comparisons, self.finished()._stream.thresholds, strict=True)
        return {str(each): value for each, value in found if each.percentile is not None}

    @property
    @alone
    def columns_left_out(self) -> list[str]:
        """The first columns that did not fit the budget."""
        return list(self.finished()._stream.left_out[0])

    @property
    def values_left_out(self) -> int:
        """The number of values in such columns."""
        return int(self.finished()._stream.left_out[1])

    @property
    def slots_used(self) -> int:
        """The number of slots in use; the bins of numbers need none."""
        return int(self.finished()._stream.slots_used)
