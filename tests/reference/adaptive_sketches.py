"""Stores for adaptive steps in which keys share cells, to the bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.reference.adaptive import AdaptiveOracle, Hash, Row, Step
from tests.reference.adaptive_pairs import Pair
from tests.reference.float32 import BfloatCell, dot, f32, mix
from tests.reference.online_linear import Rule

WAYS = 8


def sign(h: int) -> np.float32:
    return f32(-1) if h & 1 else f32(1)


def median(values: list[np.float32]) -> np.float32:
    middle, ordered = len(values) // 2, sorted(values)
    return ordered[middle] if len(values) % 2 else f32(0.5) * (ordered[middle - 1] + ordered[middle])


class Sketch:
    """depth x width cells with a weight and a sum in few bits."""

    def __init__(self, depth: int, width: int, hash_key: Hash, cell: Any) -> None:
        self.depth, self.width, self.hash_key, self.cell = depth, width, hash_key, cell
        self.cells = {(row, bucket): 0 for row in range(depth) for bucket in range(width)}

    def places(self, key: int) -> list[tuple[tuple[int, int], int]]:
        """The cell and the hash of a key in every row."""
        hashes = [self.hash_key(row, key) for row in range(self.depth)]
        return [((row, h * self.width >> 32), h) for row, h in enumerate(hashes)]

    def pair(self, cell: int) -> Pair:
        weight, squares = self.cell.values(cell)
        return weight, squares

    def estimate(self, key: int) -> np.float32:
        return median([sign(h) * self.pair(self.cells[place])[0] for place, h in self.places(key)])

    def multiply(self, factor: np.float32) -> None:
        for place, cell in self.cells.items():
            weight, units = self.cell.values(cell)
            self.cells[place] = self.cell.nearest(weight * factor, units)

    def multiply_squares(self, factor: np.float32) -> None:
        for place, cell in self.cells.items():
            weight, squares = self.cell.values(cell)
            self.cells[place] = self.cell.nearest(weight, squares * factor)


class SketchedOracle(AdaptiveOracle):
    def __init__(self, rule: Rule, seed: int, sketch: Sketch) -> None:
        super().__init__(rule, seed)
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
    def __init__(self, rule: Rule, seed: int, width: int, hash_key: Hash) -> None:
        super().__init__(rule, seed, Sketch(1, width, hash_key, BfloatCell))


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
        seed: int,
        depth: int,
        width: int,
        active_set_size: int,
        hash_key: Hash,
        exact: bool,
    ) -> None:
        super().__init__(rule, seed, Sketch(depth, width, hash_key, self.cell))
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
