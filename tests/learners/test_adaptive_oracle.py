"""Adaptive steps in every store, compared with oracles to the last bit."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache, partial
from typing import Any

import pytest

import wmsketch
from tests import reference
from tests.learners.learners_under_test import BASELINE_SHAPES
from tests.learners.test_oracle import Example, stream
from tests.reference import Rule
from tests.reference.adaptive import AdaptiveOracle
from tests.reference.adaptive_awm import AdaptiveAWMSketchOracle
from tests.reference.adaptive_pairs import (
    AdaptiveFrequentOracle,
    AdaptiveLogisticRegressionOracle,
    AdaptiveTruncationOracle,
)
from tests.reference.adaptive_sketches import (
    AdaptiveFeatureHashingOracle,
    AdaptiveMissionOracle,
    AdaptiveWMSketchOracle,
)
from wmsketch import _core
from wmsketch.learners.models.introspection import hash_of

RULES = {
    "logistic": Rule(l2=1e-3),
    "smoothed hinge, constant": Rule(loss="smoothed_hinge", schedule="constant", eta0=0.2, l2=1e-2),
    "squared hinge, invsqrt": Rule(loss="squared_hinge", schedule="invsqrt", eta0=0.05, l2=1e-3),
    "decay that must fold the scale": Rule(schedule="constant", eta0=0.5, l2=0.2),
    "elastic net": Rule(l2=1e-3, l1=2e-3),
    "no intercept": Rule(fit_intercept=False, eta0=0.5),
    "weighted classes": Rule(class_weight={-1: 0.5, 1: 2.0}),
    "forgetting": Rule(half_life=40, l2=1e-2),
    "forgetting that must fold the scales": Rule(half_life=3),
}
SKETCHES = ["AWMSketch", "WMSketch"]
OTHERS = [
    "LogisticRegression",
    "FeatureHashing",
    "SimpleTruncation",
    "ProbabilisticTruncation",
    "ProbabilisticTruncation, quotient",
    "SpaceSavingFrequent",
    "SpaceSavingFrequent, all",
    "CountMinFrequent",
    "Mission",
]


def make_pair(learner: str, rule: Rule, seed: int = 1, **shape: Any) -> tuple[Any, AdaptiveOracle]:
    """A native learner and its oracle, with few cells and places, so that collisions and evictions are common."""
    sizes: dict[str, Any] = {
        **BASELINE_SHAPES,
        "WMSketch": {"depth": 3, "width": 13, "active_set_size": 16},
        "AWMSketch": {"depth": 1, "width": 16, "active_set_size": 16},
    }[learner] | shape
    learner = learner.partition(",")[0]
    model = getattr(wmsketch, learner)(**sizes, **asdict(rule), step="adaptive", seed=seed)
    model.learn_one({}, -1, 0.0)  # changes nothing, but starts the model
    exact = sizes.pop("active_set", "associative") == "exact"
    given: dict[str, Any] = {"rule": rule, "seed": seed}
    if "width" in sizes:
        sizes["hash_key"] = cache(partial(hash_of, model))
    match learner:
        case "LogisticRegression":
            return model, AdaptiveLogisticRegressionOracle(**given)
        case "FeatureHashing":
            return model, AdaptiveFeatureHashingOracle(**given, **sizes)
        case "SimpleTruncation":
            return model, AdaptiveTruncationOracle(**given, **sizes)
        case "ProbabilisticTruncation":
            return model, AdaptiveTruncationOracle(**given, **sizes, random_state=model._learner().random_state)
        case "SpaceSavingFrequent" | "CountMinFrequent":
            if learner == "SpaceSavingFrequent":
                sizes["random_state"] = model._learner().random_state
            counter = getattr(reference, f"{learner}Oracle")(rule, **sizes)
            return model, AdaptiveFrequentOracle(**given, counter=counter)
        case "Mission":
            return model, AdaptiveMissionOracle(**given, **sizes, exact=True)
        case "WMSketch":
            return model, AdaptiveWMSketchOracle(**given, **sizes, exact=exact)
    return model, AdaptiveAWMSketchOracle(**given, **sizes, exact=exact)


def rows(examples: list[Example]) -> list[tuple[dict[int, float], int, float]]:
    """Rows without repeated keys, because not all stores sum them first."""
    return [(dict(pairs), y, weight) for pairs, y, weight in examples]


def learn_and_compare(model: Any, oracle: AdaptiveOracle, examples: list[tuple[dict[int, float], int, float]]) -> None:
    for number, (x, y, weight) in enumerate(examples):
        assert model.decision_function_one(x) == oracle.margin(x), f"margin of example {number}"
        oracle.learn(x, y, weight)
        model.learn_one(x, y, weight)
    assert model.intercept_ == oracle.bias
    for key in {key for x, _, _ in examples for key in x} | {10**6}:
        assert model.weight(key) == oracle.weight(key), f"weight of {key}"
    if not isinstance(oracle, AdaptiveFeatureHashingOracle):
        assert {row.feature: row.weight for row in model.top(10**6)} == oracle.top()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("learner", [*SKETCHES, *OTHERS])
def test_every_store_under_every_rule(learner: str, rule: Rule) -> None:
    learn_and_compare(*make_pair(learner, rule), rows(stream(seed=11)))


@pytest.mark.parametrize("active_set", ["associative", "exact"])
@pytest.mark.parametrize("eviction", ["paper", "drop"])
@pytest.mark.parametrize("kernels", _core.all_kernels())
def test_keys_compete_for_cells(eviction: str, active_set: str, kernels: str) -> None:
    shape = {"active_set": active_set, "eviction": eviction, "active_set_size": 24, "width": 48}
    _core.choose_kernels(kernels)
    try:
        model, oracle = make_pair("AWMSketch", Rule(l2=1e-3, eta0=0.3), **shape)
        learn_and_compare(model, oracle, rows(stream(seed=3, n=800, n_keys=400, big_keys=True)))
    finally:
        _core.choose_kernels()
    assert isinstance(oracle, AdaptiveAWMSketchOracle)
    assert oracle.evicted > 20
    assert oracle.admitted > 25
    assert oracle.refused > 0


@pytest.mark.parametrize("active_set", ["associative", "exact"])
def test_two_keys_of_one_row_and_one_tag_share_a_cell(active_set: str) -> None:
    shape = {"active_set": active_set, "active_set_size": 16, "width": 64}
    model, oracle = make_pair("AWMSketch", Rule(), **shape)
    hashes = {key: hash_of(model, 0, key) for key in range(9000)}
    meeting = [key for key, bits in hashes.items() if bits & 255 == 7 and bits >> 29 == 5][:3]
    heavy = [({key: 1.0}, 1, 1.0) for key in range(10_000, 10_040)] * 5  # they fill the active set
    learn_and_compare(model, oracle, heavy)
    learn_and_compare(model, oracle, [(dict.fromkeys(meeting, 0.0001), -1, 1.0)] * 40)
    assert {model.weight(key) for key in meeting} == {model.weight(meeting[0])}
    assert model.weight(meeting[0]) < 0


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("active_set", ["associative", "exact"])
def test_the_wm_sketch_at_every_depth(active_set: str, depth: int) -> None:
    pair = make_pair("WMSketch", Rule(l2=1e-3, eta0=0.3), depth=depth, active_set=active_set)
    learn_and_compare(*pair, rows(stream(seed=3, n_keys=120, big_keys=True)))


@pytest.mark.parametrize("kernels", _core.all_kernels())
def test_every_instruction_set_equals_the_oracle(kernels: str) -> None:
    _core.choose_kernels(kernels)
    try:
        pair = make_pair("AWMSketch", Rule(l2=1e-3), width=104, active_set_size=48)
        learn_and_compare(*pair, rows(stream(seed=7, n=400, n_keys=300)))
    finally:
        _core.choose_kernels()


@pytest.mark.parametrize(
    ("learner", "given", "message"),
    [
        ("WMSketch", {"averaged": True}, "averaged needs plain steps"),
        ("WMSketch", {"project": 1.0}, "project needs plain steps"),
        ("AWMSketch", {"depth": 2}, "depth must be 1 for adaptive steps, .*, got 2: set step='plain'"),
    ],
)
def test_invalid_combinations_are_rejected(learner: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(wmsketch, learner)("8KiB", **{"step": "adaptive", **given}).check_parameters()
