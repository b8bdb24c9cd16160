"""The attributes that an explainer holds, as rows: counts, what may be missing from them, names, and notes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.apps.explain.ratios import Counts, Totals, are_certain, evidence, exact_counts, risk_ratios, weights
from wmsketch.apps.explain.rows import Explanation
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.records import MARK, shared_names, with_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_SLOT = 0xFFFFFFFF
_MISSING = "(missing)"  # as the value of a column
_SPLIT = 0.01  # of the rows have a value that the other side has: fewer, and a column restates the sides


class HeldAttributes:
    """A snapshot of everything that is held, or of the attributes that probably have at least so many outliers."""

    def __init__(
        self,
        stream: _core.AttributeStream,
        totals: Totals,
        left_out: Collection[str] = (),
        least_outliers: float = 0.0,
    ) -> None:
        self._stream = stream
        self._totals = totals
        self._held: dict[str, Any]
        least = least_outliers * (1 - 1e-9)  # sums are rounded
        self._held, self._names = stream.held(least)  # one consistent snapshot, even if other threads learn
        self._columns = stream.columns
        self._left_out = [place for place, column in enumerate(self._columns) if column in left_out]

    @cached_property
    def counts(self) -> Counts:
        held, totals = self._held, self._totals
        found = []
        for which, most in (("outliers", totals.outliers), ("inliers", totals.inliers)):
            low = held[which]
            about, high = (np.minimum(low + held[f"{which}_missed{end}"], max(most, 0.0)) for end in ("_about", ""))
            found.append((np.maximum(about, low), low, self._at_most_the_parts(np.maximum(high, low))))
        (o, o_low, o_high), (i, i_low, i_high) = found
        return Counts(np.minimum(o, o_high), np.minimum(i, i_high), o_low, o_high, i_low, i_high)

    def _at_most_the_parts(self, high: NDArray[np.float64]) -> NDArray[np.float64]:
        """Limit the upper bounds of conjunctions by those of their parts: a row with both has each."""
        held = self._held
        for order in (2, 3):  # first pairs, then triples, whose parts are pairs
            places = np.flatnonzero(held["order"] == order)
            for side in ("left", "right"):
                high[places] = np.minimum(high[places], high[self._place_of[held[side][places]]])
        return high

    def sums(self, n_moments: int) -> NDArray[np.float64]:
        """Return the sums of a metric's moments: attribute, side (control, then test), moment."""
        found: NDArray[np.float64] = self._held["moments"].reshape(-1, 2, n_moments)
        return found

    def shown(self, places: NDArray[np.int64]) -> list[tuple[dict[str, str], bool, int]]:
        """Return attributes, whether a value was cut, and the mark of the rows, for these indices."""
        return [(*self.attributes(int(place)), int(self._held["fingerprint"][place])) for place in places]

    @property
    def is_single(self) -> NDArray[np.bool_]:
        """Whether each is one attribute, and not a conjunction."""
        found: NDArray[np.bool_] = self._held["order"] == 1
        return found

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Whether each belongs to a column that is left out, as after a merge."""
        return self._hidden

    def split_columns(self) -> list[str]:
        """Return the columns that have other values on each side: they restate which side a row is on."""
        single = self.is_single
        found = []
        for place, column in enumerate(self._columns):
            here = single & (self._held["right"] == place)
            sides = np.stack([self.counts.outliers_high[here], self.counts.inliers_high[here]])
            if here.any() and sides.min(axis=0).sum() < _SPLIT * sides.sum(axis=1).min():
                found.append(column)
        return found

    def has_one_side(self, column: str) -> bool:
        """Return whether a column has values on one side only, as a column that one of two files lacks."""
        here = np.flatnonzero(self.is_single & (self._held["right"] == self._columns.index(column)))
        named = np.array([attributes.get(column) != _MISSING for attributes, *_ in self.shown(here)], dtype=bool)
        sides = self.counts.outliers_high[here][named], self.counts.inliers_high[here][named]
        return not all(side.sum() for side in sides)

    def missed_of(self, which: str) -> NDArray[np.float64]:
        """Return how many outliers or inliers each may have missed."""
        found: NDArray[np.float64] = self._held[f"{which}_missed"]
        return found

    @property
    def missed(self) -> NDArray[np.float64]:
        """Return what each may have missed, outliers and inliers together."""
        found: NDArray[np.float64] = self._held["outliers_missed"] + self._held["inliers_missed"]
        return found

    def select(self, n_tried: float, min_support: float, min_ratio: float, certain: bool) -> NDArray[np.int64]:
        """Return the indices of rows with enough support and ratio, and, if `certain`, significance."""
        ratios = risk_ratios(self.counts, self._totals)
        with np.errstate(invalid="ignore"):
            keep = (self.counts.outliers >= min_support * self._totals.outliers) & (ratios[0] >= min_ratio)
        keep &= ~self._hidden
        if certain:
            keep &= are_certain(self.counts, ratios, self._totals, n_tried)
        return np.flatnonzero(keep)

    def rows(self, places: NDArray[np.int64]) -> list[Explanation]:
        """Return the rows at these indices."""
        counts = Counts(*(each[places] for each in self.counts))
        ratios, log_odds = risk_ratios(counts, self._totals), weights(counts, self._totals)
        likely = exact_counts(counts.outliers, counts.inliers)  # all rows shown are certain; these give their order
        surprises = evidence(likely, ratios[0], self._totals)
        missed = self.missed[places]
        rows = []
        for number, place in enumerate(places):
            attributes, cut = self.attributes(int(place))
            weight: tuple[float, float, float] = tuple(float(each[number]) for each in log_odds)  # type: ignore[assignment]
            o, i, o_low, o_high, i_low, i_high = (float(each[number]) for each in counts)
            row = Explanation(
                attributes,
                *weight,
                risk_ratio=float(ratios[0][number]),
                support=o / self._totals.outliers,
                outliers=o,
                inliers=i,
                ratio_low=float(ratios[1][number]),
                ratio_high=float(ratios[2][number]),
                exact=bool(missed[number] == 0),
                outliers_range=(o_low, o_high),
                inliers_range=(i_low, i_high),
                shortened=cut,
                evidence=float(surprises[number]),
                rows_mark=int(self._held["fingerprint"][place]),
            )
            rows.append(row)
        told_apart = _told_apart(rows, [int(self._held["key"][place]) for place in places])
        order = {column: position for position, column in enumerate(self._columns)}
        # not in hash order, so that rows that tie are the same after a merge
        return sorted(told_apart, key=lambda row: [(order[column], value) for column, value in row.attributes.items()])

    @cached_property
    def _place_of(self) -> NDArray[np.int64]:
        """Return the place of the attribute in each slot."""
        slots = self._held["slot"].astype(np.int64)
        inside = slots < _NO_SLOT  # bins have no slot
        places = np.zeros(int(slots[inside].max(initial=0)) + 1, dtype=np.int64)
        places[slots[inside]] = np.flatnonzero(inside)
        return places

    @cached_property
    def _hidden(self) -> NDArray[np.bool_]:
        """Whether each belongs to a column that is left out, as after a merge."""
        held = self._held
        hidden: NDArray[np.bool_] = (held["order"] == 1) & np.isin(held["right"], self._left_out)
        for order in (2, 3) if self._left_out else ():
            places = np.flatnonzero(held["order"] == order)
            for side in ("left", "right"):
                hidden[places] |= hidden[self._place_of[held[side][places]]]
        return hidden

    def attributes(self, place: int) -> tuple[dict[str, str], bool]:
        """Return the columns and values at an index, and whether a value was cut."""
        held = self._held
        if held["order"][place] > 1:
            left, cut = self.attributes(int(self._place_of[held["left"][place]]))
            right, right_cut = self.attributes(int(self._place_of[held["right"][place]]))
            both = dict(left)
            for column, value in right.items():  # words of one text
                both[column] = f"{both[column]} {value}" if column in both else value
            return dict(sorted(both.items(), key=lambda each: self._columns.index(each[0]))), cut or right_cut
        cut = bool(held["shortened"][place])
        return {self._columns[int(held["right"][place])]: self._names[place] + (MARK if cut else "")}, cut

    def uneven_bins(self) -> dict[str, tuple[str, float]]:
        """Return columns with a bin far above its share of rows: the fullest bin of each, and its share."""
        uneven = {}
        for column, edges in self._stream.edges:
            here = (self._held["order"] == 1) & (self._held["right"] == self._columns.index(column))
            found = {self.attributes(int(p))[0][column]: p for p in np.flatnonzero(here)}
            sums = {value: self.counts.outliers[p] + self.counts.inliers[p] for value, p in found.items()}
            sums.pop("(missing)", None)
            if not sums or sum(sums.values()) <= 0:
                continue
            fullest = max(sums, key=lambda value: sums[value])
            share = float(sums[fullest] / sum(sums.values()))
            if share > 2 / (len(edges) + 1) + 0.05:
                uneven[column] = fullest, share
        return uneven


def _told_apart(rows: list[Explanation], keys: list[int]) -> list[Explanation]:
    """Mark rows whose cut values look alike."""
    shared = shared_names([row.label for row in rows], keys)
    return [
        replace(row, attributes={column: _marked(value, key) for column, value in row.attributes.items()})
        if row.shortened and row.label in shared
        else row
        for row, key in zip(rows, keys, strict=True)
    ]


def _marked(value: str, key: int) -> str:
    return with_key(value, key) if value.endswith(MARK) else value
