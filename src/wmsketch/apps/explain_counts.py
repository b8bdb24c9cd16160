"""What an explainer has counted of its stream as a whole."""

from __future__ import annotations

from wmsketch import _core
from wmsketch.apps.explain_ratios import Totals
from wmsketch.learners.whole_calls import alone
from wmsketch.readers.condition import Condition


class StreamCounts:
    """Counts of rows and of what was left out, and why there may be nothing to explain."""

    _stream: _core.AttributeStream
    condition: Condition
    where: str | None

    def finish_warm_up(self) -> None:
        """Learn the rows that wait."""
        raise NotImplementedError

    @property
    @alone
    def problem(self) -> str | None:
        """Why there is nothing to explain; None when there is."""
        self.finish_warm_up()
        needed = ", ".join(self.condition.columns)
        if self.examples == 0:
            if self.where_left_out and not self.skipped:
                return f"no row of {self.where_left_out:,} fulfils {self.where}"
            return f"no row has a value in {needed}" if self.skipped else "there are no rows"
        if self.outliers in (0, self.examples):
            which = "every row" if self.outliers else "no row"
            return f"{which} of {self.examples:,} is an outlier, so that there is nothing to compare"
        if self.totals.outliers <= 0 or self.totals.inliers <= 0:
            return "all weights are 0 on one side, so that there is nothing to compare"
        return None if self._stream.coverage[1] else "no row has an attribute"

    @property
    def _counts(self) -> tuple[int, int, int, int, float, float, float]:
        self.finish_warm_up()
        return self._stream.counts

    @property
    def examples(self) -> int:
        """Rows learned. Asking for any count ends the warm-up."""
        return int(self._counts[0])

    @property
    def outliers(self) -> int:
        """How many of them were outliers."""
        return int(self._counts[1])

    @property
    def skipped(self) -> int:
        """Rows left out, because the outlier condition needs a value that is missing in them."""
        return int(self._counts[2])

    @property
    def where_left_out(self) -> int:
        """Rows left out, because they do not fulfil ``where``."""
        return int(self._counts[3])

    @property
    def totals(self) -> Totals:
        """Outliers and inliers, by rows or by weight, as far as they still count."""
        outliers, inliers, squared = self._counts[4:]
        return Totals(outliers, inliers, squared / (outliers + inliers) if outliers + inliers else 1.0)

    @property
    def thresholds(self) -> dict[str, float]:
        """The percentiles of the condition as they are now."""
        found = zip(self.condition.comparisons, self._stream.thresholds, strict=True)
        return {str(each): value for each, value in found if each.percentile is not None}

    @property
    def columns_left_out(self) -> list[str]:
        """The first columns for which the budget had no room."""
        return list(self._stream.left_out[0])

    @property
    def values_left_out(self) -> int:
        """How many values such columns had."""
        return int(self._stream.left_out[1])
