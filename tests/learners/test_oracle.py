"""Native learners compared with the slow, obvious oracles of `tests/reference`, on random streams.

The core works in float32 with a lazy scale, the oracles in float64 without one. They agree up to rounding. Values are
random real numbers, so there are no ties that rounding could decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import wmsketch
from tests import reference
from tests.learners.learners_under_test import BASELINE_SHAPES
from tests.reference import OnlineLinearOracle, Rule
from tests.reference.online_linear import summed
from wmsketch.learners.models.introspection import hash_of

RTOL, ATOL = 2e-4, 1e-5


class Example(NamedTuple):
    pairs: list[tuple[int, float]]
    y: int
    weight: float


def stream(seed: int, n: int = 250, n_keys: int = 60, *, big_keys: bool = False) -> list[Example]:
    """A noisy linear concept over skewed keys, with repeated keys, empty rows and examples of weight 0."""
    rng = np.random.default_rng(seed)
    keys = np.arange(n_keys)
    if big_keys:
        keys = np.unique(np.concatenate([[0, 2**32 - 1], rng.integers(0, 2**32, n_keys - 2)]))
    concept = dict(zip(keys.tolist(), rng.standard_t(3, len(keys)).tolist(), strict=True))
    examples = []
    for _ in range(n):
        longest = rng.choice([9, 40])  # shorter and longer than the 8 features of a vector
        drawn = rng.zipf(1.3, rng.integers(0, longest)) - 1  # repeated keys are common, and some rows are empty
        row_keys = keys[drawn % len(keys)].tolist()
        values = rng.normal(0, 0.5, len(row_keys)).astype(np.float32).tolist()
        margin = sum(concept[key] * value for key, value in zip(row_keys, values, strict=True))
        weight = float(np.float32(rng.choice([0.0, 1.0, rng.exponential()])))
        examples.append(Example(list(zip(row_keys, values, strict=True)), 1 if margin > rng.normal() else -1, weight))
    return examples


def batch(examples: list[Example]) -> csr_matrix:
    """The rows as CSR, with repeated keys."""
    starts = np.cumsum([0] + [len(example.pairs) for example in examples])
    pairs = [pair for example in examples for pair in example.pairs]
    keys = np.array([key for key, _ in pairs], dtype=np.int32)
    values = np.array([value for _, value in pairs], dtype=np.float32)
    return csr_matrix((values, keys, starts), shape=(len(examples), 2**31 - 1))


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=RTOL, abs=ATOL)


def assert_same_state(model: Any, oracle: OnlineLinearOracle, examples: list[Example]) -> None:
    assert model.intercept_ == close(oracle.bias)
    for key in {key for example in examples for key, _ in example.pairs} | {10**6}:
        assert model.weight(key) == close(oracle.weight(key)), f"weight of {key}"
    if isinstance(oracle, reference.FeatureHashingOracle):
        return  # stores no keys
    members = oracle.top()
    assert {row.feature: row.weight for row in model.top(10**6)} == {key: close(w) for key, w in members.items()}


def learn_one_by_one(model: Any, oracle: OnlineLinearOracle, examples: list[Example]) -> None:
    """Learn rows as pairs with repeated keys; compare the margin before every example."""
    for number, (pairs, y, _) in enumerate(examples):
        margin = oracle.learn(pairs, y)
        row = summed(pairs)
        assert model.decision_function_one(row) == close(margin), f"margin of example {number}"
        model.learn_one(pairs if len(row) < len(pairs) else row, y)
    assert_same_state(model, oracle, examples)


def learn_in_batches(model: Any, oracle: OnlineLinearOracle, examples: list[Example]) -> None:
    """Learn CSR batches with example weights; compare the state after every batch."""
    for part in (examples[first : first + 50] for first in range(0, len(examples), 50)):
        for pairs, y, weight in part:
            oracle.learn(pairs, y, weight)
        labels = np.array([example.y for example in part])
        model.learn_many(batch(part), labels, sample_weight=np.array([example.weight for example in part]))
        assert_same_state(model, oracle, examples)


RULES = {
    "logistic, optimal": Rule(l2=1e-3),
    "smoothed hinge, constant": Rule(loss="smoothed_hinge", schedule="constant", eta0=0.2, l2=1e-2),
    "squared hinge, invsqrt": Rule(loss="squared_hinge", schedule="invsqrt", eta0=0.05, l2=1e-3),
    "decay that must fold the scale": Rule(schedule="constant", eta0=0.5, l2=0.2),  # 0.9 ** 250 is 4e-12
    "elastic net": Rule(l2=1e-3, l1=2e-3),
    "elastic net, folded": Rule(schedule="constant", eta0=0.5, l2=0.2, l1=1e-2),
    "no intercept": Rule(fit_intercept=False, eta0=0.5),
    "weighted classes": Rule(class_weight={-1: 0.5, 1: 2.0}),
    "balanced classes": Rule(class_weight="balanced"),
    "forgetting": Rule(half_life=40, l2=1e-2, schedule="invsqrt"),
    "forgetting that must fold the scale": Rule(half_life=3, l1=1e-3, eta0=0.5, class_weight="balanced"),
}

# Few cells and few places, so that collisions and evictions are common.
SHAPES: dict[str, dict[str, Any]] = {
    **BASELINE_SHAPES,
    "WMSketch": {"depth": 3, "width": 13, "active_set_size": 7, "active_set": "exact"},
    "AWMSketch": {"step": "plain", "depth": 1, "width": 13, "active_set_size": 7, "active_set": "exact"},
    "WMSketch, associative": {"depth": 3, "width": 13, "active_set_size": 16, "active_set": "associative"},
    "AWMSketch, associative": {
        "step": "plain",
        "depth": 1,
        "width": 13,
        "active_set_size": 16,
        "active_set": "associative",
    },
}


def make_pair(learner: str, rule: Rule, seed: int = 1, **changes: Any) -> tuple[Any, OnlineLinearOracle]:
    """A native learner and its oracle, with the same hash functions and the same random numbers."""
    shape, learner = SHAPES[learner] | changes, learner.partition(",")[0]
    model = getattr(wmsketch, learner)(**shape, **asdict(rule), seed=seed)
    # an example of weight 0 changes nothing, but starts the model
    model.learn_one({}, -1, 0.0, time=0.0 if isinstance(rule.half_life, str) else None)
    settings = {name: value for name, value in shape.items() if name not in {"step", "active_set", "hash_family"}}
    if "width" in settings:
        settings["hash_key"] = cache(partial(hash_of, model))
    if learner in ("ProbabilisticTruncation", "SpaceSavingFrequent"):
        settings["random_state"] = model._learner().random_state
    kind = "Associative" if shape.get("active_set") == "associative" else ""
    return model, getattr(reference, f"{kind}{learner}Oracle")(rule, **settings)


def test_the_stream_causes_collisions_and_evictions() -> None:
    examples = stream(seed=11)
    assert sum(not example.pairs for example in examples) > 5
    assert sum(len(summed(example.pairs)) < len(example.pairs) for example in examples) > 50
    assert sum(example.weight == 0 for example in examples) > 50
    oracle = make_pair("AWMSketch", Rule())[1]
    member_sets = []
    for example in examples:
        oracle.learn(example.pairs, example.y)
        member_sets.append(set(oracle.members()))
    assert sum(bool(before - after) for before, after in pairwise(member_sets)) > 50  # examples that evict


@pytest.mark.parametrize("learn", [learn_one_by_one, learn_in_batches])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("learner", SHAPES)
def test_every_learner_under_every_rule(learner: str, rule: Rule, learn: Callable[..., None]) -> None:
    learn(*make_pair(learner, rule), stream(seed=11))


@pytest.mark.parametrize("half_life", ["40s", "0.5s"])
@pytest.mark.parametrize("learner", SHAPES)
def test_forgetting_in_time(learner: str, half_life: str) -> None:
    """Times are sometimes late, and sometimes follow a long pause."""
    model, oracle = make_pair(learner, Rule(half_life=half_life, schedule="invsqrt", eta0=0.3))
    examples, rng = stream(seed=11), np.random.default_rng(3)
    times = 1e9 + np.cumsum(rng.choice([0.0, 1.0, 30.0, -20.0], len(examples), p=[0.3, 0.6, 0.05, 0.05]))
    for first in range(0, len(examples), 50):
        part = examples[first : first + 50]
        for (pairs, y, weight), time in zip(part, times[first : first + 50], strict=True):
            oracle.learn(pairs, y, weight, float(time))
        labels, weights = np.array([example.y for example in part]), np.array([example.weight for example in part])
        model.learn_many(batch(part), labels, sample_weight=weights, times=times[first : first + 50])
        assert_same_state(model, oracle, examples)


@pytest.mark.parametrize(
    ("depth", "hash_family"),
    [(depth, "mixer") for depth in range(1, 9)]
    + [(depth, family) for family in ("tabulation", "polynomial") for depth in (1, 4, 7)],
)
@pytest.mark.parametrize(
    "learner",
    ["WMSketch", "AWMSketch", "WMSketch, associative", "AWMSketch, associative", "CountMinFrequent", "Mission"],
)
def test_every_depth_and_hash_family(learner: str, depth: int, hash_family: str) -> None:
    pair = make_pair(learner, Rule(l2=1e-3, eta0=0.3), seed=depth, depth=depth, hash_family=hash_family)
    learn_one_by_one(*pair, stream(seed=depth, n=150, big_keys=True))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("eviction", ["paper", "drop"])
@pytest.mark.parametrize("learner", ["AWMSketch", "AWMSketch, associative"])
def test_awm_evictions(learner: str, eviction: str, depth: int) -> None:
    pair = make_pair(learner, Rule(l2=1e-3, eta0=0.3), depth=depth, eviction=eviction, active_set_size=24)
    learn_one_by_one(*pair, stream(seed=3, n=400, n_keys=120))


@pytest.mark.parametrize(("averaged", "project"), [(True, 0.0), (False, 0.7), (True, 0.7)])
@pytest.mark.parametrize("depth", [1, 4, 5])
@pytest.mark.parametrize("learn", [learn_one_by_one, learn_in_batches])
def test_theorem_2_variant(averaged: bool, project: float, depth: int, learn: Callable[..., None]) -> None:
    pair = make_pair("WMSketch", Rule(l2=1e-2, eta0=0.5), depth=depth, averaged=averaged, project=project)
    learn(*pair, stream(seed=depth))


@pytest.mark.parametrize("learner", SHAPES)
def test_a_longer_stream(learner: str) -> None:
    """Long enough to reveal float32 drift from careless accumulation."""
    learn_in_batches(*make_pair(learner, Rule(l2=1e-2)), stream(seed=5, n=800, n_keys=200))
