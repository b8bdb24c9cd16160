"""Adaptive steps: against a slow oracle, and what they are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.learners.learners_under_test import as_dicts, state, stream
from tests.learners.test_claims import rows
from wmsketch import AWMSketch, LogisticRegression


class AdaptiveOracle:
    """AdaGrad with a prior of ten mean squared gradients, and the plain rate as a floor. Float64, a dict, one loop."""

    def __init__(self, eta0: float, l2: float) -> None:
        self.eta0, self.l2 = eta0, l2
        self.weights: dict[int, float] = {}
        self.squares: dict[int, float] = {}
        self.bias = self.squares_of_bias = self.squares_of_all = 0.0
        self.n_seen = self.features_seen = 0

    def margin(self, x: dict[int, float]) -> float:
        return sum(self.weights.get(key, 0.0) * value for key, value in x.items()) + self.bias

    def learn(self, x: dict[int, float], y: int, weight: float = 1.0) -> None:
        gradient = -y / (1 + math.exp(y * self.margin(x))) * weight
        rate = self.eta0 / (1 + self.eta0 * self.l2 * self.n_seen)
        self.n_seen += 1
        self.features_seen += len(x)
        self.squares_of_all += sum((gradient * value) ** 2 for value in x.values())
        prior = 10 * self.squares_of_all / max(1, self.features_seen)
        for key in self.weights:
            self.weights[key] *= 1 - rate * self.l2
        for key, value in x.items():
            self.squares[key] = self.squares.get(key, 0.0) + (gradient * value) ** 2
            own = 5 * self.eta0 / math.sqrt(self.squares[key] + prior)
            self.weights[key] = self.weights.get(key, 0.0) - max(rate, own) * gradient * value
        self.squares_of_bias += gradient**2
        own = 5 * self.eta0 / math.sqrt(self.squares_of_bias * (1 + 10 / self.n_seen))
        self.bias -= max(rate, own) * gradient


@pytest.mark.parametrize("n_features", [None, 500])
def test_the_unlimited_learner_equals_the_oracle(n_features: int | None) -> None:
    X, y = stream()
    model, oracle = LogisticRegression(step="adaptive", l2=1e-3, n_features=n_features), AdaptiveOracle(0.1, 1e-3)
    weights = np.where(np.arange(len(y)) % 5 == 0, 2.0, 1.0)
    for x, label, weight in zip(as_dicts(X), y, weights, strict=True):
        assert model.decision_function_one(x) == pytest.approx(oracle.margin(x), rel=1e-3, abs=1e-4)
        model.learn_one(x, bool(label), weight)
        oracle.learn(x, 1 if label else -1, weight)
    for key, weight in oracle.weights.items():
        assert model.weight(key) == pytest.approx(weight, rel=1e-3, abs=1e-4)


def test_the_sketch_equals_the_unlimited_learner_where_all_keys_are_active() -> None:
    """Sixteen bits and rounding at random cost about one percent of a weight, and no drift."""
    X, y = stream(n_rows=4000, n_features=60)
    sketch = AWMSketch(active_set_size=1024, width=4096, step="adaptive")
    exact = LogisticRegression(step="adaptive")
    sketch.learn_many(X, y)
    exact.learn_many(X, y)
    ours, theirs = sketch.weights(np.arange(60)), exact.weights(np.arange(60))
    assert np.linalg.norm(ours - theirs) < 0.05 * np.linalg.norm(theirs)
    assert abs(np.mean(np.abs(ours) - np.abs(theirs))) < 0.02 * np.mean(np.abs(theirs))
    assert abs(sketch.error_rate_ - exact.error_rate_) < 0.01


def test_roundings_depend_on_the_seed_alone() -> None:
    X, y = stream()
    models = [AWMSketch("1KiB", step="adaptive", seed=seed) for seed in (1, 1, 2)]
    for model in models:
        model.learn_many(X, y)
    assert state(models[0]) == state(models[1])
    assert state(models[0])["cells"] != state(models[2])["cells"]


def test_adaptive_steps_are_worth_their_bits() -> None:
    """At equal true bytes: a lower online error, median of three streams."""
    errors: dict[str, list[float]] = {"plain": [], "adaptive": []}
    for seed in range(3):
        X, y = rows(seed)
        for step, found in errors.items():
            model = AWMSketch("4KiB", step=step, seed=seed)
            model.learn_many(X, y)
            assert model.nbytes <= 4096
            found.append(model.error_rate_)
    assert np.median(errors["adaptive"]) < np.median(errors["plain"])


def test_what_adaptive_steps_need_is_said() -> None:
    with pytest.raises(ValueError, match="depth must be 1 with adaptive steps"):
        AWMSketch(step="adaptive", depth=2)
    with pytest.raises(
        ValueError, match="active_set must be 'associative' with adaptive steps, got 'exact': set step='plain'"
    ):
        AWMSketch(step="adaptive", active_set="exact")
    with pytest.raises(ValueError, match="eviction must be 'drop'"):
        AWMSketch(step="adaptive", eviction="paper")
    with pytest.raises(ValueError, match="step must be 'plain' or 'adaptive', got 'adam'"):
        AWMSketch(step="adam")
