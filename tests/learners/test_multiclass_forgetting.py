"""Forgetting with many classes: one example fades everything once, whatever the number of classes."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import wmsketch
from tests.learners.learners_under_test import state
from tests.learners.test_multiclass import WORDS, news
from wmsketch import MulticlassAWMSketch

PLAIN = {"step": "plain", "l2": 0.0}


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("options", [PLAIN, {}, {"negatives": 1}], ids=["plain", "adaptive", "drawn"])
def test_a_weight_is_half_after_a_half_life_of_examples(n_classes: int, options: dict) -> None:
    model = MulticlassAWMSketch("8KiB", half_life=20, **{"l2": 0.0, **options})
    model.learn_many([{f"w{c}": 1.0} for c in range(n_classes)], range(n_classes))
    model.learn_one({"a": 1.0}, 0)
    before = model.weight("a", 0)
    model.learn_many([{"b": 1.0}] * 20, [0, 1] * 10)
    assert before > 0.01 and model.weight("a", 0) == pytest.approx(before / 2, rel=2e-3)
    assert model.n_seen_ == n_classes + 21  # reports cover the whole stream


def test_a_weight_is_half_after_a_time() -> None:
    model = MulticlassAWMSketch("8KiB", half_life="1h", **PLAIN)
    model.learn_many([{"a": 1.0}, {"c": 1.0}, {"a": 1.0}], ["x", "y", "x"], times=[0.0, 0.0, 0.0])
    before = model.weight("a", "x")
    model.learn_one({"b": 1.0}, "y", time=3600.0)
    assert model.weight("a", "x") == pytest.approx(before / 2)
    model.learn_one({"b": 1.0}, "y", time=0.0)  # late: no time has passed
    assert model.weight("a", "x") == pytest.approx(before / 2)
    with pytest.raises(ValueError, match="row 0: the time must be finite"):
        model.learn_many([{"b": 1.0}], ["y"], times=[float("nan")])
    with pytest.raises(ValueError, match="times need a half_life that is a time"):
        MulticlassAWMSketch("8KiB", half_life=20).learn_one({"b": 1.0}, "y", time=1.0)
    with pytest.raises(ValueError, match="half_life must be at least 1 example"):
        MulticlassAWMSketch("8KiB", half_life=0.5).check_parameters()


def test_a_class_that_is_no_longer_seen_becomes_unlikely() -> None:
    fading, keeping = (MulticlassAWMSketch("8KiB", half_life=half_life) for half_life in (50, None))
    for model in (fading, keeping):
        model.learn_many([{}] * 900, ["old"] * 900)
        model.learn_many([{}] * 300, ["new"] * 300)
    assert keeping.predict_one({}) == "old" and keeping.predict_proba_one({})["old"] == pytest.approx(0.75, abs=0.01)
    assert fading.predict_one({}) == "new" and fading.predict_proba_one({})["old"] < 0.03
    assert fading.class_counts_ == {"old": 900, "new": 300}


@pytest.mark.parametrize("options", [{}, {"step": "plain"}, {"negatives": 2}], ids=["adaptive", "plain", "drawn"])
def test_forgetting_helps_where_the_words_of_the_classes_change(options: dict) -> None:
    """Half way, every topic takes the words of the next. The error is the online error of the second half."""
    (X, y), (after, labels) = news(2000, seed=1), news(2000, seed=2)
    following = dict(zip(WORDS, [*list(WORDS)[1:], next(iter(WORDS))], strict=True))
    error = {}
    for half_life in (None, 300):
        model = MulticlassAWMSketch("8KiB", half_life=half_life, **options)
        model.learn_many(X, y)
        wrong = 0
        for x, label in zip(after, labels, strict=True):
            wrong += model.predict_one(x) != following[label]
            model.learn_one(x, following[label])
        error[half_life] = wrong / len(labels)
        assert model.nbytes <= 8192
    assert error[300] < 0.9 * error[None]


@pytest.mark.parametrize("half_life", [100, "30s"])
@pytest.mark.parametrize("negatives", [None, 2])
def test_a_resumed_run_equals_one_run(half_life: float | str, negatives: int | None, tmp_path: Path) -> None:
    X, y = news(400)
    times = np.arange(400.0) if isinstance(half_life, str) else None
    part = lambda rows: None if times is None else times[rows]  # noqa: E731
    whole = MulticlassAWMSketch("4KiB", half_life=half_life, negatives=negatives, class_weight="balanced", seed=3)
    cut = whole.clone()
    whole.learn_many(X, y, times=times)
    cut.learn_many(X[:150], y[:150], times=part(slice(150)))
    cut.save(tmp_path / "cut.wms")
    again = wmsketch.load(tmp_path / "cut.wms")
    again.learn_many(X[150:], y[150:], times=part(slice(150, None)))
    again.save(tmp_path / "again.wms")
    whole.save(tmp_path / "whole.wms")
    assert (tmp_path / "again.wms").read_bytes() == (tmp_path / "whole.wms").read_bytes()


def test_merging_brings_both_to_one_time_and_gives_the_same_whichever_comes_first() -> None:
    early, late = (MulticlassAWMSketch("16KiB", half_life="10s") for _ in range(2))
    early.learn_many(*news(801, 1, ["sport", "tech", "culture"]), times=np.linspace(-7, 0, 801))
    late.learn_many(*news(800, 2, ["tech", "politics", "sport"]), times=np.full(800, 10.0))
    left, right = copy.copy(early).merge(late), copy.copy(late).merge(early)
    assert state(left) == state(right) and left.n_seen_ == 1601
    counts = [float(one._many().state()["examples_recent"][0]) for one in (early, late, left)]
    assert counts[2] == pytest.approx(counts[0] / 2 + counts[1])
    faded, fresh = early.weight("goal", "sport") / 2, late.weight("goal", "sport")
    assert min(faded, fresh) < left.weight("goal", "sport") <= max(faded, fresh) * 1.01
    only_one = MulticlassAWMSketch("16KiB", half_life="10s")  # has taken no step, but knows the time
    only_one.learn_one({"goal": 1.0}, "sport", time=20.0)
    merged = copy.copy(late).merge(only_one)
    assert state(merged) == state(copy.copy(only_one).merge(late))
    assert merged.weight("vote", "politics") == pytest.approx(late.weight("vote", "politics") / 2, rel=0.01)


def test_forgetting_very_fast_stays_finite() -> None:
    X, y = news(2000)
    for half_life, times in ((1, None), ("1ms", np.arange(2000.0))):
        model = MulticlassAWMSketch("8KiB", half_life=half_life)
        model.learn_many(X, y, times=times)
        assert np.all(np.isfinite(model.decision_function(X[:10])))


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("examples_recent", 1e9),
        ("examples_recent", -1.0),
        ("example_time", float("nan")),
        ("class_weights_scale", 0.0),
        ("class_weights_scale", float("nan")),
    ],
)
def test_damaged_state_is_refused(array: str, value: float) -> None:
    model = MulticlassAWMSketch("8KiB", half_life=50)
    model.learn_many(*news(100))
    damaged = model._many().state() | {array: np.array([value])}
    with pytest.raises(ValueError, match="the saved state is damaged"):
        copy.copy(model)._native.load_state(damaged)
