"""Several threads at one object, and processes that fork while one of them learns."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wmsketch import AWMSketch, CountMin, CountSketch, PairedCountMin, SpaceSaving

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


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_live_through_four_threads(name: str) -> None:
    counter, errors = COUNTERS[name](), []

    def work(seed: int) -> None:
        try:
            use(counter, seed)
        except BaseException as problem:
            errors.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert counter.top(5)


@pytest.mark.parametrize("name", ["count-min", "count-sketch", "space-saving"])
def test_counts_of_four_threads_add_up(name: str) -> None:
    counter = COUNTERS[name]()

    def work() -> None:
        for _ in range(50):
            counter.update_many(NAMES)
            counter.update("name-0")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.total == 4 * 50 * (len(NAMES) + 1)


def _in_child(work: Callable[[], bytes]) -> bytes:
    """What `work` returns in a forked child; a child that hangs is ended, and says so."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(20)  # ends the child, whatever it waits for
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
        assert half_changed  # it is learning nearly all of the time
