"""A missing number is not 0, however the columns are called."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch


@pytest.fixture
def table() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.normal(50, 2, (3000, 3))
    y = X[:, 0] > X[:, 1]
    X[draw.random(X.shape) < 0.2] = np.nan
    return X, y


def test_missing_numbers_of_numbered_columns_are_those_of_named_ones(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    named, numbered = pd.DataFrame(X, columns=list("abc")), pd.DataFrame(X)
    expected = AWMSketch("8KiB").fit(named, y).predict_proba(named)
    model = AWMSketch("8KiB").fit(numbered, y)
    np.testing.assert_allclose(model.predict_proba(numbered), expected, atol=0.02)
    assert model.score(numbered, y) > 0.85
    assert [column.kind for column in model.schema_] == ["number"] * 3


def test_missing_values_of_dicts_by_number(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    rows = pd.DataFrame(X).to_dict("records")
    model, without = AWMSketch("8KiB"), AWMSketch("8KiB")
    model.learn_many(rows, y)
    for row, label in zip(rows, y.tolist(), strict=True):
        without.learn_one({place: None if value != value else value for place, value in row.items()}, label)
    assert np.mean(model.predict_many(rows) == y) > 0.85
    mean = {column.name: column.mean for column in model.schema_}
    assert 49 < float(mean["0"] or 0) < 51
    assert without.predict_proba_one(rows[0]) == model.predict_proba_one(rows[0])


def test_a_model_that_holds_missing_numbers_is_saved(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    frame = pd.DataFrame(X)
    model = AWMSketch("8KiB")
    model.learn_many(frame[:5], y[:5])
    again = AWMSketch.from_bytes(model.to_bytes())
    for each in (model, again):
        each.learn_many(frame[5:], y[5:])
    assert again.predict_proba_many(frame[:9]).equals(model.predict_proba_many(frame[:9]))


def test_nan_in_an_array_is_an_error(table: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"the value of feature \d must be finite"):
        AWMSketch("8KiB").fit(*table)


_PEAK = """
import resource
import numpy as np, pandas as pd
from wmsketch import AWMSketch
small = pd.DataFrame(np.ones((100, 4)), columns=list("abcd"))
AWMSketch("8KiB", shuffle=False).fit(small, [0, 1] * 50)
frame = pd.DataFrame(np.random.default_rng(0).normal(size=(1_000_000, 4)), columns=list("abcd"))
y = frame["a"].to_numpy() > 0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = AWMSketch("8KiB", shuffle=False).fit(frame, y)
assert model.score(frame[:1000], y[:1000]) > 0.95
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / len(y))
"""


def test_the_rows_of_a_long_frame_are_not_all_in_memory() -> None:
    peak = subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, check=True)
    assert float(peak.stdout) < 60  # bytes a row; the frame itself has 32
