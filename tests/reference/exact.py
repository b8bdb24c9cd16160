"""The reference without a memory limit: every weight, exactly."""

from __future__ import annotations

from collections.abc import Iterable

from tests.reference.online_linear import OnlineLinearOracle, Row, Rule, multiply


class LogisticRegressionOracle(OnlineLinearOracle):
    """A dict from key to weight."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(rule)
        self.values: dict[int, float] = {}

    def dot(self, x: Row) -> float:
        return sum(self.weight(key) * value for key, value in x.items())

    def decay(self, factor: float) -> None:
        multiply(self.values, factor)

    def add(self, x: Row, step: float) -> None:
        for key, value in x.items():
            self.values[key] = self.raw(key) + step * value

    def raw(self, key: int) -> float:
        return self.values.get(key, 0.0)

    def members(self) -> Iterable[int]:
        return list(self.values)
