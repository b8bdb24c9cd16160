"""Interactions that are found: those that pay on rows held out, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest

from wmsketch import AWMRegressor, AWMSketch
from wmsketch.errors import ParameterError

AUTO = {"interactions": ["auto"]}


def table(answer: Callable[[int, int, Random], Any], n_rows: int = 6000) -> pandas.DataFrame:
    """Return rows whose answer depends on a city and a device, beside a plan that tells nothing."""
    random = Random(3)
    rows = []
    for _ in range(n_rows):
        city, device = random.randrange(6), random.randrange(5)
        plan = random.choice(["free", "pro", "team"])
        answered = answer(city, device, random)
        rows.append({"city": f"c{city}", "device": f"d{device}", "plan": plan, "answer": answered})
    return pandas.DataFrame(rows)


def agree(city: int, device: int, random: Random) -> str:
    return "yes" if random.random() < 0.2 + 0.6 * ((city + device) % 2) else "no"


def alone(city: int, device: int, random: Random) -> str:
    return "yes" if random.random() < 0.1 + 0.1 * city + 0.05 * device else "no"


def test_a_pair_whose_columns_tell_nothing_alone_is_found_in_a_frame_and_a_file(tmp_path: Path) -> None:
    rows = table(agree)
    model = AWMSketch("16KiB", schema=AUTO).fit(rows, label="answer")
    assert model.schema_.rules.interactions == ("city:device",)
    right = (model.predict(rows.drop(columns="answer")) == rows["answer"].to_numpy()).mean()
    assert right > 0.75
    rows.to_csv(tmp_path / "rows.csv", index=False)
    of_file = AWMSketch("16KiB", schema=AUTO).fit(tmp_path / "rows.csv", label="answer")
    assert of_file.schema_.rules.interactions == ("city:device",)


def test_columns_that_tell_all_alone_have_no_interaction() -> None:
    rows = table(alone)
    found = AWMSketch("16KiB", schema=AUTO).fit(rows, label="answer")
    assert found.schema_.rules.interactions == ()
    plain = AWMSketch("16KiB").fit(rows, label="answer")
    features = rows.drop(columns="answer")
    assert (found.predict_proba(features) == plain.predict_proba(features)).all()


def test_a_given_pair_stays_and_is_not_found_again() -> None:
    schema = {"interactions": ["device:city", "auto"]}
    model = AWMSketch("16KiB", schema=schema).fit(table(agree), label="answer")
    assert model.schema_.rules.interactions == ("device:city",)


def test_a_number_to_predict_has_interactions() -> None:
    rows = table(lambda city, device, random: 10 + 5 * ((city + device) % 2) + random.gauss(0, 2))
    model = AWMRegressor("16KiB", schema=AUTO).fit(rows, label="answer")
    assert model.schema_.rules.interactions == ("city:device",)


def test_rows_that_come_once_cannot_be_searched() -> None:
    with pytest.raises(ParameterError, match="fit"):
        AWMSketch(schema=AUTO).learn_one({"city": "c1"}, True)
    model = AWMSketch(schema=AUTO)
    with pytest.raises(ParameterError, match="read twice"):
        model.fit(iter([table(agree)]), label="answer")
    assert model.schema == AUTO
