"""Predictions for rows in general, and with ``follow=True`` for the next row, on streams with a moving base rate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Batch

from tests.learners.learners_under_test import as_dicts, state
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression
from wmsketch.learners.saving.model_file import load_model, save_model

ADAPTIVE = {
    "AWMSketch": lambda **options: AWMSketch("32KiB", **options),
    "FeatureHashing": lambda **options: FeatureHashing("32KiB", step="adaptive", **options),
    "LogisticRegression": lambda **options: LogisticRegression(step="adaptive", **options),
}


def days(n_days: int = 200, rows_a_day: int = 100, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of four features, such as carrier and hour. Weights are the same every day, but days are good or bad."""
    draw = np.random.default_rng(seed)
    n = n_days * rows_a_day
    keys = draw.integers(0, 30, (n, 4)) + 30 * np.arange(4)
    X = sp.csr_matrix((np.ones(4 * n, np.float32), keys.ravel().astype(np.int32), np.arange(0, 4 * n + 1, 4)))
    weights = draw.normal(scale=0.6, size=120)
    mood = np.repeat(draw.normal(scale=1.5, size=n_days), rows_a_day)
    return X, draw.random(n) < 1 / (1 + np.exp(-(X @ weights + mood - 1)))


def scores(margins: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Error and log loss."""
    return float(np.mean((margins >= 0) != y)), float(np.mean(np.logaddexp(0, np.where(y, -margins, margins))))


@pytest.mark.parametrize("name", ADAPTIVE)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_finished_model_is_as_good_as_batch_logistic_regression(name: str, seed: int) -> None:
    X, y = days(seed=seed)
    last = len(y) * 3 // 4
    batch = Batch().fit(X[:last], y[:last])
    model = ADAPTIVE[name]()
    model.learn_many(X[:last], y[:last])
    (error, loss), (batch_error, batch_loss) = (
        scores(each.decision_function(X[last:]), y[last:]) for each in (model, batch)
    )
    assert error < 1.05 * batch_error
    assert loss < 1.05 * batch_loss


@pytest.mark.parametrize("name", ADAPTIVE)
def test_a_model_that_follows_knows_the_base_rate(name: str) -> None:
    """River's loop measures the error that the model reports, and it is as low as if the model knew the day."""
    X, y = days(n_days=60)
    model, mistakes = ADAPTIVE[name](follow=True), 0
    for x, label in zip(as_dicts(X), y, strict=True):
        mistakes += model.predict_one(x) != label
        model.learn_one(x, bool(label))
    assert mistakes == model.record_.mistakes
    batch_error, _ = scores(Batch().fit(X, y).decision_function(X), y)
    assert model.error_rate_ < 0.9 * batch_error


def test_follow_selects_the_kind_of_prediction(tmp_path: Path) -> None:
    X, y = days(n_days=20)
    rows, row = as_dicts(X), as_dicts(X)[-1]
    running, batched = AWMSketch("8KiB", follow=True), AWMSketch("8KiB", follow=True)
    for x, label in zip(rows, y, strict=True):
        running.learn_one(x, bool(label))
    batched.learn_many(X, y)
    assert state(running) == state(batched)  # both learned the same

    def answers(model: Any) -> list[float]:
        one = model.decision_function_one(row), *model.predict_proba_one(row).values()
        return [*one, *model.predict_proba_many([row])[0], model.predict_many([row])[0]]

    shift = float(running._native.state()["intercept_shift"][0])
    assert shift != 0
    assert running.decision_function_one(row) == running.decision_function([row])[0] + shift
    assert answers(running)[1:3] == pytest.approx(answers(running)[3:5])
    assert running.decision_function([row])[0] == batched.decision_function([row])[0]
    save_model(running, tmp_path / "m.wms")
    fitted = AWMSketch("8KiB", follow=True).partial_fit(X, y, classes=[False, True])
    finished = [batched, load_model(tmp_path / "m.wms"), fitted]
    for model in finished:
        assert model.decision_function_one(row) == model.decision_function([row])[0]
        assert answers(model) == answers(batched)
    for model in (running, *finished):  # all continue identically
        model.learn_one(row, True)
    assert all(answers(model) == answers(running) for model in finished)
    running.merge(batched)
    assert running.decision_function_one(row) == running.decision_function([row])[0]


@pytest.mark.parametrize("name", ADAPTIVE)
def test_by_default_predictions_are_for_rows_in_general(name: str) -> None:
    X, y = days(n_days=20)
    model, rows = ADAPTIVE[name](), as_dicts(X)
    for x, label in zip(rows, y, strict=True):
        model.learn_one(x, bool(label))
    assert model._native.state()["intercept_shift"][0] != 0  # the online error uses the shift
    margins, probabilities = model.decision_function(X[:50]), model.predict_proba(X[:50])
    assert [model.decision_function_one(row) for row in rows[:50]] == margins.tolist()
    assert [[*model.predict_proba_one(row).values()] for row in rows[:50]] == probabilities.tolist()
    assert model.predict_proba_many(rows[:50]).tolist() == probabilities.tolist()
    assert [model.predict_one(row) for row in rows[:50]] == model.predict(X[:50]).tolist()


def test_the_plain_steps_have_one_intercept() -> None:
    X, y = days(n_days=5)
    model = AWMSketch("8KiB", step="plain", follow=True)
    for x, label in zip(as_dicts(X), y, strict=True):
        model.learn_one(x, bool(label))
    assert model.decision_function_one({}) == model.decision_function([{}])[0] == model.intercept_


def test_a_base_rate_is_learned_from_rows_without_features() -> None:
    model = LogisticRegression(step="adaptive")
    labels = np.random.default_rng(0).random(5000) < 0.1
    model.learn_many([{}] * len(labels), labels)
    assert model.predict_proba([{}])[0, 1] == pytest.approx(labels.mean(), abs=0.03)
