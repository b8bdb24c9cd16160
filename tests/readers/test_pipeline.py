"""Reading ahead changes only the time, not the result."""

import threading
import time

import pytest

from wmsketch.readers import read_ahead


def numbers(n, closed, fail_at=None):
    try:
        for i in range(n):
            if i == fail_at:
                raise ValueError(f"at {i}")
            yield i
    finally:
        closed.set()


def readers_alive():
    return [thread for thread in threading.enumerate() if thread.name == "wmsketch-reader" and thread.is_alive()]


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_same_items_in_order(depth):
    closed = threading.Event()
    assert list(read_ahead(numbers(100, closed), depth)) == list(range(100))
    assert closed.is_set()
    assert not readers_alive()


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_errors_come_in_order(depth):
    seen = []
    with pytest.raises(ValueError, match="at 7"):
        for item in read_ahead(numbers(100, threading.Event(), fail_at=7), depth):
            seen.append(item)
    assert seen == list(range(7))


@pytest.mark.parametrize("depth", [1, 4])
@pytest.mark.parametrize("wait", [0, 0.01])
def test_leaving_early_stops_the_thread_and_closes_the_source(depth, wait):
    closed = threading.Event()
    items = read_ahead(numbers(10**9, closed), depth)
    assert next(items) == 0
    time.sleep(wait)
    items.close()
    assert closed.is_set()
    assert not readers_alive()


def test_the_reader_never_runs_far_ahead():
    made = []

    def source():
        for i in range(1000):
            made.append(i)
            yield i

    items = read_ahead(source(), depth=3)
    for taken in range(1, 20):
        next(items)
        time.sleep(0.001)
        assert len(made) <= taken + 3 + 2
    items.close()


def test_interrupt_in_the_consumer_stops_the_thread():
    closed = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        for item in (items := read_ahead(numbers(10**9, closed))):
            if item == 5:
                items.throw(KeyboardInterrupt)
    assert closed.is_set()
