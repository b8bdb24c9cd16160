import copy
import pickle
import threading
from collections import Counter as ExactCounter
from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmsketch.learners.models.counters import CountMin, CountSketch, PairedCountMin, SpaceSaving

ONE_STREAM = [CountMin, lambda **kw: CountMin(conservative=True, **kw), CountSketch, SpaceSaving]
EVERY = [*ONE_STREAM, PairedCountMin]
SKETCHES = [CountMin, CountSketch, PairedCountMin]


def zipf_stream(n, seed, n_keys=20_000):
    """A few frequent keys and many rare ones, like words or addresses."""
    return (np.random.default_rng(seed).zipf(1.2, n) % n_keys).astype(np.uint32)


def count(counter, keys):
    counter.update_many(keys, a=1) if isinstance(counter, PairedCountMin) else counter.update_many(keys)


def state(counter):
    return pickle.dumps(counter.__getstate__())


# Guarantees of each counter, compared with exact counts.


@pytest.mark.parametrize("conservative", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_count_min_is_never_too_low_and_its_bound_holds(depth, conservative):
    keys = zipf_stream(50_000, seed=depth)
    counter = CountMin(depth=depth, width=500, seed=3, conservative=conservative)
    counter.update_many(keys)
    rows = [(true, counter.estimate(key)) for key, true in ExactCounter(keys.tolist()).items()]
    assert all(true <= row.count == row.high for true, row in rows)
    assert np.mean([row.low <= true for true, row in rows]) >= 0.95
    assert counter.total == 50_000


def test_conservative_counts_are_closer():
    keys = zipf_stream(50_000, seed=5)
    plain, conservative = CountMin(depth=3, width=500), CountMin(depth=3, width=500, conservative=True)
    plain.update_many(keys)
    conservative.update_many(keys)
    exact = ExactCounter(keys.tolist())
    errors = [sum(c.estimate(key).count - true for key, true in exact.items()) for c in (plain, conservative)]
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.parametrize("hash_family", ["mixer", "tabulation", "polynomial"])
@pytest.mark.parametrize("depth", [1, 4, 5])
def test_count_sketch_errs_within_epsilon_of_the_norm(depth, hash_family):
    keys = zipf_stream(50_000, seed=depth)
    width = 400
    counter = CountSketch(depth=depth, width=width, seed=1, hash_family=hash_family)
    counter.update_many(keys)
    exact = ExactCounter(keys.tolist())
    norm = sqrt(sum(true**2 for true in exact.values()))
    rows = [(true, counter.estimate(key)) for key, true in exact.items()]
    errors = np.array([row.count - true for true, row in rows])
    # Chebyshev: the error of a row exceeds 3 * norm / sqrt(width) in at most 1/9 of cases, that of the median far less
    # often
    assert np.mean(np.abs(errors) > 3 / sqrt(width) * norm) < 1 / 9
    assert abs(np.mean(errors)) < norm / sqrt(width)
    assert np.mean([row.low <= true <= row.high for true, row in rows]) >= 0.95


def test_error_bars_of_the_count_sketch_are_narrow():
    keys = zipf_stream(50_000, seed=8)
    counter = CountSketch(depth=5, width=400)
    counter.update_many(keys)
    error = np.std([counter.estimate(key).count - true for key, true in ExactCounter(keys.tolist()).items()])
    heaviest = counter.top(1)[0]
    assert (heaviest.high - heaviest.low) / 2 < 8 * error
    assert heaviest.low > 0.9 * heaviest.count


@pytest.mark.parametrize("capacity", [1, 10, 200])
def test_space_saving_bounds_are_sure_and_frequent_keys_are_listed(capacity):
    keys = zipf_stream(30_000, seed=capacity)
    counter = SpaceSaving(capacity=capacity)
    counter.update_many(keys)
    exact = ExactCounter(keys.tolist())
    listed = {row.feature for row in counter.top(capacity)}
    for key, true in exact.items():
        row = counter.estimate(key)
        assert row.low <= true <= row.high
        assert key in listed or true <= 30_000 / capacity
        assert key in listed or row.low == 0


def test_count_sketch_counts_differences():
    counter = CountSketch()
    counter.update_many(["up", "same", "down"], [5, 3, 0])
    counter.update_many(["up", "same", "down"], [0, -3, -7])
    assert [(row.feature, row.count) for row in counter.top(2)] == [("down", -7), ("up", 5)]
    assert counter.estimate("same").count == 0


def test_paired_count_min_finds_differences():
    rng = np.random.default_rng(1)
    common = rng.integers(0, 2000, 40_000)
    pair = PairedCountMin("64KiB", seed=2)
    pair.update_many(np.concatenate([common, np.repeat([5000, 5001], 300)]), a=1)
    pair.update_many(np.concatenate([common, np.repeat([6000], 400)]), b=1)
    assert {row.feature for row in pair.top(3)} == {5000, 5001, 6000}
    row = pair.estimate(5000)
    assert row.low <= log(301 / 1) <= row.high
    assert pair.log_ratio(5000) > 3 > -3 > pair.log_ratio(6000)
    assert pair.ratio(6000) < 1 / 20
    assert (pair.total_a, pair.total_b) == (40_600, 40_400)


def test_bounds_of_a_pair_hold():
    a, b = zipf_stream(30_000, seed=1), zipf_stream(30_000, seed=2) * 3 % 20_000
    pair = PairedCountMin(depth=3, width=1000)
    pair.update_many(a, a=1)
    pair.update_many(b, b=1)
    in_a, in_b = ExactCounter(a.tolist()), ExactCounter(b.tolist())
    rows = {key: pair.estimate(key) for key in in_a | in_b}
    inside = [row.low <= log((in_a[key] + 1) / (in_b[key] + 1)) <= row.high for key, row in rows.items()]
    assert np.mean(inside) >= 0.95


def test_a_pair_without_smoothing_may_be_infinite():
    pair = PairedCountMin(smoothing=0)
    assert pair.ratio("unseen") == 1.0
    pair.update("x", a=2)
    assert pair.log_ratio("x") == inf
    pair.update("y", b=2)
    assert pair.ratio("y") == 0.0


# Bytes.


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("budget", ["2KiB", "8KB", "32KiB", 100_000])
def test_bytes_fill_the_budget_and_never_exceed_it(make, budget):
    counter = make(budget=budget)
    limit = {"2KiB": 2048, "8KB": 8000, "32KiB": 32768}.get(budget, budget)
    assert 0.9 * limit < counter.nbytes <= limit
    before = counter.nbytes
    count(counter, [f"a rather long name, number {i}" for i in range(5000)])
    assert counter.nbytes == before


def test_explicit_shapes_use_the_reported_bytes():
    cells, seeds, empty_index = 3 * 100 * 4, 3 * 8, 4
    assert CountMin(depth=3, width=100, top_size=0).nbytes == cells + seeds + empty_index
    assert CountSketch(depth=3, width=100, top_size=0).nbytes == cells + seeds + empty_index
    assert PairedCountMin(depth=3, width=100, top_size=0).nbytes == 2 * (cells + seeds) + empty_index
    assert CountMin("8KiB", depth=2, width=100, top_size=16).nbytes < 8192
    heap, counts, names = 64 * 12 + 128 * 4, 64 * 16, 64 * (4 + 24)
    assert SpaceSaving(capacity=64).nbytes == heap + counts + names


# Keys and names.


@pytest.mark.parametrize("make", ONE_STREAM)
def test_integers_stay_integers_and_strings_stay_strings(make):
    counter = make(budget="16KiB")
    counter.update(2**32 - 1, 5)
    counter.update("Österreich", 7)
    counter.update(np.int64(0), 3)
    assert [(row.feature, row.count) for row in counter.top()] == [("Österreich", 7), (2**32 - 1, 5), (0, 3)]
    assert counter.estimate("Österreich").count == 7
    assert counter.estimate("never seen").low == 0


@pytest.mark.parametrize("make", EVERY)
def test_long_names_say_that_they_were_shortened(make):
    counter = make(budget="2KiB")
    names = [f"{i:03d} " + "é" * 200 for i in range(40)]
    count(counter, names)
    for row in counter.top():
        start = row.feature.removesuffix("…")
        assert row.feature in names or (row.feature.endswith("…") and any(name.startswith(start) for name in names))
    assert any(row.feature.endswith("…") for row in counter.top())


@pytest.mark.parametrize("make", ONE_STREAM)
@pytest.mark.parametrize("kind", ["list", "array", "object", "generator", "pandas", "polars", "arrow"])
def test_batches_of_strings_of_every_kind(make, kind):
    words = ["tea", "milk", "tea", "sugar", "tea"]
    if kind in ("pandas", "polars", "arrow"):
        library = pytest.importorskip({"arrow": "pyarrow"}.get(kind, kind))
        keys = library.array(words) if kind == "arrow" else library.Series(words)
    else:
        keys = {"list": words, "array": np.array(words), "object": np.array(words, dtype=object)}.get(kind, iter(words))
    counter = make()
    counter.update_many(keys)
    assert counter.top(1)[0].feature == "tea"
    assert counter.top(1)[0].count == 3


@pytest.mark.parametrize("make", EVERY)
def test_batches_equal_single_updates(make):
    rng = np.random.default_rng(7)
    keys, amounts = rng.integers(0, 300, 2000), rng.integers(0, 9, 2000)
    for some_keys in (keys, [f"word {key}" for key in keys]):
        batch, loop = make(budget="4KiB"), make(budget="4KiB")
        batch.update_many(some_keys, amounts)
        for key, amount in zip(some_keys, amounts, strict=True):
            loop.update(key, amount)
        assert state(batch) == state(loop)


def test_amounts_may_be_whole_floats_or_one_for_all():
    counter = CountMin()
    counter.update_many([1, 2], np.array([2.0, 3.0]))
    counter.update_many([1, 2], 10)
    counter.update_many([], [])
    assert (counter.estimate(1).count, counter.estimate(2).count) == (12, 13)


# Merging.


def test_merged_cells_are_those_of_one_long_run():
    left, right = zipf_stream(20_000, seed=1), zipf_stream(30_000, seed=2)
    for make in (CountMin, CountSketch):
        whole, a, b = (make(depth=3, width=300, seed=9) for _ in range(3))
        whole.update_many(np.concatenate([left, right]))
        a.update_many(left)
        b.update_many(right)
        a.merge(b)
        assert np.array_equal(a.cells, whole.cells)
        assert a.total == whole.total == 50_000
        assert [row.feature for row in a.top(5)] == [row.feature for row in whole.top(5)]


def test_merged_conservative_counts_are_never_too_low():
    left, right = zipf_stream(20_000, seed=1), zipf_stream(30_000, seed=2)
    a, b = (CountMin(depth=3, width=300, conservative=True) for _ in range(2))
    a.update_many(left)
    b.update_many(right)
    a.merge(b)
    exact = ExactCounter(left.tolist()) + ExactCounter(right.tolist())
    assert all(a.estimate(key).high >= true for key, true in exact.items())


def test_guarantees_of_merged_space_saving_hold():
    left, right = zipf_stream(20_000, seed=1), zipf_stream(3_000, seed=2)
    a, b = SpaceSaving(capacity=50), SpaceSaving(capacity=50)
    a.update_many([f"w{key}" for key in left])
    b.update_many([f"w{key}" for key in right])
    a.merge(b)
    exact = ExactCounter(left.tolist()) + ExactCounter(right.tolist())
    listed = {row.feature for row in a.top(50)}
    for key, true in exact.items():
        row = a.estimate(f"w{key}")
        assert row.low <= true <= row.high
        assert f"w{key}" in listed or true <= 23_000 / 50


@pytest.mark.parametrize("make", SKETCHES)
@pytest.mark.parametrize(("parameter", "other"), [("depth", 3), ("width", 101), ("seed", 1)])
def test_merging_names_what_differs_and_changes_nothing(make, parameter, other):
    shape = {"depth": 2, "width": 100, "seed": 0}
    a, b = make(**shape), make(**{**shape, parameter: other})
    count(a, ["x"])
    before = state(a)
    with pytest.raises(ValueError, match=rf"{parameter} differs \({shape[parameter]} and {other}\)"):
        a.merge(b)
    assert state(a) == before


def test_merging_different_things_is_refused():
    with pytest.raises(ValueError, match="cannot merge CountMin with CountSketch"):
        CountMin().merge(CountSketch())
    with pytest.raises(ValueError, match="capacity differs"):
        SpaceSaving(capacity=3).merge(SpaceSaving(capacity=4))
    with pytest.raises(ValueError, match="conservative differs"):
        CountMin(width=9).merge(CountMin(width=9, conservative=True))
    with pytest.raises(ValueError, match="smoothing differs"):
        PairedCountMin().merge(PairedCountMin(smoothing=2))


# Copies.


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_continue_identically_and_independently(make, twin_of):
    counter = make(budget="4KiB")
    count(counter, [f"word {key}" for key in zipf_stream(3000, seed=1)])
    twin = twin_of(counter)
    assert twin.top(1000) == counter.top(1000)
    assert state(twin) == state(counter)
    before = state(counter)
    more = [f"word {key}, with something to say" for key in zipf_stream(3000, seed=2)]
    count(twin, more)
    assert state(counter) == before
    count(counter, more)
    assert state(twin) == state(counter)


@pytest.mark.parametrize("make", EVERY)
def test_repr_makes_the_same_counter_again(make):
    counter = make(budget="8KiB")
    assert state(eval(repr(counter))) == state(counter)


# Properties that hold for any stream.

streams = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2**33)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(stream=streams, width=st.integers(1, 8), depth=st.integers(1, 4), seed=st.integers(0, 2**64 - 1))
def test_bounds_hold_for_any_stream(stream, width, depth, seed):
    exact = ExactCounter()
    for key, amount in stream:
        exact[key] += amount
    keys, amounts = [key for key, _ in stream], [amount for _, amount in stream]
    space_saving = SpaceSaving(capacity=5)
    count_min = CountMin(depth=depth, width=width, seed=seed, top_size=4)
    for counter in (space_saving, count_min):
        counter.update_many(keys, amounts)
        assert all(counter.estimate(key).high >= true for key, true in exact.items())
    assert all(space_saving.estimate(key).low <= true for key, true in exact.items())


def test_counters_in_two_threads_are_independent():
    streams = [zipf_stream(200_000, seed) for seed in (1, 2)]
    alone, threaded = [CountMin(), CountMin()], [CountMin(), CountMin()]
    threads = [threading.Thread(target=c.update_many, args=(keys,)) for c, keys in zip(threaded, streams, strict=True)]
    for thread in threads:
        thread.start()
    for counter, keys in zip(alone, streams, strict=True):
        counter.update_many(keys)
    for thread in threads:
        thread.join()
    assert [state(counter) for counter in threaded] == [state(counter) for counter in alone]


# The same verbs as the learners.


@pytest.mark.parametrize("make", EVERY)
def test_the_verbs_of_the_learners(make, tmp_path):
    one, many, river = make(budget="4KiB"), make(budget="4KiB"), make(budget="4KiB")
    words = ["tea", "milk", "tea"]
    amount = {"a": 1} if isinstance(one, PairedCountMin) else {}
    for word in words:
        one.learn_one(word, **amount)
    many.learn_many(words, **amount)
    river.update_many(words, **amount)
    assert state(one) == state(many) == state(river)
    assert one.copy().merge(many).estimate("tea") == eval(repr(one)).merge(one).merge(many).estimate("tea")
    assert one.top(5).to_frame()["feature"].tolist()[0] == "tea"
    assert "<td>tea</td>" in one.top(5)._repr_html_()
    one.save(tmp_path / "c.wms")
    assert type(one).load(tmp_path / "c.wms").nbytes == one.nbytes


@pytest.mark.parametrize("make", EVERY)
def test_a_shortened_name_is_found_by_its_row(make):
    counter = make(budget="4KiB", name_bytes=5)
    words = [f"{i} is the number of a long name" for i in range(20)]
    count(counter, words)
    rows = counter.top(100)
    assert any(row.feature.endswith("…") for row in rows)
    for row in rows:
        assert counter.estimate(row) == row
        if [other.feature for other in rows].count(row.feature) == 1:
            assert counter.estimate(row.feature) == row
        else:
            with pytest.raises(ValueError, match="ask by the whole name"):
                counter.estimate(row.feature)
    with pytest.raises(ValueError, match="no feature that is held"):
        counter.estimate("never…")
