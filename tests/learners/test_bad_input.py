"""Bad input: an error that names what and where, and a model that is unchanged to the last byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import wmsketch
from tests.learners.learners_under_test import EVERY_LEARNER, state, stream
from wmsketch.learners.models.base import OnlineClassifier


def csr(indptr: Any, indices: Any, data: Any) -> sp.csr_matrix:
    """A CSR matrix that SciPy does not check."""
    matrix = sp.csr_matrix((2, 10), dtype=np.float32)
    matrix.indptr, matrix.indices = np.asarray(indptr), np.asarray(indices)
    matrix.data = np.asarray(data, dtype=np.float32)
    return matrix


INT32, INT64 = np.int32, np.int64
TWO = [True, False]
BAD: dict[str, tuple[Callable[[OnlineClassifier], Any], type[Exception], str]] = {
    "infinity by number": (
        lambda m: m.learn_many([{1: 1.0}, {2: float("inf")}], TWO),
        ValueError,
        r"row 1: .*feature 2 .*finite.*inf",
    ),
    "nan in csr": (
        lambda m: m.learn_many(csr(INT32([0, 1, 2]), INT32([1, 2]), [1, np.nan]), TWO),
        ValueError,
        r"row 1: .*feature 2 .*nan",
    ),
    "nan in dense": (lambda m: m.learn_many([[1.0, 0.0], [np.nan, 1.0]], TWO), ValueError, r"row 1: .*feature 0 .*nan"),
    "infinity in dense": (
        lambda m: m.learn_many([[1.0, 0.0], [np.inf, 1.0]], TWO),
        ValueError,
        r"row 1: .*feature 0 .*finite.*inf",
    ),
    "huge": (
        lambda m: m.learn_many([{1: 1.0}, {2: -2e15}], TWO),
        ValueError,
        r"row 1: .*feature 2 must be between -1e15 and 1e15 \(scale it\), got -2e\+15",
    ),
    "too large for float32": (
        lambda m: m.learn_one({1: 1e300}, True),
        ValueError,
        r"feature 1 must be finite as a 32-bit float, got 1e\+300",
    ),
    "too large for a float": (
        lambda m: m.learn_one({"a": 10**400}, True),
        ValueError,
        r"column a must be a number that fits into a float, got 10{9}",
    ),
    "bytes": (lambda m: m.learn_one({"a": b"x"}, True), TypeError, r"column a must be a number, .* got b'x'"),
    "negative id": (lambda m: m.learn_one({-1: 1.0}, True), ValueError, r"between 0 and 4294967295, got -1"),
    "negative id in csr": (
        lambda m: m.learn_many(csr(INT32([0, 1, 2]), INT32([1, -2]), [1, 1]), TWO),
        ValueError,
        r"row 1: .*got -2",
    ),
    "id over 32 bits": (lambda m: m.learn_one({2**32: 1.0}, True), ValueError, r"4294967295, got 4294967296"),
    "huge id": (lambda m: m.learn_one({10**30: 1.0}, True), ValueError, r"4294967295, got 10{30}"),
    "id over 32 bits in csr": (
        lambda m: m.learn_many(csr(INT64([0, 1, 2]), INT64([1, 2**40]), [1, 1]), TWO),
        ValueError,
        r"row 1: .*got 1099511627776",
    ),
    "falling indptr": (
        lambda m: m.learn_many(csr(INT32([0, 2, 1]), INT32([1, 2]), [1, 1]), TWO),
        ValueError,
        r"row 1: broken CSR: indptr falls from 2 to 1",
    ),
    "indptr behind the end": (
        lambda m: m.learn_many(csr(INT32([0, 1, 9]), INT32([1, 2]), [1, 1]), TWO),
        ValueError,
        r"broken CSR: indptr ends at 9, but indices has 2 entries",
    ),
    "indices and data differ": (
        lambda m: m.learn_many(csr(INT32([0, 1, 2]), INT32([1, 2]), [1, 1, 1]), TWO),
        ValueError,
        r"broken CSR: indices has 2 entries, but data has 3",
    ),
    "two-dimensional data": (
        lambda m: m.learn_many(csr(INT32([0, 1, 2]), INT32([1, 2]), [[1, 1]]), TWO),
        ValueError,
        r"broken CSR: data must have one dimension",
    ),
    "real indices": (
        lambda m: m.learn_many(csr(INT32([0, 1, 2]), np.array([1.0, 2.0]), [1, 1]), TWO),
        TypeError,
        r"broken CSR: indices must hold integers, got float64",
    ),
    "complex": (lambda m: m.learn_many(np.ones((2, 2), dtype=complex), TWO), ValueError, r"[Cc]omplex"),
    "text matrix": (lambda m: m.learn_many(np.array([["a"], ["b"]]), TWO), ValueError, r"strings"),
    "object values": (lambda m: m.learn_one({"a": object()}, True), TypeError, r"column a must be a number, a string"),
    "float as feature": (lambda m: m.learn_one({1.5: 1.0}, True), TypeError, r"string or an integer, got float"),
    "not a row": (lambda m: m.learn_one([1, 2, 3], True), TypeError, r"pairs"),
    "three classes": (
        lambda m: m.learn_many([{1: 1}, {2: 1}, {3: 1}], [0, 1, 2]),
        ValueError,
        r"row 2: the label .*got 2",
    ),
    "unknown label": (lambda m: m.learn_one({1: 1}, "spam"), ValueError, r"label"),
    "label minus one after zero": (lambda m: m.learn_one({1: 1}, -1), ValueError, r"the label must be .*got -1"),
    "too few labels": (lambda m: m.learn_many([{1: 1}, {2: 1}], [True]), ValueError, r"2 rows, y has 1"),
    "two-dimensional labels": (lambda m: m.learn_many([{1: 1}], [[True]]), ValueError, r"one-dimensional"),
    "negative weight": (lambda m: m.learn_many([{1: 1}, {2: 1}], TWO, [1, -1]), ValueError, r"row 1: .*weight .*-1"),
    "nan weight": (
        lambda m: m.learn_one({1: 1}, True, float("nan")),
        ValueError,
        r"weight of the example must be finite",
    ),
    "empty batch": (lambda m: m.partial_fit(np.zeros((0, 3)), []), ValueError, r"0 sample"),
    "one dimension": (lambda m: m.partial_fit(np.zeros(3), [1, 0, 1]), ValueError, r"Expected 2D array, got 1D"),
    "another width": (lambda m: m.partial_fit(np.ones((1, 3)), [True]), ValueError, r"X has 3 features.*expecting 500"),
    "k below zero": (lambda m: m.top(-1), ValueError, r"k must be at least 0, got -1"),
    "feature of another type": (lambda m: m.weight(1.5), TypeError, r"string or an integer"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ["AWMSketch", "WMSketch", "FeatureHashing", "LogisticRegression", "SimpleTruncation"])
def test_bad_input_changes_nothing(name: str, case: str) -> None:
    X, y = stream()
    make = {"LogisticRegression": lambda: wmsketch.LogisticRegression(n_features=500)}.get(name, EVERY_LEARNER[name])
    parameters = {} if name == "LogisticRegression" or name == "FeatureHashing" else {"name_bytes": 200}
    model = make(**parameters)
    model.partial_fit(X, y)
    before = state(model)
    act, error, message = BAD[case]
    if name == "LogisticRegression" and case in ("id over 32 bits in csr",):
        message = "row 1"  # its limit is lower
    with pytest.raises(error, match=message):
        act(model)
    assert state(model) == before


@pytest.mark.parametrize(
    ("value", "category"), [(float("inf"), "a=inf"), (-float("inf"), "a=-inf"), (1e300, "a=1e+300")]
)
@pytest.mark.parametrize("name", ["AWMSketch", "WMSketch", "LogisticRegression", "SimpleTruncation"])
def test_an_infinite_number_of_a_named_column_is_a_category(name: str, value: float, category: str) -> None:
    model = EVERY_LEARNER[name]()
    rows = [{"a": value if i % 4 == 0 else float(i % 4)} for i in range(80)]
    model.learn_many(rows, [i % 4 == 0 for i in range(80)])
    assert model.n_seen_ == 80
    weights = {row.feature: row.weight for row in model.top(10)}
    assert weights[category] > 0
    assert all(np.isfinite(weight) for weight in weights.values())
    assert np.isfinite(model.schema_["a"].mean)
    assert model.predict_proba_one({"a": value})[True] > model.predict_proba_one({"a": 2.0})[True]


NEW: dict[str, tuple[Callable[[OnlineClassifier], Any], type[Exception], str]] = {
    "missing labels": (lambda m: m.fit(np.eye(2), ["a", None]), ValueError, "Input y contains NaN or None"),
    "labels of two types": (lambda m: m.fit(np.eye(2), np.array(["a", 1], object)), TypeError, "got int, str"),
    "no rows": (lambda m: m.fit(np.eye(2)[:0], []), ValueError, "two classes, got no rows"),
    "an unknown label": (lambda m: m.learn_one({1: 1}, "spam"), ValueError, "got 'spam'; tell others once"),
    "a label of others": (
        lambda m: m.partial_fit(np.eye(1), [True], classes=["a", "b"]),
        ValueError,
        "must be 'a' or 'b', got True",
    ),
    "a text as a row": (lambda m: m.learn_one("text", True), TypeError, "a row is a mapping.*got 'text'"),
    "columns of one name": (
        lambda m: m.fit(pd.DataFrame(np.eye(2), columns=["a", "a"]), TWO),
        ValueError,
        "different names of columns, found 'a' twice",
    ),
}


@pytest.mark.parametrize("case", NEW)
def test_bad_input_for_a_new_model(case: str) -> None:
    act, error, message = NEW[case]
    model = wmsketch.AWMSketch("2KiB")
    with pytest.raises(error, match=message):
        act(model)
    assert not model._started


def test_labels_may_be_a_column_vector() -> None:
    X, y = stream()
    model = wmsketch.AWMSketch("2KiB").fit(X, y)
    with pytest.warns(UserWarning, match="column-vector"):
        assert model.score(X, y[:, None]) == model.score(X, y)


PARAMETERS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("AWMSketch", {"width": 0}, ValueError, r"width must be at least 1, got 0"),
    ("AWMSketch", {"depth": 65}, ValueError, r"depth must be at most 64, got 65"),
    ("AWMSketch", {"width": "wide"}, TypeError, r"width must be an integer, got 'wide'"),
    ("AWMSketch", {"active_set_size": -8}, ValueError, r"active_set_size must be at least 1, got -8"),
    ("AWMSketch", {"budget": "8 bananas"}, ValueError, r"budget must be .*got '8 bananas'"),
    ("AWMSketch", {"budget": -5}, ValueError, r"budget must be .*got -5"),
    ("AWMSketch", {"budget": 100}, ValueError, r"budget must be at least \d+ bytes"),
    ("AWMSketch", {"budget": "1KiB", "width": 1000, "active_set_size": 100}, ValueError, r"budget is 1024 bytes, but"),
    ("AWMSketch", {"active_set": "heap"}, ValueError, r"active_set must be 'exact' or 'associative', got 'heap'"),
    ("AWMSketch", {"eviction": "never"}, ValueError, r"eviction must be one of 'paper', 'drop', got 'never'"),
    ("AWMSketch", {"hash_family": "md5"}, ValueError, r"hash_family must be one of .*got 'md5'"),
    ("AWMSketch", {"loss": "hinge"}, ValueError, r"loss must be one of .*got 'hinge'"),
    ("AWMSketch", {"schedule": "cosine"}, ValueError, r"schedule must be one of .*got 'cosine'"),
    ("AWMSketch", {"eta0": 0}, ValueError, r"eta0 must be above 0"),
    ("AWMSketch", {"eta0": float("nan")}, ValueError, r"eta0 must be finite"),
    ("AWMSketch", {"eta0": "fast"}, TypeError, r"eta0 must be a number, got 'fast'"),
    ("AWMSketch", {"l2": -1}, ValueError, r"l2 must be at least 0"),
    ("AWMSketch", {"eta0": 2.0, "l2": 0.5}, ValueError, r"eta0 \* l2 must be below 1"),
    ("AWMSketch", {"l1": -1}, ValueError, r"l1 must be at least 0"),
    ("AWMSketch", {"seed": -1}, ValueError, r"seed must be at least 0, got -1"),
    ("AWMSketch", {"passes": 0}, ValueError, r"passes must be at least 1, got 0"),
    ("AWMSketch", {"class_weight": "fair"}, ValueError, r"class_weight must be .*got 'fair'"),
    ("AWMSketch", {"class_weight": {True: -1.0}}, ValueError, r"class_weight must be at least 0"),
    ("WMSketch", {"project": -1.0}, ValueError, r"project must be at least 0"),
    ("WMSketch", {"averaged": True, "l1": 0.1}, ValueError, r"l1 must be 0 when averaging"),
    ("LogisticRegression", {"n_features": 0}, ValueError, r"n_features must be at least 1, got 0"),
    ("SimpleTruncation", {"budget": 1}, ValueError, r"budget must be at least"),
]


@pytest.mark.parametrize(("name", "parameters", "error", "message"), PARAMETERS)
def test_bad_parameters(name: str, parameters: dict[str, Any], error: type[Exception], message: str) -> None:
    model = getattr(wmsketch, name)(**parameters)  # stored unchanged, and checked on first use
    assert all(model.get_params()[key] is value for key, value in parameters.items())
    calls: list[Callable[[], Any]] = [
        model.check_parameters,
        lambda: model.learn_one({1: 1.0}, True),
        lambda: model.learn_many([{1: 1.0}], [True]),
        lambda: model.fit([[1.0], [2.0]], [True, False]),
        lambda: model.partial_fit([[1.0], [2.0]], [True, False]),
    ]
    for call in calls:
        with pytest.raises(error, match=message):
            call()
        assert not model._started
        assert not hasattr(model, "n_features_in_")


def test_the_smallest_budget_that_works_is_named_and_works() -> None:
    with pytest.raises(ValueError, match="budget must be at least") as refusal:
        wmsketch.AWMSketch(100).check_parameters()
    smallest = int(str(refusal.value).split("at least ")[1].split()[0])
    model = wmsketch.AWMSketch(smallest)
    model.learn_one({1: 1.0}, True)
    assert model.nbytes <= smallest
    with pytest.raises(ValueError, match="at least"):
        wmsketch.AWMSketch(smallest - 1).check_parameters()


def test_names_are_rejected_after_integer_ids() -> None:
    model = wmsketch.AWMSketch("2KiB")
    model.learn_many([{1: 1.0}] * 10, [True] * 10)
    before = state(model)
    for rows in ([{"one": 1.0}], pd.DataFrame({"one": [1.0]})):
        with pytest.raises(ValueError, match="name_bytes"):
            model.learn_many(rows, [True])
        assert state(model) == before
    with pytest.raises(ValueError, match="name_bytes"):
        model.learn_one({"one": 1.0}, True)
    assert state(model) == before


def test_a_value_that_changes_its_own_dict_is_read_safely() -> None:
    class Emptying:
        def __init__(self, row: dict[str, Any]) -> None:
            self.row = row

        def __float__(self) -> float:
            self.row.clear()
            return 1.0

    model = wmsketch.AWMSketch("8KiB")
    for number in range(20):
        row: dict[str, Any] = {}
        row |= {f"first {number}": Emptying(row), f"second {number}": float(number + 2)}
        model.learn_one(row, True)
        assert not row
    assert model.weight("second 0") > 0
    names = {f"{place} {number}" for place in ("first", "second") for number in range(20)}
    assert {row.feature for row in model.top(40)} <= names


def test_a_series_a_lazy_frame_and_masked_values_are_rejected():
    labels = [0, 1] * 10
    with pytest.raises(ValueError, match=r"Expected 2D array, got a column \(1D array\)"):
        wmsketch.AWMSketch().fit(pd.Series(range(20), name="a"), labels)
    with pytest.raises(TypeError, match=r"collect\(\) it, or give it to learn_file"):
        wmsketch.AWMSketch().fit(pl.DataFrame({"a": range(20)}).lazy(), labels)
    with pytest.raises(ValueError, match="must not hold masked values"):
        wmsketch.AWMSketch().fit(np.ma.masked_equal(np.arange(40.0).reshape(20, 2), 3.0), labels)
    wmsketch.AWMSketch().fit(np.ma.masked_equal(np.arange(40.0).reshape(20, 2), -1.0), labels)


@pytest.mark.parametrize("row", [None, 5, 2.5, "abc", [1, 2], object()])
@pytest.mark.parametrize("name", ["AWMSketch", "MulticlassAWMSketch"])
def test_what_is_no_row_is_told_what_a_row_is(name: str, row: Any) -> None:
    model = getattr(wmsketch, name)("8KiB")
    for place in range(20):
        model.learn_one({"a": 1.0, "b": place}, place % 2 == 0)
    for call in (model.predict_one, lambda x: model.learn_one(x, True)):
        with pytest.raises(TypeError, match="a row is a mapping from feature to value"):
            call(row)
