"""Columns that only some rows have: never learned, learned late, or learned from some rows only."""

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch, Schema, load


def _visits(n=3000):
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"product": draw.integers(0, 2000, n).astype(str), "minutes": draw.normal(20, 5, n)})
    return frame, (frame.minutes + draw.normal(0, 5, n) > 20).astype(int)


def _sales(n=3000):
    """Half of the rows lack a number that matters as much as the one that all rows have."""
    draw = np.random.default_rng(1)
    x, income, has = draw.normal(50, 10, n), draw.normal(50000, 15000, n), draw.random(n) < 0.5
    margin = (x - 50) / 10 + has * (income - 50000) / 15000
    rows = [
        {"x": x[i], "kind": "ab"[i % 2], "income": income[i]} if has[i] else {"x": x[i], "kind": "ab"[i % 2]}
        for i in range(n)
    ]
    return rows, (draw.random(n) < 1 / (1 + np.exp(-margin))).tolist()


def test_a_column_that_was_never_learned_adds_nothing(tmp_path):
    frame, labels = _visits()
    path = tmp_path / "visits.csv"
    frame.assign(bought=labels).to_csv(path, index=False)
    model = AWMSketch("2KiB").learn_file(path, label="bought")
    expected = model.predict_proba(frame)[:, 1]
    for other in (f"other{i}" for i in range(40)):  # each has its own cell, with noise from other features
        for value in (50000.0, "text", True):
            assert (model.predict_proba(frame.assign(**{other: value}))[:, 1] == expected).all()
            assert model.predict_proba_one({**frame.iloc[0].to_dict(), other: value})[True] == expected[0]


@pytest.mark.parametrize("way", ["absent", "null"])
def test_a_number_that_half_of_the_rows_lack_is_scaled_too(way):
    rows, labels = _sales()
    given = rows if way == "absent" else [{"income": None, **row} for row in rows]
    model = AWMSketch("16KiB")
    model.learn_many(given, labels)
    assert model.schema_["income"].deviation == pytest.approx(15000, rel=0.05)
    assert model.weight("income") == pytest.approx(1, abs=0.25)
    assert model.weight("x") == pytest.approx(1, abs=0.25)


def test_a_late_number_is_scaled_if_declared_numeric():
    rows, labels = _sales()
    for row in rows[:100]:
        row.pop("income", None)
    model = AWMSketch("16KiB", schema=Schema(numeric=["income"]))
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)
    assert model.weight("income") == pytest.approx(1, abs=0.25)
    assert model.nbytes <= 16384
    assert load_again(model).schema_["income"] == model.schema_["income"]


def load_again(model):
    return type(model).from_bytes(model.to_bytes())


def test_texts_that_few_rows_have_still_merge():
    rows = [{"x": float(i % 7), "kind": "ab"[i % 2], **({"error": "late"} if i % 5 == 3 else {})} for i in range(400)]
    labels = [i % 3 == 0 for i in range(400)]
    parts = [AWMSketch("8KiB"), AWMSketch("8KiB")]
    parts[0].learn_many(rows[:200], labels[:200])
    parts[1].learn_many([row for row in rows[200:] if "error" not in row], labels[200:360])
    assert parts[0].merge(parts[1]).n_seen_ == 360


def test_rows_with_other_columns_in_training_still_use_them():
    rows = [{"x": float(i % 7), "kind": "ab"[i % 2]} for i in range(50)]
    model = AWMSketch("8KiB")
    model.learn_many(rows, [i % 2 == 0 for i in range(50)])
    model.learn_many([{**row, "late": "yes"} for row in rows], [True] * 50)
    assert model.weight("late=yes") > 0
    assert model.predict_proba_one({**rows[1], "late": "yes"})[True] > model.predict_proba_one(rows[1])[True]


def test_the_saved_model_knows_its_columns_too(tmp_path):
    frame, labels = _visits()
    model = AWMSketch("2KiB").learn_file(frame.assign(bought=labels), label="bought")
    model.save(tmp_path / "model.wms")
    again = load(tmp_path / "model.wms")
    row = frame.iloc[3].to_dict()
    assert all(again.predict_proba_one({**row, f"c{i}": 1e6}) == model.predict_proba_one(row) for i in range(100))
