"""Bad input for counters raises a ValueError that names the problem, and changes nothing."""

import numpy as np
import pytest

from tests.learners.test_counters import EVERY, SKETCHES, count, state
from wmsketch.learners.models.counters import CountMin, PairedCountMin, SpaceSaving


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([1, -1], r"keys\[1\] must be at least 0, got -1"),
        ([1, 2**32], r"keys\[1\] .* got 4294967296"),
        ([1, 2**70], r"keys\[1\] .* got"),
        (np.array([5, 2**32]), r"keys\[1\] .* got 4294967296"),
        ([1.5], r"keys\[0\] .* got 1.5"),
        ([float("nan")], r"keys\[0\] .* got nan"),
        ([None, "a"], r"keys must be all strings or all integers, but keys\[0\] is None"),
        (["a", 3], r"keys must be all strings or all integers, but keys\[1\] is 3"),
        (["a", ""], "empty string"),
        (["a", "\ud800"], "surrogates"),
        ([[1, 2]], "got 2 dimensions"),
    ],
)
def test_bad_keys_are_refused(make, keys, message):
    counter = make()
    count(counter, ["x", "y"])
    before = state(counter)
    with pytest.raises(ValueError, match=message):
        count(counter, keys)
    assert state(counter) == before


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("key", [-1, 2**32, 1.5, float("nan"), None, "", "\ud800", b"bytes", [1]])
def test_a_bad_key_is_refused(make, key):
    counter = make()
    before = state(counter)
    for ask in (counter.update, counter.estimate):
        with pytest.raises(ValueError):
            ask(key)
    assert state(counter) == before


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize(
    ("amounts", "message"),
    [
        ([1, float("nan")], r"\w+\[1\] must be an integer, got nan"),
        ([1, float("inf")], r"\w+\[1\] must be an integer, got inf"),
        ([1, 0.5], r"\w+\[1\] must be an integer, got 0.5"),
        ([1, 2**64], r"\w+\[1\] must be at most \d+, got 18446744073709551616"),
        ([1, "2"], r"\w+\[\d\] must be an integer"),
        ([1], "must be as many as there are keys"),
        ([], "must be as many as there are keys"),
        (None, "must be an integer"),
        (0.5, "must be an integer"),
    ],
)
def test_bad_amounts_are_refused(make, amounts, message):
    counter = make()
    count(counter, ["x", "y"])
    before = state(counter)
    with pytest.raises(ValueError, match=message):
        counter.update_many([1, 2], amounts)
    assert state(counter) == before


@pytest.mark.parametrize("make", [CountMin, SpaceSaving, PairedCountMin])
def test_negative_amounts_are_rejected_if_they_would_break_guarantees(make):
    counter = make()
    before = state(counter)
    with pytest.raises(ValueError, match=r"must be at least 0, got -1"):
        counter.update("x", -1)
    with pytest.raises(ValueError, match=r"\w+\[1\] must be at least 0, got -1"):
        counter.update_many(["x", "y"], [1, -1])
    assert state(counter) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0}, "width must be at least 1"),
        ({"width": 2.5}, "width must be an integer"),
        ({"depth": 0}, "depth must be at least 1, got 0"),
        ({"depth": 65}, "depth .* got 65"),
        ({"seed": -1}, "seed .* got -1"),
        ({"top_size": -1}, "top_size .* got -1"),
        ({"name_bytes": 3}, "name_bytes must be 0 .* or at least 5, got 3"),
        ({"hash_family": "md5"}, "hash_family must be .* got 'md5'"),
        ({"budget": "8 bananas"}, "got '8 bananas'"),
        ({"budget": "40B"}, "budget '40B' is too small"),
        ({"budget": "1KiB", "top_size": 100}, "budget '1KiB' is too small"),
        ({"budget": "1KiB", "width": 1000}, "budget '1KiB' is too small"),
    ],
)
@pytest.mark.parametrize("make", SKETCHES)
def test_bad_shapes_are_refused(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_bad_sizes_of_space_saving_are_refused():
    for arguments, message in [
        ({"capacity": 0}, "capacity .* got 0"),
        ({"budget": "20B"}, "budget '20B' is too small"),
        ({"budget": "1KiB", "capacity": 1000}, "capacity 1000 needs"),
        ({"budget": 0}, "got 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            SpaceSaving(**arguments)


@pytest.mark.parametrize("make", EVERY)
def test_names_need_room_and_top_a_number(make):
    counter = make(name_bytes=0)
    count(counter, [1, 2, 3])
    with pytest.raises(ValueError, match="string keys need name_bytes above 0, got the key 'x'"):
        counter.update("x")
    with pytest.raises(ValueError, match="k must be at least 0"):
        counter.top(-1)
    assert len(counter.top(2)) == 2
