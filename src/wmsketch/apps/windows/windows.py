"""Counts of attributes in a ring of windows: any part of the stream against any other, in a fixed number of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Self

import numpy as np

from wmsketch.apps.merging import require_same_settings
from wmsketch.apps.windows.answers import Compared, Part, compare
from wmsketch.apps.windows.grid import Measure, rings_of
from wmsketch.apps.windows.items import flat, item_name, value_text, wanted
from wmsketch.apps.windows.table import Ints, ItemTable
from wmsketch.errors import MergeError, ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.whole_calls import alone, both_alone
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable, require_memory
from wmsketch.learners.sizes.budget import parse_bytes

DEFAULT_WINDOWS = ((60, 60.0), (48, 3600.0))
_SHORT = 64  # characters of a value that a column remembers
_LEAST_ITEMS = 32


@dataclass(eq=False, kw_only=True)
class Windows(Saveable):
    """Count attributes by window and by bins of a measure, and compare any two parts of the stream.

    Bins and windows are fixed, so sums of windows are exact, and all windows share one table of names. When the budget
    is full, the answers say how much each count may lack.

    >>> windows = Windows(measure="ms", edges=(100, 500), windows=((60, 60.0),), budget="1MiB")
    >>> rows = [{"ms": 30, "device": d} for d in ("phone", "tablet")] * 50
    >>> windows.learn_many(rows, at=0.0)
    >>> windows.learn_many([{"ms": 30, "device": "phone"}, {"ms": 900, "device": "tablet"}] * 50, at=60.0)
    >>> answer = windows.compare(Part(0, 120, bins=(2, 3)), Part(0, 120, bins=(0, 2)))
    >>> answer.rows[0].attributes, answer.rows[0].count_a, answer.total_a, answer.rows[0].exact
    ({'device': 'tablet'}, 50, 50, True)

    Parameters
    ----------
    measure, edges, values: the column by which rows are told apart (a time, a status), and its bins.
    windows: pairs of a number and seconds, shortest first: sixty minutes, then hours.
    time: the column with the time of a row, in seconds since 1970 or like 2024-05-17T08:30:00Z; else that of arrival.
    attributes, ignore: columns to count, or not to.
    numeric, categorical: columns whose numbers are put into fixed bins (1, 2, 5, 10, ...), or kept; by default whole
        numbers from 0 to 999 are kept.
    order, pair_values: 2 also counts pairs of attributes, of the first 24 columns that have at most pair_values values.
    budget: bytes for everything that stays, as a number or like ``"16MiB"``.
    """

    measure: str | None = None
    edges: Sequence[float] = ()
    values: Sequence[str] = ()
    windows: Sequence[Sequence[float]] = DEFAULT_WINDOWS
    time: str | None = None
    attributes: Sequence[str] = ()
    ignore: Sequence[str] = ()
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    order: int = 2
    pair_values: int = 40
    budget: int | str = "16MiB"

    _table: ItemTable = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.bins = Measure(self.measure, tuple(map(float, self.edges)), tuple(map(str, self.values)))
        require_integer("order", self.order, 1, 2)
        require_integer("pair_values", self.pair_values, 2, 1000)
        n_bins = len(self.bins.names)
        pairs = tuple((int(n), float(seconds)) for n, seconds in self.windows)
        self._rings = rings_of(pairs, n_bins)
        n_cells = sum(ring.n for ring in self._rings) * n_bins
        each, fixed = ItemTable.item_bytes(n_cells, len(self._rings)), ItemTable.fixed_bytes(n_cells)
        capacity = (parse_bytes(self.budget) - fixed) // each
        if capacity < _LEAST_ITEMS:
            rule = f"must be at least {fixed + _LEAST_ITEMS * each:,} bytes for {n_cells:,} cells"
            raise ParameterError("budget", rule, self.budget)
        self._table = ItemTable(capacity, n_cells, self._rings)
        self._nbytes = fixed + each * capacity
        self._ignored = {*self.ignore, *(name for name in (self.measure, self.time) if name)}
        self._columns: dict[str, dict[str, int]] = {}  # slots of the values of each column
        self.examples = self.late = self.early = self.skipped = 0

    # --- rows in ---

    @alone
    def learn_many(self, rows: Sequence[dict[str, Any]], at: float) -> None:
        """Count rows that arrived at a time, in seconds since 1970.

        Rows without a measure (`skipped`), older than all windows (`late`) or more than a window ahead (`early`) are
        left out and counted.

        >>> windows = Windows(windows=((60, 60.0),), budget="1MiB")
        >>> windows.learn_many([{"device": "phone"}, {"device": "tv"}], at=60.0)
        >>> windows.examples
        2
        """
        kept: list[dict[str, Any]] = []
        bins: list[int] = []
        times: list[float] = []
        for row in rows:
            bin = self.bins.bin_of(row)
            time = at if self.time is None else _seconds(row.get(self.time), at)
            if bin is None:
                self.skipped += 1
            elif time > at + self._rings[0].seconds:
                self.early += 1
            else:
                kept.append(row)
                bins.append(bin)
                times.append(time)
        if kept:
            self._advance(max(times))
            self._count(kept, bins, times)

    def learn_one(self, row: dict[str, Any], at: float) -> None:
        """Count one row.

        >>> windows = Windows(measure="ms", edges=(100, 500), budget="4MiB")
        >>> windows.learn_one({"device": "phone"}, at=60.0)
        >>> windows.examples, windows.skipped  # without a value of the measure
        (0, 1)
        """
        self.learn_many([row], at)

    @alone
    def _advance(self, time: float) -> None:
        for level, ring in enumerate(self._rings):
            number = ring.number_at(time)
            if number <= ring.newest:
                continue
            for cells in ring.advance(number):
                self._table.clear(cells)
            if level == 0 and self._table.make_place():
                self._columns = {}

    def _count(self, rows: list[dict[str, Any]], bins: list[int], times: list[float]) -> None:
        found = self._slots_of(rows)
        per_ring = [ring.cells_of(np.array(times), np.array(bins, dtype=np.int64)) for ring in self._rings]
        outside = np.all([cells < 0 for cells in per_ring], axis=0)
        self.late += int(outside.sum())
        self.examples += int((~outside).sum())
        for cells in per_ring:
            np.add.at(self._table.rows, cells[cells >= 0], 1)
            for column, places, slots in found:
                here = cells[places] >= 0
                self._table.count(cells[places][here], slots[here], column)

    def _slots_of(self, rows: list[dict[str, Any]]) -> list[tuple[str, Ints, Ints]]:
        """Return, for each column and pair of columns, places of rows and slots; a pair has no name."""
        columns: dict[str, tuple[list[int], list[int]]] = {}
        for place, row in enumerate(rows):
            for column, value in flat(row):
                known = self._columns.get(column)
                slot = known.get(value, -1) if known is not None and isinstance(value, str) else -1
                if slot < 0:
                    slot = self._slot(column, value)
                    if slot == -2:
                        continue
                if column not in columns:
                    columns[column] = [], []
                columns[column][0].append(place)
                columns[column][1].append(slot)
        singles = {column: (np.array(p), np.array(s)) for column, (p, s) in columns.items()}
        alone = [(column, places, slots) for column, (places, slots) in singles.items()]
        return [*alone, *(self._pairs(singles, len(rows)) if self.order > 1 else [])]

    def _slot(self, column: str, value: Any) -> int:
        """Return the slot of a value; -1 if there is none left, -2 for a column that is not counted."""
        if not wanted(column, self.attributes, self._ignored):
            return -2
        text = value_text(value, column in self.numeric, column in self.categorical)
        slot = self._table.slot(item_name(column, text))
        if slot >= 0 and isinstance(value, str) and text == value and len(value) <= _SHORT:
            self._columns.setdefault(column, {})[value] = slot
        return slot

    def _pairs(self, singles: dict[str, tuple[Ints, Ints]], n: int) -> list[tuple[str, Ints, Ints]]:
        full: dict[str, Ints] = {}
        table = self._table
        for column, (places, slots) in sorted(singles.items()):
            if table.pairs_with(column, self.pair_values):
                full[column] = np.full(n, -1, dtype=np.int64)
                full[column][places] = slots
        found = []
        names = list(full)
        for i, left in enumerate(names):
            for right in names[i + 1 :]:
                both = np.flatnonzero((full[left] >= 0) & (full[right] >= 0))
                if len(both):
                    found.append(("", both, self._table.pair_slots(full[left][both], full[right][both])))
        return found

    # --- answers out ---

    @property
    def newest_time(self) -> float | None:
        """The end of the newest window, None before the first row."""
        ring = self._rings[0]
        return (ring.newest + 1) * ring.seconds if ring.newest >= 0 else None

    @alone
    def cells(self, part: Part) -> tuple[Ints, float, float, float]:
        """Return the cells of a part, the times that they really cover, and the seconds of their windows.

        The shortest windows that reach back to the beginning of the part are taken.
        """
        ring = next((ring for ring in self._rings if ring.oldest_time <= part.begin), self._rings[-1])
        numbers = ring.held(part.begin // ring.seconds * ring.seconds, part.end)
        low, high = part.bins or (0, len(self.bins.names))
        cells = [ring.cell(number, bin) for number in numbers for bin in range(max(0, low), min(high, ring.n_bins))]
        begin = numbers[0] * ring.seconds if numbers else part.begin
        end = (numbers[-1] + 1) * ring.seconds if numbers else part.begin
        return np.array([cell for cell in cells if cell is not None], dtype=np.int64), begin, end, ring.seconds

    @alone
    def compare(self, a: Part, b: Part | None = None, *, k: int = 20, where: dict[str, str] | None = None) -> Compared:
        """Return the attributes that differ most between two parts; without b, between a and all rows besides.

        `where` takes only rows with one attribute, whose pairs must be counted.

        >>> windows = Windows(windows=((60, 60.0),), budget="1MiB")
        >>> windows.learn_many([{"device": "phone"}, {"device": "tv"}] * 50, at=0.0)
        >>> windows.learn_many([{"device": "phone"}] * 50, at=60.0)
        >>> windows.compare(Part(60, 120), Part(0, 60)).rows[0].ratio
        2.0
        """
        own, *covered_a = self.cells(a)
        if b is None:
            everything = Part(a.begin, a.end)
            other, *covered_b = self.cells(everything)
        else:
            other, *covered_b = self.cells(b)
        other = other[~np.isin(other, own)]
        given = None if where is None else self._slot_of(where)
        return compare(self._table, own, other, k, given, (tuple(covered_a), tuple(covered_b)))

    def _slot_of(self, attributes: dict[str, str]) -> int:
        if len(attributes) != 1:
            raise ParameterError("where", "must be one column and its value", attributes)
        ((column, value),) = attributes.items()
        slot = self._table.index.get(item_name(column, value))
        if slot is None:
            raise ParameterError("where", "must be an attribute that is held", f"{column}={value}")
        return slot

    @alone
    def heat_map(self, begin: float, end: float, where: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the rows of each window and bin within a time, of all rows or of those with an attribute.

        >>> windows = Windows(measure="ms", edges=(100,), windows=((60, 60.0),), budget="1MiB")
        >>> windows.learn_many([{"ms": 30}, {"ms": 40}, {"ms": 900}], at=60.0)
        >>> windows.heat_map(60, 120)["counts"]
        [[2, 1]]
        """
        ring = next((ring for ring in self._rings if ring.oldest_time <= begin), self._rings[-1])
        slot = None if where is None else self._slot_of(where)
        first, last = ring.number_at(begin), min(ring.number_at(end - 1e-6), ring.newest)
        columns = []
        for number in range(max(first, ring.newest - ring.n + 1), last + 1):
            cells = [ring.cell(number, bin) for bin in range(ring.n_bins)]
            source = self._table.rows if slot is None else self._table.counts[:, slot]
            columns.append([0 if cell is None else int(source[cell]) for cell in cells])
        start = max(first, ring.newest - ring.n + 1) * ring.seconds
        return {"begin": start, "seconds": ring.seconds, "bins": self.bins.names, "counts": columns}

    @alone
    def search(self, text: str, k: int = 20) -> list[dict[str, Any]]:
        """Return items whose name contains a text, most frequent first, with their count in each window.

        >>> windows = Windows(windows=((60, 60.0),), budget="1MiB")
        >>> windows.learn_many([{"device": "phone"}, {"device": "tv"}], at=60.0)
        >>> windows.search("pho")
        [{'attributes': {'device': 'phone'}, 'count': 1}]
        """
        sought = text.lower()
        slots = [s for name, s in self._table.index.items() if sought in name.replace("\x1f", "=").lower()][:2000]
        ring = self._rings[0]
        span = slice(ring.first_cell, ring.first_cell + ring.n * ring.n_bins)
        totals: Any = self._table.counts[span][:, slots].sum(axis=0) if slots else []
        best = sorted(zip(totals, slots, strict=True), key=lambda each: (-int(each[0]), each[1]))[:k]
        return [{"attributes": self._table.attributes(slot), "count": int(total)} for total, slot in best]

    @property
    def held(self) -> tuple[int, int, int]:
        """Items held, slots, and occurrences in all windows that could not be counted."""
        return len(self._table), self._table.capacity, int(self._table.missed.sum())

    @property
    def nbytes(self) -> int:
        """True bytes of everything that stays; never above the budget."""
        return self._nbytes

    # --- merging and saving ---

    def merge(self, other: Windows) -> Self:
        """Add the counts of another object with the same settings, window by window.

        >>> one, two = (Windows(windows=((60, 60.0),), budget="1MiB") for _ in range(2))
        >>> one.learn_one({"device": "phone"}, at=60.0)
        >>> two.learn_one({"device": "tv"}, at=60.0)
        >>> one.merge(two).examples
        2
        """
        require_same_settings(self, other)
        with both_alone(self, other):
            if other.newest_time is None:
                return self
            self._advance(other.newest_time - 1e-3)
            self._merge_cells(other)
        return self

    def _merge_cells(self, other: Windows) -> None:
        theirs, mine = other._table, self._table
        slots: dict[int, int] = {slot: mine.slot(name) for name, slot in theirs.index.items()}
        for slot in theirs.pair_index.values():
            left, right = (slots[part] for part in theirs.parts[:, slot].tolist())
            pair = mine.pair_slots(np.array([left]), np.array([right]))[0] if min(left, right) >= 0 else -1
            slots[slot] = int(pair)
        for own_ring, ring in zip(self._rings, other._rings, strict=True):
            for number in ring.held(0, np.inf):
                for bin in range(ring.n_bins):
                    cell, own = ring.cell(number, bin), own_ring.cell(number, bin)
                    if cell is None or own is None:
                        continue
                    mine.rows[own] += theirs.rows[cell]
                    mine.missed[:, own] += theirs.missed[:, cell].sum()  # of whatever column
                    for slot, place in slots.items():
                        if place >= 0:
                            mine.counts[own, place] += theirs.counts[cell, slot]
                        else:
                            mine.missed[:, own] += theirs.counts[cell, slot]
        self._columns = {}
        if mine.missed.any() or theirs.missed.any():
            newest = np.array([ring.newest for ring in self._rings])
            mine.since[:, mine.used()] = newest[:, None]  # either may have missed some
        self.examples += other.examples
        self.late, self.early, self.skipped = (
            getattr(self, name) + getattr(other, name) for name in ("late", "early", "skipped")
        )

    def _parameters(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    @alone
    def _document(self) -> Document:
        table, arrays = self._table.state()
        counts = {name: getattr(self, name) for name in ("examples", "late", "early", "skipped")}
        config = {"table": table, "counts": counts}
        arrays |= {f"ring{i}": ring.numbers for i, ring in enumerate(self._rings)}
        return self._parameters(), {"config": config}, arrays

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        require_memory(parse_bytes(parameters.get("budget", "16MiB")), n_bytes)
        type(self).__init__(self, **parameters)
        config = state["config"]
        for i, ring in enumerate(self._rings):
            ring.numbers[:] = arrays[f"ring{i}"]
        self._table.restore(config["table"], arrays)
        for name, value in config["counts"].items():
            setattr(self, require_count(name), require_integer(name, value, 0))


def require_count(name: str) -> str:
    """Return the name of a count, or raise an error."""
    if name not in ("examples", "late", "early", "skipped"):
        raise MergeError(f"unknown count {name!r}")
    return name


def _seconds(value: Any, at: float) -> float:
    if isinstance(value, bool) or value is None:
        return at
    if isinstance(value, (int, float)) and abs(value) < 1e300:
        number = float(value)
        for _ in range(3):  # milliseconds, microseconds, nanoseconds
            number = number / 1000 if number > 1e11 else number
        return number if number == number and number > 0 else at
    try:
        time = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return at
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
