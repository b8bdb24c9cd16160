"""Regression tests: one for each defect that users found."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.learners.learners_under_test import EVERY_LEARNER, state
from wmsketch import AWMSketch, HeavyFeature, LogisticRegression, MulticlassAWMSketch, WMSketch, _core, size_for
from wmsketch.learners.models.introspection import learn_block
from wmsketch.learners.sizes.durations import parse_seconds
from wmsketch.learners.sizes.half_life import half_life_config


@pytest.mark.parametrize("keys", [np.array([7, 2**32 + 7]), [7, 2**32 + 7], np.array([-1])])
def test_weights_do_not_wrap_ids_over_32_bits(keys: Any) -> None:
    model, many = AWMSketch("2KiB"), MulticlassAWMSketch("4KiB")
    model.learn_one({7: 1.0}, True)
    many.learn_one({7: 1.0}, "a")
    with pytest.raises(ValueError, match=r"must be (from|between) 0 (to|and) 4294967295, got (4294967303|-1)"):
        model.weights(keys)
    with pytest.raises(ValueError, match="4294967295"):
        many.weights(keys, "a")


def test_weights_of_names_and_rows() -> None:
    model = AWMSketch("2KiB")
    model.learn_many([{"a": 1.0}, {"b": 1.0}], [True, False])
    assert model.weights(["a", "b", "c"]).tolist() == [model.weight(name) for name in "abc"]
    assert model.weights(model.top(2)).tolist() == [row.weight for row in model.top(2)]
    with pytest.raises(TypeError, match="a feature must be a string or an integer"):
        model.weights([1.5])


# --- times ---


@pytest.mark.parametrize("name", [name for name in EVERY_LEARNER if name != "WMSketch-exact"])  # an average of all
def test_a_half_life_in_time_needs_times(name: str) -> None:
    model = EVERY_LEARNER[name](half_life="10min")
    calls = [
        lambda: model.learn_one({"a": 1.0}, True),
        lambda: model.learn_many([{"a": 1.0}], [True]),
        lambda: model.partial_fit([[1.0]], [True]),
        lambda: model.fit([[1.0], [2.0]], [True, False]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="half_life is a time, so every example needs one: give time or times"):
            call()
        assert not model._started
    model.learn_one({"a": 1.0}, True, time=0.0)
    before = state(model)
    with pytest.raises(ValueError, match="give time or times"):
        model.learn_one({"a": 1.0}, True)
    assert state(model) == before


@pytest.mark.parametrize("half_life", ["10m", "600 s", "0.16666666666666666h"])
def test_half_lives_in_all_units(half_life: str) -> None:
    model, same = AWMSketch("2KiB", half_life=half_life), AWMSketch("2KiB", half_life="10min")
    for each in (model, same):
        each.learn_one({"a": 1.0}, True, time=0.0)
        each.learn_one({"b": 1.0}, True, time=600.0)
    assert state(model) == state(same)
    again = AWMSketch.from_bytes(model.to_bytes())
    assert half_life_config(again.half_life) == half_life_config("10min")


@pytest.mark.parametrize(
    "time",
    [
        np.datetime64("2024-05-17T08:30:00"),
        datetime(2024, 5, 17, 8, 30),
        datetime(2024, 5, 17, 8, 30, tzinfo=UTC),
        pd.Timestamp("2024-05-17T08:30:00"),
        1715934600,
        np.float64(1715934600),
    ],
)
def test_times_of_all_kinds(time: Any) -> None:
    model, many = AWMSketch("2KiB", half_life="1h"), AWMSketch("2KiB", half_life="1h")
    for _ in range(10):  # the first rows are held
        model.learn_one({1: 1.0}, True, time=time)
    many.learn_many([{1: 1.0}] * 10, [True] * 10, times=[time] * 10)
    for each in (model, many):
        assert each._learner().state()["time"].tolist() == [1715934600.0]


def test_times_since_a_beginning() -> None:
    model = AWMSketch("2KiB", half_life="1h")
    times = [timedelta(seconds=5)] * 9 + [timedelta(minutes=1)]
    model.learn_many([{1: 1.0}] * 10, [True] * 10, times=times)
    assert model._learner().state()["time"].tolist() == [60.0]


@pytest.mark.parametrize("text", ["2m", "2min", "120s", "120000ms", "2 MIN"])
def test_durations_have_one_notation(text: str) -> None:
    assert parse_seconds(text) == half_life_config(text)["half_life"] == 120.0


# --- sizes ---


def test_a_theoretical_size_is_accepted_by_the_sketch() -> None:
    size = size_for(0.5, 0.1, n_features=1000, l2=0.1)
    assert size.depth * size.width >= size.k
    model = WMSketch(depth=size.depth, width=size.width, active_set_size=8)
    model.learn_one({1: 1.0}, True)
    assert size_for(0.9, 0.9, n_features=2, l2=1.0).depth == size_for(0.9, 0.9, n_features=2, l2=1.0).rows_asked


# --- shortened names ---


def shortened_model(make: Any = AWMSketch) -> tuple[Any, list[str]]:
    model = make(budget="2KiB")
    names = [f"a name that is far too long for so small a budget, number {i}" for i in range(60)]
    for i, name in enumerate(names):
        model.learn_one({name: 1.0 + i}, bool(i % 2))
    return model, names


@pytest.mark.parametrize("make", [AWMSketch, MulticlassAWMSketch])
def test_a_shortened_name_is_found_by_its_row(make: Any) -> None:
    model, names = shortened_model(make)
    rows = [row for row in model.top(1000) if row.shortened]
    assert rows
    for row in rows:
        assert model.weight(row) == pytest.approx(row.weight)
        low, high = model.interval(row)
        assert low <= row.weight <= high or np.isnan(low)
        assert row.key in {model._native.key_of(name) for name in names}


def test_a_shortened_name_is_never_answered_with_the_weight_of_another() -> None:
    model, _ = shortened_model()
    rows = model.top(1000)
    assert len({row.feature for row in rows}) == len(rows)  # truncated names remain distinct
    assert all(model.weight(row.feature) == row.weight for row in rows)
    alike = next(row.feature for row in rows if not row.feature.endswith("…") and row.shortened)
    with pytest.raises(ValueError, match="features that are held: ask by the whole name, by the row or its key"):
        model.weight(alike.partition("#")[0])
    with pytest.raises(ValueError, match="no feature that is held"):
        model.weight("never seen…")


def test_names_that_really_end_with_the_mark() -> None:
    model = LogisticRegression()
    model.learn_one({"wait…": 1.0}, True)
    assert model.weight("wait…") == model.top(1)[0].weight
    integers = AWMSketch("2KiB")
    integers.learn_one({1: 1.0}, True)
    assert integers.weight("wait…") == 0.0
    assert HeavyFeature("a", 1.0, 0.0, 2.0, key=3) == HeavyFeature("a", 1.0, 0.0, 2.0)


# --- the first call ---


@pytest.mark.parametrize("make", [AWMSketch, MulticlassAWMSketch])
@pytest.mark.parametrize("call", ["one", "many", "partial_fit"])
def test_threads_that_race_for_the_first_example(make: Any, call: str) -> None:
    for _ in range(20):
        model, barrier = make("2KiB"), threading.Barrier(4)
        learn = {
            "one": lambda model=model: model.learn_one({1: 1.0}, True),
            "many": lambda model=model: model.learn_many([{1: 1.0}], [True]),
            "partial_fit": lambda model=model: model.partial_fit([[0.0, 1.0]], [True]),
        }[call]

        def run(barrier: threading.Barrier = barrier, learn: Any = learn) -> None:
            barrier.wait()
            learn()

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert model.n_seen_ == 4


@pytest.mark.parametrize("name", EVERY_LEARNER)
def test_a_failed_call_leaves_no_trace(name: str) -> None:
    huge = 10**400  # fits into no float; an infinite number of a named column would be a category
    X, bad = [[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [float("inf"), 1.0]]
    frame = pd.DataFrame(X, columns=["a", "b"])
    calls: list[Any] = [
        lambda model: model.learn_one({"a": huge}, 1),
        lambda model: model.learn_one({"a": b"bytes"}, 1),
        lambda model: model.learn_one({"a": 1.0}, 1, w=-1.0),
        lambda model: model.learn_many([{"a": 1.0}, {"a": huge}], [1, 0]),
        lambda model: model.learn_many([{"a": 1.0}, {"a": {"b": object()}}], [1, 0]),
        lambda model: model.learn_many([{"a": 1.0}], [1], sample_weight=[-1.0]),
        lambda model: model.fit(bad, [1, 0]),
        lambda model: model.fit(frame, [1, 0], sample_weight=[1.0, -1.0]),
        lambda model: model.fit(frame, [1, 0, 1]),
        lambda model: model.fit(frame, [1.5, 0.5]),
        lambda model: model.partial_fit(bad, [1, 0]),
        lambda model: model.partial_fit(frame, [1, 0], sample_weight=[1.0, -1.0]),
    ]
    for call in calls:
        fresh = EVERY_LEARNER[name]()
        before = dict(fresh.__dict__)
        with pytest.raises((ValueError, TypeError)):
            call(fresh)
        assert fresh.__dict__ == before, "a model that has learned nothing"
        running = EVERY_LEARNER[name]()
        running.learn_one({"a": 1.0}, 1)  # it is not known yet whether the other label is 0 or -1
        known, learned = dict(running.__dict__), (state(running), running._labels.__dict__.copy())
        with pytest.raises((ValueError, TypeError)):
            call(running)
        assert running.__dict__ == known
        assert (state(running), running._labels.__dict__) == learned


@pytest.mark.parametrize("name", EVERY_LEARNER)
def test_a_failed_block_leaves_no_trace(name: str) -> None:
    model = EVERY_LEARNER[name]()
    many = isinstance(model, MulticlassAWMSketch)
    block = _core.LibsvmParser(many_classes=many).feed(b"1 7:2\n-1 9:1\n", True)
    with pytest.raises(ValueError, match="weight"):
        learn_block(model, block, sample_weight=np.array([1.0, -1.0], dtype=np.float32))
    assert not model._started
    learn_block(model, block)
    assert model.n_seen_ == 2


def test_a_failed_call_does_not_settle_the_labels() -> None:
    model = AWMSketch("2KiB")
    model.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="column a must be a number that fits into a float"):
        model.learn_one({"a": 10**400}, 0)
    model.learn_one({"a": 1.0}, -1)
    assert model.classes_.tolist() == [-1, 1]


# --- the name "" ---


@pytest.mark.parametrize("make", [AWMSketch, LogisticRegression, MulticlassAWMSketch])
def test_the_empty_name_is_a_name(make: Any) -> None:
    model = make()
    model.learn_many([{"": 1.0, "b": 0.1}, {"c": 1.0}] * 5, [True, False] * 5)
    label = {"label": True} if make is MulticlassAWMSketch else {}
    rows = {row.feature: row for row in model.top(10, **label)}
    assert "" in rows and not any(isinstance(feature, int) for feature in rows)
    assert model.weight("", **label) == rows[""].weight > 0
    assert [row.feature for row in model.explain_one({"": 1.0})] == [""]
    before = model.copy()
    model.learn_one({"": 5.0}, False)
    if make is not MulticlassAWMSketch:
        assert model.changes_since(before, 1)[0].feature == ""


def test_the_empty_name_is_not_taken_for_the_intercept() -> None:
    model = MulticlassAWMSketch("4KiB", fit_intercept=True)
    with pytest.raises(ValueError, match="the empty name is reserved for the intercept"):
        model.learn_one({"": 1.0}, "a")
    assert not model._started
