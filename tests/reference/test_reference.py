"""The oracles themselves, on examples small enough to work out by hand from the paper."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from tests.reference import (
    AWMSketchOracle,
    CountMinFrequentOracle,
    FeatureHashingOracle,
    LogisticRegressionOracle,
    MissionOracle,
    ProbabilisticTruncationOracle,
    Rule,
    SimpleTruncationOracle,
    SpaceSavingFrequentOracle,
    WMSketchOracle,
)
from tests.reference.online_linear import Draws

# With this rule and margins of at most 0, every step is y: slope -1, eta 1, no decay, no bias.
UNIT_STEPS = Rule(eta0=1.0, schedule="constant", loss="smoothed_hinge", fit_intercept=False)


def fake_hash(row: int, key: int) -> int:
    """Pseudorandom bits from the standard library; any function of (row, key) works."""
    return random.Random(row * 1_000_003 + key).getrandbits(32)


def in_bucket(bucket: int, width: int, sign: int) -> int:
    """A hash that gives this bucket and sign."""
    return -(-(bucket << 32) // width) + 2 | (sign < 0)


@pytest.mark.parametrize("loss", ["logistic", "smoothed_hinge", "squared_hinge"])
@pytest.mark.parametrize("tau", [-2.0, -0.3, 0.4, 0.9, 1.5])
def test_slope_is_the_derivative_of_the_loss(loss: str, tau: float) -> None:
    def value(tau: float) -> float:
        if loss == "logistic":
            return math.log1p(math.exp(-tau))
        if loss == "squared_hinge":
            return max(0.0, 1 - tau) ** 2 / 2
        return 0.0 if tau >= 1 else 0.5 - tau if tau <= 0 else (1 - tau) ** 2 / 2

    numeric = (value(tau + 1e-6) - value(tau - 1e-6)) / 2e-6
    assert Rule(loss=loss).slope(tau) == pytest.approx(numeric, abs=1e-6)


def test_two_logistic_steps() -> None:
    model = LogisticRegressionOracle(Rule(eta0=0.5, l2=0.1))
    assert model.learn({1: 2.0}, +1) == 0.0
    assert (model.weight(1), model.bias) == (0.5, 0.25)  # slope -1/2
    margin = model.learn({1: 1.0, 2: 1.0}, -1)
    assert margin == 0.75
    rate = 0.5 / 1.05
    step = -rate / (1 + math.exp(-0.75))
    assert model.weight(1) == pytest.approx(0.5 * (1 - rate * 0.1) + step)
    assert model.weight(2) == pytest.approx(step)
    assert model.bias == pytest.approx(0.25 + step)


def test_example_of_weight_zero_changes_nothing_and_empty_example_trains_the_bias() -> None:
    model = LogisticRegressionOracle(Rule(l2=0.1, class_weight="balanced"))
    model.learn({1: 1.0}, +1, 0.0)
    assert (model.t, model.bias, model.seen[1]) == (0, 0.0, 0)
    model.learn({}, -1)
    assert model.t == 1
    assert model.bias == pytest.approx(-0.1 * 0.5 * 0.5)  # half a slope, and 1 example / (2 * 1 of this class)


def test_l1_subtracts_from_the_weight() -> None:
    model = LogisticRegressionOracle(Rule(eta0=1.0, schedule="constant", loss="smoothed_hinge", l1=0.25))
    model.learn({1: 1.0}, +1)
    assert model.weight(1) == 0.75
    model.learn({}, -1)
    assert model.weight(1) == 0.5
    model.learn({}, -1)
    model.learn({}, -1)
    assert model.weight(1) == 0.0


def test_wm_predicts_with_the_mean_and_answers_with_the_median() -> None:
    cells = {(0, 7): (0, 1), (1, 7): (0, -1), (2, 7): (0, 1), (0, 8): (0, 1), (1, 8): (1, 1), (2, 8): (1, 1)}
    hashes = {place: in_bucket(bucket, 2, sign) for place, (bucket, sign) in cells.items()}
    model = WMSketchOracle(UNIT_STEPS, 3, 2, 1, lambda row, key: hashes[row, key])
    model.learn({7: 1.0, 8: 2.0}, +1)
    assert [model.sketch.cells[cell] for cell in [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)]] == [3.0, -1.0, 2.0, 1.0, 2.0]
    assert (model.weight(7), model.weight(8)) == (1.0, 2.0)
    assert model.margin({7: 3.0}) == 3.0 + 1.0 + 1.0
    assert model.top() == {8: 2.0}  # heavier than 7, which came first


def test_wm_is_gradient_descent_on_the_papers_z() -> None:
    """Algorithm 1 to the letter, with the matrix R written out."""
    depth, width, keys = 4, 3, range(10)
    signed = WMSketchOracle(Rule(l2=0.05, fit_intercept=False), depth, width, 3, fake_hash)
    project = {
        key: {cell: sign / math.sqrt(depth) for cell, sign in signed.sketch.places(key)} for key in keys
    }  # the columns of R
    z: dict[tuple[int, int], float] = {(row, bucket): 0.0 for row in range(depth) for bucket in range(width)}
    draw = random.Random(5)
    for t in range(50):
        x, y = {key: draw.gauss(0, 1) for key in draw.sample(keys, 4)}, draw.choice([-1, 1])
        compressed = {cell: sum(project[key].get(cell, 0.0) * value for key, value in x.items()) for cell in z}
        tau = sum(z[cell] * compressed[cell] for cell in z)
        assert signed.learn(x, y) == pytest.approx(tau)
        eta, slope = 0.1 / (1 + 0.1 * 0.05 * t), -1 / (1 + math.exp(y * tau))
        z = {cell: (1 - 0.05 * eta) * z[cell] - eta * y * slope * compressed[cell] for cell in z}
    for cell in z:
        assert signed.sketch.cells[cell] == pytest.approx(math.sqrt(depth) * z[cell])


def test_wm_projection_and_average() -> None:
    model = WMSketchOracle(UNIT_STEPS, 2, 8, 4, lambda row, key: in_bucket(key, 8, +1), project=1.5, averaged=True)
    model.learn({1: 1.0}, +1)
    model.learn({2: 1.0}, +1)  # u = 1 twice in each row, |z| = sqrt(2)
    model.learn({3: 1.0}, +1)  # |z| = sqrt(3) is pulled back to 1.5
    pulled = 1.5 / math.sqrt(3)
    assert model.sketch.estimate(3) == pytest.approx(pulled)
    assert model.weight(1) == pytest.approx((1 + 1 + pulled) / 3)
    assert model.weight(3) == pytest.approx(pulled / 3)


def test_awm_promotes_evicts_and_writes_back() -> None:
    model = AWMSketchOracle(UNIT_STEPS, 2, 8, 1, lambda row, key: in_bucket(key % 8, 8, -1 if row else 1))
    model.learn({1: 1.0}, +1)
    assert (model.top(), model.sketch.estimate(1)) == ({1: 1.0}, 0.0)  # enters, because the set is not full
    model.learn({2: 0.5}, +1)
    assert (model.top(), model.weight(2)) == ({1: 1.0}, 0.5)  # too light, so stepped in the sketch
    model.learn({2: 0.75}, -1)
    assert model.top() == {1: 1.0}
    model.learn({2: -4.0}, -1)
    assert model.top() == {2: 3.75}
    assert model.sketch.estimate(1) == 1.0  # written back
    assert model.sketch.estimate(2) == -0.25  # the promoted key's contribution stays
    model.learn({9: -8.0}, +1)  # 9 shares the cells of 1, so its weight is 1 - 8
    assert model.top() == {9: -7.0}
    assert model.weight(2) == 3.75


def test_awm_drop_forgets_the_evicted_weight() -> None:
    model = AWMSketchOracle(UNIT_STEPS, 1, 8, 1, lambda _, key: in_bucket(key, 8, 1), eviction="drop")
    model.learn({1: 1.0}, +1)
    model.learn({2: 4.0}, -1)
    assert (model.top(), model.weight(1)) == ({2: -4.0}, 0.0)


def test_awm_reads_every_weight_before_it_writes() -> None:
    model = AWMSketchOracle(UNIT_STEPS, 1, 4, 1, lambda _, key: in_bucket(0, 4, 1))
    model.learn({1: 9.0}, -1)
    model.learn({2: 1.0, 3: 2.0}, +1)  # in the same cell, but neither sees the other's step
    assert model.weight(2) == model.weight(3) == 3.0
    model.learn({4: 12.5, 5: -1.0}, -1)  # 4 has 3 - 12.5 and displaces 1, whose -9 is written to the common cell
    assert model.top() == {4: -9.5}
    assert model.weight(5) == -9.0 + 1.0


def test_large_active_set_makes_awm_exact() -> None:
    exact = LogisticRegressionOracle(Rule(l2=0.01))
    active = AWMSketchOracle(Rule(l2=0.01), 1, 2, 100, fake_hash)
    kept = SimpleTruncationOracle(Rule(l2=0.01), 100)
    frequent = SpaceSavingFrequentOracle(Rule(l2=0.01), 100)
    draw = random.Random(3)
    for _ in range(100):
        x, y = {draw.randrange(30): draw.gauss(0, 1) for _ in range(4)}, draw.choice([-1, 1])
        margins = {round(model.learn(x, y), 12) for model in (exact, active, kept, frequent)}
        assert len(margins) == 1
    assert exact.top() == pytest.approx(active.top())


def test_simple_truncation_cuts_to_the_heaviest() -> None:
    model = SimpleTruncationOracle(UNIT_STEPS, 2)
    model.learn({5: 1.0, 6: -3.0, 7: 2.0}, +1)
    assert model.top() == {6: -3.0, 7: 2.0}
    model.learn({8: 2.0}, +1)
    assert model.top() == {6: -3.0, 7: 2.0}  # a newcomer must be strictly heavier
    model.learn({9: 2.5}, +1)
    assert (model.top(), model.weight(7)) == ({6: -3.0, 9: 2.5}, 0.0)


def test_probabilistic_truncation_follows_the_papers_reservoir_weights() -> None:
    """Algorithm 4 to the letter: W is kept, raised to |S_t / S_t+1|, and the K largest stay."""
    model = ProbabilisticTruncationOracle(Rule(eta0=1.0, l2=0.01), 3, 42, "quotient")
    numbers = Draws(42)
    weights: dict[int, float] = {}
    reservoir: dict[int, float] = {}
    draw, bias = random.Random(8), 0.0
    for t in range(60):
        x, y = {draw.randrange(12): draw.gauss(0, 1) for _ in range(3)}, draw.choice([-1, 1])
        tau = sum(weights.get(key, 0.0) * value for key, value in x.items()) + bias
        assert model.learn(x, y) == pytest.approx(tau, abs=1e-9)
        eta = 1.0 / (1 + 0.01 * t)
        step = eta * y / (1 + math.exp(y * tau))
        bias += step
        new = {key: (1 - 0.01 * eta) * weights.get(key, 0.0) + step * x.get(key, 0.0) for key in [*weights, *x]}
        for key in weights:
            reservoir[key] **= abs(weights[key] / new[key])
        for key in x:
            if key not in weights:
                reservoir[key] = numbers.uniform() ** (1 / abs(new[key]))
        kept = sorted(new, key=lambda key: -reservoir[key])[:3]
        weights = {key: new[key] for key in kept}
        assert model.top() == pytest.approx(weights)


def test_splitmix64_is_the_published_generator() -> None:
    draws = Draws(1234567)
    assert draws.uniform() == ((6457827717110365317 >> 11) + 0.5) * 2**-53
    assert draws.uniform() == ((3203168211198807973 >> 11) + 0.5) * 2**-53


def test_space_saving_takes_over_the_smallest_count() -> None:
    model = SpaceSavingFrequentOracle(UNIT_STEPS, 2)
    for key in [1, 1, 1, 2]:
        model.learn({key: 1.0}, -1)
    assert model.counts == {1: 3, 2: 1}
    model.learn({3: 0.5}, +1)
    assert (model.counts, model.weight(2), model.weight(3)) == ({1: 3, 3: 2}, 0.0, 0.5)


def test_one_newcomer_of_a_row_takes_over_and_each_is_as_likely() -> None:
    entered = dict.fromkeys([3, 4, 5], 0)
    for state in range(300):
        model = SpaceSavingFrequentOracle(UNIT_STEPS, 2, "one", 1000 * state)
        for key in [1, 1, 1, 2]:
            model.learn({key: 1.0}, -1)
        model.learn({1: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}, +1)
        (newcomer,) = set(model.counts) - {1}
        assert (model.counts[1], model.counts[newcomer]) == (4, 2)
        entered[newcomer] += 1
    assert min(entered.values()) > 70


def test_mission_predicts_with_the_set_and_steps_all_cells() -> None:
    model = MissionOracle(UNIT_STEPS, 1, 64, 1, fake_hash)
    model.learn({1: 1.0, 2: 0.5}, +1)
    assert (model.top(), model.weight(2), model.sketch.estimate(2)) == ({1: 1.0}, 0.0, 0.5)
    assert model.margin({1: 1.0, 2: 8.0}) == 1.0 + model.bias


def test_count_min_lets_a_key_in_when_its_count_is_larger() -> None:
    model = CountMinFrequentOracle(UNIT_STEPS, 1, 2, 16, lambda row, key: in_bucket(key, 16, 1))
    model.learn({1: 1.0}, +1)
    model.learn({2: 1.0}, +1)
    assert model.top() == {1: 1.0}
    model.learn({2: 0.5}, -1)
    assert (model.counts, model.top()) == ({2: 2}, {2: -0.5})
    model.learn({1: 1.0}, +1)
    assert model.top() == {2: -0.5}  # key 1 also has count 2 by now, which is not more


def test_count_min_estimate_is_never_below_the_count() -> None:
    model = CountMinFrequentOracle(Rule(), 5, 3, 8, fake_hash)
    draw, exact = random.Random(1), Counter[int]()
    for _ in range(300):
        key = draw.randrange(40)
        exact[key] += 1
        assert model.count_and_estimate(key) >= exact[key]


def test_feature_hashing_shares_cells_with_signs() -> None:
    model = FeatureHashingOracle(UNIT_STEPS, 4, lambda _, key: in_bucket(0, 4, 1 if key == 1 else -1))
    model.learn({1: 1.0, 2: 0.25}, +1)
    assert (model.weight(1), model.weight(2)) == (0.75, -0.75)
