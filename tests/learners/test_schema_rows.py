"""Rows that do not match the table of a model are errors, and do not influence its schema."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.learners.learners_under_test import state
from tests.learners.named_rows import LABELS, METHODS, TABLE
from wmsketch import AWMSketch
from wmsketch.learners.models.base import OnlineClassifier


def learned(name: str = "awm", rows: int = len(TABLE)) -> OnlineClassifier:
    model = METHODS[name]()
    model.learn_many(TABLE[:rows], LABELS[:rows])
    return model


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("rows", [4, 40])  # before and after the schema is decided
@pytest.mark.parametrize("row", [{0: 1.0}, {0: 1.0, "a": 1.0}], ids=["number", "mixed"])
def test_a_table_takes_no_features_by_number(name: str, rows: int, row: Any) -> None:
    model = learned(name, rows)
    before = state(model)
    for call in (model.predict_one, model.predict_proba_one, lambda row: model.learn_one(row, True)):
        with pytest.raises((ValueError, TypeError), match="column"):
            call(row)
    assert state(model) == before
    assert model.predict_one({}) is not None


@pytest.mark.parametrize("rows", [4, 40])
def test_a_row_without_a_column_of_the_table_is_predicted_by_the_intercept(rows: int) -> None:
    model = learned(rows=rows)
    with pytest.warns(UserWarning, match=r"none of the columns of the model \(a, b, c\), but it has the column z"):
        assert model.predict_one({"z": 1.0}) == model.predict_one({})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        answers = [model.predict_proba_one({"z": 1.0}) for _ in range(5)]
    assert answers == [model.predict_proba_one({})] * 5  # a stream does not end
    assert len(caught) == 1
    with pytest.raises(ValueError, match="row 1: the row has none of the columns"):
        model.predict_many([TABLE[0], {"z": 1.0}])
    assert model.predict_one({"b": "x"}) in (True, False)
    for _ in range(10):
        model.learn_one({"z": 1.0}, True)  # a stream may add columns, which are known from then on
    assert model.predict_one({"z": 1.0}) in (True, False)
    again = AWMSketch.from_bytes(model.to_bytes())
    assert again.predict_proba_one({"z": 1.0}) == model.predict_proba_one({"z": 1.0})


@pytest.mark.parametrize("rows", [4, 40])
def test_a_frame_to_predict_has_the_columns_of_the_table(rows: int) -> None:
    model, frame = learned(rows=rows), pd.DataFrame(TABLE)
    assert list(model.predict_many(frame)) == list(model.predict_many(TABLE))
    assert list(model.predict_many(frame[["c", "a", "b"]])) == list(model.predict_many(TABLE))
    with pytest.raises(ValueError, match="yet now missing:\n- b\n"):
        model.predict_many(frame[["a", "c"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- d\n"):
        model.predict_proba_many(frame.assign(d=1.0))


def test_rows_of_weight_0_do_not_influence_the_schema() -> None:
    model, same = AWMSketch("8KiB"), AWMSketch("8KiB")
    bags = [{f"word {i}": 1.0, f"other {i}": 2.0} for i in range(20)]
    model.learn_many(bags, LABELS[:20], sample_weight=[0.0] * 20)
    for row, label in zip(bags, LABELS, strict=False):
        model.learn_one(row, label, 0.0)
    for each in (model, same):
        each.learn_many(TABLE, LABELS)
    assert model.schema_.table
    assert state(model) == state(same)
    mixed = AWMSketch("8KiB")
    mixed.learn_many([*bags[:8], *TABLE], [*LABELS[:8], *LABELS], sample_weight=[0.0] * 8 + [1.0] * len(TABLE))
    assert mixed.schema_.table


@pytest.mark.parametrize("value", [1e300, -1e300, float("inf"), float("-inf")])
def test_numbers_that_do_not_fit_into_32_bits_are_categories(value: float) -> None:
    model = learned()
    before = state(model)
    assert model.predict_proba_one({"a": value}) == model.predict_proba_one({"a": f"{value:g}"})
    assert state(model) == before


def test_numbers_that_fit_into_no_float_are_named_so() -> None:
    with pytest.raises(ValueError, match="column a must be a number that fits into a float, got 10000"):
        learned().predict_one({"a": 10**400})


def test_a_failing_column_of_arrays_leaves_the_model_undecided() -> None:
    model = AWMSketch("8KiB")
    model.learn_one({"a": 1.0}, True)
    before = state(model)
    with pytest.raises(ValueError, match="row 1"):
        model.learn_many([[1.0], [float("inf")]], [True, False])
    assert state(model) == before and not model._native.decided


def test_fit_takes_a_path_or_a_frame_with_its_label(tmp_path: Path) -> None:
    frame = pd.DataFrame({"price": [1.0, 5.0, 2.0, 9.0] * 20, "city": ["a", "b"] * 40, "sold": [True, False] * 40})
    frame.to_csv(tmp_path / "sales.csv", index=False)
    of_path = AWMSketch("8KiB").fit(tmp_path / "sales.csv", label="sold")
    of_frame = AWMSketch("8KiB").fit(frame, label="sold")
    row = {"price": 5.0, "city": "b", "sold": True}  # the label is not a feature
    assert of_path.predict_proba_one(row) == of_frame.predict_proba_one(row)
    assert of_path.fit(tmp_path / "sales.csv", label="sold").n_seen_ == 80 * of_path.n_iter_ == 10 * 80  # from scratch
    with pytest.raises(ValueError, match="give X and label alone"):
        of_path.fit(frame, [True] * 80, label="sold")
    with pytest.raises(ValueError, match=r"sales\.csv: label: there is no column 'bought'"):
        AWMSketch("8KiB").fit(tmp_path / "sales.csv", label="bought")


def test_periods_and_intervals_of_pandas_are_their_texts():
    price = pd.Series([1.0, 2.0, 3.0, 4.0] * 5)
    bands = pd.cut(price, [0, 2, 4])
    frame = pd.DataFrame({"price": price, "band": bands, "band2": pd.arrays.IntervalArray(bands)})
    frame["month"] = pd.period_range("2024-01", periods=2, freq="M").repeat(10)
    model = AWMSketch("8KiB").fit(frame, [0, 1] * 10)
    assert model.schema_["price"].mean == pytest.approx(2.5)
    names = {row.feature for row in model.top(20)}
    assert {"band=(0, 2]", "band=(2, 4]", "band2=(0, 2]", "month=2024-01", "month=2024-02"} <= names
    texts = frame.astype({"band": str, "band2": str, "month": str})
    assert (model.predict_proba(texts) == model.predict_proba(frame)).all()
