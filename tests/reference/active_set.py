"""AWM-Sketch (Algorithm 2): heavy keys have exact weights in an active set, the rest are in the sketch."""

from __future__ import annotations

from collections.abc import Iterable

from tests.reference.online_linear import OnlineLinearOracle, Row, Rule, multiply, replaced
from tests.reference.sketched import WAYS, CountSketchCells, Hash


class AWMSketchOracle(OnlineLinearOracle):
    """The exact active set. `eviction`: "paper" writes an evicted weight back to the sketch, "drop" discards it.

    The last line of Algorithm 2 lacks a minus sign: the sketch is stepped by -eta*y*x*slope, like everything else.
    """

    def __init__(
        self, rule: Rule, depth: int, width: int, active_set_size: int, hash_key: Hash, eviction: str = "paper"
    ) -> None:
        super().__init__(rule)
        self.sketch = CountSketchCells(depth, width, hash_key)
        self.active: dict[int, float] = {}
        self.capacity, self.eviction = active_set_size, eviction

    def dot(self, x: Row) -> float:
        exact = sum(self.weight(key) * value for key, value in x.items() if key in self.active)
        tail = {key: value for key, value in x.items() if key not in self.active}
        return exact + self.sketch.dot(tail, self.soft)

    def decay(self, factor: float) -> None:
        multiply(self.active, factor)
        multiply(self.sketch.cells, factor)

    def add(self, x: Row, step: float) -> None:
        # All weights are read before any is written, so colliding features of one example do not see each other's step.
        tail = {key: self.sketch.estimate(key) + step * value for key, value in x.items() if key not in self.active}
        for key, value in x.items():
            if key in self.active:
                self.active[key] += step * value
        # Heaviest first. The sort is stable, so ties are in the order of the row. After the first key that stays out,
        # all do. The paper's loop does not sort; so the sketch is stepped when promotion is over.
        promoted = {key for key in sorted(tail, key=lambda key: -abs(tail[key])) if self.promote(key, tail[key])}
        for key in tail:
            if key not in promoted:
                self.sketch.add(key, step * x[key])

    def promote(self, key: int, weight: float) -> bool:
        """Move the key to the active set if it is heavy enough. Its contribution to the cells stays."""
        if abs(weight) <= self.bar(key):
            return False
        rivals = self.rivals(key)
        if len(rivals) < self.capacity:
            self.active[key] = weight
            return True
        victim = min(rivals, key=self.rank)
        old_weight = self.active[victim]
        self.active = replaced(self.active, victim, key, weight)
        if self.eviction == "paper":  # adding the same amount to every row moves their median by it
            self.sketch.add(victim, old_weight - self.sketch.estimate(victim))
        return True

    def rivals(self, key: int) -> list[int]:
        """The candidates for eviction: here all members, at most `capacity`."""
        return list(self.active)

    def rank(self, member: int) -> tuple[float, int]:
        """The lowest is evicted first; ties by the smallest key."""
        return abs(self.active[member]), member

    def bar(self, key: int) -> float:
        """The weight a key must exceed to enter: the lightest weight, or 0 while there is room."""
        rivals = self.rivals(key)
        return min(abs(self.active[rival]) for rival in rivals) if len(rivals) == self.capacity else 0.0

    def raw(self, key: int) -> float:
        return self.active[key] if key in self.active else self.sketch.estimate(key)

    def members(self) -> Iterable[int]:
        return list(self.active)


class AssociativeAWMSketchOracle(AWMSketchOracle):
    """The active set as a cache: a key belongs to one line of 8 and competes within that line only.

    A key must also exceed the lightest weight of the line as it was before the active weights took their step. Ties go
    to the first place of the line.
    """

    def __init__(
        self, rule: Rule, depth: int, width: int, active_set_size: int, hash_key: Hash, eviction: str = "paper"
    ) -> None:
        super().__init__(rule, depth, width, WAYS, hash_key, eviction)
        self.lines = active_set_size // WAYS
        self.noted: dict[int, float] = {}

    def rivals(self, key: int) -> list[int]:
        line = self.sketch.line(key, self.lines)
        return [member for member in self.active if self.sketch.line(member, self.lines) == line]

    def rank(self, member: int) -> tuple[float, int]:
        return abs(self.active[member]), 0

    def add(self, x: Row, step: float) -> None:
        self.noted = {key: self.bar(key) for key in x}
        super().add(x, step)

    def promote(self, key: int, weight: float) -> bool:
        return abs(weight) > self.noted[key] and super().promote(key, weight)
