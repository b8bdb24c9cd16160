"""Multinomial logistic regression in the store of one learner, over keys combined from class and feature."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.reference.online_linear import Example, OnlineLinearOracle, Row, multiply, summed

WORD = 2**32
NEGLIGIBLE = 1e-3  # classes with less probability take no step


def combined(left: int, right: int) -> int:
    """The key of a pair: the mixer hash of the right key, with seeds from the left key."""
    h = (right + left * 0x9E3779B1) % WORD
    h = (h ^ h >> 16) * 0x7FEB352D % WORD
    h = (h + (WORD - 1 - left)) % WORD
    h = (h ^ h >> 15) * 0x846CA68B % WORD
    return h ^ h >> 16


class MulticlassOracle:
    """A class is known from its first example on; its score is the log of its share plus its weights."""

    def __init__(self, weights: OnlineLinearOracle, key_of: Callable[[str], int], fit_intercept: bool) -> None:
        self.weights, self.key_of, self.fit_intercept = weights, key_of, fit_intercept
        self.counts: dict[str, int] = {}
        # sums of example weights, or numbers of examples if classes are balanced, after forgetting
        self.masses: dict[str, float] = {}
        self.t = 0
        self.recent = 0.0  # t after forgetting
        self.time: float | None = None
        self.mistakes = 0

    def row(self, example: Example, label: str) -> Row:
        """The example as a row of that class, sorted by key; the constant feature has the empty name."""
        constant = {self.key_of(""): 1.0} if self.fit_intercept else {}
        x = summed([*summed(example).items(), *constant.items()])
        return {combined(self.key_of(label), key): value for key, value in sorted(x.items())}

    def prior(self, label: str) -> float:
        if self.weights.rule.class_weight == "balanced":
            return -math.log(len(self.masses))
        return math.log((self.masses[label] + 0.5) / (sum(self.masses.values()) + 0.5 * len(self.masses)))

    def scores(self, example: Example) -> dict[str, float]:
        return {label: self.weights.dot(self.row(example, label)) + self.prior(label) for label in self.counts}

    def fade(self, kept: float) -> None:
        self.weights.decay(kept)
        multiply(self.masses, kept)
        self.recent *= kept

    def learn(self, example: Example, label: str, example_weight: float = 1.0, time: float | None = None) -> None:
        if example_weight == 0:
            return
        rule = self.weights.rule
        if time is not None:
            self.fade(1.0 if self.time is None else rule.kept_after(max(time - self.time, 0.0)))
            self.time = time if self.time is None else max(self.time, time)
        self.counts.setdefault(label, 0)
        self.masses.setdefault(label, 0.0)
        scores = self.scores(example)
        self.mistakes += max(scores, key=scores.__getitem__) != label
        total = sum(math.exp(score) for score in scores.values())
        rests = {
            each: math.log(sum(math.exp(score) for other, score in scores.items() if other != each))
            for each in (scores if len(scores) > 1 else ())
        }
        priors = {each: self.prior(each) for each in scores}
        rate, kept = rule.rate(self.recent), rule.kept_by_example()
        self.fade(kept)  # once per example, whatever the number of classes
        if balanced := rule.class_weight == "balanced":
            example_weight *= (sum(self.masses.values()) + 1) / (len(scores) * (self.masses[label] + 1))
        for other in scores if len(scores) > 1 else ():
            if other != label and math.exp(scores[other]) / total * max(example_weight, 1) < NEGLIGIBLE:
                continue
            x = self.row(example, other)
            y = 1 if other == label else -1
            faded = (1 - kept) * (scores[other] - priors[other])  # the gradient uses the scores before fading
            tau = y * (self.weights.dot(x) + faded + priors[other] - rests[other])
            step = rate * y / (1 + math.exp(tau)) * example_weight
            self.weights.decay(1 - rate * rule.l2 / len(scores))  # one decay in total for each example
            self.weights.add(x, step)
        self.counts[label] += 1
        self.masses[label] += 1 if balanced else example_weight
        self.recent += 1
        self.t += 1
