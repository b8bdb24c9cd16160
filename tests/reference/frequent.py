"""Weights of the most frequent keys only, found by Space Saving or by a Count-Min sketch."""

from __future__ import annotations

from collections.abc import Iterable

from tests.reference.online_linear import OnlineLinearOracle, Row, Rule, multiply
from tests.reference.sketched import Hash


class SpaceSavingFrequentOracle(OnlineLinearOracle):
    """K monitored keys, each with a count and a weight; a new key takes over the smallest count plus one."""

    def __init__(self, rule: Rule, active_set_size: int) -> None:
        super().__init__(rule)
        self.capacity = active_set_size
        self.counts: dict[int, int] = {}  # key -> count, of the monitored keys
        self.values: dict[int, float] = {}  # key -> raw weight, of the monitored keys

    def dot(self, x: Row) -> float:
        return sum(self.weight(key) * value for key, value in x.items())

    def decay(self, factor: float) -> None:
        multiply(self.values, factor)

    def add(self, x: Row, step: float) -> None:
        for key in x:
            self.count(key)
        for key, value in x.items():
            if key in self.counts:
                self.values[key] += step * value

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
    """The K keys of the largest estimated count, as it was when each was last in an example."""

    def __init__(self, rule: Rule, active_set_size: int, depth: int, width: int, hash_key: Hash) -> None:
        super().__init__(rule, active_set_size)
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
