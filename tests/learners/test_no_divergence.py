"""No model diverges: with any parameters and values it can be saved and loaded, or learning fails with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.learners.learners_under_test import as_dicts, state, stream
from tests.learners.test_claims import rows
from wmsketch import AWMSketch, LogisticRegression, MulticlassAWMSketch, WMSketch
from wmsketch.learners.protocols.parameters import parameter_names
from wmsketch.learners.saving.model_file import load_model, save_model
from wmsketch.methods import METHODS

CLASSES = [
    AWMSketch,
    *(method.load_class() for method in METHODS.values() if not method.numeric),
]  # includes the default twice
QUESTIONS = [{key: 1.0} for key in range(60)]  # rows with valid values


def parameters(draw: np.random.Generator, cls: Any, most: int) -> dict[str, Any]:
    """Random parameters of the class; numbers up to 10 ** `most`."""

    def size(low: int, high: int) -> float:
        return float(10 ** draw.uniform(low, high))

    def one_of(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    many = cls is MulticlassAWMSketch
    possible = {
        "loss": one_of("logistic", "smoothed_hinge", "squared_hinge"),
        "eta0": size(-3 * most, most),
        "l2": size(-9, min(most, 3) - 3),
        "l1": size(-9, most - 2),
        "schedule": one_of("optimal", "constant", "invsqrt"),
        "step": one_of("plain", "adaptive"),
        "fit_intercept": one_of(False, True),
        "half_life": one_of(1, 10, 1000, "1s", "1h"),
        "class_weight": "balanced" if many else one_of("balanced", {False: 1.0, True: size(-most, 3 * most)}),
        "averaged": True,
        "project": size(-2, 2),
        "active_set": "exact",
        "eviction": "drop",
        "newcomers": one_of("one", "all"),
        "priority": one_of("product", "quotient"),
        "follow": True,
    }
    known = [name for name in possible if name in parameter_names(cls) and draw.random() < 0.4]
    return {name: possible[name] for name in known}


def search(seed: int, most: int, path: Path) -> str:
    """Learn random rows with a random model, save it and load it."""
    draw = np.random.default_rng(seed)
    cls: Any = CLASSES[draw.integers(len(CLASSES))]
    try:
        given = parameters(draw, cls, most)
        model = cls(**({"budget": "4KiB"} if "budget" in parameter_names(cls) else {}), seed=seed, **given)
        model.check_parameters()
    except ValueError:
        return "refused"
    said, size = "learned", 10 ** draw.uniform(-2 * most, 2 * most)
    for _ in range(3):
        n = int(draw.integers(20, 200))
        values = size * 10 ** draw.uniform(-most, most, (n, 1)) * draw.choice([1.0, draw.normal()], (n, 5))
        X = [dict(zip(keys.tolist(), each.tolist(), strict=True))
             for keys, each in zip(draw.integers(0, 60, (n, 5)), values, strict=True)]  # fmt: skip
        y = draw.choice(["a", "b", "c"], n) if model._multiclass else draw.random(n) < draw.choice([0.01, 0.5])
        weights = 10 ** draw.uniform(-2 * most, 2 * most, n) if draw.random() < 0.5 else None
        times = np.cumsum(10 ** draw.uniform(-3, 5, n)) if isinstance(given.get("half_life"), str) else None
        before = model._native.state() if model._started else None
        try:
            model.learn_many(X, y, sample_weight=weights, times=times)
        except ValueError as problem:
            said = str(problem)
            assert said.startswith("row "), said
            if before is not None:
                after = model._native.state()
                assert all(np.array_equal(before[name], after[name]) for name in after)
        if model._started:
            save_model(model, path)
            again = load_model(path)
            assert np.array_equal(
                again.decision_function(QUESTIONS), model.decision_function(QUESTIONS), equal_nan=True
            )
            assert np.isfinite(model.log_loss_)
    return said


@pytest.mark.parametrize("most", [1, 3, 8])
def test_a_random_search_finds_no_model_that_cannot_be_loaded(most: int, tmp_path: Path) -> None:
    said = [search(seed, most, tmp_path / "m.wms") for seed in range(40)]
    assert said.count("learned") > 3
    if most == 1:
        assert all(each in ("learned", "refused") for each in said)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 3, 8])
def test_a_longer_random_search(most: int, tmp_path: Path) -> None:
    for seed in range(1000, 2000):
        search(seed, most, tmp_path / "m.wms")


@pytest.mark.parametrize("size", [5.0, 300.0])
@pytest.mark.parametrize("make", [
    lambda **p: AWMSketch("8KiB", **p), lambda **p: AWMSketch("8KiB", step="plain", **p), WMSketch, LogisticRegression
])  # fmt: skip
def test_squared_hinge_learns_values_far_from_one(make: Any, size: float) -> None:
    X, y = rows(n_rows=3000, seed=1)
    model = make(loss="squared_hinge")
    model.learn_many(X * np.float32(size), y)
    assert model.error_rate_ < 0.4 and model.log_loss_ < 3
    heavy = make(loss="squared_hinge", class_weight={False: 1e4, True: 1e4})
    heavy.learn_many(X, y)
    assert heavy.error_rate_ < 0.45


def test_weight_times_value_is_bounded_and_names_the_feature() -> None:
    model = AWMSketch("8KiB")
    model.learn_one({"a": 1.0}, True)
    before = state(model)
    rule = r"times the example's weight must be between -1e15 and 1e15 \(scale it\), got 10000 times 1e\+15"
    with pytest.raises(ValueError, match=rf"^row 0: the value of feature 'a' {rule}"):
        model.learn_one({"a": 1e4}, True, 1e15)
    with pytest.raises(ValueError, match=rf"^row 1: the value of feature 'a' {rule}"):
        model.learn_many([{"a": 1.0}, {"a": 1e4}], [True, False], sample_weight=[1.0, 1e15])
    assert state(model) == before


@pytest.mark.parametrize("make", [
    lambda: AWMSketch("8KiB", step="plain", eta0=1e6, l2=0.0, class_weight={False: 1e6, True: 1e6}),
    lambda: MulticlassAWMSketch("8KiB", step="plain", eta0=1e6, l2=0.0),
])  # fmt: skip
def test_overflow_stops_at_the_row_and_leaves_no_trace(make: Any) -> None:
    model = make()
    model.learn_many([{"a": 1e3}, {"b": 1e3}] * 5, [True, False] * 5)
    before = state(model)
    with pytest.raises(
        ValueError, match=r"row 2: learning stops, because the (step|margin) would be .*: scale the values"
    ):
        model.learn_many([{"a": 1.0}, {"b": 1.0}, {"a": 1.0}], [False, True, False], sample_weight=[1.0, 1.0, 1e14])
    assert state(model) == before
    model.learn_one({"a": 1.0}, True)


@pytest.mark.parametrize("eta0", [1e-18, 1e-6, 0.1])
def test_a_gradient_too_large_leaves_no_trace_however_small_the_steps(eta0: float) -> None:
    model = MulticlassAWMSketch("8KiB", eta0=eta0, class_weight="balanced")
    X, y = [{"a": 0.1, "b": 1.0}] * 40, [i == 20 for i in range(40)]
    model.learn_many(X, y)
    before = state(model)
    weights = [9e15 if i == 20 else 1.0 for i in range(40)]
    with pytest.raises(ValueError, match=r"^row 20: learning stops, because a squared gradient would be"):
        model.learn_many([{"a": 0.1}] * 40, y, sample_weight=weights)
    assert state(model) == before


@pytest.mark.parametrize("name", ["eta0", "l1", "class_weight"])
def test_huge_parameters_are_refused_by_name(name: str) -> None:
    value: Any = {False: 1.0, True: 1e30} if name == "class_weight" else 1e30
    with pytest.raises(ValueError, match=rf"{name} must be .* at most 1e6"):
        AWMSketch("8KiB", **{name: value}).learn_one({1: 1.0}, True)


def test_ordinary_rows_take_no_copy_and_give_the_same_bits() -> None:
    """Rows that may overflow are first learned into a copy; the result must be the same."""
    X, y = stream()
    plain, careful = AWMSketch("8KiB"), AWMSketch("8KiB")
    plain.learn_many(X, y)
    for x, label in zip(as_dicts(X), y, strict=True):
        careful.learn_one(x, bool(label))
    assert state(plain) == state(careful) and plain._native.state()["extreme"].tolist() == [0]


@pytest.mark.parametrize("make", [
    lambda: AWMSketch("8KiB", step="plain", eta0=5e4, schema={"numbers": "raw"}),
    lambda: WMSketch("8KiB", eta0=5e4, schema={"numbers": "raw"}),
    lambda: MulticlassAWMSketch("8KiB", step="plain", eta0=5e4, schema={"numbers": "raw"}),
])  # fmt: skip
def test_a_first_row_that_cannot_be_learned_is_refused_when_it_comes(make: Any) -> None:
    model, without = make(), make()
    for i in range(25):
        if i == 3:
            with pytest.raises(ValueError, match=r"^row 0: learning stops"):
                model.learn_one({"a": 9e14, "b3": 1.0}, False)
            continue
        for each in (model, without):
            each.learn_one({"a": 1.0, f"b{i}": 1.0}, i % 2 == 0)
        assert model.predict_proba_one({"a": 1.0}) == without.predict_proba_one({"a": 1.0})
    assert state(model) == state(without) and model.n_seen_ == 24


def test_a_heavy_row_of_tiny_values_leaves_no_weight_that_is_not_finite() -> None:
    model = MulticlassAWMSketch("8KiB", class_weight="balanced", schema={"numbers": "raw"})
    model.learn_many([{"h": -1e13}, {"g": 1.0}] + [{"e": 5.0}] * 20, ["y", "x"] + ["z"] * 20)
    before = state(model)
    with pytest.raises(ValueError, match=r"^row 0: learning stops, because the margin would be -?inf"):
        model.learn_one({"d": -3e-33, "j": -3e-20}, "y", 1.7e29)
    assert state(model) == before
    assert np.isfinite(MulticlassAWMSketch.from_bytes(model.to_bytes()).decision_function([{"j": 1.0}])).all()
