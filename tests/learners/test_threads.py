"""Several threads using one object, and processes that fork while a thread learns."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch, CountMin, CountSketch, MulticlassAWMSketch, PairedCountMin, SpaceSaving
from wmsketch.apps import PMI, Diff, Explainer

COUNTERS: dict[str, Callable[[], Any]] = {
    "count-min": lambda: CountMin("8KiB"),
    "count-sketch": lambda: CountSketch("8KiB"),
    "paired": lambda: PairedCountMin("8KiB"),
    "space-saving": lambda: SpaceSaving("8KiB"),
}
NAMES = [f"name-{i % 700}" for i in range(5000)]


def use(counter: Any, seed: int) -> None:
    """Everything that a counter can do."""
    amounts = ([1] * len(NAMES),) * (2 if isinstance(counter, PairedCountMin) else 1)
    keys = np.random.default_rng(seed).integers(0, 5000, 5000).astype(np.uint32)
    for _ in range(20):
        counter.update_many(NAMES, *amounts)
        counter.update_many(keys, *amounts)
        counter.update("one", *(part[0] for part in amounts))
        counter.top(10)
        counter.estimate("name-3")
        counter.merge(counter)
        counter.__setstate__(counter.__getstate__())


def in_four_threads(work: Callable[[int], None]) -> None:
    """Call the function with 0 to 3 concurrently, and raise the first error."""
    ready = threading.Barrier(4)

    def at_once(number: int) -> None:
        ready.wait()
        work(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(at_once, range(4)))


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Python gives another thread its turn as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_survive_four_threads(name: str) -> None:
    counter = COUNTERS[name]()
    in_four_threads(lambda seed: use(counter, seed))
    assert counter.top(5)


@pytest.mark.parametrize("name", ["count-min", "count-sketch", "space-saving"])
def test_counts_of_four_threads_add_up(name: str) -> None:
    counter = COUNTERS[name]()

    def work(_: int) -> None:
        for _ in range(50):
            counter.update_many(NAMES)
            counter.update("name-0")

    in_four_threads(work)
    assert counter.total == 4 * 50 * (len(NAMES) + 1)


def test_an_explainer_survives_four_threads() -> None:
    draw = np.random.default_rng(1)
    users = [f"user-{i}" for i in draw.integers(0, 3000, 2000)]
    frame = pd.DataFrame(
        {"user": users, "host": [f"host-{i % 7}" for i in range(2000)], "ms": draw.exponential(50, 2000)}
    )
    both, other = (Explainer("ms>100", order=2, budget="32KiB", warm_up=1000) for _ in range(2))
    for each in (both, other):
        each.learn_many(frame)

    def work(_: int) -> None:
        for _ in range(5):
            both.learn_many(frame)
            both.merge(other)
            both.top(10)
            assert both.held.held > 0
            Explainer.from_bytes(both.to_bytes())

    in_four_threads(work)
    assert both.examples == 2000 * (1 + 4 * 5 * 2)


def test_diff_survives_four_threads() -> None:
    both, other = Diff("16KiB"), Diff("16KiB")
    for each in (both, other):
        each.learn_many(NAMES, NAMES[:1000])

    def work(_: int) -> None:
        for _ in range(5):
            both.learn_many(NAMES, NAMES[:1000])
            both.merge(other)
            both.top(10)
            both.weight("name-3")
            Diff.from_bytes(both.to_bytes())

    in_four_threads(work)
    assert (both.total_a, both.total_b) == (5000 * (1 + 4 * 5 * 2), 1000 * (1 + 4 * 5 * 2))


@pytest.mark.usefixtures("many_switches")
def test_the_first_items_of_four_threads_are_all_counted() -> None:
    for _ in range(100):
        diff = Diff("16KiB")
        in_four_threads(lambda number, to=diff: to.learn_many([f"item-{number}"] * 10, ["other"]))  # type: ignore[misc]
        assert (diff.total_a, diff.total_b) == (40, 4)


@pytest.mark.usefixtures("many_switches")
def test_dicts_of_four_threads_are_all_explained() -> None:
    explainer = Explainer("ms>100", warm_up=500)

    def work(number: int) -> None:
        for part in range(20):
            explainer.learn_many(
                [{"ms": i * 37 % 200, "host": f"h{i % 5}", "user": f"{number}-{part}"} for i in range(40)]
            )
            for row in explainer.top(5):
                assert row.outliers <= explainer.outliers and 0 <= row.support <= 1
            repr(explainer)

    in_four_threads(work)
    assert explainer.examples == 4 * 20 * 40


@pytest.mark.parametrize("token", ["words", "[a-z]+"])
@pytest.mark.usefixtures("many_switches")
def test_windows_do_not_reach_into_the_text_of_another_thread(token: str) -> None:
    pmi = PMI(budget="1MiB", token=token, within="file")

    def work(number: int) -> None:
        for _ in range(100):
            pmi.learn_text("{0}left {0}middle\n{0}right".format("abcd"[number]))

    in_four_threads(work)
    assert pmi.tokens == 4 * 100 * 3
    assert all(row.pair[0][0] == row.pair[1][0] for row in pmi.top(100, sort="count") if row.count)


LEARN_ONE: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "learner": (lambda: AWMSketch("8KiB"), lambda model: model.learn_one({"a": 1.0}, True)),
    "many classes": (lambda: MulticlassAWMSketch("8KiB"), lambda model: model.learn_one({"a": 1.0}, "x")),
    "counter": (lambda: CountMin("8KiB"), lambda model: model.update("a")),
    "diff": (lambda: Diff("16KiB"), lambda model: model.learn_one("a", "a")),
    "explainer": (lambda: Explainer("ms>1"), lambda model: model.learn_one({"ms": 3, "host": "a"})),
    "pmi": (lambda: PMI(budget="1MiB"), lambda model: model.learn_text("a b c")),
}


@pytest.mark.parametrize("kind", LEARN_ONE)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_finalizer_may_use_a_model_that_is_being_saved(kind: str) -> None:
    make, learn_one = LEARN_ONE[kind]

    def work() -> bytes:
        model, used = make(), []
        for _ in range(30):
            learn_one(model)

        def use(phase: str, _: dict[str, int]) -> None:
            if phase == "stop":
                gc.callbacks.remove(use)
                learn_one(model)
                used.append(phase)
                gc.callbacks.append(use)

        before = gc.get_threshold()
        gc.callbacks.append(use)
        gc.set_threshold(1, 10**6, 10**6)  # nearly every new object of Python starts the collector
        try:
            for _ in range(5):
                model.to_bytes()
                model.top(3)
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(use)
        return b"finalized" if used else b"the collector did not run"

    assert _in_child(work) == b"finalized"


def test_four_threads_merge_two_objects_into_each_other() -> None:
    one, two = Diff("16KiB"), Diff("16KiB")
    for each in (one, two):
        each.learn_many(NAMES, NAMES)
    pairs = [(one, two), (two, one)] * 2
    in_four_threads(lambda i: pairs[i][0].merge(pairs[i][1]) and None)
    assert one.total_a >= 3 * 5000 and two.total_a >= 3 * 5000
    with pytest.raises(ValueError, match="cannot be merged with itself"):
        one.merge(one)


def _in_child(work: Callable[[], bytes]) -> bytes:
    """Return what `work` returns in a forked child; a child that hangs is killed and reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)  # kills the child if it hangs
            os.write(writing, work())
        finally:
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 1000)
    os.close(reading)
    os.waitpid(child, 0)
    return said or b"it hung"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("kind", ["learner", "batches", "counter", "explainer", "diff", "pmi"])
def test_a_child_forked_while_a_thread_learns_does_not_hang(kind: str) -> None:
    rows, labels = [{f"f{i}": 1.0 for i in range(200)}] * 2000, [True, False] * 1000
    keys = np.arange(2_000_000, dtype=np.uint32)
    visits = [{"ms": i, "host": f"h{i % 50}"} for i in range(300)]
    model, learn, learn_one = {
        "learner": (AWMSketch("64KiB"), lambda it: it.learn_many(rows, labels), lambda it: it.learn_one(rows[0], True)),
        "batches": (
            AWMSketch("64KiB"),
            lambda it: it.learn_many(rows, labels),
            lambda it: it.learn_many(rows[:1], [1]),
        ),
        "counter": (CountMin("8KiB"), lambda it: it.update_many(keys), lambda it: it.update(3)),
        "explainer": (Explainer("ms>9"), lambda it: it.learn_many(visits), lambda it: it.learn_one({"ms": 3})),
        "diff": (Diff("16KiB"), lambda it: it.learn_many(NAMES, NAMES), lambda it: it.learn_one("a", "a")),
        "pmi": (PMI(budget="1MiB"), lambda it: it.learn_text("tea and jam " * 5000), lambda it: it.learn_text("a b")),
    }[kind]
    quiet: Any = AWMSketch("8KiB")
    quiet.learn_one({"a": 1.0}, True)
    stop = threading.Event()

    def learn_on() -> None:
        while not stop.is_set():
            learn(model)

    def ask() -> bytes:
        assert quiet.predict_proba_one({"a": 1.0})
        try:
            learn_one(model)
        except RuntimeError as problem:
            return str(problem).encode()
        return b"it was free"

    thread = threading.Thread(target=learn_on)
    thread.start()
    try:
        time.sleep(0.2)
        said = {_in_child(ask) for _ in range(20)}
    finally:
        stop.set()
        thread.join()
    half_changed = [answer for answer in said if b"a thread was changing this object when the process forked" in answer]
    assert said - {b"it was free"} == set(half_changed)
    if kind in ("batches", "counter", "pmi"):
        assert half_changed  # the thread is learning nearly all of the time


def test_a_probability_is_that_of_one_state_of_the_model() -> None:
    draw = np.random.default_rng(5)
    parts = [draw.normal(size=(40, 3)) for _ in range(300)]
    labels = [part[:, 0] > draw.normal() for part in parts]
    row = {0: 1.5, 1: -0.5, 2: 0.25}
    alone, shared, known = AWMSketch("2KiB"), AWMSketch("2KiB"), set()
    for model in (alone, shared):
        model.learn_many(parts[0], labels[0])
    for part, label in zip(parts, labels, strict=True):
        alone.learn_many(part, label)
        known.add(alone.predict_proba_one(row)[True])
    shared.learn_many(parts[0], labels[0])
    found: set[float] = set()
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            found.add(shared.predict_proba_one(row)[True])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for part, label in zip(parts[1:], labels[1:], strict=True):
        shared.learn_many(part, label)
    ended.set()
    for thread in threads:
        thread.join()
    assert found and found <= known


@pytest.mark.usefixtures("many_switches")
def test_classes_may_come_while_another_thread_asks() -> None:
    model = MulticlassAWMSketch("256KiB")
    model.learn_one({"a": 1.0}, "class-0")
    done = threading.Event()

    def learn() -> None:
        for number in range(1, 400):
            model.learn_one({"a": 1.0}, f"class-{number}")
        done.set()

    learner = threading.Thread(target=learn)
    learner.start()
    while not done.is_set():
        assert str(model.predict_one({"a": 1.0})).startswith("class-")
        assert abs(sum(model.predict_proba_one({"a": 1.0}).values()) - 1) < 1e-9
        assert abs(model.predict_proba([{"a": 1.0}]).sum() - 1) < 1e-9
        assert sum(model.class_counts_.values()) >= 1
        model.decision_function([{"a": 1.0}])
    learner.join()
    assert len(model.predict_proba_one({"a": 1.0})) == 400
