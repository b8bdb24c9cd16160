"""A finished model of rows in time order is not that of the last rows; see `fit` and `train`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression

from wmsketch import AWMSketch
from wmsketch.cli.main import main


@pytest.fixture(scope="module")
def drifting() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and words that say little; the share of positive labels moves, and ends far from its mean."""
    draw = np.random.default_rng(0)
    n = 8000
    rate = 0.25 + 0.2 * np.sin(np.arange(n) / 900)
    frame = pd.DataFrame({"a": draw.normal(20, 5, n), "b": draw.choice(["u", "v", "w"], n)})
    odds = np.log(rate / (1 - rate)) + 0.15 * (frame["a"] - 20) + (frame["b"] == "u")
    return frame, draw.random(n) < 1 / (1 + np.exp(-odds.to_numpy()))


def _log_loss(probabilities: np.ndarray, y: np.ndarray) -> float:
    return float(-np.mean(np.log(np.where(y, probabilities, 1 - probabilities))))


def test_fit_is_as_good_on_all_rows_as_batch(drifting: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = drifting
    batch = pd.get_dummies(frame).astype(float)
    best = _log_loss(LogisticRegression(max_iter=1000).fit(batch, y).predict_proba(batch)[:, 1], y)
    model = AWMSketch("8KiB")
    model.learn_many(frame, y)
    streamed = _log_loss(model.predict_proba(frame)[:, 1], y)
    finished = AWMSketch("8KiB", shuffle=False).fit(frame, y)
    assert streamed > 1.01 * best  # so that there is something to correct
    assert _log_loss(finished.predict_proba(frame)[:, 1], y) < 1.005 * best
    assert abs(finished.predict_proba(frame)[:, 1].mean() - y.mean()) < 0.005


def test_rows_without_drift_are_left_alone() -> None:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(5000, 3))
    y = draw.random(5000) < 1 / (1 + np.exp(-X[:, 0]))
    model = AWMSketch("8KiB")
    model.learn_many(X, y)
    assert AWMSketch("8KiB", shuffle=False).fit(X, y).predict_proba(X).tolist() == model.predict_proba(X).tolist()


def test_a_half_life_follows_the_last_rows(drifting: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = drifting
    model = AWMSketch("8KiB", half_life=1000)
    model.learn_many(frame, y)
    assert AWMSketch("8KiB", half_life=1000, shuffle=False).fit(frame, y).intercept_ == model.intercept_


def test_train_settles_files_and_pipes_alike(drifting: tuple[pd.DataFrame, np.ndarray], tmp_path: Path) -> None:
    frame, y = drifting
    text = frame.assign(label=np.where(y, "yes", "no")).to_csv(index=False)
    (tmp_path / "rows.csv").write_text(text)
    options = ["--label", "label", "--positive", "yes", "--shuffle", "0", "--passes", "1", "--json"]
    answers = [
        CliRunner().invoke(main, ["train", name, *options, "--save", str(tmp_path / f"{place}.wms"), *more], input=text)
        for place, (name, more) in enumerate([(str(tmp_path / "rows.csv"), []), ("-", ["--format", "csv"])])
    ]
    for answer in answers:
        assert any("fitted again to rows from the whole input" in note for note in json.loads(answer.stdout)["notes"])
    models = [AWMSketch.load(tmp_path / f"{place}.wms") for place in range(2)]
    probabilities = [model.predict_proba_many(frame.to_dict("records"))[:, 1] for model in models]
    np.testing.assert_array_equal(*probabilities)
    assert abs(probabilities[0].mean() - y.mean()) < 0.01


def test_a_resumed_training_settles_by_all_rows(drifting: tuple[pd.DataFrame, np.ndarray], tmp_path: Path) -> None:
    frame, y = drifting
    rows = frame.assign(label=np.where(y, "yes", "no"))
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    given = ["--label", "label", "--positive", "yes", "--shuffle", "0", "--passes", "1"]
    run = CliRunner().invoke
    assert run(main, ["train", str(path), *given, "--save", str(tmp_path / "whole.wms")]).exit_code == 0
    lines = path.read_text().splitlines(keepends=True)
    bad = [*lines[:4001], "1,2,3,4,5,6\n", *lines[4001:]]
    path.write_text("".join(bad))
    stopped = run(main, ["train", str(path), *given, "--bad-rows", "stop", "--save", str(tmp_path / "half.wms")])
    assert stopped.exit_code == 1
    resumed = run(main, ["train", str(path), "--resume", str(tmp_path / "half.wms"), "--bad-rows", "skip"])
    assert resumed.exit_code == 0, resumed.stderr
    whole, half = (AWMSketch.load(tmp_path / name) for name in ("whole.wms", "half.wms"))
    assert half.predict_proba_one({"a": 20.0, "b": "u"}) == whole.predict_proba_one({"a": 20.0, "b": "u"})
