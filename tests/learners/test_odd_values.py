"""Values that pandas, numpy and River users have in their rows: durations, NA and NaT, arrays of dicts."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMRegressor, AWMSketch

SECONDS = [30, 5400, 45, 7200, 10, 3600] * 20
LONG = [seconds > 1000 for seconds in SECONDS]


def margins(rows: Any, y: list[bool]) -> list[float]:
    model = AWMSketch(shuffle=False).fit(rows, y)
    assert model.score(rows, y) == 1
    return model.decision_function(rows).tolist()


def test_durations_are_seconds_in_dicts_and_frames() -> None:
    expected = margins([{"wait": float(s), "b": 1.0} for s in SECONDS], LONG)
    for duration in (
        lambda s: datetime.timedelta(seconds=s), lambda s: pd.Timedelta(s, "s"), lambda s: np.timedelta64(s, "s")
    ):  # fmt: skip
        assert margins([{"wait": duration(s), "b": 1.0} for s in SECONDS], LONG) == expected
    frame = pd.DataFrame({"wait": pd.to_timedelta(SECONDS, unit="s"), "b": 1.0})
    assert margins(frame, LONG) == expected


@pytest.mark.parametrize("column", ["wait", 0])
def test_a_missing_value_of_pandas_is_missing(column: Any) -> None:
    models = []
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        model = AWMSketch()
        for i, (seconds, label) in enumerate(zip(SECONDS, LONG, strict=True)):
            other = "b" if column == "wait" else 1
            model.learn_one({column: missing if i % 7 == 3 else float(seconds), other: float(i % 2)}, label)
        models.append(model.to_bytes())
    assert len(set(models)) == 1


def test_an_array_or_a_series_of_dicts_is_rows() -> None:
    rows = [{"wait": float(s), "b": 1.0} for s in SECONDS]
    expected = margins(rows, LONG)
    assert margins(np.array(rows, dtype=object), LONG) == expected
    assert margins(pd.Series(rows), LONG) == expected


def test_a_missing_label_of_pandas_is_refused_in_words() -> None:
    y = pd.Series(LONG, dtype="boolean").mask(np.arange(len(LONG)) == 5)
    X = np.array(SECONDS, float)[:, None]
    with pytest.raises(ValueError, match="Leave out the rows without a label first"):
        AWMSketch().fit(X, y)
    with pytest.raises(ValueError, match="Row 5 has no finite target"):
        AWMRegressor().fit(X, pd.Series(SECONDS, dtype="Int64").mask(np.arange(len(LONG)) == 5))
