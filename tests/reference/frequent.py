"""Weights of the most frequent keys only, found by Space Saving or by a Count-Min sketch."""

from __future__ import annotations

from collections.abc import Iterable

from tests.reference.online_linear import Draws, OnlineLinearOracle, Row, Rule, multiply
from tests.reference.sketched import Hash


class SpaceSavingFrequentOracle(OnlineLinearOracle):
    """K monitored keys, each with a count and a weight; a new key takes over the smallest count plus one.

    With "one" newcomer, when there is no room, only one of the unmonitored keys of a row enters, chosen by reservoir
    sampling: the n-th of them replaces the current choice with probability 1 / n.
    """

    def __init__(
        self, rule: Rule, active_set_size: int, newcomers: str = "one", random_state: int | None = None
    ) -> None:
        super().__init__(rule)
        self.capacity = active_set_size
        self.draws = Draws(random_state or 0) if newcomers == "one" else None
        self.counts: dict[int, int] = {}  # key -> count, of the monitored keys
        self.values: dict[int, float] = {}  # key -> raw weight, of the monitored keys

    def dot(self, x: Row) -> float:
        return sum(self.weight(key) * value for key, value in x.items())

    def decay(self, factor: float) -> None:
        multiply(self.values, factor)

    def add(self, x: Row, step: float) -> None:
        self.count_all(x)
        for key, value in x.items():
            if key in self.counts:
                self.values[key] += step * value

    def count_all(self, keys: Iterable[int]) -> None:
        waiting, chosen = 0, None
        for key in keys:
            if self.draws is None or key in self.counts or len(self.counts) < self.capacity:
                self.count(key)
                continue
            waiting += 1
            if self.draws.below(waiting) == 0:
                chosen = key
        if chosen is not None:
            self.count(chosen)

    def count(self, key: int) -> None:
        if key in self.counts:
            self.counts[key] += 1
        elif len(self.counts) < self.capacity:
            self.monitor(key, 1)
        else:
            self.monitor(key, self.forget(self.least()) + 1)

    def monitor(self, key: int, count: int) -> None:
        self.counts[key] = count
        self.values[key] = 0.0

    def least(self) -> int:
        return min(self.counts, key=lambda member: (self.counts[member], member))

    def forget(self, key: int) -> int:
        """Drop the key with its weight and return its count."""
        del self.values[key]
        return self.counts.pop(key)

    def raw(self, key: int) -> float:
        return self.values.get(key, 0.0)

    def members(self) -> Iterable[int]:
        return list(self.counts)


class CountMinFrequentOracle(SpaceSavingFrequentOracle):
    """The K keys with the largest estimated counts, each as of its last occurrence."""

    def __init__(self, rule: Rule, active_set_size: int, depth: int, width: int, hash_key: Hash) -> None:
        super().__init__(rule, active_set_size, newcomers="all")
        self.hash_key = hash_key
        self.width = width
        self.cells = [[0] * width for _ in range(depth)]

    def count(self, key: int) -> None:
        estimate = self.count_and_estimate(key)
        if key in self.counts:
            self.counts[key] = estimate
        elif len(self.counts) < self.capacity:
            self.monitor(key, estimate)
        elif estimate > self.counts[self.least()]:
            self.forget(self.least())
            self.monitor(key, estimate)

    def count_and_estimate(self, key: int) -> int:
        buckets = [self.hash_key(row, key) * self.width >> 32 for row in range(len(self.cells))]
        for row, bucket in zip(self.cells, buckets, strict=True):
            row[bucket] += 1
        return min(row[bucket] for row, bucket in zip(self.cells, buckets, strict=True))
