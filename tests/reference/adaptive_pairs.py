"""Stores for adaptive steps in which each key has its own weight, to the bit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.reference.adaptive import AdaptiveOracle, Row, Step
from tests.reference.float32 import f32
from tests.reference.online_linear import Draws, Rule

Pair = tuple[np.float32, np.float32]  # a weight and its sum of squared gradients
ZERO: Pair = (f32(0), f32(0))


class PairsOracle(AdaptiveOracle):
    """Float32 weights and sums in a dict; subclasses decide which keys it holds."""

    def __init__(self, rule: Rule, seed: int) -> None:
        super().__init__(rule, seed)
        self.pairs: dict[int, Pair] = {}

    def raw(self, key: int) -> np.float32:
        return self.pairs.get(key, ZERO)[0]

    def multiply(self, factor: np.float32) -> None:
        self.pairs = {key: (weight * factor, squares) for key, (weight, squares) in self.pairs.items()}

    def multiply_squares(self, factor: np.float32) -> None:
        self.pairs = {key: (weight, squares * factor) for key, (weight, squares) in self.pairs.items()}

    def members(self) -> Iterable[int]:
        return list(self.pairs)

    def add(self, x: Row, step: Step) -> None:
        for key, value in x.items():
            self.pairs[key] = step.apply(*self.pairs.get(key, ZERO), value)


class AdaptiveLogisticRegressionOracle(PairsOracle):
    """Every weight."""


class AdaptiveTruncationOracle(PairsOracle):
    """The heaviest weights; a new key is ranked by its first step. With a random state, the weighted reservoir."""

    def __init__(
        self,
        rule: Rule,
        seed: int,
        active_set_size: int,
        random_state: int | None = None,
        priority: str = "product",
    ) -> None:
        super().__init__(rule, seed)
        self.capacity, self.by_product = active_set_size, priority == "product"
        self.draws = None if random_state is None else Draws(random_state)
        self.lives: dict[int, np.float32] = {}

    def add(self, x: Row, step: Step) -> None:
        newcomers: dict[int, Pair] = {}
        for key, value in x.items():
            if key in self.pairs:
                self.pairs[key] = step.apply(*self.pairs[key], value)
            else:
                self.lives[key] = self.drawn_life()
                newcomers[key] = step.apply(*ZERO, value)
        for key in sorted(newcomers, key=lambda key: -self.priority(key, newcomers[key])):
            if len(self.pairs) == self.capacity:
                victim = min(self.pairs, key=lambda member: (self.priority(member, self.pairs[member]), member))
                if self.priority(key, newcomers[key]) <= self.priority(victim, self.pairs[victim]):
                    return
                del self.pairs[victim]
            self.pairs[key] = newcomers[key]

    def drawn_life(self) -> np.float32:
        return f32(1) if self.draws is None else f32(-math.log(self.draws.uniform()))

    def priority(self, key: int, pair: Pair) -> np.float32:
        weight, life = abs(pair[0]), self.lives[key]
        return weight * life if self.by_product else weight / life


class AdaptiveFrequentOracle(PairsOracle):
    """The weights of the keys that a counter holds; `counter` is a frequent-features oracle of plain steps."""

    def __init__(self, rule: Rule, seed: int, counter: Any) -> None:
        super().__init__(rule, seed)
        self.counter = counter

    def add(self, x: Row, step: Step) -> None:
        self.counter.values.clear()  # collects keys that enter now, also again within the row
        self.counter.values.update(dict.fromkeys(self.pairs, "held"))
        self.counter.count_all(x)
        self.pairs = {key: self.pairs[key] if was == "held" else ZERO for key, was in self.counter.values.items()}
        for key, value in x.items():
            if key in self.pairs:
                self.pairs[key] = step.apply(*self.pairs[key], value)
