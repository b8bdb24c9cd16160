"""Numbers have no natural scale: what is learned does not depend on the units of a column, however it comes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits

from wmsketch import AWMSketch, FeatureHashing, MulticlassAWMSketch, Schema, WMSketch
from wmsketch.learners.shards.merging import merge_models

Array = NDArray[np.float64]


def uniform(seed: int, n: int = 10_000, columns: int = 10) -> tuple[Array, NDArray[np.bool_]]:
    X = np.random.default_rng(seed).random((n, columns))
    return X, X.sum(axis=1) > columns / 2


def accuracy(model: AWMSketch, X: Any, y: Any, split: int) -> float:
    return model.fit(X[:split], y[:split]).score(X[split:], y[split:])


def test_one_small_first_value_does_not_ruin_the_column() -> None:
    draw = np.random.default_rng(0)
    y = draw.random(100_000) < 0.5
    p = np.where(y, draw.random(100_000) ** 0.2, draw.random(100_000) ** 5)[:, None]
    p[0] = 1e-4
    assert AWMSketch().fit(p, y).score(p, y) > 0.91
    hashing = FeatureHashing("8KiB", step="adaptive").fit(p, y)
    assert hashing.score(p, y) > 0.91


@pytest.mark.parametrize("seed", range(5))
def test_columns_between_zero_and_one_need_no_centring_by_the_user(seed: int) -> None:
    X, y = uniform(seed)
    assert AWMSketch().fit(X, y).score(X, y) > 0.97


UNITS: dict[str, Callable[[Array], Array]] = {
    "millionths": lambda column: column * 1e-6,
    "millions": lambda column: column * 1e6,
    "a thousand more": lambda column: column + 1e3,
    "a million less": lambda column: column - 1e6,
}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix, pd.DataFrame], ids=["array", "csr", "frame"])
def test_the_units_of_a_column_do_not_matter(units: str, form: Callable[[Any], Any]) -> None:
    X, y = uniform(7)
    other = X.copy()
    other[:, 3] = UNITS[units](other[:, 3])
    before, after = (accuracy(AWMSketch(), form(each), y, 8000) for each in (X, other))
    assert abs(before - after) <= 0.01


def test_arrays_sparse_matrices_and_dicts_by_number_are_the_same_rows() -> None:
    X, y = uniform(3, n=500)
    dense = AWMSketch(shuffle=False).fit(X, y)
    sparse = AWMSketch(shuffle=False).fit(scipy.sparse.csr_matrix(X), y)
    one_by_one = AWMSketch()
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        one_by_one.learn_one(dict(enumerate(row)), label)
    expected = dense.decision_function(X)
    assert np.array_equal(sparse.decision_function(scipy.sparse.csr_matrix(X)), expected)
    assert [one_by_one.decision_function_one(dict(enumerate(row))) for row in X.tolist()] == expected.tolist()


def test_a_value_that_a_row_lacks_is_zero() -> None:
    X, y = uniform(3, n=500)
    X[::7, 2] = 0
    model = AWMSketch().fit(X, y)
    without = {column: value for column, value in enumerate(X[7].tolist()) if column != 2}
    assert model.decision_function_one(without) == model.decision_function(X[7:8])[0]


def test_zeros_and_ones_are_taken_as_they_are() -> None:
    draw = np.random.default_rng(1)
    X = (draw.random((2000, 30)) < 0.2).astype(float)
    y = X[:, 0] > X[:, 1]
    automatic, raw = AWMSketch().fit(X, y), AWMSketch(schema={"numbers": "raw"}).fit(X, y)
    assert automatic.decision_function(X).tolist() == raw.decision_function(X).tolist()
    assert automatic.nbytes == raw.nbytes


def test_numbers_beside_one_hot_features_are_scaled_in_a_sparse_matrix() -> None:
    draw = np.random.default_rng(2)
    codes = draw.integers(0, 300, 20_000)
    number = draw.normal(5e5, 1e5, 20_000)
    hot = scipy.sparse.csr_matrix((np.ones(20_000), (range(20_000), codes)), shape=(20_000, 300))
    X = scipy.sparse.csr_matrix(scipy.sparse.hstack([hot, scipy.sparse.csr_matrix(number[:, None])]))
    y = (number - 5e5) / 1e5 + (codes % 2) * 2 - 1 > 0
    assert accuracy(AWMSketch(), X, y, 15_000) > 0.93


@pytest.mark.parametrize("kind", ["array", "frame", "dicts"])
@pytest.mark.parametrize("absurd", ["one at the end", "a code for missing in 5 %"])
def test_absurd_values_do_not_cost_the_column(kind: str, absurd: str) -> None:
    X, y = uniform(4, n=12_000, columns=2)
    if absurd == "one at the end":
        X[9999, 0] = 1e9
    else:
        X[np.random.default_rng(5).random(12_000) < 0.05, 0] = -999_999
        X[1, 0] = -999_999
    train: Any = X[:10_000]
    test, right = X[10_000:], y[10_000:]
    usual = np.abs(test[:, 0]) < 10
    model = AWMSketch()
    if kind == "frame":
        model.fit(pd.DataFrame(train, columns=["a", "b"]), y[:10_000])
        test = pd.DataFrame(test, columns=["a", "b"])
    elif kind == "array":
        model.fit(train, y[:10_000])
    else:
        for (a, b), label in zip(train.tolist(), y[:10_000].tolist(), strict=True):
            model.learn_one({0: a, 1: b}, label)
    assert np.mean((model.predict(test) == right)[usual]) > 0.96


def test_a_column_whose_scale_changes_for_good_is_scaled_anew() -> None:
    X, y = uniform(6, n=20_000, columns=2)
    X[10_000:, 0] *= 1e6
    model = AWMSketch(shuffle=False).fit(X, y)
    assert model.schema_["0"].deviation == pytest.approx(1e6 / np.sqrt(12), rel=0.1)


def test_a_large_number_that_comes_late_does_not_stop_learning() -> None:
    draw = np.random.default_rng(8)
    model, right = AWMSketch(), 0
    for i in range(4000):
        row: dict[str, float] = {"a": draw.normal(), "b": draw.normal()}
        label = row["a"] + row["b"] > 0
        if i >= 500:
            row["late"] = draw.normal(1e6, 1e5)
        right += model.predict_one(row) == label if i >= 2000 else 0
        model.learn_one(row, label)
    assert right / 2000 > 0.9


def words_and_amounts(share: float) -> tuple[list[dict[int, float]], NDArray[np.bool_]]:
    """Rows of some of 500 words, which tell the label, and in a share of them an amount of money, which does not."""
    draw = np.random.default_rng(10)
    y = draw.random(3000) < 0.5
    rows: list[dict[int, float]] = []
    for label in y:
        words = draw.integers(0, 250, 12) * 2 + (draw.random(12) < (0.75 if label else 0.25))
        rows.append(
            dict.fromkeys((words + 1).tolist(), 1.0) | ({0: 5e4 * draw.random()} if draw.random() < share else {})
        )
    return rows, y


@pytest.mark.parametrize("share", [1, 0.3])
@pytest.mark.parametrize("kind", ["csr", "by number", "by name"])
def test_an_amount_beside_words_does_not_stop_their_learning(kind: str, share: float) -> None:
    rows, y = words_and_amounts(share)
    model, right = AWMSketch(), 0.0
    if kind == "csr":
        X = scipy.sparse.lil_matrix((3000, 501))
        for at, row in enumerate(rows):
            X[at, list(row)] = list(row.values())
        right = accuracy(model, X.tocsr(), y, 2000)
    else:
        named: list[dict[Any, float]] = [
            {f"w{key}" if kind == "by name" else key: v for key, v in row.items()} for row in rows
        ]
        for i, (each, label) in enumerate(zip(named, y.tolist(), strict=True)):
            right += (model.predict_one(each) == label) / 1000 if i >= 2000 else 0
            model.learn_one(each, label)
    assert right > 0.93
    assert len(model.schema_) == 1
    copy = AWMSketch.from_bytes(model.to_bytes())
    assert copy.decision_function([{"w3": 1.0}] if kind == "by name" else [{3: 1.0}]).tolist() == (
        model.decision_function([{"w3": 1.0}] if kind == "by name" else [{3: 1.0}]).tolist()
    )


def test_words_of_usual_size_stay_as_they_are() -> None:
    rows, y = words_and_amounts(0)
    counts = [{key: float(1 + (key + i) % 40) for key in row} for i, row in enumerate(rows)]
    model = AWMSketch()
    model.learn_many(counts, y)
    assert len(model.schema_) == 0


def test_sparse_columns_of_any_size_are_learned_alike() -> None:
    draw = np.random.default_rng(11)
    X = np.where(draw.random((4000, 6)) < 0.4, draw.gamma(2, 1, (4000, 6)), 0)
    y = X @ [1, -1, 2, -2, 1, -1] > 0
    before = accuracy(AWMSketch(), scipy.sparse.csr_array(X), y, 3000)
    for other in (X * [1, 1e6, 1, 1, 1, 1], X * [1, 1, 1e-6, 1, 1, 1], X * 10.0 ** np.array([-6, -3, 0, 2, 4, 6])):
        assert abs(accuracy(AWMSketch(), scipy.sparse.csr_array(other), y, 3000) - before) <= 0.015


def test_a_large_numbered_column_that_comes_late_does_not_stop_learning() -> None:
    draw = np.random.default_rng(8)
    model, right = AWMSketch(), 0
    for i in range(4000):
        row: dict[int, float] = {j: draw.normal() for j in range(8)}
        label = sum(row.values()) > 0
        if i >= 20:
            row[8] = draw.normal(1e6, 1e5)
        right += model.predict_one(row) == label if i >= 2000 else 0
        model.learn_one(row, label)
    assert right / 2000 > 0.97


@pytest.mark.parametrize("size", [1, 1e6, 1e-6])
def test_many_classes_of_sparse_numbers_are_learned_in_any_unit(size: float) -> None:
    X, y = load_digits(return_X_y=True)
    assert accuracy(MulticlassAWMSketch(), scipy.sparse.csr_array(X * size), y, 1200) > 0.9


def test_many_classes_of_an_array_have_intercepts() -> None:
    draw = np.random.default_rng(9)
    y = draw.choice(3, 9000, p=[0.7, 0.2, 0.1])
    X = draw.normal(size=(9000, 4)) + 100 + np.eye(4)[y] * 2
    assert MulticlassAWMSketch("32KiB").fit(X[:6000], y[:6000]).score(X[6000:], y[6000:]) > 0.85


@pytest.mark.parametrize("as_frame", [False, True])
def test_coef_and_intercept_give_the_margins_of_rows_as_they_are(as_frame: bool) -> None:
    X, y = uniform(10, n=3000, columns=4)
    X = X * [1, 1e3, 1e-3, 10] + [0, 5e3, 0, -70]
    X[:, 3][X[:, 3] < -65] = 0
    rows = pd.DataFrame(X, columns=list("abcd")) if as_frame else X
    model = AWMSketch().fit(rows, y)
    margins = X @ model.coef_[0] + model.intercept_
    assert margins == pytest.approx(model.decision_function(rows), abs=1e-3)
    many = MulticlassAWMSketch("32KiB").fit(rows, np.digitize(X[:, 0], [0.3, 0.6]))
    assert X @ many.coef_.T + many.intercept_ == pytest.approx(many.decision_function(rows), abs=1e-3)


def test_contributions_of_an_array_add_up_to_the_margin() -> None:
    X, y = uniform(11, n=1000, columns=3)
    model = AWMSketch().fit(X + 10, y)
    told = model.explain_one({0: 10.5, 2: 10.9})
    assert sum(each.contribution for each in told) + told.intercept == pytest.approx(told.margin, abs=1e-5)
    assert {each.feature for each in told} == {0, 1, 2}


def test_models_of_arrays_are_merged_and_saved_with_their_scales(tmp_path: Any) -> None:
    X, y = uniform(12, n=8000)
    X = X * 50 + 1e4
    shards = [AWMSketch().fit(X[i::2], y[i::2]) for i in range(2)]
    merged = merge_models(shards)
    assert merged.score(X, y) > 0.95
    merged.save(tmp_path / "model.wms")
    loaded = AWMSketch.load(tmp_path / "model.wms")
    assert loaded.decision_function(X).tolist() == merged.decision_function(X).tolist()
    few = AWMSketch()
    few.learn_many(X[:4], y[:4])
    few.save(tmp_path / "few.wms")
    again = AWMSketch.load(tmp_path / "few.wms")
    again.learn_many(X[4:500], y[4:500])
    few.learn_many(X[4:500], y[4:500])
    assert again.decision_function(X).tolist() == few.decision_function(X).tolist()


def test_rows_one_by_one_give_the_bits_of_one_call() -> None:
    X, y = uniform(13, n=200)
    X[3, 2] = 1e9
    X[::5, 1] = 0
    together = AWMSketch()
    together.learn_many(X, y)
    for size in (1, 7):
        parts = AWMSketch()
        for i in range(0, len(X), size):
            parts.learn_many(X[i : i + size], y[i : i + size])
        assert parts.decision_function(X).tolist() == together.decision_function(X).tolist()


def test_a_failed_call_changes_nothing_of_an_array_model() -> None:
    X, y = uniform(14, n=200)
    model = AWMSketch()
    model.learn_many(X, y)
    before = model.decision_function(X).tolist()
    broken = X.copy()
    broken[150, 3] = np.nan
    with pytest.raises(ValueError, match="row 150"):
        model.learn_many(broken, y)
    assert model.decision_function(X).tolist() == before


def test_names_are_refused_by_a_model_of_an_array() -> None:
    X, y = uniform(15, n=100)
    model = AWMSketch().fit(X, y)
    with pytest.raises(ValueError, match="a feature must be a number, not a name"):
        model.predict_one({"a": 1.0})


def test_a_wide_array_in_few_bytes_is_taken_as_it_is() -> None:
    X = np.random.default_rng(16).normal(size=(300, 500))
    model = AWMSketch("2KiB").fit(X, X[:, 0] > 0)
    assert model.nbytes <= 2048 and model.schema_.table is None


def test_plain_steps_take_values_as_they_are() -> None:
    X, y = uniform(17, n=200)
    model = AWMSketch.paper("8KiB").fit(X, y)
    assert model.schema_.table is None
    assert AWMSketch.paper("8KiB", schema={"numbers": "scaled"}).fit(X, y).schema_.table


def test_classes_of_partial_fit_are_sorted_as_scikit_learn_expects() -> None:
    from sklearn.metrics import log_loss

    draw = np.random.default_rng(18)
    y = draw.integers(0, 3, 3000)
    X = draw.normal(size=(3000, 3)) + np.eye(3)[y] * 3
    order = np.argsort(-y[:300], kind="stable")
    model = MulticlassAWMSketch("32KiB").partial_fit(X[:300][order], y[:300][order])
    model.partial_fit(X[300:], y[300:])
    assert model.classes_.tolist() == [0, 1, 2]
    assert log_loss(y, model.predict_proba(X)) < 0.4
    assert (model.classes_[model.decision_function(X).argmax(axis=1)] == model.predict(X)).all()


def test_probabilities_of_one_row_can_be_written_as_json() -> None:
    X, y = uniform(19, n=100)
    for labels in (y, y.astype(int)):
        assert json.dumps(AWMSketch().fit(X, labels).predict_proba_one({0: 0.5}))


def test_numpy_booleans_in_a_dict_are_booleans() -> None:
    plain, numpy = AWMSketch("8KiB"), AWMSketch("8KiB")
    for i in range(30):
        plain.learn_one({"new": i % 3 == 0, "n": i}, i % 3 == 0)
        numpy.learn_one({"new": np.bool_(i % 3 == 0), "n": np.int64(i)}, np.bool_(i % 3 == 0))
    assert plain.weight("new=true") == numpy.weight("new=true") != 0


def test_a_frame_whose_rows_are_elsewhere_is_fetched_and_never_a_path(tmp_path: Any, monkeypatch: Any) -> None:
    class Lazy:
        """Like a Dask frame: its length is not known, and compute() gives a pandas frame."""

        def __init__(self, frame: pd.DataFrame) -> None:
            self.frame, self.columns, self.dtypes, self.shape = frame, frame.columns, frame.dtypes, (None, 2)

        def compute(self) -> pd.DataFrame:
            return self.frame

        def __iter__(self) -> Any:
            return iter(self.columns)

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("x,label\n1,0\n")
    frame = pd.DataFrame({"a": [1.0, 2.0] * 20, "b": ["x", "y"] * 20})
    y = [0, 1] * 20
    assert AWMSketch().fit(Lazy(frame), y).score(frame, y) == 1


def test_plain_steps_on_numbers_that_they_cannot_learn_are_warned_of() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(UserWarning, match="plain steps of eta0=0.1 overshoot"):
        raw = WMSketch().fit(X, y)
    scaled = WMSketch(schema=Schema(numbers="scaled")).fit(X, y)
    assert raw.score(X, y) < 0.9 < 0.96 < scaled.score(X, y)
