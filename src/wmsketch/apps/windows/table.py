"""One table of names for all windows: each item has a slot, and each slot a count for every cell."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.apps.windows.grid import Ring
from wmsketch.apps.windows.items import SEPARATOR

Ints = NDArray[np.int64]

# Python's objects for an item: its name, its entry in the index, and the column's own index of values. The worst case
# of names with characters beyond Latin-1.
OBJECT_BYTES = 1024
_NONE = -1
_SPARE = 0.1  # the share of slots that is freed when the table is full
_GROUPS = 17  # of items whose missed occurrences are counted together: one for all, and one for each wide column
_PAIRED = 24  # columns of which pairs are counted
_WIDEST = 16  # a column may take this part of the slots


class ItemTable:
    """Items, alone (a name) and in pairs (two slots), and their counts in every cell.

    When all slots are taken, new items are not counted: `missed` says how many occurrences that were in each cell,
    which bounds what any item may lack. At the next window the lightest items make place. No column may take more than
    a sixteenth of the slots; one that has more values gets bounds of its own (`group`), so that others stay exact.
    """

    def __init__(self, capacity: int, n_cells: int, rings: list[Ring]) -> None:
        self.capacity, self.rings = capacity, rings
        self.counts: NDArray[np.uint32] = np.zeros((n_cells, capacity), dtype=np.uint32)
        self.rows: Ints = np.zeros(n_cells, dtype=np.int64)
        self.missed: Ints = np.zeros((_GROUPS, n_cells), dtype=np.int64)
        self.groups: Ints = np.zeros(capacity, dtype=np.int64)
        self.wide: dict[str, int] = {}  # columns with too many values, and their groups
        self.n_values: Counter[str] = Counter()
        self.paired: dict[str, None] = {}  # the first columns, whose pairs are counted
        self.unpaired: set[str] = set()  # columns whose pairs are no longer counted
        self.names: list[str | None] = []  # None: a pair, or a free slot
        self.parts: Ints = np.full((2, capacity), _NONE, dtype=np.int64)  # the two slots of a pair
        self.since: Ints = np.zeros((len(rings), capacity), dtype=np.int64)  # the window in which it got its slot
        self.index: dict[str, int] = {}
        self.pair_index: dict[int, int] = {}
        self._free: list[int] = []

    @staticmethod
    def item_bytes(n_cells: int, n_rings: int) -> int:
        """Return the bytes of one item."""
        return 4 * n_cells + 8 * n_rings + 24 + 8 + OBJECT_BYTES

    @staticmethod
    def fixed_bytes(n_cells: int) -> int:
        """Return the bytes of everything but the items."""
        return 8 * (1 + _GROUPS) * n_cells + 4096

    def __len__(self) -> int:
        return len(self.index) + len(self.pair_index)

    def _new_slot(self) -> int:
        if self._free:
            slot = self._free.pop()
        elif len(self.names) < self.capacity:
            slot = len(self.names)
            self.names.append(None)
        else:
            return _NONE
        self.since[:, slot] = [ring.newest for ring in self.rings]
        return slot

    def slot(self, name: str) -> int:
        """Return the slot of a name, new if need be; -1 if there is none left."""
        slot = self.index.get(name, _NONE)
        if slot != _NONE:
            return slot
        column = name.partition(SEPARATOR)[0]
        if self.n_values[column] >= max(8, self.capacity // _WIDEST):
            self._widen(column)
            return _NONE
        slot = self._new_slot()
        if slot != _NONE:
            self.names[slot] = name
            self.index[name] = slot
            self.n_values[column] += 1
            self.groups[slot] = self.wide.get(column, 0)
        return slot

    def _widen(self, column: str) -> None:
        if column in self.wide or len(self.wide) == _GROUPS - 1:
            return
        self.wide[column] = len(self.wide) + 1
        for name, slot in self.index.items():
            if name.partition(SEPARATOR)[0] == column:
                self.groups[slot] = self.wide[column]
        self.missed[self.wide[column]] = self.missed[0]  # what was missed before may have been of this column

    def pair_slots(self, left: Ints, right: Ints) -> Ints:
        """Return the slots of pairs of slots."""
        keys, inverse = np.unique(left * self.capacity + right, return_inverse=True)
        found = np.empty(len(keys), dtype=np.int64)
        for place, key in enumerate(keys.tolist()):
            slot = self.pair_index.get(key, _NONE)
            if slot == _NONE and (slot := self._new_slot()) != _NONE:
                self.pair_index[key] = slot
                self.parts[:, slot] = divmod(key, self.capacity)
            found[place] = slot
        slots: Ints = found[inverse]
        return slots

    def count(self, cells: Ints, slots: Ints, column: str = "") -> None:
        """Count occurrences: one of each slot in the cell at the same place."""
        held = slots != _NONE
        np.add.at(self.counts.reshape(-1), cells[held] * self.capacity + slots[held], 1)
        np.add.at(self.missed[self.wide.get(column, 0)], cells[~held], 1)

    def clear(self, cells: slice) -> None:
        """Empty cells, whose window has left the ring."""
        self.counts[cells] = 0
        self.rows[cells] = 0
        self.missed[:, cells] = 0

    # --- making place ---

    def make_place(self) -> bool:
        """Free the slots of items that no window holds any more and, if hardly any is left, of the lightest."""
        used = np.array(sorted([*self.index.values(), *self.pair_index.values()]), dtype=np.int64)
        if len(used) < self.capacity * (1 - _SPARE / 2):
            return False
        totals = self.counts[:, used].sum(axis=0, dtype=np.int64)
        order = np.lexsort((used, totals))
        n_empty = int((totals == 0).sum())
        leaving = set(used[order[: max(n_empty, int(self.capacity * _SPARE))]].tolist())
        for slot in [slot for slot in self.pair_index.values() if leaving & set(self.parts[:, slot].tolist())]:
            leaving.add(slot)  # a pair cannot stay without its parts
        self.drop(leaving)
        return True

    def pairs_with(self, column: str, most_values: int) -> bool:
        """Return whether pairs of a column are counted: it is one of the first, and never had too many values."""
        if column not in self.paired:
            if len(self.paired) == _PAIRED:
                return False
            self.paired[column] = None
        if self.n_values[column] > most_values and column not in self.unpaired:
            self.unpair(column)
        return column not in self.unpaired

    def unpair(self, column: str) -> None:
        """Stop counting the pairs of a column, which has too many values, for ever."""
        self.unpaired.add(column)
        own = {slot for name, slot in self.index.items() if name.partition(SEPARATOR)[0] == column}
        self.drop({slot for slot in self.pair_index.values() if own & set(self.parts[:, slot].tolist())}, missed=False)

    def drop(self, leaving: set[int], missed: bool = True) -> None:
        """Free slots; what they counted is missed from now on, unless they never come back."""
        slots = np.array(sorted(leaving), dtype=np.int64)
        if not len(slots):
            return
        for group in np.unique(self.groups[slots]).tolist() if missed else []:
            own = slots[self.groups[slots] == group]
            self.missed[group] += self.counts[:, own].sum(axis=1, dtype=np.int64)
        self.counts[:, slots] = 0
        self.index = {name: slot for name, slot in self.index.items() if slot not in leaving}
        self.pair_index = {key: slot for key, slot in self.pair_index.items() if slot not in leaving}
        self.parts[:, slots] = _NONE
        self.groups[slots] = 0
        self.n_values = Counter(name.partition(SEPARATOR)[0] for name in self.index)
        for slot in slots.tolist():
            self.names[slot] = None
        self._free += slots.tolist()[::-1]

    # --- asking ---

    def used(self) -> Ints:
        """Return the slots in use."""
        return np.array(sorted([*self.index.values(), *self.pair_index.values()]), dtype=np.int64)

    def sums(self, cells: Ints, slots: Ints) -> tuple[Ints, Ints]:
        """Return the counts of slots over cells, and what each may have missed there."""
        counts = np.zeros(len(slots), dtype=np.int64)
        for cell in cells.tolist():  # row by row: no copy of the whole table
            counts += self.counts[cell, slots]
        missed = np.zeros(len(slots), dtype=np.int64)
        for level, ring in enumerate(self.rings):
            own = cells[(cells >= ring.first_cell) & (cells < ring.first_cell + ring.n * ring.n_bins)]
            for cell in own[self.missed[:, own].any(axis=0)].tolist():
                number = ring.numbers[(cell - ring.first_cell) // ring.n_bins]
                missed += np.where(self.since[level, slots] >= number, self.missed[self.groups[slots], cell], 0)
        return counts, missed

    def attributes(self, slot: int) -> dict[str, str]:
        """Return the columns and values of an item."""
        name = self.names[slot]
        if name is not None:
            column, _, value = name.partition(SEPARATOR)
            return {column: value}
        left, right = self.parts[:, slot].tolist()
        return {**self.attributes(left), **self.attributes(right)}

    # --- saving ---

    def state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return JSON values and arrays."""
        n = len(self.names)
        named = [(slot, name) for name, slot in self.index.items()]
        pairs = list(self.pair_index.values())
        config = {"n_slots": n, "names": named, "pairs": pairs, "free": self._free, "wide": list(self.wide)}
        config |= {"unpaired": sorted(self.unpaired), "paired": list(self.paired)}
        arrays = {
            "counts": np.ascontiguousarray(self.counts[:, :n]).reshape(-1),
            "rows": self.rows,
            "missed": self.missed.reshape(-1),
            "parts": np.ascontiguousarray(self.parts[:, :n]).reshape(-1),
            "since": np.ascontiguousarray(self.since[:, :n]).reshape(-1),
        }
        return config, arrays

    def restore(self, config: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Load a state; anything that contradicts itself is a ValueError."""
        n, n_cells = config["n_slots"], len(self.rows)
        if not isinstance(n, int) or not 0 <= n <= self.capacity:
            raise ValueError(f"n_slots must be from 0 to {self.capacity}, got {n!r}")
        shapes = {"counts": (n_cells, n), "parts": (2, n), "since": (len(self.rings), n)}
        for name, shape in shapes.items():
            getattr(self, name)[:, :n] = arrays[name].reshape(shape)
        self.rows[:], self.missed[:] = arrays["rows"], arrays["missed"].reshape(self.missed.shape)
        self.names = [None] * n
        self.index = {str(name): int(slot) for slot, name in config["names"]}
        self.unpaired, self.paired = set(map(str, config["unpaired"])), dict.fromkeys(map(str, config["paired"]))
        self.wide = {str(column): group for group, column in enumerate(config["wide"], 1)}
        for name, slot in self.index.items():
            self.names[slot] = name
            self.groups[slot] = self.wide.get(name.partition(SEPARATOR)[0], 0)
        self.n_values = Counter(name.partition(SEPARATOR)[0] for name in self.index)
        pairs = [int(slot) for slot in config["pairs"]]
        self.pair_index = {int(self.parts[0, slot]) * self.capacity + int(self.parts[1, slot]): slot for slot in pairs}
        self._free = [int(slot) for slot in config["free"]]
        taken = [*self.index.values(), *pairs, *self._free]
        parts = self.parts[:, pairs].reshape(-1).tolist() if pairs else []
        if sorted(taken) != list(range(n)) or any(not 0 <= part < n or self.names[part] is None for part in parts):
            raise ValueError("the slots of the items contradict each other")
