"""Adaptive steps, to the bit: numbers have the types of the core and are added in its order.

Stochastic rounding cannot be compared within a tolerance: a weight that differs in the last bit is rounded to another
neighbour, and then the next example differs. So this implements everything that the core promises to be the same on
every machine, one number at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tests.reference.float32 import ZERO, dot, exp_same_everywhere, f32, splitmix64
from tests.reference.online_linear import Example, Rule

Hash = Callable[[int, int], int]  # (row, key) -> 32 bits
Row = dict[int, np.float32]


@dataclass
class Step:
    """The step for every weight of a row."""

    gradient: np.float32
    speed: np.float32
    prior: np.float32
    per_scale: np.float32
    seeds: tuple[int, int]
    least_rate: np.float32 = ZERO
    per_settled: np.float32 = ZERO
    mean_prior: np.float32 = ZERO

    def square_of(self, gradient: np.float32) -> np.float32:
        return gradient * gradient

    def rate(self, squares: np.float32) -> np.float32:
        base = squares + self.prior
        return max(self.speed / np.sqrt(base + base * base * self.per_settled), self.least_rate)

    def unit(self) -> np.float32:
        return self.mean_prior * f32(1 / 10)

    def apply(self, weight: np.float32, squares: np.float32, value: np.float32) -> tuple[np.float32, np.float32]:
        """Return the weight and its sum of squares after the step."""
        gradient = self.gradient * value
        squares = squares + self.square_of(gradient)
        return weight - (self.rate(squares) * gradient) * self.per_scale, squares


class AdaptiveOracle:
    """The update rule with adaptive steps; a store has `weight_of`, `add`, `multiply` and `members`.

    Weights are scale * soft(raw). The scale is lazy as in the core, because raw values are rounded.
    """

    def __init__(self, rule: Rule, seed: int) -> None:
        self.rule, self.seed = rule, seed
        self.scale, self.threshold, self.bias = 1.0, 0.0, 0.0
        self.n_seen = 0
        self.recent = 0.0  # examples that still count
        # of the stream: sums of squared gradients, and their number
        self.of_features = self.of_bias = self.examples = self.values = 0.0
        self.squares_scale = 1.0
        self.speed, self.last, self.shift, self.information = 1.0, 0.0, 0.0, 0.0  # of the intercept
        self.calibration, self.calibration_information = 1.0, 0.0
        self.kept = self.squares_kept = 1.0
        if isinstance(rule.half_life, (int, float)):
            ln2 = float.fromhex("0x1.62e42fefa39efp-1")
            self.kept = exp_same_everywhere(-ln2 * (1 / rule.half_life))
            self.squares_kept = exp_same_everywhere(-ln2 * (1 / min(rule.half_life, 1000.0)))

    # --- the store ---

    def raw_dot(self, x: Row) -> np.float32:
        """The dot product with thresholded weights, by default in eight partial sums."""
        return dot([self.soft(self.raw(key)) for key in x], list(x.values()))

    def raw(self, key: int) -> np.float32:
        raise NotImplementedError

    def add(self, x: Row, step: Step) -> None:
        raise NotImplementedError

    def multiply(self, factor: np.float32) -> None:
        """Multiply all raw weights."""
        raise NotImplementedError

    def multiply_squares(self, factor: np.float32) -> None:
        raise NotImplementedError

    def members(self) -> Iterable[int]:
        return []

    # --- the rule ---

    def soft(self, raw: np.float32) -> np.float32:
        return np.copysign(max(abs(raw) - f32(self.threshold), f32(0)), raw)

    def weight(self, key: int) -> float:
        return self.scale * float(self.soft(self.raw(key)))

    def top(self) -> dict[int, float]:
        return {key: self.weight(key) for key in self.members()}

    def row(self, example: Example) -> Row:
        row: Row = {}
        for key, value in example.items() if isinstance(example, dict) else example:
            row[key] = row[key] + f32(value) if key in row else f32(value)
        return row

    def margin(self, example: Example) -> float:
        return self.scale * float(self.raw_dot(self.row(example))) + self.bias

    def slope(self, tau: float) -> float:
        if self.rule.loss != "logistic":
            return self.rule.slope(tau)
        e = exp_same_everywhere(-abs(tau))
        return -(e if tau >= 0 else 1.0) / (1.0 + e)

    def learn(self, example: Example, y: int, example_weight: float = 1.0) -> float:
        """Learn one example and return its margin before learning, without the shift."""
        settled = self.margin(example)
        if example_weight == 0:
            return settled
        x, rule = self.row(example), self.rule
        rate = rule.rate(self.recent)
        self.n_seen += 1
        self.recent = self.recent * self.kept + 1
        weight = example_weight * (rule.class_weight[y] if isinstance(rule.class_weight, dict) else 1.0)
        self.calibrate(settled + self.shift, y, weight)
        gradient = y * self.slope(y * settled) * weight
        of_next = y * self.slope(y * (settled + self.shift)) * weight
        self.scale *= (1.0 - rate * rule.l2) * self.kept
        if rule.l1 > 0:
            self.threshold += rate * rule.l1 / self.scale
        self.add(x, self.adaptive_step(x, gradient, of_next, weight, rate))
        self.fold()
        return settled

    def calibrate(self, margin: float, y: int, weight: float) -> None:
        """Take a Newton step of the calibration scale; the first ten rows are ignored."""
        if self.n_seen <= 10:
            return
        shown = self.calibration * margin
        e = exp_same_everywhere(-abs(shown))
        p = (1.0 if shown >= 0 else e) / (1.0 + e)
        m = min(max(margin, -20.0), 20.0)
        self.calibration_information += weight * p * (1 - p) * m * m
        step = weight * ((1 if y > 0 else 0) - p) * m / (self.calibration_information + 30)
        self.calibration = min(max(self.calibration + min(max(step, -0.1), 0.1), 0.1), 10.0)

    def stretch(self) -> float:
        return max(self.calibration, 1.0) if self.rule.loss == "logistic" else 1.0

    def seeds(self) -> tuple[int, int]:
        drawn = splitmix64((self.n_seen ^ self.seed << 32) & (2**64 - 1))
        return drawn & (2**32 - 1), drawn >> 32

    def adaptive_step(self, x: Row, gradient: float, of_next: float, weight: float, rate: float) -> Step:
        """AdaGrad with a prior of ten mean squared gradients, converging after a thousand, with a minimum rate."""
        self.fade_squares()
        values = list(x.values())
        length, n_values = float(dot(values, values)), sum(value != 0 for value in values)
        features, bias = self.of_features + 1e-24, self.of_bias + 1e-24
        with_this = max(self.values + n_values, 1.0)
        reciprocal = 1 / (features * bias * with_this)
        per_features = reciprocal * bias * with_this
        per_value = reciprocal * features * bias
        longer = length * bias > 1.01 * features
        per_length = 1 / (length + 1e-24) if longer or self.of_bias == 0 else bias * per_features
        per_square_of_bias = self.examples * reciprocal * features * with_this
        if self.rule.loss == "squared_hinge":
            gradient /= max(0.2 * rate * per_length * length * weight, 1.0)
        per_square = 1 / self.squares_scale if self.squares_scale != 1 else 1.0
        larger = math.sqrt(per_square) if self.squares_scale != 1 else 1.0
        prior_per_square = 10 * per_square * per_value
        prior = (prior_per_square * self.of_features + 10 * 1e-24) + gradient * gradient * (prior_per_square * length)
        per_settled = self.values * per_features / 1000 * self.squares_scale
        if n_values:
            self.of_features += gradient * gradient * length
            self.of_bias += gradient * gradient
            self.examples += 1
            self.values += n_values
        eta0, root = self.rule.eta0, math.sqrt(per_length)
        if self.rule.fit_intercept:
            self.step_intercept(gradient, of_next, weight, per_square_of_bias)
        more = self.stretch()
        return Step(
            gradient=f32(larger * gradient),
            least_rate=f32(0.2 * rate * per_length),
            speed=f32(larger * (10 * eta0 * root) * more),
            prior=f32(prior * (1 / (more * more * (more * more)))),
            mean_prior=f32(prior),
            per_settled=f32(per_settled),
            per_scale=f32(1 / (larger * self.scale)),
            seeds=self.seeds(),
        )

    def step_intercept(self, gradient: float, of_next: float, weight: float, per_square: float) -> None:
        """The intercept takes Newton steps; a shift follows the last rows."""
        most = 1 / max(weight, 1.0) if self.rule.loss == "squared_hinge" else math.inf
        self.information += gradient * gradient / weight
        self.bias -= min(max(1 / (self.information + 2.5), 0.02 * self.rule.eta0), most) * gradient
        self.shift = 0.98 * (self.shift - min(self.rule.eta0 * self.speed, most) * of_next)
        agreement = 0.02 * of_next * (self.last * per_square)
        self.speed = min(max(self.speed * min(max(1 + agreement, 2.0 / 3), 1.5), 0.01), 10.0)
        self.last = 0.8 * self.last + (1 - 0.8) * of_next

    def fade_squares(self) -> None:
        if self.squares_kept == 1:
            return
        sums = ("of_features", "of_bias", "examples", "values", "squares_scale", "shift", "information")
        for name in (*sums, "calibration_information"):
            setattr(self, name, getattr(self, name) * self.squares_kept)

    def fold(self) -> None:
        """Fold a small scale into the raw values."""
        if self.scale < 2**-4:
            factor = 2.0 ** math.floor(math.log2(self.scale))
            self.multiply(f32(factor))
            self.threshold *= factor
            self.scale /= factor
        if self.squares_scale < 1e-6:
            factor = 2.0 ** math.floor(math.log2(self.squares_scale))
            self.multiply_squares(f32(factor))
            self.squares_scale /= factor
