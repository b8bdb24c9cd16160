"""The sides of a metric: conditions joined, times, and percentiles of a side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.readers.condition import in_quotes
from wmsketch.readers.options import ReaderOptions

if TYPE_CHECKING:
    from wmsketch.apps.explain.metric_explainer import MetricExplainer


def combined(*conditions: str | None) -> str | None:
    """Return the condition that all of these hold, None if there is none.

    >>> combined("env==prod", None, "day==mon or day==tue")
    '(env==prod) and (day==mon or day==tue)'
    """
    given = [each for each in conditions if each is not None]
    return " and ".join(f"({each})" for each in given) if len(given) > 1 else given[0] if given else None


def seconds_of(time: str | float) -> float:
    """Return a time in seconds, read as a cell of a file is read.

    >>> seconds_of("1970-01-02"), seconds_of(5)
    (86400.0, 5.0)
    """
    if isinstance(time, (int, float)):
        return float(time)
    encoder = ReaderOptions(time="time", label="").encoder(typed_values=False)
    text = f'x,time\n1,"{time}"\n'.encode()
    parser = _core.CsvParser(encoder)
    block = parser.feed(text, final=True)
    if parser.error or len(block) != 1 or not math.isfinite(float(block.times[0])):
        raise ValueError(f"after must be a time like 2024-05-17 12:00, got {time!r}")
    return float(block.times[0])


def side_percentile(
    explainer: MetricExplainer, source: Any, where: str | None, format: str | None, options: dict[str, Any]
) -> float:
    """Return the metric's percentile of rows that satisfy `where`: of a source, or of blocks; nan if it is unknown."""
    metric = explainer._metric
    condition = f"{in_quotes(metric.columns[0])}>p{metric.percentile:g}"
    probe = Explainer(condition, where=where, budget=explainer.budget, warm_up=explainer.warm_up, seed=explainer.seed)
    if isinstance(source, Sequence) and all(isinstance(each, _core.RowBlock) for each in source):
        for block in source:
            probe._stream.observe(block)
        probe._stream.refresh_percentiles()
    else:
        probe.choose_percentiles(source, format, **options)
        if not probe._held_percentiles:
            return math.nan
    return float(probe._stream.percentiles(False)[0])
