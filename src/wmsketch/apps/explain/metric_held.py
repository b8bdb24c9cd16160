"""The attributes that a metric explainer holds, as rows with values, contributions and ranges."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wmsketch import _core
from wmsketch.apps.explain.changes import Array, Changes, Sides, changes_between, differences_from_rest
from wmsketch.apps.explain.drivers import Driver
from wmsketch.apps.explain.held_attributes import HeldAttributes
from wmsketch.apps.explain.ratios import corrected_z


class MetricHeld:
    """A snapshot of everything that is held, with the sums of all rows."""

    def __init__(self, held: HeldAttributes, stream: _core.AttributeStream, has_sides: bool, scale: float | str):
        self._held = held
        self.has_sides = has_sides
        control, test, self._ends, *_ = stream.metric
        counts = stream.counts
        rows = np.array([counts[5], counts[4]])
        total = Sides(rows, np.array([control, test]))
        by_rows = float(rows[1] / rows[0]) if rows[0] else 1.0
        self.factor = 1.0 if total.is_ratio or not has_sides else by_rows if scale == "rows" else float(scale)
        self.total = total.scaled(self.factor)

    @property
    def values(self) -> tuple[float, float]:
        """The metric of the control and of the test side."""
        moments = self.total.moments
        if not self.total.is_ratio:
            return float(moments[0, 0]), float(moments[1, 0])
        found = [float(u / v) if v else math.nan for u, v in moments[:, :2]]
        return found[0], found[1]

    def changes(self, some: Sides, total: Sides | None = None) -> Changes:
        """Return the changes of attributes whose sums these are, among all rows or the rows of another total."""
        whole = self.total if total is None else total
        return changes_between(some, whole) if self.has_sides else differences_from_rest(some, whole)

    def rows(self, n_tried: float, min_support: float, certain: bool) -> list[Driver]:
        """Return the rows with enough support, and, if `certain`, significance."""
        rows, missed, some = self._counted()
        changes = self.changes(some)
        widths = self._widths(missed)
        with np.errstate(divide="ignore", invalid="ignore"):
            keep = self._supported(rows + missed, min_support)
            if certain:
                sure = np.maximum(np.abs(changes.excess) - self._excess_width(rows, missed), 0.0)
                scores = np.abs(changes.score) * sure / np.maximum(np.abs(changes.excess), 1e-300)
                keep &= np.where(np.isfinite(scores), scores, 0.0) > corrected_z(n_tried)
                # its own change must be beyond noise too: a row may differ because the others changed
                ends = changes.low - widths[0], changes.high + widths[1]
                keep &= np.where(changes.excess > 0, ends[0] > 0, ends[1] < 0)
        places = np.flatnonzero(keep)
        return self._drivers(places, changes, rows, missed, widths, some)

    def _counted(self) -> tuple[Array, Array, Sides]:
        """Return the rows of all attributes, those that may have been missed, and the sums."""
        counts = self._held.counts
        rows = np.stack([counts.inliers_low, counts.outliers_low], axis=-1)
        missed = np.stack([self._held.missed_of("inliers"), self._held.missed_of("outliers")], axis=-1)
        return rows, missed, Sides(rows, self._held.sums(self.total.moments.shape[-1])).scaled(self.factor)

    def _supported(self, high: Array, min_support: float) -> NDArray[np.bool_]:
        enough = np.any(high >= min_support * self.total.rows, axis=-1)
        return np.asarray(enough & ~self._held.hidden & (high.sum(axis=-1) > 0), dtype=bool)

    def movers(self, min_support: float, most: int) -> list[Driver]:
        """Return the attributes whose own change is surest, whether or not it differs from that of all other rows."""
        rows, missed, some = self._counted()
        changes = self.changes(some)
        with np.errstate(divide="ignore", invalid="ignore"):
            sure = np.abs(changes.contribution) / (changes.high - changes.low)
        sure = np.where(self._supported(rows + missed, min_support) & np.isfinite(sure), sure, -1.0)
        places = np.argsort(-sure, kind="stable")[:most]
        return self._drivers(places[sure[places] > 0], changes, rows, missed, self._widths(missed), some)

    def negations(self, n_tried: float) -> list[Driver]:
        """Return all rows but those of one attribute, where these changed, and the attribute did not.

        The counts must be exact.
        """
        _, missed, some = self._counted()
        if not self.has_sides or missed.any():
            return []
        rest = self.total.minus(some)
        own, others = self.changes(some), self.changes(rest)
        with np.errstate(invalid="ignore"):
            keep = ~self._held.hidden & self._held.is_single & (np.abs(others.score) > corrected_z(n_tried))
            keep &= np.where(others.excess > 0, others.low > 0, others.high < 0)
            keep &= ~np.where(own.excess > 0, own.low > 0, own.high < 0)
        places = np.flatnonzero(keep)
        found = self._drivers(places, others, rest.rows, missed, self._widths(missed), rest)
        return [replace(row, negated=True, rows_mark=0) for row in found]

    def _drivers(
        self,
        places: NDArray[np.int64],
        changes: Changes,
        rows: Array,
        missed: Array,
        widths: tuple[Array, Array],
        some: Sides,
    ) -> list[Driver]:
        control, test = self.values
        change = test - control
        found = []
        for place, (attributes, cut, mark) in zip(places, self._held.shown(places), strict=True):
            value = {name: float(getattr(changes, name)[place]) for name in Changes.__dataclass_fields__}
            exact = bool(missed[place].sum() == 0)
            ratio = self.total.is_ratio and self.has_sides
            row = Driver(
                attributes,
                value["control"],
                value["test"],
                float(rows[place, 0]),
                float(rows[place, 1]),
                value["contribution"],
                value["low"] - float(widths[0][place]),
                value["high"] + float(widths[1][place]),
                share=value["contribution"] / change if self.has_sides and change else math.nan,
                mix=value["mix"] if ratio else None,
                rate=value["rate"] if ratio else None,
                excess=value["excess"],
                score=value["score"] if math.isfinite(value["score"]) else 0.0,
                exact=exact,
                control_range=self._range(some, missed, int(place), 0),
                test_range=self._range(some, missed, int(place), 1),
                shortened=cut,
                rows_mark=mark,
            )
            found.append(row)
        return found

    # --- what may have been missed ---

    def _powers(self, side: int) -> float:
        return self.factor if side == 0 else 1.0

    def _each(self, side: int) -> tuple[float, float]:
        """Return the least and the largest that one missed row adds to the contribution of its side."""
        u_low, u_high, v_low, v_high = (float(each) for each in self._ends)
        if not self.total.is_ratio:
            return self._powers(side) * u_low, self._powers(side) * u_high
        middle = sum(self.values) / 2 if self.has_sides else self.values[1]
        ends = [u - middle * v for u in (u_low, u_high) for v in (v_low, v_high)]
        whole = abs(float(self.total.moments[side, 1])) or 1.0
        return min(0.0, *ends) / whole, max(0.0, *ends) / whole

    def _widths(self, missed: Array) -> tuple[Array, Array]:
        """Return by how much the contribution may be lower and higher, for what was missed."""
        (c_low, c_high), (t_low, t_high) = self._each(0), self._each(1)
        down = missed[:, 1] * -t_low + missed[:, 0] * c_high
        up = missed[:, 1] * t_high + missed[:, 0] * -c_low
        return down, up

    def _excess_width(self, rows: Array, missed: Array) -> Array:
        found: Array = np.zeros(len(rows))
        for side in (0, 1) if self.has_sides else (1,):
            largest = max(abs(end) for end in self._each(side))
            left = self.total.rows[side] - rows[:, side] - missed[:, side]
            room = np.where(left > 0, self.total.rows[side] / np.maximum(left, 1.0), np.inf)
            found = found + np.where(missed[:, side] > 0, missed[:, side] * largest * room, 0.0)
        return found

    def _range(self, some: Sides, missed: Array, place: int, side: int) -> tuple[float, float]:
        """Return the range of a value for what was missed."""
        if not self.has_sides and side == 0:
            return math.nan, math.nan
        n, sums = float(missed[place, side]), some.moments[place, side]
        u_low, u_high, v_low, v_high = (n * float(each) for each in self._ends)
        if not self.total.is_ratio:
            by = self._powers(side)
            return float(sums[0]) + by * u_low, float(sums[0]) + by * u_high
        bottoms = [float(sums[1]) + v for v in (v_low, v_high)]
        if min(bottoms) <= 0:
            return -math.inf, math.inf
        ends = [(float(sums[0]) + u) / v for u in (u_low, u_high) for v in bottoms]
        return min(ends), max(ends)
