"""Every learner passes every check."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp

import wmsketch
from tests.learners.learners_under_test import EVERY_LEARNER, Make, as_dicts, state, stream
from wmsketch import _core
from wmsketch.learners.sizes.budget import parse_bytes


def same_input_gives_the_same_bytes(make: Make) -> None:
    X, y = stream()
    one, two = make(seed=7), make(seed=7)
    one.learn_many(X, y)
    two.learn_many(X, y)
    assert state(one) == state(two)


def batch_equals_one_by_one(make: Make) -> None:
    X, y = stream()
    batch, loop = make(), make()
    batch.learn_many(X, y)
    for x, label in zip(as_dicts(X), y, strict=True):
        loop.learn_one(x, bool(label))
    assert state(batch) == state(loop)


def batches_may_be_cut_anywhere(make: Make) -> None:
    X, y = stream()
    whole, cut = make(), make()
    whole.learn_many(X, y)
    for first, last in ((0, 1), (1, 150), (150, 150), (150, 400)):
        cut.learn_many(X[first:last], y[first:last])
    assert state(whole) == state(cut)


def every_instruction_set_gives_the_same_bits(make: Make) -> None:
    X, y = stream()
    found = []
    try:
        for name in _core.all_kernels():
            _core.choose_kernels(name)
            model = make()
            model.learn_many(X, y)
            found.append((state(model), model.decision_function_one(as_dicts(X)[3])))
    finally:
        _core.choose_kernels()
    assert all(each == found[0] for each in found)


def index_and_value_types_do_not_matter(make: Make) -> None:
    X, y = stream()
    expected = make()
    expected.learn_many(X, y)
    for index, value in ((np.int64, np.float32), (np.int32, np.float64), (np.int64, np.float64)):
        other = sp.csr_matrix(X.shape, dtype=value)
        other.indptr, other.indices = X.indptr.astype(index), X.indices.astype(index)
        other.data = X.data.astype(value)
        model = make()
        model.learn_many(other, y)
        assert state(model) == state(expected)
        assert np.array_equal(model._margins_many(other), expected._margins_many(X))


def dense_rows_equal_sparse_rows(make: Make) -> None:
    X, y = stream(n_rows=50, n_features=40)
    raw = {"numbers": "raw"}  # otherwise all columns of an array have scales, those of sparse rows if they are seldom 0
    sparse, dense = make().set_params(schema=raw), make().set_params(schema=raw)
    sparse.learn_many(X, y)
    dense.learn_many(X.toarray(), y)
    assert state(sparse) == state(dense)


def predicting_changes_nothing(make: Make) -> None:
    X, y = stream()
    model = make()
    model.learn_many(X, y)
    before = state(model)
    model.predict_proba_many(X)
    model.predict_one({3: 1.0, 10**6: 2.0})
    repr((model.nbytes, model.error_rate_, model.intercept_))
    assert state(model) == before


def copies_go_on_alike(make: Make) -> None:
    X, y = stream()
    model = make(l2=1e-3, class_weight="balanced")
    model.learn_many(as_dicts(X[:200], "f"), y[:200])
    twins = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)]
    for one in [model, *twins]:
        one.learn_many(as_dicts(X[200:], "f"), y[200:])
    assert all(state(twin) == state(model) for twin in twins)
    if model._learner().keeps_keys:
        assert all(repr(twin.top(20)) == repr(model.top(20)) for twin in twins)  # unknown bounds are nan


def an_empty_example_trains_the_bias(make: Make) -> None:
    model = make()
    model.learn_one({}, True)
    assert model.predict_proba_one({})[True] >= 0.5124
    assert model.n_seen_ == 1


def a_weight_of_zero_is_no_example(make: Make) -> None:
    X, y = stream()
    with_zeros, without = make(), make()
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    with_zeros.learn_many(X, y, weights)
    without.learn_many(X[weights > 0], y[weights > 0], weights[weights > 0])
    assert state(with_zeros) == state(without)


def bytes_stay_in_the_budget(make: Make) -> None:
    model = make()
    for first in range(0, 20_000, 500):
        rows = [{f"a rather long feature name {i}": 1.0, f"{i % 7}": 1.0} for i in range(first, first + 500)]
        model.learn_many(rows, [i % 3 == 0 for i in range(500)])
        assert model.nbytes <= parse_bytes(model.budget)


def predictions_beat_guessing(make: Make) -> None:
    X, y = stream(n_rows=4000, n_features=15)
    model = make(eta0=0.5)
    model.learn_many(X[:3000], y[:3000])
    assert np.mean(model.predict_many(X[3000:]) == y[3000:]) > 0.7


def threads_may_predict_while_one_learns(make: Make) -> None:
    X, y = stream(n_rows=2000)
    alone, shared = make(), make()
    alone.learn_many(X, y)
    shared.learn_many(X[:1], y[:1])
    stop, problems = threading.Event(), []

    def predict() -> None:
        while not stop.is_set():
            if not np.all(np.isfinite(shared._margins_many(X[:50]))) or shared.nbytes <= 0:
                problems.append("a margin is not finite")

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for first in range(1, 2000, 37):
        shared.learn_many(X[first : first + 37], y[first : first + 37])
    stop.set()
    for thread in threads:
        thread.join()
    assert not problems
    assert state(shared) == state(alone)


CHECKS = [
    same_input_gives_the_same_bytes,
    batch_equals_one_by_one,
    batches_may_be_cut_anywhere,
    every_instruction_set_gives_the_same_bits,
    index_and_value_types_do_not_matter,
    dense_rows_equal_sparse_rows,
    predicting_changes_nothing,
    copies_go_on_alike,
    an_empty_example_trains_the_bias,
    a_weight_of_zero_is_no_example,
    predictions_beat_guessing,
    threads_may_predict_while_one_learns,
]


# Explicit shapes and the unlimited reference promise no budget.
WITH_A_BUDGET = [name for name, make in EVERY_LEARNER.items() if getattr(make(), "budget", None) is not None]


@pytest.mark.parametrize("name", WITH_A_BUDGET)
def test_bytes_stay_in_the_budget(name: str) -> None:
    bytes_stay_in_the_budget(EVERY_LEARNER[name])


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", EVERY_LEARNER)
def test_learner(name: str, check: Callable[[Make], None]) -> None:
    check(EVERY_LEARNER[name])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_equal_rows_of_dicts(library: str) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    records = [{"city": f"c{i % 17}", "size": float(i % 5), "new": i % 3 == 0} for i in range(500)]
    labels = np.arange(500) % 7 < 3
    make_table = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table.from_pylist}[library]
    table = make_table(records)
    as_tables, as_dicts_ = EVERY_LEARNER["AWMSketch"](), EVERY_LEARNER["AWMSketch"]()
    as_tables.learn_many(table, labels)
    as_dicts_.learn_many(records, labels)
    assert state(as_tables) == state(as_dicts_)
    assert np.array_equal(np.asarray(as_tables.predict_many(table)), as_dicts_.predict_many(records))
    assert as_tables.partial_fit(table, labels).n_seen_ == 1000


def test_a_frame_of_numbers_learns_by_its_column_names() -> None:
    import pandas as pd

    X, y = stream(n_rows=60, n_features=9)
    frame = pd.DataFrame(X.toarray(), columns=[f"x{i}" for i in range(9)])
    as_frame, as_rows = wmsketch.AWMSketch("2KiB", shuffle=False), wmsketch.AWMSketch("2KiB")
    as_frame.fit(frame, y)
    as_rows.learn_many(frame.to_dict("records"), y)
    assert {row.feature for row in as_frame.top(20)} == set(frame.columns)
    assert as_frame.weight("x3") == as_rows.weight("x3")


@pytest.mark.parametrize("kind", ["pandas", "pandas nullable", "polars", "polars nan"])
def test_what_is_missing_in_a_frame_of_numbers_makes_no_feature(kind: str) -> None:
    import pandas as pd
    import polars as pl

    nan = {"a": [1.0, np.nan, 2.0] * 20, "b": [1.0, 2.0, np.nan] * 20}
    frame = {
        "pandas": lambda: pd.DataFrame(nan),
        "pandas nullable": lambda: pd.DataFrame(nan).convert_dtypes(),
        "polars": lambda: pl.DataFrame(nan, nan_to_null=True),
        "polars nan": lambda: pl.DataFrame(nan),
    }[kind]()
    y = np.arange(60) % 3 == 0
    as_frame, as_rows = EVERY_LEARNER["AWMSketch"](shuffle=False), EVERY_LEARNER["AWMSketch"]()
    as_frame.fit(frame, y)
    records = [{"a": 1.0, "b": 1.0}, {"a": None, "b": 2.0}, {"a": 2.0, "b": None}] * 20
    as_rows.learn_many(records, y)
    assert [as_frame.weight(name) for name in "ab"] == [as_rows.weight(name) for name in "ab"]
    assert np.array_equal(as_frame.predict(frame), as_rows.predict_many(records))
