"""Numbers to predict, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import mean_absolute_error, r2_score

import wmsketch
from wmsketch.cli.main import main


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    age, kind = rng.integers(0, 20, 2000), rng.choice(["diesel", "petrol", "electric"], 2000)
    price = 20_000 - 600 * age + 3000 * (kind == "electric") + rng.normal(size=2000) * 300
    table = pd.DataFrame({"age": age, "kind": kind, "price": price.round(2)}).sort_values("price")
    table.to_csv(path := tmp_path / "cars.csv", index=False)
    return path


def run(*arguments: Any, status: int = 0) -> Any:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == status, result.output
    return result


@pytest.mark.parametrize("loss", ["squared", "absolute", "poisson"])
def test_train_and_predict_a_sorted_file(cars: Path, tmp_path: Path, loss: str) -> None:
    saved = tmp_path / "m.wms"
    told = run("train", cars, "--label", "price", "--loss", loss, "--holdout", "0.2", "--save", saved, "--json")
    document = json.loads(told.stdout)
    assert document["method"] == "regression"
    assert document["baseline"] == ("median" if loss == "absolute" else "mean")
    assert document["mae"] < document["baseline_mae"] / 2
    assert document["holdout"]["r2"] > 0.9
    assert "error_rate" not in document
    lines = run("predict", cars, "--model", saved).stdout.split()
    truth = pd.read_csv(cars)
    predicted = np.asarray(lines, dtype=float)
    assert predicted == pytest.approx(wmsketch.load(saved).predict_many(truth.drop(columns="price")), rel=1e-4)
    assert r2_score(truth["price"], predicted) > 0.9


def test_scores_are_those_of_scikit_learn(cars: Path, tmp_path: Path) -> None:
    saved, later = tmp_path / "m.wms", tmp_path / "later.csv"
    table = pd.read_csv(cars).sample(frac=1, random_state=0)
    table[:1500].to_csv(cars, index=False)
    table[1500:].to_csv(later, index=False)
    run("train", cars, "--label", "price", "--loss", "squared", "--save", saved)
    result = run("predict", later, "--model", saved, "--json")
    predicted = [json.loads(line)["prediction"] for line in result.stdout.splitlines()]
    mae, r2 = mean_absolute_error(table["price"][1500:], predicted), r2_score(table["price"][1500:], predicted)
    assert f"500 rows: mean absolute error {mae:.4g}, R2 {r2:.3f}" in result.stderr


def test_what_is_printed(cars: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.wms"
    told = run("train", cars, "--label", "price", "--loss", "squared", "--save", saved).stdout
    assert "mean absolute error" in told
    assert "(always the mean)" in told
    assert "weights are in its units" in told
    assert run("top", saved).stdout.split("\n")[1].startswith("age ")
    assert "AWMRegressor" in run("inspect", saved).stdout
    why = run("predict", cars, "--model", saved, "--why", 1).stdout.splitlines()[0]
    assert why.split("\t")[1].startswith("age:-")


def test_the_way_is_shown(cars: Path) -> None:
    assert "--loss squared predicts the number" in run("train", cars, "--label", "price", status=1).stderr
    assert "--loss squared predicts the number" in run("train", cars, "--label", "age").stderr
    assert "--loss squared" not in run("train", cars, "--label", "kind").stderr


def test_refusals_say_why(cars: Path, tmp_path: Path) -> None:
    words = run("train", cars, "--label", "kind", "--loss", "squared", status=1).stderr
    assert "cars.csv:2:" in words
    assert "expected a label that is a number" in words
    clash = run("train", cars, "--label", "price", "--loss", "squared", "--method", "wm", status=2)
    assert "--method wm predicts a class" in clash.stderr
    saved = tmp_path / "m.wms"
    run("train", cars, "--label", "price", "--loss", "squared", "--save", saved)
    assert "predicts a number" in run("predict", cars, "--model", saved, "--proba", status=2).stderr


def test_missing_labels_are_skipped_and_predicted(cars: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.wms"
    table = pd.read_csv(cars)
    table.loc[5:9, "price"] = None
    table.to_csv(cars, index=False)
    told = run("train", cars, "--label", "price", "--loss", "squared", "--save", saved)
    assert "5 rows without a label" in told.stderr
    predicted = run("predict", cars, "--model", saved)
    assert len(predicted.stdout.split()) == 2000
    assert "1,995 with a label" in predicted.stderr


def test_constant_label_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("a,y\n" + "".join(f"{i},5\n" for i in range(50)))
    assert "the label is 5 in every row" in run("train", path, "--label", "y", "--loss", "squared").stderr


def test_jobs_and_merge(cars: Path, tmp_path: Path) -> None:
    saved, other = tmp_path / "m.wms", tmp_path / "n.wms"
    for number, path in enumerate((saved, other)):  # shards learn rows as they come
        pd.read_csv(cars).sample(frac=1, random_state=number).to_csv(cars, index=False)
        run("train", cars, "--label", "price", "--loss", "squared", "--jobs", 2, "--save", path)
    run("merge", saved, other, "--output", tmp_path / "both.wms")
    truth = pd.read_csv(cars)
    assert wmsketch.load(tmp_path / "both.wms").score(truth[["age", "kind"]], truth["price"]) > 0.9


def test_other_formats(tmp_path: Path) -> None:
    svm = tmp_path / "n.svm"
    svm.write_text("".join(f"{2.5 * (i % 7)} 1:{i % 7} 2:1\n" for i in range(700)))
    told = json.loads(run("train", svm, "--loss", "squared", "--json").stdout)
    assert told["r2"] > 0.9
    lines = tmp_path / "n.jsonl"
    lines.write_text("".join(json.dumps({"a": i % 7, "y": 2.5 * (i % 7)}) + "\n" for i in range(700)))
    assert json.loads(run("train", lines, "--label", "y", "--loss", "squared", "--json").stdout)["r2"] > 0.9
