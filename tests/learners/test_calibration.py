"""Probabilities come from calibrated margins. The calibration scale is saved and merged with the weights."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from wmsketch import AWMSketch, FeatureHashing, LogisticRegression, load


def crowded(n: int = 8000, seed: int = 0) -> tuple[csr_matrix, np.ndarray]:
    """Rows of many weak features, so that in few bytes the margins are too small."""
    draw = np.random.default_rng(seed)
    weights = np.random.default_rng(1).normal(size=20_000)
    columns = draw.integers(20_000, size=(n, 60))
    signs = draw.choice([-1.0, 1.0], size=(n, 60)) * 0.2
    X = csr_matrix((signs.ravel(), columns.ravel(), np.arange(0, 60 * n + 1, 60)), shape=(n, 20_000), dtype=np.float32)
    y = draw.random(n) < 1 / (1 + np.exp(-3 * (X @ weights)))
    return X, y


def log_loss(margins: np.ndarray, y: np.ndarray) -> float:
    return float(np.logaddexp(0, -np.where(y, 1, -1) * margins).mean())


def test_calibrated_probabilities_are_better_than_raw_ones():
    X, y = crowded()
    model = AWMSketch("8KiB")
    model.learn_many(X[:6000], y[:6000])
    margins = model.decision_function(X[6000:])
    calibrated = model.calibrated(margins)
    assert log_loss(calibrated, y[6000:]) < log_loss(margins, y[6000:])
    assert np.array_equal(calibrated > 0, margins > 0)  # no predicted label changes
    assert model.predict_proba(X[6000:])[:, 1] == pytest.approx(1 / (1 + np.exp(-calibrated)), abs=1e-9)


@pytest.mark.parametrize("make", [AWMSketch.paper, FeatureHashing])
def test_the_learners_of_the_paper_are_not_calibrated(make):
    X, y = crowded(500)
    model = make(2048)
    model.learn_many(X, y)
    margins = model.decision_function(X)
    assert np.array_equal(model.calibrated(margins), margins)


@pytest.mark.parametrize("make", [lambda: AWMSketch("8KiB"), lambda: LogisticRegression(step="adaptive")])
def test_calibration_is_the_same_by_row_by_table_and_after_saving(make, tmp_path):
    names = [{f"w{(7 * i + j) % 90}": 1.0 for j in range(5)} for i in range(600)]
    labels = [i % 7 < 3 for i in range(600)]
    model = make()
    for x, y in zip(names, labels, strict=True):
        model.learn_one(x, y)
    scale = model.calibrated(np.array([1.0]))[0]
    assert scale != 1
    assert model.predict_proba_one(names[0])[True] == model.predict_proba(names[:1])[0, 1]
    model.save(tmp_path / "m.wms")
    assert load(tmp_path / "m.wms").calibrated(np.array([1.0]))[0] == scale


def test_merged_calibration_lies_between_both_in_either_order():
    models = []
    for seed in (0, 1):
        X, y = crowded(2000, seed)
        models.append(AWMSketch("8KiB"))
        models[-1].learn_many(X, y)
    one, other = (model._native.calibration for model in models)
    merged = [models[0].copy().merge(models[1]), models[1].copy().merge(models[0])]
    [first, second] = (model._native.calibration for model in merged)
    assert first == second and min(one, other) <= first <= max(one, other)


def test_log_loss_and_outcomes_are_of_calibrated_predictions():
    X, y = crowded()
    model = AWMSketch("8KiB")
    model.learn_many(X, y)
    raw = AWMSketch("8KiB")
    margins = []
    for i in range(0, 8000, 20):
        margins.append(raw.decision_function(X[i : i + 20]) if i else np.zeros(20))
        raw.learn_many(X[i : i + 20], y[i : i + 20])
    assert model.log_loss_ < log_loss(np.concatenate(margins), y)


def test_a_huge_margin_does_not_ruin_the_calibration():
    model = AWMSketch("8KiB")
    for _ in range(50):
        model.learn_one({"a": 1.0}, True)
    before = model._native.calibration
    model.learn_one({"a": 1e6}, False)
    assert abs(model._native.calibration - before) <= 0.101
