"""Simple and probabilistic truncation (appendix "Baseline Algorithms"): K weights; all others are zero."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tests.reference.online_linear import Draws, OnlineLinearOracle, Row, Rule, multiply


class SimpleTruncationOracle(OnlineLinearOracle):
    """Keep the K largest by |weight|. While there is room, every key is kept, even with weight zero."""

    def __init__(self, rule: Rule, active_set_size: int) -> None:
        super().__init__(rule)
        self.kept: dict[int, float] = {}
        self.capacity = active_set_size

    def dot(self, x: Row) -> float:
        return sum(self.weight(key) * value for key, value in x.items())

    def decay(self, factor: float) -> None:
        multiply(self.kept, factor)

    def add(self, x: Row, step: float) -> None:
        newcomers = {key: step * value for key, value in x.items() if key not in self.kept}
        for key, value in x.items():
            if key in self.kept:
                self.kept[key] += step * value
        self.draw(newcomers)
        # Offering new keys heaviest first is the paper's "truncate to top-K", with ties resolved.
        for key in sorted(newcomers, key=lambda key: -self.priority(key, newcomers[key])):
            self.offer(key, newcomers[key])

    def offer(self, key: int, weight: float) -> None:
        if len(self.kept) == self.capacity:
            victim = min(self.kept, key=lambda member: (self.priority(member, self.kept[member]), member))
            if self.priority(key, weight) <= self.priority(victim, self.kept[victim]):
                return
            del self.kept[victim]
        self.kept[key] = weight

    def draw(self, newcomers: Iterable[int]) -> None:
        """Simple truncation draws nothing."""

    def priority(self, key: int, weight: float) -> float:
        return abs(weight)

    def raw(self, key: int) -> float:
        return self.kept.get(key, 0.0)

    def members(self) -> Iterable[int]:
        return list(self.kept)


class ProbabilisticTruncationOracle(SimpleTruncationOracle):
    """Keep a weighted reservoir sample of K keys.

    The paper gives a new key the reservoir weight W = r^(1/|w|) with r uniform, and when w becomes w' it sets
    W <- W^|w/w'| = (r^(1/|w|))^(|w|/|w'|) = r^(1/|w'|). So r never changes while the key is kept, and W is a function
    of r and the current weight. Since log W = log(r)/|w|, the largest W is the largest |w| / (-log r).
    With "product", the priority is |w| * (-log r).
    """

    def __init__(self, rule: Rule, active_set_size: int, random_state: int, priority: str = "product") -> None:
        super().__init__(rule, active_set_size)
        self.draws, self.by_product = Draws(random_state), priority == "product"
        self.r: dict[int, float] = {}

    def draw(self, newcomers: Iterable[int]) -> None:
        """Draw an r for each key of the row that is not held, in the order of the row. A returning key draws again."""
        for key in newcomers:
            self.r[key] = self.draws.uniform()

    def priority(self, key: int, weight: float) -> float:
        life = -math.log(self.r[key])
        return abs(weight) * life if self.by_product else abs(weight) / life
