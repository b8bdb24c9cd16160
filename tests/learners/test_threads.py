"""Several threads using one object, and processes that fork while a thread learns."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch, CountMin, CountSketch, PairedCountMin, SpaceSaving
from wmsketch.apps import Deltoids, Explainer

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
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


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


def test_deltoids_survive_four_threads() -> None:
    both, other = Deltoids("16KiB"), Deltoids("16KiB")
    for each in (both, other):
        each.learn_many(NAMES, NAMES[:1000])

    def work(_: int) -> None:
        for _ in range(5):
            both.learn_many(NAMES, NAMES[:1000])
            both.merge(other)
            both.top(10)
            both.weight("name-3")
            Deltoids.from_bytes(both.to_bytes())

    in_four_threads(work)
    assert (both.total_a, both.total_b) == (5000 * (1 + 4 * 5 * 2), 1000 * (1 + 4 * 5 * 2))


def test_four_threads_merge_two_objects_into_each_other() -> None:
    one, two = Deltoids("16KiB"), Deltoids("16KiB")
    for each in (one, two):
        each.learn_many(NAMES, NAMES)
    pairs = [(one, two), (two, one)] * 2
    in_four_threads(lambda i: pairs[i][0].merge(pairs[i][1]) and None)
    assert one.total_a >= 3 * 5000 and two.total_a >= 3 * 5000
    with pytest.raises(ValueError, match="both are the same"):
        one.merge(one)


def _in_child(work: Callable[[], bytes]) -> bytes:
    """Return what `work` returns in a forked child; a child that hangs is killed and reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(20)  # kills the child if it hangs
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
@pytest.mark.parametrize("kind", ["learner", "counter"])
def test_a_child_forked_while_a_thread_learns_does_not_hang(kind: str) -> None:
    model: Any = AWMSketch("64KiB") if kind == "learner" else CountMin("8KiB")
    quiet: Any = AWMSketch("8KiB")
    quiet.learn_one({"a": 1.0}, True)
    rows, stop = [{f"f{i}": 1.0 for i in range(200)}] * 2000, threading.Event()
    keys = np.arange(2_000_000, dtype=np.uint32)

    def learn() -> None:
        while not stop.is_set():
            if kind == "learner":
                model.learn_many(rows, [True, False] * 1000)
            else:
                model.update_many(keys)

    def ask() -> bytes:
        assert quiet.predict_proba_one({"a": 1.0})
        try:
            if kind == "learner":
                model.learn_one({"f0": 1.0}, True)
            else:
                model.update(3)
        except RuntimeError as problem:
            return str(problem).encode()
        return b"it was free"

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        time.sleep(0.2)
        said = {_in_child(ask) for _ in range(20)}
    finally:
        stop.set()
        thread.join()
    half_changed = [answer for answer in said if b"a thread was changing this object when the process forked" in answer]
    assert said - {b"it was free"} == set(half_changed)
    if kind == "counter":
        assert half_changed  # the thread is learning nearly all of the time
