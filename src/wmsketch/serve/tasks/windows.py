"""Jobs that keep a ring of windows: `explain` tells rows apart by a measure, `diff` by their time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wmsketch.apps.windows.answers import Part
from wmsketch.apps.windows.windows import DEFAULT_WINDOWS, Windows
from wmsketch.errors import ParameterError
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.durations import parse_seconds
from wmsketch.readers.condition import parse_condition
from wmsketch.serve.tasks.task import Outcome, Row, Task, number, required, text, texts

_EDGES = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0]
_PLAIN = ("attributes", "ignore", "numeric", "categorical")
_RECENT = 10  # windows of the standing question


class WindowsTask(Task):
    """Counts by window and measure.

    `outlier` is a bound of the measure, like "ms>=500": the standing question of an explain job is what the rows beyond
    it have in common.

    >>> task = ExplainTask({"measure": "ms", "outlier": "ms>=500", "budget": "4MiB"})
    >>> rows = [{"ms": 20, "device": "phone"}] * 90 + [{"ms": 900, "device": "tablet"}] * 10
    >>> task.learn(rows, at=1000.0).learned
    100
    >>> task.compare({})["rows"][0]["attributes"]
    {'device': 'tablet'}
    """

    allowed = frozenset(
        {"measure", "edges", "values", "outlier", "windows", "time", "order", "pair_values", "budget", *_PLAIN}
    )
    model: Windows

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.require_known(settings)
        measure = text(settings, "measure")
        edges, values = _numbers(settings, "edges"), texts(settings, "values")
        self.first_outlier: int | None = None
        if measure is not None and not values:
            if edges != sorted(edges):
                raise ParameterError("edges", "must be in rising order", edges)
            bound = _bound(settings, measure)
            edges = sorted({*(edges or _EDGES), *([] if bound is None else [bound])})
            self.first_outlier = edges.index(bound) + 1 if bound is not None else len(edges)
        elif settings.get("outlier") is not None:
            raise ParameterError("outlier", "needs a measure with {edges}")
        self.model = Windows(
            measure=measure,
            edges=tuple(edges),
            values=tuple(values),
            windows=_windows(settings),
            time=text(settings, "time"),
            order=int(number(settings, "order", 2, 1, 2)),
            pair_values=int(number(settings, "pair_values", 40, 2, 1000)),
            budget=settings.get("budget", "16MiB"),
            **{name: tuple(texts(settings, name)) for name in _PLAIN},
        )

    @property
    def budget_bytes(self) -> int:
        return parse_bytes(self.model.budget)

    def learn(self, rows: list[Row], at: float) -> Outcome:
        model, outcome = self.model, Outcome()
        before = model.examples, model.skipped, model.late, model.early
        model.learn_many(rows, at)
        learned, skipped, late, early = (
            now - was for now, was in zip((model.examples, model.skipped, model.late, model.early), before, strict=True)
        )
        outcome.learned = learned
        for n, reason in (
            (skipped, f"expected a value of the measure {model.measure!r}, found none"),
            (late, "the time is before all windows"),
            (early, "the time is more than a window ahead"),
        ):
            if n:
                outcome.refuse(reason, n)
        return outcome

    # --- answers ---

    def standing(self) -> tuple[Part, Part]:
        """Return the two parts of the standing question."""
        end, seconds = self.model.newest_time or 0.0, float(self.model.windows[0][1])
        recent = Part(end - _RECENT * seconds, end)
        if self.first_outlier is None:
            return recent, Part(end - self.model.windows[0][0] * seconds, recent.begin)
        n_bins = len(self.model.bins.names)
        return (
            Part(recent.begin, end, (self.first_outlier, n_bins)),
            Part(recent.begin, end, (0, self.first_outlier)),
        )

    def compare(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the comparison of parts a and b: `asked` has both, or a alone, or neither; also k and where."""
        standing = self.standing()
        a = asked.get("a") or standing[0]
        b = asked["b"] if asked.get("b") else None if asked.get("a") else standing[1]
        found = self.model.compare(a, b, k=asked.get("k", 20), where=asked.get("where"))
        held, slots, missed = self.model.held
        return {**found.as_record(), "held": held, "slots": slots, "missed": missed}

    def heat_map(
        self, begin: float | None, end: float | None, where: dict[str, str] | None, ring: int = 0
    ) -> dict[str, Any]:
        """Return the rows by window and bin; by default of all windows of a ring."""
        newest = self.model.newest_time or 0.0
        n, seconds = self.model.windows[ring]
        start = (math.ceil(newest / seconds) - n) * seconds if begin is None else begin
        found = self.model.heat_map(start, newest if end is None else end, where)
        rings = [list(pair) for pair in self.model.windows]
        return {
            **found,
            "measure": self.model.measure,
            "rings": rings,
            "first_outlier": self.first_outlier,
            "newest": newest,
        }

    def search(self, sought: str, k: int) -> list[dict[str, Any]]:
        """Return the attributes whose name contains a text."""
        return self.model.search(sought, k)

    def summary(self) -> dict[str, Any]:
        model = self.model
        held, slots, missed = model.held
        return {
            "examples": model.examples,
            "late": model.late,
            "early": model.early,
            "skipped": model.skipped,
            "items": held,
            "slots": slots,
            "missed": missed,
            "newest": model.newest_time,
            "nbytes": model.nbytes,
        }


class ExplainTask(WindowsTask):
    """What the rows beyond a bound of the measure have in common."""

    kind = "explain"

    def __init__(self, settings: Mapping[str, Any]) -> None:
        required(settings, "measure")
        super().__init__(settings)


class DiffTask(WindowsTask):
    """What differs between two times."""

    kind = "diff"


def spans_of(task: WindowsTask, last: str | None, before: str | None, ago: str | None) -> dict[str, Any]:
    """Return the parts that words ask for: last="10min" with before="1h" or ago="24h"; none without words.

    >>> task = DiffTask({"budget": "4MiB"})
    >>> task.learn([{"device": "phone"}], at=7200.0).learned
    1
    >>> parts = spans_of(task, "10min", "1h", None)
    >>> parts["a"].end - parts["a"].begin, parts["b"].end - parts["b"].begin
    (600.0, 3600.0)
    """
    if last is None and before is None and ago is None:
        return {}
    if last is None or (before is None) == (ago is None):
        raise ParameterError("last", "must be given with {before}, the time before it, or {ago}, the same time earlier")
    end = task.model.newest_time or 0.0
    a = Part(end - parse_seconds(last, "last"), end)
    if before is not None:
        return {"a": a, "b": Part(a.begin - parse_seconds(before, "before"), a.begin)}
    shift = parse_seconds(ago or "", "ago")
    return {"a": a, "b": Part(a.begin - shift, a.end - shift)}


def _numbers(settings: Mapping[str, Any], name: str) -> list[float]:
    value = settings.get(name, [])
    if not isinstance(value, list) or any(isinstance(x, bool) or not isinstance(x, (int, float)) for x in value):
        raise ParameterError(name, "must be a list of numbers", value)
    return [float(each) for each in value]


def _bound(settings: Mapping[str, Any], measure: str) -> float | None:
    given = text(settings, "outlier")
    if given is None:
        return None
    comparisons = parse_condition(given).comparisons
    plain = len(comparisons) == 1 and comparisons[0].operator == ">=" and comparisons[0].percentile is None
    if not plain or comparisons[0].column != measure:
        raise ParameterError("outlier", f"must be like {measure}>=500: windows need a bound that never moves", given)
    return float(comparisons[0].value)


def _windows(settings: Mapping[str, Any]) -> tuple[tuple[int, float], ...]:
    """Return rings from pairs like [60, "1min"]."""
    given = settings.get("windows")
    if given is None:
        return DEFAULT_WINDOWS
    rule = 'must be a list of pairs like [60, "1min"]'
    if not isinstance(given, list) or not all(isinstance(each, list) and len(each) == 2 for each in given):
        raise ParameterError("windows", rule, given)
    if any(isinstance(n, bool) or not isinstance(n, int) for n, _ in given):
        raise ParameterError("windows", rule, given)
    return tuple((n, parse_seconds(str(duration), "windows")) for n, duration in given)
