"""Weights in the cells of a Count-Sketch: WM-Sketch (Algorithm 1) and feature hashing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from tests.reference.online_linear import OnlineLinearOracle, Row, Rule, multiply, replaced

Hash = Callable[[int, int], int]  # (row, key) -> 32 bits
Cell = tuple[int, int]  # (row, bucket)
WAYS = 8  # keys in a line of an associative set


class CountSketchCells:
    """depth x width signed cells u = sqrt(s) z.

    The paper stores z, projects with R = A / sqrt(s) and estimates from sqrt(s) z. In terms of u, z.Rx is the mean over
    rows of (sign * cell).x, a step of z along Rx is a plain step of every row of u, and a query reads u directly.
    """

    def __init__(self, depth: int, width: int, hash_key: Hash) -> None:
        self.depth, self.width, self.hash_key = depth, width, hash_key
        self.cells = {(row, bucket): 0.0 for row in range(depth) for bucket in range(width)}

    def places(self, key: int) -> list[tuple[Cell, int]]:
        """The cell and the sign of the key in every row: the high bits give the bucket, the lowest bit the sign."""
        hashes = [self.hash_key(row, key) for row in range(self.depth)]
        return [((row, h * self.width >> 32), -1 if h & 1 else 1) for row, h in enumerate(hashes)]

    def dot(self, x: Row, soft: Callable[[float], float]) -> float:
        """The mean over rows."""
        signed = [sign * soft(self.cells[cell]) * value for key, value in x.items() for cell, sign in self.places(key)]
        return sum(signed) / self.depth

    def add(self, key: int, amount: float) -> None:
        for cell, sign in self.places(key):
            self.cells[cell] += sign * amount

    def line(self, key: int, lines: int) -> int:
        """The line of an associative set, from a second hash derived from the hash of row 0."""
        return (self.hash_key(0, key) * 0x9E3779B1 % 2**32) * lines >> 32

    def estimate(self, key: int) -> float:
        """The median over rows; for even depth, the mean of the two middle values."""
        return median(sign * self.cells[cell] for cell, sign in self.places(key))


class FeatureHashingOracle(OnlineLinearOracle):
    """One row of cells. Keys are not stored, so `top` is empty."""

    def __init__(self, rule: Rule, width: int, hash_key: Hash) -> None:
        super().__init__(rule)
        self.sketch = CountSketchCells(1, width, hash_key)

    def dot(self, x: Row) -> float:
        return self.sketch.dot(x, self.soft)

    def decay(self, factor: float) -> None:
        multiply(self.sketch.cells, factor)

    def add(self, x: Row, step: float) -> None:
        for key, value in x.items():
            self.sketch.add(key, step * value)

    def raw(self, key: int) -> float:
        return self.sketch.estimate(key)

    def members(self) -> Iterable[int]:
        return []


class WMSketchOracle(OnlineLinearOracle):
    """Algorithm 1, with a passive set of the heaviest keys; `project` and `averaged` make it Theorem 2's variant."""

    def __init__(
        self,
        rule: Rule,
        depth: int,
        width: int,
        active_set_size: int,
        hash_key: Hash,
        project: float = 0.0,
        averaged: bool = False,
    ) -> None:
        super().__init__(rule)
        self.sketch = CountSketchCells(depth, width, hash_key)
        self.capacity, self.project, self.averaged = active_set_size, project, averaged
        self.heaviest: dict[int, float] = {}  # key -> its estimate of when it was last seen, decayed since
        self.sums = dict.fromkeys(self.sketch.cells, 0.0)  # sum of each cell over the iterates, for the average

    def dot(self, x: Row) -> float:
        return self.sketch.dot(x, self.soft)

    def decay(self, factor: float) -> None:
        multiply(self.sketch.cells, factor)
        multiply(self.heaviest, factor)

    def add(self, x: Row, step: float) -> None:
        for key, value in x.items():
            self.sketch.add(key, step * value)

    def after_example(self, x: Row) -> None:
        if self.project > 0:
            self.project_onto_ball(self.project)
        if self.averaged:
            for cell, value in self.sketch.cells.items():
                self.sums[cell] += value
        for key in x:  # the set follows the iterate; only queries use the average
            self.remember(key, self.sketch.estimate(key))

    def project_onto_ball(self, radius: float) -> None:
        norm_of_u = math.sqrt(sum(value**2 for value in self.sketch.cells.values()))
        norm_of_z = norm_of_u / math.sqrt(self.sketch.depth)
        if norm_of_z > radius:
            self.decay(radius / norm_of_z)

    def remember(self, key: int, estimate: float) -> None:
        rivals = self.rivals(key)
        if key in self.heaviest or len(rivals) < self.capacity:
            self.heaviest[key] = estimate
            return
        victim = min(rivals, key=self.rank)
        if abs(estimate) > abs(self.heaviest[victim]):
            self.heaviest = replaced(self.heaviest, victim, key, estimate)

    def rivals(self, key: int) -> list[int]:
        """The candidates for eviction: here all members, at most `capacity`."""
        return list(self.heaviest)

    def rank(self, member: int) -> tuple[float, int]:
        """The lowest is evicted first; ties by the smallest key."""
        return abs(self.heaviest[member]), member

    def raw(self, key: int) -> float:
        if not self.averaged:
            return self.sketch.estimate(key)
        return median(sign * self.sums[cell] / max(self.t, 1) for cell, sign in self.sketch.places(key))

    def members(self) -> Iterable[int]:
        return list(self.heaviest)


class MissionOracle(WMSketchOracle):
    """MISSION: predictions use only the weights stored in the set. Gradients go into the sketch."""

    def dot(self, x: Row) -> float:
        return sum(self.weight(key) * value for key, value in x.items())

    def raw(self, key: int) -> float:
        return self.heaviest.get(key, 0.0)


class BearOracle(MissionOracle):
    """BEAR: a step along H x instead of x, with H from the two-loop recursion over the last five pairs.

    A pair is how far each weight of a row moved, by its step or by entering or leaving the heap, and how the gradient
    of the row then changed. It holds a fifth of
    `active_set_size` features: those that moved furthest. All vectors are restricted to the features of the row.
    """

    PAIRS, DAMPING = 5, 0.1

    def __init__(self, rule: Rule, depth: int, width: int, active_set_size: int, hash_key: Hash) -> None:
        super().__init__(rule, depth, width, active_set_size, hash_key)
        self.kept = min(self.PAIRS, active_set_size)
        self.room = active_set_size // self.kept
        self.pairs: list[tuple[Row, Row]] = []  # the changes of the weights and of the gradient, oldest first
        self.before: Row = {}  # the weights of the row as it was predicted, decayed since

    def dot(self, x: Row) -> float:
        self.before = {key: self.weight(key) for key in x}
        return super().dot(x)

    def decay(self, factor: float) -> None:
        super().decay(factor)
        multiply(self.before, factor)

    def add(self, x: Row, step: float) -> None:
        self.start = self.before
        self.steps = {key: step * value for key, value in self.direction(x).items()}
        super().add(self.direction(x), step)

    def direction(self, x: Row) -> Row:
        """H x; as long as there are no pairs, H is the identity."""
        if not self.pairs:
            return x
        q, taken = dict(x), []
        for moved, curved in reversed(self.pairs):
            taken.append(dot_product(moved, q) / dot_product(moved, curved))
            q = {key: value - taken[-1] * curved.get(key, 0.0) for key, value in q.items()}
        moved, curved = self.pairs[-1]
        q = {key: value * dot_product(moved, curved) / dot_product(curved, curved) for key, value in q.items()}
        for moved, curved in self.pairs:
            back = dot_product(curved, q) / dot_product(moved, curved)
            part = taken.pop() - back
            q = {key: value + part * moved.get(key, 0.0) for key, value in q.items()}
        most, reached = dot_product(x, x) / self.DAMPING, dot_product(x, q)
        return {key: value * most / reached for key, value in q.items()} if reached > most else q

    def learn_curvature(self, x: Row, change: float) -> None:
        after = {key: self.weight(key) for key in x}
        both = {key for key in x if self.start[key] != 0 and after[key] != 0}  # these predict before and after
        moved = {key: self.steps[key] if key in both else after[key] - self.start[key] for key in x}
        changed = [key for key in x if moved[key] != 0]
        # keys that share a cell may move equally far, up to rounding; then the smaller key counts
        furthest = sorted(changed, key=lambda key: (-float(f"{abs(moved[key]):.6g}"), key))[: self.room]
        moved = {key: moved[key] for key in furthest}
        curved = {key: change * x[key] + self.DAMPING * moved[key] for key in furthest}
        if moved and change * dot_product(moved, x) >= 0:  # not against the step, as collisions can make it
            self.pairs = [*self.pairs, (moved, curved)][-self.kept :]


def dot_product(one: Row, other: Row) -> float:
    """The sum over the features that both have."""
    return sum(value * other[key] for key, value in one.items() if key in other)


class AssociativeWMSketchOracle(WMSketchOracle):
    """The passive set as a cache: a key belongs to one line of 8 and competes within that line only.

    Ties go to the first place of the line.
    """

    def __init__(
        self, rule: Rule, depth: int, width: int, active_set_size: int, hash_key: Hash, **variant: Any
    ) -> None:
        super().__init__(rule, depth, width, WAYS, hash_key, **variant)
        self.lines = active_set_size // WAYS

    def rivals(self, key: int) -> list[int]:
        line = self.sketch.line(key, self.lines)
        return [member for member in self.heaviest if self.sketch.line(member, self.lines) == line]

    def rank(self, member: int) -> tuple[float, int]:
        return abs(self.heaviest[member]), 0
