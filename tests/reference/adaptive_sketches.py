"""Stores for adaptive steps in which keys share cells, to the bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.reference.adaptive import AdaptiveOracle, Hash, Row, Step
from tests.reference.adaptive_pairs import Pair
from tests.reference.float32 import BfloatCell, PackedCell, PackedSlot, dot, f32, mix
from tests.reference.online_linear import Rule

WAYS = 8


def sign(h: int) -> np.float32:
    return f32(-1) if h & 1 else f32(1)


def median(values: list[np.float32]) -> np.float32:
    middle, ordered = len(values) // 2, sorted(values)
    return ordered[middle] if len(values) % 2 else f32(0.5) * (ordered[middle - 1] + ordered[middle])


class Sketch:
    """depth x width cells with a weight and a sum in few bits; in 16-bit cells, sums are in units."""

    def __init__(self, depth: int, width: int, hash_key: Hash, cell: Any) -> None:
        self.depth, self.width, self.hash_key, self.cell = depth, width, hash_key, cell
        self.cells = {(row, bucket): 0 for row in range(depth) for bucket in range(width)}
        self.unit = f32(0) if cell.has_unit else f32(1)

    def places(self, key: int) -> list[tuple[tuple[int, int], int]]:
        """The cell and the hash of a key in every row."""
        hashes = [self.hash_key(row, key) for row in range(self.depth)]
        return [((row, h * self.width >> 32), h) for row, h in enumerate(hashes)]

    def pair(self, cell: int) -> Pair:
        weight, units = self.cell.values(cell)
        return weight, self.unit * units

    def estimate(self, key: int) -> np.float32:
        return median([sign(h) * self.pair(self.cells[place])[0] for place, h in self.places(key)])

    def estimate_squares(self, key: int) -> np.float32:
        return min(self.pair(self.cells[place])[1] for place, _ in self.places(key))

    def set(self, key: int, weight: np.float32, squares: np.float32, seeds: tuple[int, int]) -> None:
        """Set the estimates of a key by adding the same amount to all its rows."""
        if self.depth == 1:
            ((place, h),) = self.places(key)
            units = squares / self.unit if self.cell.has_unit else squares
            self.cells[place] = self.cell.rounded(sign(h) * weight, units, mix(h, seeds))
            return
        change, more = weight - self.estimate(key), squares - self.estimate_squares(key)
        for place, h in self.places(key):
            old, units = self.cell.values(self.cells[place])
            now = max(units + more * (f32(1) / self.unit), f32(0))
            self.cells[place] = self.cell.rounded(old + sign(h) * change, now, mix(h, seeds))

    def clear(self, key: int, seeds: tuple[int, int]) -> None:
        if self.depth == 1:
            self.cells[self.places(key)[0][0]] = 0
        else:
            self.set(key, f32(0), f32(0), seeds)

    def multiply(self, factor: np.float32) -> None:
        for place, cell in self.cells.items():
            weight, units = self.cell.values(cell)
            self.cells[place] = self.cell.nearest(weight * factor, units)

    def multiply_squares(self, factor: np.float32) -> None:
        if self.cell.has_unit:
            self.unit = self.unit * factor
            return
        for place, cell in self.cells.items():
            weight, squares = self.cell.values(cell)
            self.cells[place] = self.cell.nearest(weight, squares * factor)

    def follow_unit(self, wanted: np.float32) -> None:
        """Change the unit of sums when the gradients of the stream are far from it."""
        if not self.cell.has_unit or (wanted <= 8 * self.unit and self.unit <= 8 * wanted):
            return
        factor = self.unit / wanted
        for place, cell in self.cells.items():
            weight, units = self.cell.values(cell)
            self.cells[place] = self.cell.nearest(weight, factor * units)
        self.unit = wanted


class SketchedOracle(AdaptiveOracle):
    def __init__(self, rule: Rule, step: str, seed: int, sketch: Sketch) -> None:
        super().__init__(rule, step, seed)
        self.sketch = sketch

    def raw(self, key: int) -> np.float32:
        return self.sketch.estimate(key)

    def multiply(self, factor: np.float32) -> None:
        self.sketch.multiply(factor)

    def multiply_squares(self, factor: np.float32) -> None:
        self.sketch.multiply_squares(factor)

    def raw_dot(self, x: Row) -> np.float32:
        """The mean of the predictions of the rows."""
        total = f32(0)
        for row in range(self.sketch.depth):
            at = [self.sketch.places(key)[row] for key in x]
            weights = [self.soft(self.sketch.pair(self.sketch.cells[place])[0]) for place, _ in at]
            values = [sign(h) * value for (_, h), value in zip(at, x.values(), strict=True)]
            total = total + dot(weights, values)
        return total / f32(self.sketch.depth)

    def add(self, x: Row, step: Step) -> None:
        """Step row by row, one feature after the other, because two may share a cell."""
        for row in range(self.sketch.depth):
            for key, value in x.items():
                place, h = self.sketch.places(key)[row]
                pair = step.apply(*self.sketch.pair(self.sketch.cells[place]), sign(h) * value)
                self.sketch.cells[place] = self.sketch.cell.rounded(*pair, mix(h, step.seeds))


class AdaptiveFeatureHashingOracle(SketchedOracle):
    def __init__(self, rule: Rule, step: str, seed: int, width: int, hash_key: Hash) -> None:
        super().__init__(rule, step, seed, Sketch(1, width, hash_key, BfloatCell))


class Places:
    """The keys that compete for a place: all (`exact`), or the eight of a line."""

    def __init__(self, exact: bool, capacity: int, hash_key: Hash) -> None:
        self.exact, self.hash_key = exact, hash_key
        self.lines = 1 if exact else capacity // WAYS
        self.ways = capacity if exact else WAYS
        self.keys: list[list[int | None]] = [[None] * self.ways for _ in range(self.lines)]

    def line(self, key: int) -> list[int | None]:
        if self.exact:
            return self.keys[0]
        return self.keys[(self.hash_key(0, key) * 0x9E3779B1 % 2**32) * self.lines >> 32]

    def victim(self, key: int, size_of: Any) -> int:
        """The place to evict in the line of the key: the lightest. Ties: the heap evicts the smallest key, a line the
        first place."""
        line = self.line(key)
        if self.exact and None in line:
            return line.index(None)

        def rank(place: int) -> tuple[float, int]:
            member = line[place]
            size = 0.0 if member is None else float(size_of(member))
            return size, member if self.exact and member is not None else place

        return min(range(self.ways), key=rank)


class OracleWithSet(SketchedOracle):
    """A sketch, and places for the heaviest keys."""

    cell: Any

    def __init__(
        self,
        rule: Rule,
        step: str,
        seed: int,
        depth: int,
        width: int,
        active_set_size: int,
        hash_key: Hash,
        exact: bool,
    ) -> None:
        super().__init__(rule, step, seed, Sketch(depth, width, hash_key, self.cell))
        self.places = Places(exact, active_set_size, hash_key)


class AdaptiveWMSketchOracle(OracleWithSet):
    """A passive set holds each key with its estimate of when it was last seen."""

    cell = BfloatCell

    def __init__(self, *given: Any, **shape: Any) -> None:
        super().__init__(*given, **shape)
        self.seen: dict[int, np.float32] = {}

    def multiply(self, factor: np.float32) -> None:
        super().multiply(factor)
        self.seen = {key: weight * factor for key, weight in self.seen.items()}

    def add(self, x: Row, step: Step) -> None:
        super().add(x, step)
        for key in x:
            estimate = self.sketch.estimate(key)
            if key not in self.seen:
                line, place = self.places.line(key), self.places.victim(key, lambda member: abs(self.seen[member]))
                victim = line[place]
                if victim is not None and not abs(estimate) > abs(self.seen[victim]):
                    continue
                if victim is not None:
                    del self.seen[victim]
                line[place] = key
            self.seen[key] = estimate

    def members(self) -> Iterable[int]:
        return list(self.seen)


class AdaptiveMissionOracle(AdaptiveWMSketchOracle):
    """Predictions use only the weights stored in the set."""

    def raw(self, key: int) -> np.float32:
        return self.seen.get(key, f32(0))

    def raw_dot(self, x: Row) -> np.float32:
        return dot([self.soft(self.raw(key)) for key in x], list(x.values()))


class AdaptiveAWMSketchOracle(OracleWithSet):
    """Heavy keys in packed slots, the rest in packed cells. All step; then heavy keys enter the set, heaviest first.

    A key that enters takes its weight and sum with it, so that the sketch estimates 0 for it. An evicted key writes
    both back into the sketch (`paper`) or is lost (`drop`).
    """

    cell = PackedCell

    def __init__(self, *given: Any, eviction: str = "paper", **shape: Any) -> None:
        super().__init__(*given, **shape)
        self.eviction = eviction
        self.active: dict[int, int] = {}  # slots
        self.evicted = 0

    def raw(self, key: int) -> np.float32:
        return PackedSlot.values(self.active[key])[0] if key in self.active else self.sketch.estimate(key)

    def raw_dot(self, x: Row) -> np.float32:
        return dot([self.predicted(key) for key in x], list(x.values()))

    def predicted(self, key: int) -> np.float32:
        """The weight for predictions: for a key in the sketch, the mean over rows."""
        if key in self.active:
            return self.soft(self.raw(key))
        total = f32(0)
        for place, h in self.sketch.places(key):
            total = total + self.soft(sign(h) * self.sketch.pair(self.sketch.cells[place])[0])
        return total / f32(self.sketch.depth)

    def multiply(self, factor: np.float32) -> None:
        super().multiply(factor)
        for key, slot in self.active.items():
            weight, squares = PackedSlot.values(slot)
            self.active[key] = PackedSlot.nearest(weight * factor, squares)

    def multiply_squares(self, factor: np.float32) -> None:
        super().multiply_squares(factor)
        for key, slot in self.active.items():
            weight, squares = PackedSlot.values(slot)
            self.active[key] = PackedSlot.nearest(weight, squares * factor)

    def members(self) -> Iterable[int]:
        return list(self.active)

    def size(self, key: int) -> np.float32:
        return abs(PackedSlot.values(self.active[key])[0])

    def lightest(self, key: int) -> np.float32:
        """The weight that a key must exceed to enter: none while there is room."""
        member = self.places.line(key)[self.places.victim(key, self.size)]
        return f32(0) if member is None else self.size(member)

    def add(self, x: Row, step: Step) -> None:
        tail = [key for key in x if key not in self.active]
        if tail and self.sketch.unit == 0:
            self.sketch.unit = step.unit()
        cells = dict(self.sketch.cells)  # all cells are read before any is written
        before = {key: self.sketch.estimate(key) for key in tail}
        noted = {} if self.places.exact else {key: self.lightest(key) for key in tail}
        stepped = {}
        for key, value in x.items():
            if key in tail:
                stepped[key] = self.step_cells(key, value, step, cells)
            else:
                pair = step.apply(*PackedSlot.values(self.active[key]), value)
                self.active[key] = PackedSlot.rounded(*pair, mix(self.sketch.hash_key(0, key), step.seeds))
        if self.places.exact:  # the lightest of the heap is known only after the active weights have stepped
            noted = {key: self.lightest(key) for key in tail}
        candidates = [key for key in tail if abs(stepped[key][0]) > noted[key]]
        for key in sorted(candidates, key=lambda key: -abs(stepped[key][0])):
            if abs(stepped[key][0]) > self.lightest(key):
                self.enter(key, x[key], before[key], stepped[key], step)
        if tail:
            self.sketch.follow_unit(step.unit())

    def step_cells(self, key: int, value: np.float32, step: Step, cells: dict[tuple[int, int], int]) -> Pair:
        """Step the cells of a key in the sketch and return its new estimates before rounding."""
        weights, sums = [], []
        for place, h in self.sketch.places(key):
            old = self.sketch.pair(cells[place])
            weight, squares = step.apply(*old, sign(h) * value, tail=True)
            units = squares * (f32(1) / self.sketch.unit)
            rounded = weight
            if self.sketch.cells[place] != cells[place]:  # another feature of the row has stepped the cell
                now, units_now = PackedCell.values(self.sketch.cells[place])
                rounded = now + (weight - old[0])
                units = units_now + step.square_of(step.gradient * (sign(h) * value)) / self.sketch.unit
            self.sketch.cells[place] = PackedCell.rounded(rounded, units, mix(h, step.seeds))
            weights.append(sign(h) * weight)
            sums.append(squares)
        return median(weights), min(sums)

    def enter(self, key: int, value: np.float32, before: np.float32, stepped: Pair, step: Step) -> None:
        line, place = self.places.line(key), self.places.victim(key, self.size)
        victim, (weight, squares) = line[place], stepped
        self.sketch.clear(key, step.seeds)
        if victim is None:  # taken by the step of a heavy key
            weight = before - (step.rate(squares) * (step.gradient * value)) * step.per_scale
        else:
            self.evicted += 1
            slot = self.active.pop(victim)
            if self.eviction == "paper":
                self.sketch.set(victim, *PackedSlot.values(slot), step.seeds)
        line[place] = key
        self.active[key] = PackedSlot.nearest(weight, squares)
