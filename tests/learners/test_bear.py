"""BEAR compared with its slow, obvious oracle, one row at a time.

Its directions depend on differences of weights, and these on rounding. So small errors grow, and after some hundred
rows another feature enters the heap. Therefore the oracle starts each row with the state of the native model.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import wmsketch
from tests.learners.test_oracle import ATOL, RULES, Example, batch, stream
from tests.reference import BearOracle, Rule
from tests.reference.online_linear import summed
from wmsketch.baselines import Bear
from wmsketch.learners.models.introspection import hash_of

SHAPE: dict[str, Any] = {"active_set_size": 16, "depth": 3, "width": 13}


def take_state(oracle: BearOracle, model: Bear, rule: Rule) -> None:
    """Give the oracle the state of a native model, without its lazy scale."""
    state = {name: array.tolist() for name, array in model._learner().state().items()}
    scale = state["scale"][0]
    oracle.bias, oracle.threshold = state["bias"][0], scale * state["threshold"][0]
    examples, positive = state["recent_examples"][0], state["recent_positive"][0]
    oracle.seen = {-1: examples - positive, +1: positive}
    cells = [(row, bucket) for row in range(SHAPE["depth"]) for bucket in range(SHAPE["width"])]
    oracle.sketch.cells = {cell: scale * value for cell, value in zip(cells, state["cells"], strict=True)}
    keys = state["active_keys"]
    oracle.heaviest = {key: scale * weight for key, weight in zip(keys, state["active_weights"], strict=False)}
    last, kept, room = state["pair_last"][0], oracle.kept, oracle.room
    places = [(last - n) % kept for n in range(min(last, kept), 0, -1)]
    oracle.pairs = [
        tuple(
            dict(zip(state["pair_keys"][first:end], state[name][first:end], strict=True))
            for name in ("pair_changes", "pair_gradients")
        )
        for first, end in ((at * room, at * room + state["pair_sizes"][at]) for at in places)
    ]


def last_pair(model: Bear) -> dict[int, tuple[float, float]]:
    """The features of the newest pair: the change of each weight, and of its gradient."""
    oracle = BearOracle(Rule(), **SHAPE, hash_key=lambda row, key: 0)
    take_state(oracle, model, Rule())
    moved, curved = oracle.pairs[-1]
    return {key: (moved[key], curved[key]) for key in moved}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_each_row_is_learned_as_by_the_oracle(rule: Rule) -> None:
    model = Bear(**SHAPE, **vars(rule), seed=1)
    model.learn_many(batch([Example([], -1, 0.0)]), [-1], sample_weight=[0.0])  # changes nothing, but starts it
    oracle = BearOracle(rule, **SHAPE, hash_key=cache(partial(hash_of, model)))
    evictions = pairs = 0
    for number, (row, y, weight) in enumerate(stream(seed=11)):
        take_state(oracle, model, rule)
        members, before = set(oracle.members()), len(oracle.pairs)
        margin = oracle.learn(row, y, weight)
        x = summed(row)
        assert model.decision_function_one(x) == pytest.approx(margin, rel=1e-5, abs=ATOL)
        model.learn_many(batch([Example(row, y, weight)]), [y], sample_weight=[weight])
        assert model.intercept_ == pytest.approx(oracle.bias, rel=1e-5, abs=ATOL)
        top = {one.feature: one.weight for one in model.top(99)}
        assert top == {key: pytest.approx(w, rel=2e-4, abs=ATOL) for key, w in oracle.top().items()}, f"row {number}"
        if oracle.pairs and weight > 0:
            moved, curved = oracle.pairs[-1]
            expected = {key: pytest.approx((moved[key], curved[key]), rel=1e-3, abs=ATOL) for key in moved}
            assert last_pair(model) == expected, f"row {number}"
        evictions += bool(members - set(oracle.members()))
        pairs += len(oracle.pairs) > before
    assert evictions > 20
    assert pairs == oracle.kept


def rows_of_one_scale(n: int, seed: int) -> list[Example]:
    rng = np.random.default_rng(seed)
    concept = rng.normal(size=30)
    examples = []
    for _ in range(n):
        keys = rng.choice(30, 8, replace=False)
        row = [(int(key), float(value)) for key, value in zip(keys, rng.normal(size=8), strict=True)]
        margin = sum(concept[key] * value for key, value in row)
        examples.append(Example(row, 1 if margin > 0 else -1, 1.0))
    return examples


@pytest.mark.parametrize("seed", range(3))
def test_a_step_lowers_the_loss_of_its_row(seed: int) -> None:
    model = Bear(active_set_size=60, depth=5, width=4096, eta0=0.02, l2=0, seed=seed)
    model.learn_one({0: 1.0}, 1)
    for pairs, y, _ in rows_of_one_scale(400, seed):
        before = model.decision_function_one(dict(pairs))
        model.learn_one(dict(pairs), y)
        assert y * model.decision_function_one(dict(pairs)) > y * before


def test_the_pairs_are_part_of_the_state(tmp_path) -> None:
    rows = rows_of_one_scale(300, 7)
    model = Bear("2KiB", seed=3)
    for pairs, y, _ in rows[:150]:
        model.learn_one(dict(pairs), y)
    model.save(tmp_path / "model")
    loaded = wmsketch.load(tmp_path / "model")
    assert loaded.nbytes == model.nbytes <= 2048
    for pairs, y, _ in rows[150:]:
        model.learn_one(dict(pairs), y)
        loaded.learn_one(dict(pairs), y)
    assert [(one.feature, one.weight) for one in loaded.top(99)] == [(one.feature, one.weight) for one in model.top(99)]
