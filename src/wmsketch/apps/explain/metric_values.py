"""The values of a metric on both sides, and what is known about its columns."""

from __future__ import annotations

from typing import Any

from wmsketch.apps.explain.metric import Metric
from wmsketch.apps.explain.metric_held import MetricHeld


class MetricValues:
    """The answers of a MetricExplainer about all rows."""

    _metric: Metric
    _threshold: float | None
    percentiles: tuple[float, float] | None  # of the control and the test side, if the metric is a percentile

    def finished(self) -> Any:
        """Return the object that has learned the waiting rows too."""
        raise NotImplementedError

    def _snapshot(self) -> MetricHeld:
        raise NotImplementedError

    @property
    def test_value(self) -> float:
        """The metric of the test side, or of all rows if there are no sides."""
        return self._snapshot().values[1]

    @property
    def control_value(self) -> float:
        """The metric of the control side; the sum of a total is scaled."""
        return self._snapshot().values[0]

    @property
    def change(self) -> float:
        """By how much the metric changed from control to test."""
        return self.test_value - self.control_value

    @property
    def control_factor(self) -> float:
        """The factor of the control's sums."""
        return self._snapshot().factor

    @property
    def is_total(self) -> bool:
        """Whether the metric is a total, which grows with the number of rows."""
        return not self._metric.is_ratio

    @property
    def metric_shown(self) -> str:
        """The metric that is compared: without sides a total is divided by the number of rows."""
        return self._metric.text

    @property
    def threshold_of_first_rows(self) -> float | None:
        """The percentile of the first rows, if the input could not be read twice for that of the control."""
        finished = self.finished()
        return finished._threshold if finished.percentiles is None else None

    @property
    def odd_values(self) -> tuple[int, str]:
        """The number of values of the metric's columns that are no numbers, and the first of them."""
        metric = self.finished()._stream.metric
        return int(metric[4]), str(metric[5])
