"""Adaptive steps: compared with a slow oracle, and what they gain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tests.learners.learners_under_test import as_dicts, state, stream
from tests.learners.test_claims import rows
from wmsketch import AWMSketch, LogisticRegression


class AdaptiveOracle:
    """AdaGrad in float64, with a dict and one loop.

    It has a prior of ten mean squared gradients, converges after a thousand examples, and never steps slower than a
    fifth of the plain rate; all rates are relative to the length of the rows. The intercept takes Newton steps. A shift
    follows the base rate of the last rows: rows are predicted with it, weights are learned without it.
    """

    def __init__(self, eta0: float, l2: float, half_life: float = math.inf) -> None:
        self.eta0, self.l2, self.kept = eta0, l2, 0.5 ** (1 / half_life)
        self.squares_kept = 0.5 ** (1 / min(half_life, 1000)) if half_life < math.inf else 1.0
        self.weights: dict[int, float] = {}
        self.squares: dict[int, float] = {}
        self.bias = self.squares_of_bias = self.squares_of_all = 0.0
        self.information = self.shift = 0.0
        self.bias_speed, self.bias_recent = 1.0, 0.0
        self.n_seen = self.n_squares = self.features_seen = 0.0  # after forgetting
        self.calibration, self.calibration_information, self.rows = 1.0, 0.0, 0

    def margin(self, x: dict[int, float]) -> float:
        return sum(self.weights.get(key, 0.0) * value for key, value in x.items()) + self.bias

    def next_margin(self, x: dict[int, float]) -> float:
        return self.margin(x) + self.shift

    def calibrate(self, margin: float, y: int, weight: float) -> None:
        """Take a Newton step of the calibration scale, from the eleventh row on."""
        self.rows += 1
        if self.rows > 10:
            p = 1 / (1 + math.exp(-self.calibration * margin))
            margin = min(max(margin, -20.0), 20.0)
            self.calibration_information += weight * p * (1 - p) * margin**2
            step = weight * ((y > 0) - p) * margin / (self.calibration_information + 30)
            self.calibration = min(max(self.calibration + min(max(step, -0.1), 0.1), 0.1), 10.0)

    def learn(self, x: dict[int, float], y: int, weight: float = 1.0) -> None:
        self.calibrate(self.next_margin(x), y, weight)
        self.calibration_information *= self.squares_kept
        more = max(self.calibration, 1.0)  # margins are too small, and so are the weights
        gradient = -y / (1 + math.exp(y * self.margin(x))) * weight
        of_next = -y / (1 + math.exp(y * self.next_margin(x))) * weight
        rate = self.eta0 / (1 + self.eta0 * self.l2 * self.n_seen)
        settled = 1000 * self.squares_of_all / max(1, self.features_seen)  # of earlier examples
        mean_of_bias = self.squares_of_bias / max(1, self.n_squares)
        self.n_seen = self.n_seen * self.kept + 1
        self.n_squares = self.n_squares * self.squares_kept + bool(x)
        self.features_seen = self.features_seen * self.squares_kept + len(x)
        self.squares_of_all *= self.squares_kept
        self.squares_of_bias *= self.squares_kept
        self.squares = {key: self.squares_kept * sum_ for key, sum_ in self.squares.items()}
        length = sum(value**2 for value in x.values())  # squared, like that of earlier rows
        before = self.squares_of_all / self.squares_of_bias if self.squares_of_bias else 0.0
        length = length if length > 1.01 * before else before
        self.squares_of_all += sum((gradient * value) ** 2 for value in x.values())
        mean = self.squares_of_all / max(1, self.features_seen)
        for key in self.weights:
            self.weights[key] *= (1 - rate * self.l2) * self.kept
        for key, value in x.items():
            self.squares[key] = self.squares.get(key, 0.0) + (gradient * value) ** 2
            base = self.squares[key] + 10 * mean / more**4
            own = more * 10 * self.eta0 / math.sqrt(length * (base + (base * base / settled if settled else 0)))
            self.weights[key] = self.weights.get(key, 0.0) - max(0.2 * rate / length, own) * gradient * value
        self.squares_of_bias += gradient**2 if x else 0
        self.information = self.squares_kept * self.information + gradient**2 / weight
        self.bias -= max(1 / (self.information + 2.5), 0.02 * self.eta0) * gradient
        self.shift = 0.98 * (self.squares_kept * self.shift - self.eta0 * self.bias_speed * of_next)
        agreement = 0.02 * of_next * self.bias_recent / (mean_of_bias or 1)
        self.bias_speed = min(max(self.bias_speed * min(max(1 + agreement, 2 / 3), 1.5), 0.01), 10)
        self.bias_recent = 0.8 * self.bias_recent + 0.2 * of_next


@pytest.mark.parametrize("half_life", [None, 3000, 100, 5])
@pytest.mark.parametrize("n_features", [None, 500])
def test_the_unlimited_learner_equals_the_oracle(n_features: int | None, half_life: int | None) -> None:
    X, y = stream()
    model = LogisticRegression(step="adaptive", l2=1e-3, n_features=n_features, half_life=half_life, follow=True)
    oracle = AdaptiveOracle(0.1, 1e-3, half_life or math.inf)
    weights = np.where(np.arange(len(y)) % 5 == 0, 2.0, 1.0)
    for x, label, weight in zip(as_dicts(X), y, weights, strict=True):
        assert model.decision_function_one(x) == pytest.approx(oracle.next_margin(x), rel=1e-3, abs=1e-4)
        if oracle.n_seen:
            assert model.decision_function([x]) == pytest.approx(oracle.margin(x), rel=1e-3, abs=1e-4)
        model.learn_one(x, bool(label), weight)
        oracle.learn(x, 1 if label else -1, weight)
    for key, weight in oracle.weights.items():
        assert model.weight(key) == pytest.approx(weight, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("half_life", [None, 50])
def test_the_sketch_equals_the_unlimited_learner_if_all_keys_are_active(half_life: int | None) -> None:
    """Few bits and stochastic rounding cost about one percent of a weight, without drift."""
    X, y = stream(n_rows=4000, n_features=60)
    sketch = AWMSketch(active_set_size=1024, width=4096, step="adaptive", half_life=half_life)
    exact = LogisticRegression(step="adaptive", half_life=half_life)
    sketch.learn_many(X, y)
    exact.learn_many(X, y)
    ours, theirs = sketch.weights(np.arange(60)), exact.weights(np.arange(60))
    assert np.linalg.norm(ours - theirs) < 0.05 * np.linalg.norm(theirs)
    assert abs(np.mean(np.abs(ours) - np.abs(theirs))) < 0.02 * np.mean(np.abs(theirs))
    assert abs(sketch.error_rate_ - exact.error_rate_) < 0.01


@pytest.mark.parametrize("length", [0.001, 30.0, 10_000.0])
def test_rows_of_any_length_are_learned_alike(length: float) -> None:
    X, y = rows(n_rows=3000, seed=1)
    sketch, scaled = AWMSketch("8KiB"), AWMSketch("8KiB")
    sketch.learn_many(X, y)
    scaled.learn_many(X * np.float32(length), y)
    assert scaled.error_rate_ == pytest.approx(sketch.error_rate_, abs=0.01)
    assert scaled.log_loss_ == pytest.approx(sketch.log_loss_, rel=0.03)
    assert scaled.top(1)[0].weight * length == pytest.approx(sketch.top(1)[0].weight, rel=0.2)


def test_rows_without_values_do_not_make_the_next_step_long() -> None:
    model, empty_first = AWMSketch("8KiB"), AWMSketch("8KiB")
    empty_first.learn_many([{}] * 1000, [True, False] * 500)
    for one in (model, empty_first):
        one.learn_one({1: 1.0}, True)
    assert empty_first.weight(1) == pytest.approx(model.weight(1), rel=0.1)


def test_the_intercept_follows_a_moving_base_rate_and_converges_on_a_constant_one() -> None:
    """Labels in runs of a hundred, or independent, with a feature that carries no information."""
    draw, n = np.random.default_rng(5), 50_000
    X = csr_matrix((draw.normal(size=n).astype(np.float32), np.zeros(n, int), np.arange(n + 1)))
    in_runs = draw.random(n) < np.repeat(draw.choice([0.1, 0.9], n // 100), 100)
    one_by_one = draw.random(n) < 0.5
    errors, deviations = [], []
    for step in ("adaptive", "plain"):
        moving, steady = AWMSketch("2KiB", step=step), AWMSketch("2KiB", step=step)
        moving.learn_many(X, in_runs)
        errors.append(moving.error_rate_)
        intercepts = []
        for first in range(0, n, 500):
            steady.learn_many(X[first : first + 500], one_by_one[first : first + 500])
            intercepts.append(steady.intercept_)
        deviations.append(np.std(intercepts[len(intercepts) // 2 :]))
    assert errors[0] < 0.15 < errors[1]  # the optimum: .1 within a run, more at its start
    assert deviations[0] < 0.7 * deviations[1]


def test_stochastic_rounding_depends_only_on_the_seed() -> None:
    X, y = stream()
    models = [AWMSketch("1KiB", step="adaptive", seed=seed) for seed in (1, 1, 2)]
    for model in models:
        model.learn_many(X, y)
    assert state(models[0]) == state(models[1])
    assert state(models[0])["cells"] != state(models[2])["cells"]


def test_adaptive_steps_lower_the_error_at_equal_bytes() -> None:
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


def test_adaptive_steps_work_with_every_shape() -> None:
    for shape in ({"active_set": "exact"}, {"eviction": "drop"}):
        AWMSketch("8KiB", step="adaptive", **shape).check_parameters()
    with pytest.raises(ValueError, match="step must be one of 'plain', 'adaptive', got 'adam'"):
        AWMSketch(step="adam").check_parameters()


def test_asking_for_more_features_gives_a_larger_active_set() -> None:
    sizes = {k: AWMSketch("8KiB", top_k=k)._shape(named=False).active_set_size for k in (None, 100, 400, 100_000)}
    assert sizes[None] == sizes[100] < sizes[400] == 600 < sizes[100_000]
    largest = AWMSketch("8KiB", top_k=100_000)
    assert largest.nbytes <= 8192 and 8 * sizes[100_000] <= 0.75 * 8192
    with pytest.raises(ValueError, match="top_k must be at least 1, got 0"):
        AWMSketch("8KiB", top_k=0).learn_one({1: 1}, True)
