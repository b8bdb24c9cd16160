"""Counts of features in files that are read again, compared with pandas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

CITIES = ["Rome", "Oslo", "Lima"]


@pytest.fixture
def frame() -> pd.DataFrame:
    draw = np.random.default_rng(0)
    city = draw.choice([*CITIES, None], 3000)
    late = draw.random(3000) < np.where(city == "Rome", 0.8, 0.2)
    return pd.DataFrame({"city": city, "minutes": draw.normal(size=3000).round(3), "late": np.where(late, "yes", "no")})


def test_rows_and_positive_ones_are_those_of_the_file(run: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    file, model = tmp_path / "trips.csv", tmp_path / "trips.wms"
    frame.to_csv(file, index=False)
    assert run("train", file, "--label", "late", "--positive", "yes", "--save", model).exit_code == 0
    rows = json.loads(run("top", model, "--count", file, "--json").stdout)
    found = {row["feature"]: (row["rows"], row["positives"]) for row in rows}
    assert found == {
        **{f"city={city}": _counts(frame[frame.city == city]) for city in CITIES},
        "minutes": _counts(frame),
    }
    printed = run("top", model, "--count", file, "--count", file).stdout
    rome, positives = found["city=Rome"]
    assert f"{2 * rome:,}" in printed and f"{positives / rome:.1%}" in printed
    assert "--count cannot be combined with --since" in run("top", model, "--since", model, "--count", file).stderr


def test_words_count_once_a_row_and_labels_may_be_missing(run: Any, tmp_path: Path) -> None:
    file, bare, model = tmp_path / "mails.csv", tmp_path / "bare.csv", tmp_path / "mails.wms"
    mails = [("free money free", 1), ("meeting at noon", 0)] * 50
    pd.DataFrame(mails, columns=["mail", "spam"]).to_csv(file, index=False)
    pd.DataFrame(mails, columns=["mail", "spam"])[["mail"]].to_csv(bare, index=False)
    assert run("train", file, "--label", "spam", "--text", "mail", "--save", model).exit_code == 0
    rows = json.loads(run("top", model, "--count", bare, "--json").stdout)
    assert {row["rows"] for row in rows} == {50} and not any("positives" in row for row in rows)


def test_a_feature_of_one_class_of_many_counts_its_own_label(run: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    file, model = tmp_path / "trips.csv", tmp_path / "trips.wms"
    frame.dropna().to_csv(file, index=False)
    assert run("train", file, "--label", "city", "--method", "multiclass", "--save", model).exit_code == 0
    for row in json.loads(run("top", model, "--count", file, "--json").stdout):
        held = frame.dropna()
        if row["feature"] != "minutes":
            held = held[held.late == row["feature"].split("=")[1]]
        assert (row["rows"], row["positives"]) == (len(held), int((held.city == row["label"]).sum()))


def _counts(rows: pd.DataFrame) -> tuple[int, int]:
    return len(rows), int((rows.late == "yes").sum())
