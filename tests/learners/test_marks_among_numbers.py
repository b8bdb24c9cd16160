"""Marks like - and ? among numbers say that a value is missing: the column stays one of numbers, whatever holds it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch

ROWS = 2000


@pytest.fixture(autouse=True)
def _without_notes() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the column", UserWarning)
        yield


def table(write: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of numbers as texts, a third of them marks, that tells the label."""
    draw = np.random.default_rng(0)
    numbers = draw.uniform(18, 80, ROWS).round(1)
    marks = draw.choice(["-", "?"], ROWS)
    texts = [
        mark if u < 0.3 else format(x, write) for x, mark, u in zip(numbers, marks, draw.random(ROWS), strict=True)
    ]
    return pd.DataFrame({"age": texts, "job": draw.choice(["a", "?"], ROWS)}), numbers > 50


@pytest.mark.parametrize("write", [".1f", ".0f", ".3e"])
def test_numbers_with_marks_are_learned_as_numbers_from_files_and_frames(tmp_path: Path, write: str) -> None:
    frame, y = table(write)
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    read = pd.read_csv(tmp_path / "rows.csv")[["age", "job"]]
    assert read["age"].tolist() == frame["age"].tolist()  # pandas takes - and ? for texts, so all are texts
    known = ~frame["age"].isin(["-", "?"])
    for model in (AWMSketch().fit(read, y), AWMSketch().fit(tmp_path / "rows.csv", label="y")):
        assert {column.name: column.kind for column in model.schema_} == {"age": "mixed", "job": "text"}
        assert np.mean(np.asarray(model.predict(read)).astype(str)[known] == y.astype(str)[known]) > 0.9
        assert abs(model.weight("age")) > 1


def test_a_text_that_is_a_number_is_that_number_in_rows_of_any_kind() -> None:
    frame, y = table(".1f")
    model = AWMSketch().fit(frame, y)
    expected = model.predict_proba(frame[:50])[:, 1].tolist()
    rows = frame[:50].to_dict("records")
    assert [model.predict_proba_one(row)[True] for row in rows] == expected
    plain = [{**row, "age": float(row["age"])} for row in rows if row["age"] not in "-?"]
    texts = [row for row in rows if row["age"] not in "-?"]
    assert [model.predict_proba_one(row) for row in plain] == [model.predict_proba_one(row) for row in texts]


def test_amounts_are_read_in_single_rows_too() -> None:
    draw = np.random.default_rng(1)
    prices = draw.normal(50, 20, ROWS)
    texts = [f"${price:.2f}" if u < 0.8 else "-" for price, u in zip(prices, draw.random(ROWS), strict=True)]
    frame, y = pd.DataFrame({"price": texts}), prices > 50
    model = AWMSketch().fit(frame, y)
    assert model.score(frame, y) > 0.8
    assert (
        model.predict_proba_one({"price": "$90.00"})[True] > 0.9 > 0.1 > model.predict_proba_one({"price": "$9"})[True]
    )


def test_codes_with_marks_stay_texts() -> None:
    draw = np.random.default_rng(2)
    zips = [
        f"{code:05}" if u < 0.9 else "?"
        for code, u in zip(draw.integers(500, 99999, 500), draw.random(500), strict=True)
    ]
    model = AWMSketch().fit(pd.DataFrame({"zip": zips}), draw.random(500) < 0.5)
    assert [column.kind for column in model.schema_] == ["text"]
