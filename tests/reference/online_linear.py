"""The update rule: margin, slope of the loss, step size, decay, step. Subclasses define where weights live."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

MASK = 2**64 - 1
Place = TypeVar("Place")
Row = dict[int, float]
Example = Mapping[int, float] | Iterable[tuple[int, float]]


@dataclass(frozen=True)
class Rule:
    """Settings of every learner: step sizes, regularisation, loss, class weights."""

    eta0: float = 0.1
    l2: float = 0.0
    l1: float = 0.0
    schedule: str = "optimal"
    loss: str = "logistic"
    fit_intercept: bool = True
    class_weight: dict[int, float] | str | None = None
    half_life: float | str | None = None  # in examples, or in seconds, like "20s"

    def kept_by_example(self) -> float:
        """The fraction of the past that remains after one example."""
        return 0.5 ** (1 / self.half_life) if isinstance(self.half_life, (int, float)) else 1.0

    def kept_after(self, seconds: float) -> float:
        """The fraction of the past that remains after some time."""
        return 0.5 ** (seconds / float(self.half_life.removesuffix("s"))) if isinstance(self.half_life, str) else 1.0

    def rate(self, t: float) -> float:
        """eta_t; t counts the examples from 0, after forgetting."""
        match self.schedule:
            case "optimal":
                return self.eta0 / (1 + self.eta0 * self.l2 * t)
            case "constant":
                return self.eta0
            case "invsqrt":
                return self.eta0 / math.sqrt(t + 1)
        raise ValueError(f"no such schedule: {self.schedule}")

    def slope(self, tau: float) -> float:
        """The derivative of the loss at tau = y * margin."""
        match self.loss:
            case "logistic":  # log(1 + exp(-tau))
                return -1 / (1 + math.exp(tau))
            case "smoothed_hinge":  # 1/2 - tau, then (1 - tau)^2 / 2, then 0
                return -1.0 if tau <= 0 else min(tau - 1, 0.0)
            case "squared_hinge":  # max(0, 1 - tau)^2 / 2
                return min(tau - 1, 0.0)
        raise ValueError(f"no such loss: {self.loss}")


def summed(example: Example) -> Row:
    """One value for each key, in order of first appearance; the values of repeated keys are summed.

    >>> summed([(7, 1.0), (3, 2.0), (7, 0.5)])
    {7: 1.5, 3: 2.0}
    """
    row: Row = {}
    for key, value in example.items() if isinstance(example, Mapping) else example:
        row[key] = row.get(key, 0.0) + value
    return row


class Draws:
    """The splitmix64 generator, with a 64-bit state."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """A number with 53 bits, strictly between 0 and 1."""
        return ((self.next() >> 11) + 0.5) * 2**-53

    def below(self, n: int) -> int:
        return (self.next() >> 32) * n >> 32


class OnlineLinearOracle:
    """Online gradient descent; the store implements `dot`, `decay`, `add`, `raw` and `members`.

    Stores hold raw values, and a weight is soft(raw, threshold). L1 applies only when a weight is read, so a store
    compares raw values. The core also has a lazy scale, w = scale * soft(v, theta); here decay is applied at once.
    Without L1, raw values are weights.
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.bias = 0.0
        self.threshold = 0.0
        self.t = 0
        self.seen = {-1: 0.0, +1: 0.0}  # examples of each class, after forgetting
        self.time: float | None = None

    def learn(self, example: Example, y: int, example_weight: float = 1.0, time: float | None = None) -> float:
        """Learn one example and return its margin before learning."""
        x = summed(example)
        if example_weight == 0:
            return self.margin(x)  # the example is ignored: nothing is counted, nothing decays
        if time is not None:
            self.wait_until(time)
        margin = self.margin(x)
        rate = self.rule.rate(sum(self.seen.values()))
        self.fade(self.rule.kept_by_example())
        importance = example_weight * self.class_factor(y)
        gradient = y * self.rule.slope(y * margin) * importance
        step = -rate * gradient
        self.decay(1 - rate * self.rule.l2)
        self.threshold = self.threshold * (1 - rate * self.rule.l2) + rate * self.rule.l1
        self.add(x, step)
        if self.rule.fit_intercept:
            self.bias += step  # not decayed: the bias is not part of the penalty
        self.t += 1
        self.after_example(x)
        self.learn_curvature(x, y * self.rule.slope(y * self.margin(x)) * importance - gradient)
        return margin

    def wait_until(self, time: float) -> None:
        if self.time is not None and time > self.time:
            self.fade(self.rule.kept_after(time - self.time))
        self.time = time if self.time is None else max(self.time, time)

    def fade(self, kept: float) -> None:
        """Fade weights, the L1 threshold and counts, but not the bias."""
        self.decay(kept)
        self.threshold *= kept
        multiply(self.seen, kept)

    def margin(self, example: Example) -> float:
        return self.dot(summed(example)) + self.bias

    def class_factor(self, y: int) -> float:
        self.seen[y] += 1
        match self.rule.class_weight:
            case None:
                return 1.0
            case "balanced":
                return sum(self.seen.values()) / (2 * self.seen[y])
            case dict(factors):
                return factors[y]
        raise ValueError(f"no such class_weight: {self.rule.class_weight}")

    def soft(self, raw: float) -> float:
        return math.copysign(max(abs(raw) - self.threshold, 0.0), raw)

    def weight(self, key: int) -> float:
        return self.soft(self.raw(key))

    def top(self) -> dict[int, float]:
        """Every key that the learner stores, with its weight."""
        return {key: self.weight(key) for key in self.members()}

    def dot(self, x: Row) -> float:
        """w.x, from thresholded values."""
        raise NotImplementedError

    def decay(self, factor: float) -> None:
        """Multiply every raw value by `factor`."""
        raise NotImplementedError

    def add(self, x: Row, step: float) -> None:
        """raw += step * x, as far as the store can represent it."""
        raise NotImplementedError

    def after_example(self, x: Row) -> None:
        """Called after the step, for stores that need it."""

    def learn_curvature(self, x: Row, change: float) -> None:
        """Called with the change of the gradient in the margin of the row, for stores that need it."""

    def raw(self, key: int) -> float:
        raise NotImplementedError

    def members(self) -> Iterable[int]:
        raise NotImplementedError


def replaced(values: dict[Place, float], victim: Place, newcomer: Place, value: float) -> dict[Place, float]:
    """Replace the victim by the newcomer at the same position, so that the order of a dict is the order of places.

    >>> replaced({5: 1.0, 6: 2.0, 7: 3.0}, 6, 9, 4.0)
    {5: 1.0, 9: 4.0, 7: 3.0}
    """
    return {newcomer if place == victim else place: value if place == victim else old for place, old in values.items()}


def multiply(values: dict[Place, float], factor: float) -> None:
    for place in values:
        values[place] *= factor
