"""Forgetting: after a half-life, in examples or in time, what was learned counts half."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from tests.learners import test_shared_checks
from tests.learners.learners_under_test import EVERY_LEARNER, as_dicts, state, stream
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression, WMSketch
from wmsketch.learners.saving.model_file import load_model, save_model
from wmsketch.methods import METHODS

# Averaging over all iterates and forgetting are mutually exclusive.
FORGETTING = {name: make for name, make in EVERY_LEARNER.items() if name != "WMSketch-exact"}


def weights_of(model: Any) -> np.ndarray:
    """The weights of all features of `stream`, for each class if there are many."""
    keys = np.arange(500)
    return np.ravel(
        [model.weights(keys, label) for label in model.classes_] if model._multiclass else model.weights(keys)
    )


@pytest.mark.parametrize("check", test_shared_checks.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", FORGETTING)
def test_learners_that_forget_pass_the_shared_checks(name: str, check: Any) -> None:
    check(lambda **parameters: FORGETTING[name](half_life=300, **parameters))


@pytest.mark.parametrize("name", FORGETTING)
def test_batches_and_loops_forget_alike_in_time(name: str) -> None:
    X, y = stream()
    times = 1e9 + np.cumsum(
        np.random.default_rng(0).choice([0.0, 0.3, 5.0, -2.0, 1e4], len(y), p=[0.2, 0.5, 0.2, 0.08, 0.02])
    )
    batch, loop, tables = (FORGETTING[name](half_life="10s") for _ in range(3))
    batch.learn_many(X, y, times=times)
    for x, label, time in zip(as_dicts(X), y, times, strict=True):
        loop.learn_one(x, bool(label), time=time)
    tables.learn_many(X[:100], y[:100], times=times[:100])
    tables.partial_fit(X[100:], y[100:], times=times[100:])
    assert state(batch) == state(loop) == state(tables)


@pytest.mark.parametrize("name", FORGETTING)
def test_a_saved_model_goes_on_forgetting(name: str, tmp_path: Any) -> None:
    X, y = stream()
    times = np.arange(len(y), dtype=np.float64)
    whole, cut = FORGETTING[name](half_life="50s"), FORGETTING[name](half_life="50s")
    whole.learn_many(X, y, times=times)
    cut.learn_many(X[:150], y[:150], times=times[:150])
    save_model(cut, tmp_path / "m.wms")
    again = load_model(tmp_path / "m.wms")
    again.learn_many(X[150:], y[150:], times=times[150:])
    assert state(again) == state(whole)
    assert again.n_seen_ == 400 and again.get_params()["half_life"] == "50s"


@pytest.mark.parametrize("step", ["plain", "adaptive"])
def test_a_weight_is_half_after_a_half_life(step: str) -> None:
    model = LogisticRegression(half_life=20, step=step, l2=0.0)
    model.learn_one({"a": 1.0}, True)
    before = model.weight("a")
    model.learn_many([{"b": 1.0}] * 20, [True, False] * 10)
    assert model.weight("a") == pytest.approx(before / 2)
    assert model.n_seen_ == 21  # reports cover the whole stream


@pytest.mark.parametrize("step", ["plain", "adaptive"])
def test_a_weight_is_half_after_a_time(step: str) -> None:
    model = LogisticRegression(half_life="1h", step=step, l2=0.0)
    model.learn_one({"a": 1.0}, True, time=datetime(2024, 5, 17, 8, 30, tzinfo=UTC))
    before = model.weight("a")
    model.learn_one({"b": 1.0}, True, time=datetime(2024, 5, 17, 9, 30, tzinfo=UTC))
    assert model.weight("a") == pytest.approx(before / 2)
    model.learn_one({"b": 1.0}, True, time=datetime(2024, 5, 17, 7, 0, tzinfo=UTC))  # late: no time has passed
    assert model.weight("a") == pytest.approx(before / 2)
    model.learn_one({"b": 1.0}, True, time=datetime(2024, 5, 17, 10, 30, tzinfo=UTC))
    assert model.weight("a") == pytest.approx(before / 4)


@pytest.mark.parametrize("name", FORGETTING)
def test_after_a_very_long_time_all_is_forgotten_and_learning_goes_on(name: str) -> None:
    X, y = stream()
    model = FORGETTING[name](half_life="1s", eta0=0.5)
    model.learn_many(X, y, times=np.zeros(len(y)))
    before = weights_of(model)
    model.learn_one({}, True, time=1e11)  # a single far date may be wrong
    assert np.allclose(weights_of(model), before, atol=0.05)
    model.learn_one({}, True, time=1e11)
    assert np.all(np.abs(weights_of(model)) < 1e-20)
    model.learn_many(X, y, times=np.full(len(y), 1e11))
    assert np.all(np.isfinite(weights_of(model))) and np.max(np.abs(weights_of(model))) > 0.1


def drifting(seed: int, n_switches: int, n: int = 8000, n_features: int = 2000) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of ten features. At every switch, another hundred of the 400 common features are drawn to matter."""
    rng = np.random.default_rng(seed)
    keys = (n_features * rng.random((n, 10)) ** 3).astype(np.int32)
    X = sp.csr_matrix((np.ones(10 * n, dtype=np.float32), keys.ravel(), np.arange(0, 10 * n + 1, 10)))
    X.sum_duplicates()
    margins = np.zeros(n)
    for part in np.array_split(np.arange(n), n_switches + 1):
        weights = np.zeros(X.shape[1])
        weights[rng.choice(400, 100, replace=False)] = 2 * rng.normal(size=100)
        margins[part] = X[part] @ weights
    return X, rng.random(n) < 1 / (1 + np.exp(-margins))


@pytest.mark.parametrize("step", ["plain", "adaptive"])
def test_forgetting_helps_under_drift_and_costs_little_otherwise(step: str) -> None:
    """Online log loss in 8 KiB, median of three streams."""
    losses: dict[tuple[int, Any], list[float]] = {}
    for seed in range(3):
        for n_switches in (0, 7):
            X, y = drifting(seed, n_switches)
            for half_life in (None, 1000):
                model = AWMSketch("8KiB", step=step, half_life=half_life, eta0=0.3)
                model.learn_many(X, y)
                losses.setdefault((n_switches, half_life), []).append(model.log_loss_)
    loss = {case: np.median(found) for case, found in losses.items()}
    assert loss[7, 1000] < 0.97 * loss[7, None]
    assert loss[0, 1000] < 1.05 * loss[0, None]


@pytest.mark.parametrize("step", ["plain", "adaptive"])
def test_the_heaviest_features_are_the_new_ones(step: str) -> None:
    rng = np.random.default_rng(0)

    def rows(signal: str, n: int) -> tuple[list[dict[str, float]], list[bool]]:
        labels = rng.random(n) < 0.5
        noise = rng.integers(0, 3000, (n, 5))
        named = [{f"{signal}-{'yes' if label else 'no'}": 1.0} for label in labels.tolist()]
        return [
            {**row, **{f"w{key}": 1.0 for key in keys}} for row, keys in zip(named, noise, strict=True)
        ], labels.tolist()

    remembering, forgetting = AWMSketch("8KiB", step=step), AWMSketch("8KiB", step=step, half_life=200)
    for model in (remembering, forgetting):
        rng = np.random.default_rng(0)
        model.learn_many(*rows("old", 2000))
        model.learn_many(*rows("new", 1000))
    assert {row.feature for row in forgetting.top(2)} == {"new-yes", "new-no"}
    assert abs(forgetting.weight("old-yes")) < 0.1 * forgetting.weight("new-yes")
    assert abs(remembering.weight("old-yes")) > 0.5 * remembering.weight("new-yes")
    assert forgetting.nbytes <= 8192


def test_frequent_features_learn_again_after_a_switch() -> None:
    """Sums of squares fade too, or the steps of a frequent feature would be too small to reverse its weight."""
    model, dead = (LogisticRegression(step="adaptive", eta0=0.01, half_life=half_life) for half_life in (500, None))
    for one in (model, dead):
        one.learn_many([{1: 1.0}, {2: 1.0}] * 10_000, [True, False] * 10_000)
        one.learn_many([{1: 1.0}, {2: 1.0}] * 500, [False, True] * 500)
    assert model.weight(1) < 0 < dead.weight(1)


@pytest.mark.parametrize("name", ["AWMSketch", "AWMSketch-plain", "LogisticRegression-adaptive", "FeatureHashing"])
def test_merging_brings_both_models_to_one_time(name: str) -> None:
    X, y = stream()
    early, late = FORGETTING[name](half_life="10s"), FORGETTING[name](half_life="10s")
    early.learn_many(X[:200], y[:200], times=np.zeros(200))
    late.learn_many(X[200:], y[200:], times=np.full(200, 10.0))
    left, right = copy.copy(early).merge(late), copy.copy(late).merge(early)
    assert state(left) == state(right)
    assert left.n_seen_ == 400
    aged = copy.copy(early)
    aged.learn_one({}, bool(y[0]), time=10.0)
    key = int(X.indices[0])
    old, new = aged.weight(key), late.weight(key)
    if name in ("AWMSketch-plain", "FeatureHashing"):
        # 200 examples one half-life ago count as 100, beside 200 new ones
        assert left.weight(key) == pytest.approx((old + 2 * new) / 3, rel=0.02, abs=0.01)
    else:  # weighted by the squared gradients of the feature, which fade as well
        assert min(old, new) - 0.01 <= left.weight(key) <= max(old, new) + 0.01


def test_models_that_forget_differently_do_not_merge() -> None:
    models = [FeatureHashing("1KiB", half_life=half_life) for half_life in (100, 200, None, "100s")]
    for model in models:
        model.learn_one({1: 1.0}, True, time=0.0 if model.half_life == "100s" else None)
    with pytest.raises(ValueError, match=r"half_life differs \(100.0 and 200.0\)"):
        models[0].merge(models[1])
    with pytest.raises(ValueError, match=r"half_life differs \(100.0 and None\)"):
        models[0].merge(models[2])
    with pytest.raises(ValueError, match=r"the unit of half_life differs \('examples' and 'seconds'\)"):
        models[0].merge(models[3])


@pytest.mark.parametrize(
    ("half_life", "message"),
    [
        (0, "half_life must be above 0 .without one nothing is forgotten., got 0"),
        (-5, "half_life must be above 0"),
        (0.5, "half_life must be at least 1 example"),
        (float("nan"), "half_life must be finite"),
        ("10", "half_life must be a number of rows, or a text like '10min' with a unit of time"),
        (timedelta(minutes=10), "half_life must be a number of rows, or a text like '10min' with a unit of time"),
        (np.timedelta64(10, "m"), "half_life must be a number"),
        ("0s", "half_life must be above 0"),
        ("ten min", "half_life must be a number of rows"),
    ],
)
def test_bad_half_lives_are_refused(half_life: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AWMSketch("8KiB", half_life=half_life).check_parameters()


def test_averaging_excludes_forgetting() -> None:
    with pytest.raises(ValueError, match="half_life must not be given when averaging"):
        WMSketch("8KiB", averaged=True, half_life=100).check_parameters()


def test_bad_times_change_nothing() -> None:
    model = AWMSketch("8KiB", half_life="1min")
    model.learn_many([{1: 1.0}], [True], times=[5.0])
    before = state(model)
    with pytest.raises(ValueError, match="row 1: the time must be finite, got nan"):
        model.learn_many([{1: 1.0}] * 2, [True, False], times=[6.0, float("nan")])
    with pytest.raises(ValueError, match="times must be one for each of the 2 rows"):
        model.learn_many([{1: 1.0}] * 2, [True, False], times=[6.0])
    with pytest.raises(TypeError, match="times must be numbers"):
        model.learn_many([{1: 1.0}], [True], times=["noon"])
    with pytest.raises(ValueError, match="row 0: the time must be finite"):
        model.learn_many([{1: 1.0}], [True], times=np.array(["NaT"], dtype="datetime64[s]"))
    assert state(model) == before
    for other in (AWMSketch("8KiB"), AWMSketch("8KiB", half_life=100)):
        with pytest.raises(ValueError, match="times need a half_life that is a time, like '10min'"):
            other.learn_one({1: 1.0}, True, time=5.0)


def test_dates_of_all_kinds_are_times() -> None:
    import pandas as pd

    times = np.array(["2024-05-17T08:30:00", "2024-05-17T08:31:00.5"], dtype="datetime64[ms]")
    series = pd.Series(times)
    kinds = [
        times.astype(np.int64) / 1e3,
        times,
        series,
        series.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        times.tolist(),
    ]
    models = [AWMSketch("8KiB", half_life="1min") for _ in kinds]
    for model, kind in zip(models, kinds, strict=True):
        model.learn_many([{1: 1.0}, {2: 1.0}], [True, False], times=kind)
    one = AWMSketch("8KiB", half_life="1min")
    for number, time in enumerate(times.tolist()):
        one.learn_one({number + 1: 1.0}, number == 0, time=time)
    assert all(state(model) == state(models[0]) for model in [*models, one])


def test_every_class_takes_a_half_life() -> None:
    learners = {method.load_class() for method in METHODS.values()}
    assert len(learners) >= 9 and all(cls(half_life=10).get_params()["half_life"] == 10 for cls in learners)


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("recent_examples", 1e9),
        ("recent_examples", float("nan")),
        ("recent_positive", -1.0),
        ("time", float("inf")),
        ("time", float("nan")),
        ("squares_scale", 0.0),
        ("squares_examples", float("inf")),
        ("squares_values", -1.0),
    ],
)
def test_damaged_state_is_refused(array: str, value: float) -> None:
    X, y = stream()
    model = AWMSketch("8KiB", half_life="1min")
    model.learn_many(X, y, times=np.arange(len(y), dtype=np.float64))
    damaged = model._learner().state() | {array: np.array([value])}
    with pytest.raises(ValueError, match="the saved state is damaged"):
        copy.copy(model)._native.load_state(damaged)


@pytest.mark.parametrize("name", ["AWMSketch", "LogisticRegression", "MulticlassAWMSketch"])
def test_a_time_in_milliseconds_is_refused_and_nothing_is_forgotten(name: str) -> None:
    X, y = stream()
    model = FORGETTING[name](half_life="1h")
    seconds = 1.7e9 + np.arange(len(y), dtype=np.float64)
    model.learn_many(X, y, times=seconds)
    before = state(model)
    wrong = seconds + len(y)
    wrong[7] *= 1000
    rule = r"row 7: the time must be in seconds, between -1e11 and 1e11, got 1700000407000 \(is it in milliseconds\?\)"
    with pytest.raises(ValueError, match=rule):
        model.learn_many(X, y, times=wrong)
    assert state(model) == before


@pytest.mark.parametrize("name", ["AWMSketch", "LogisticRegression", "MulticlassAWMSketch"])
def test_one_wrong_date_forgets_nothing_and_a_long_pause_does(name: str, tmp_path: Any) -> None:
    X, y = stream()
    times = 1.7e9 + np.arange(len(y), dtype=np.float64)
    right, wrong, paused = (FORGETTING[name](half_life="60s") for _ in range(3))
    right.learn_many(X, y, times=times)
    dates = times.copy()
    dates[150] += 10 * 365 * 86400.0  # ten years ahead
    wrong.learn_many(X[:151], y[:151], times=dates[:151])
    save_model(wrong, tmp_path / "m.wms")
    wrong = load_model(tmp_path / "m.wms")
    wrong.learn_many(X[151:], y[151:], times=dates[151:])
    right_weights = weights_of(right)
    assert np.linalg.norm(weights_of(wrong) - right_weights) < 0.7 * np.linalg.norm(right_weights)
    dates[150:] = times[150:] + 10 * 365 * 86400.0
    paused.learn_many(X[:151], y[:151], times=dates[:151])
    assert np.max(np.abs(weights_of(paused))) > 0.1
    paused.learn_many(X[151:152], y[151:152], times=dates[151:152])
    assert np.sum(np.abs(weights_of(paused)) > 1e-9) <= 2 * X[151].nnz + 5  # features of the last row, and constants
    paused.learn_many(X[152:], y[152:], times=dates[152:])
    assert paused.n_seen_ == len(y)
