"""Merging weighted by what each side knows of a feature, in any order, and from a base that counts once."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from tests.learners.small_models import SMALL_MODELS
from tests.learners.test_merge import stream
from tests.reference.merging import Known, merged, prior_of
from wmsketch import (
    AWMSketch,
    FeatureHashing,
    LogisticRegression,
    MulticlassAWMSketch,
    ProbabilisticTruncation,
    merge_models,
)
from wmsketch.learners.saving.model_file import model_bytes

ADAPTIVE: dict[str, Any] = {
    "awm": lambda **rule: AWMSketch("16KiB", **rule),
    "map": lambda **rule: LogisticRegression(step="adaptive", **rule),
    "dense": lambda **rule: LogisticRegression(step="adaptive", n_features=400, **rule),
    "hashing": lambda **rule: FeatureHashing("64KiB", step="adaptive", **rule),
}
ROUNDING = {"awm": 0.02, "hashing": 0.02}  # of slots with 16 bits
KEYS = np.arange(400)


def shards(make: Any, n: int, rows: int = 200, start: Any = None) -> list[Any]:
    models = [make() if start is None else copy.copy(start) for _ in range(n)]
    for number, model in enumerate(models):
        model.learn_many(*stream(rows + 20 * number, number))
    return models


@pytest.mark.parametrize("name", ["map", "dense", "hashing"])
@pytest.mark.parametrize("rule", [{}, {"l2": 0.3}])
def test_weights_and_squares_are_those_of_the_reference(name: str, rule: dict[str, Any]) -> None:
    parts = shards(lambda: ADAPTIVE[name](**rule), 3)
    both, states = merge_models(parts)._native.state(), [model._native.state() for model in parts]
    prior = prior_of(states)
    weights, squares = knowledge(both, name)
    known = [knowledge(state, name) for state in states]
    for place in weights:
        sides = [Known(w[place], g[place]) for w, g in known if place in w]
        expected = merged(sides, prior)
        assert weights[place] == pytest.approx(expected.weight, rel=2**-7 if name == "hashing" else 1e-5)
        assert squares[place] == pytest.approx(expected.squares, rel=2**-7 if name == "hashing" else 1e-5)


def knowledge(state: dict[str, Any], name: str) -> tuple[dict[int, float], dict[int, float]]:
    """Weights and sums of squares by key, with the scales applied."""
    weights, squares = state["cells" if name == "hashing" else "weights"], state["squares"]
    if name == "hashing":
        weights, squares = ((half.astype(np.uint32) << 16).view(np.float32) for half in (weights, squares))
    places = state["keys"].tolist() if name == "map" else range(len(weights))
    scaled = (weights * state["scale"][0]).tolist(), (squares * state["squares_scale"][0]).tolist()
    return dict(zip(places, scaled[0], strict=True)), dict(zip(places, scaled[1], strict=True))


@pytest.mark.parametrize("name", [*ADAPTIVE, "awm-plain", "wm", "hashing-plain", "truncation", "count-min"])
def test_a_feature_that_one_model_alone_has_seen_keeps_its_weight(name: str) -> None:
    make = {**SMALL_MODELS, "hashing-plain": SMALL_MODELS["hashing"], **ADAPTIVE}[name]
    parts = [make() for _ in range(8)]
    for number, model in enumerate(parts):
        model.learn_many([{number: 1.0}] * 30, [number % 2 == 0] * 30)
    together = merge_models(parts)
    for number, model in enumerate(parts):
        assert together.weight(number) == pytest.approx(model.weight(number), rel=ROUNDING.get(name, 1e-6))


@pytest.mark.parametrize("name", ADAPTIVE)
def test_the_order_of_merging_does_not_matter(name: str) -> None:
    """In one pass, one after the other, and as a tree. The prior depends on each stream, so results differ slightly."""
    parts = shards(ADAPTIVE[name], 8)
    at_once = merge_models(parts)
    one_by_one = copy.copy(parts[0])
    for model in parts[1:]:
        one_by_one.merge(model)
    tree = parts
    while len(tree) > 1:
        tree = [merge_models(tree[i : i + 2]) for i in range(0, len(tree), 2)]
    backwards = merge_models(parts[::-1])
    for other in (one_by_one, tree[0], backwards):
        # sums in cells are powers of two, so that a weight is averaged by about what each side knows
        assert other.weights(KEYS) == pytest.approx(at_once.weights(KEYS), abs=0.1 if name == "awm" else 0.05, rel=0.05)
        assert other.intercept_ == pytest.approx(at_once.intercept_)
        assert other.n_seen_ == at_once.n_seen_
        assert other.log_loss_ == pytest.approx(at_once.log_loss_)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_eight_shards_are_nearer_to_one_model_than_the_mean_by_examples(name: str) -> None:
    whole, parts = ADAPTIVE[name](), [ADAPTIVE[name]() for _ in range(8)]
    examples, labels = stream(8000, 1)
    whole.learn_many(examples, labels)
    for number, model in enumerate(parts):
        model.learn_many(examples[number::8], labels[number::8])
    mean = np.mean([model.weights(KEYS) for model in parts], axis=0)
    distance, by_mean = (
        float(np.linalg.norm(weights - whole.weights(KEYS))) for weights in (merge_models(parts).weights(KEYS), mean)
    )
    assert distance < 0.75 * by_mean


@pytest.mark.parametrize("name", [*ADAPTIVE, "awm-plain", "wm"])
def test_what_a_base_knew_counts_once(name: str) -> None:
    make = {**SMALL_MODELS, **ADAPTIVE}[name]
    [base] = shards(make, 1, 400)
    idle = merge_models([copy.copy(base), copy.copy(base), copy.copy(base)], base=base)
    assert idle.weights(KEYS) == pytest.approx(base.weights(KEYS), rel=1e-4, abs=1e-6)  # the lazy scale is folded
    assert idle.intercept_ == pytest.approx(base.intercept_)
    assert (idle.n_seen_, idle.record_.mistakes, idle.log_loss_) == pytest.approx(
        (400, base.record_.mistakes, base.log_loss_)
    )
    parts = shards(make, 3, 100, base)
    both = merge_models(parts, base=base)
    assert both.n_seen_ == 400 + 100 + 120 + 140
    assert both.record_.mistakes == sum(model.record_.mistakes for model in parts) - 2 * base.record_.mistakes
    losses = sum(model.log_loss_ * model.n_seen_ for model in parts) - 2 * base.log_loss_ * base.n_seen_
    assert both.log_loss_ == pytest.approx(losses / both.n_seen_)
    assert both.nbytes <= make().nbytes or name in ("map", "dense")
    twice = copy.copy(parts[0]).merge(parts[1], base=base).merge(parts[2], base=base)
    assert twice.n_seen_ == both.n_seen_


@pytest.mark.parametrize("name", ["map", "dense"])
def test_a_merge_from_a_base_is_that_of_the_reference(name: str) -> None:
    [base] = shards(ADAPTIVE[name], 1, 400)
    parts = shards(ADAPTIVE[name], 3, 100, base)
    states, before = [model._native.state() for model in parts], base._native.state()
    prior = prior_of(states, before)
    weights, _ = knowledge(merge_models(parts, base=base)._native.state(), name)
    old_weights, old_squares = knowledge(before, name)
    known = [knowledge(state, name) for state in states]
    for place, weight in weights.items():
        sides = [Known(w[place], g[place]) for w, g in known if place in w]
        start = Known(old_weights.get(place, 0.0), old_squares.get(place, 0.0))
        assert weight == pytest.approx(merged(sides, prior, start).weight, rel=1e-4, abs=1e-6)


def test_an_empty_base_is_ignored() -> None:
    parts = shards(ADAPTIVE["awm"], 2)
    assert model_bytes(merge_models(parts, base=AWMSketch("16KiB"))) == model_bytes(merge_models(parts))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ProbabilisticTruncation("1KiB"), "cannot merge from a base: this method drops features"),
        (lambda: AWMSketch("2KiB", half_life=100), "cannot merge from a base: with a half_life"),
    ],
)
def test_a_base_is_rejected_if_it_cannot_be_subtracted(make: Any, message: str) -> None:
    [base] = shards(make, 1)
    parts = shards(make, 2, start=base)
    before = [model_bytes(model) for model in parts]
    with pytest.raises(ValueError, match=message):
        merge_models(parts, base=base)
    with pytest.raises(ValueError, match=message):
        parts[0].merge(parts[1], base=base)
    assert [model_bytes(model) for model in parts] == before


def test_a_base_must_match() -> None:
    parts = shards(ADAPTIVE["awm"], 2)
    with pytest.raises(ValueError, match=r"cannot merge: seed differs \(0 and 5\)"):
        merge_models(parts, base=shards(lambda: AWMSketch("16KiB", seed=5), 1)[0])


def test_many_classes_merge_at_once_and_from_a_base() -> None:
    def learn(model: Any, seed: int, labels: str) -> Any:
        draw = np.random.default_rng(seed)
        names = draw.choice(list(labels), size=120).tolist()
        model.learn_many([{f"word {name}": 1.0, "any": 1.0} for name in names], names)
        return model

    parts = [learn(MulticlassAWMSketch("8KiB"), seed, labels) for seed, labels in enumerate(("ab", "bc", "ca"))]
    together = merge_models(parts)
    assert together.classes_.tolist() == ["a", "b", "c"]
    assert together.n_seen_ == 360
    for name in "abc":
        assert together.predict_one({f"word {name}": 1.0}) == name
    again = [learn(copy.copy(together), seed, "abc") for seed in range(3, 5)]
    rounds = merge_models(again, base=together)
    assert rounds.n_seen_ == 360 + 240
    assert rounds.nbytes <= 8192
    assert [rounds.predict_one({f"word {name}": 1.0}) for name in "abc"] == ["a", "b", "c"]


def test_numbers_of_different_scales_are_converted_to_the_merged_scale() -> None:
    """Small and large shops: one metre changes the odds by the same amount, but their standard deviations differ."""
    draw = np.random.default_rng(0)
    parts = []
    for mean, deviation in ((10.0, 2.0), (60.0, 20.0)):
        size = draw.normal(mean, deviation, 6000)
        late = draw.random(6000) < 1 / (1 + np.exp(-0.1 * (size - 30.0)))
        parts.append(AWMSketch("8KiB"))
        parts[-1].learn_many([{"size": float(x), "kind": "shop"} for x in size], late.tolist())
    together = merge_models(parts)
    rows = [{"size": size, "kind": "shop"} for size in (10.0, 30.0, 60.0)]
    margins = [together.decision_function_one(row) for row in rows]
    assert margins == pytest.approx([-2.0, 0.0, 3.0], abs=1.0)


def test_scales_since_a_base_count_once() -> None:
    draw = np.random.default_rng(0)

    def learn(model: Any, mean: float, rows: int) -> Any:
        numbers = draw.normal(mean, 1.0, rows)
        model.learn_many([{"x": float(x), "y": "a"} for x in numbers], (numbers > mean).tolist())
        return model

    base = learn(AWMSketch("8KiB"), 0.0, 1000)
    parts = [learn(copy.copy(base), mean, 500) for mean in (2.0, 4.0)]
    column = merge_models(parts, base=base).schema_["x"]
    assert column.mean == pytest.approx(1.5, abs=0.1)  # of 1000 around 0, 500 around 2 and 500 around 4
    assert column.deviation == pytest.approx(np.sqrt(1 + (1000 * 1.5**2 + 500 * 0.5**2 + 500 * 2.5**2) / 2000), abs=0.1)


@pytest.mark.parametrize("make", [lambda: AWMSketch("8KiB"), LogisticRegression, lambda: FeatureHashing("4KiB")])
def test_merging_from_a_base_is_symmetric(make: Any) -> None:
    draw = np.random.default_rng(5)
    rows = [{f"w{word}": 1.0 for word in draw.zipf(1.3, 8) % 500} for _ in range(1500)]
    labels = ["w1" in row or draw.random() < 0.3 for row in rows]
    base = make()
    base.learn_many(rows[:500], labels[:500])
    shards = [copy.copy(base), copy.copy(base)]
    for number, shard in enumerate(shards):
        part = slice(500 + 500 * number, 1000 + 500 * number)
        shard.learn_many(rows[part], labels[part])
    one, other = merge_models(shards, base=base), merge_models(shards[::-1], base=base)
    assert one.to_bytes() == other.to_bytes() and one.n_seen_ == 1500
