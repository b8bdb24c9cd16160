"""Baselines for the reported error, and the uncertainty due to the number of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from tests.learners.learners_under_test import as_dicts, stream
from tests.learners.test_claims import rows
from wmsketch import AWMSketch, MulticlassAWMSketch
from wmsketch.learners.saving.model_file import load_model, save_model
from wmsketch.results.score import Score


def test_the_report_covers_predictions_before_learning(tmp_path: Path) -> None:
    X, y = rows(n_rows=2000, seed=3)
    model, margins = AWMSketch("8KiB", follow=True), []
    for x, label in zip(as_dicts(X), y, strict=True):
        margins.append(model.decision_function_one(x) * (model._native.calibration if margins else 1))
        model.learn_one(x, bool(label))
    assert model.record_.auc == pytest.approx(roc_auc_score(y, margins), abs=0.005)
    assert model.record_.predicted_rate == pytest.approx(np.mean(1 / (1 + np.exp(-np.asarray(margins)))))
    assert model.record_.observed_rate == pytest.approx(np.mean(y))
    assert model.record_.majority_error_rate == pytest.approx(min(np.mean(y), 1 - np.mean(y)))
    assert model.record_.label_counts == {False: np.sum(~y), True: np.sum(y)}
    save_model(model, tmp_path / "m.wms")
    again = load_model(tmp_path / "m.wms")
    assert (again.record_.auc, again.record_.predicted_rate) == (model.record_.auc, model.record_.predicted_rate)


def test_reports_of_parts_add_up() -> None:
    X, y = stream()
    whole, first, second = (AWMSketch("8KiB") for _ in range(3))
    first.learn_many(X[:150], y[:150])
    second.learn_many(X[150:], y[150:])
    counts = [one._native.outcomes for one in (first, second)]
    merged = first.merge(second)
    examples, predicted, negatives, positives = merged._native.outcomes
    assert examples == len(y) and predicted == counts[0][1] + counts[1][1]
    assert sum(negatives) + sum(positives) == len(y) and sum(positives) == y.sum()
    whole.learn_many(X, y)
    assert whole.record_.label_counts == merged.record_.label_counts


def test_the_report_is_outside_the_budget_and_reports_its_bytes() -> None:
    model = AWMSketch("2KiB")
    model.learn_many(*stream())
    assert model.nbytes <= 2048 and model._report_bytes() == 528


def test_many_classes_have_a_baseline_too() -> None:
    model = MulticlassAWMSketch("8KiB")
    model.learn_many([{"a": 1.0}] * 10, ["x"] * 6 + ["y"] * 3 + ["z"])
    assert model.record_.majority_error_rate == pytest.approx(0.4) and np.isnan(model.record_.auc)


def test_a_score_of_held_out_rows_has_them_too() -> None:
    draw = np.random.default_rng(0)
    y = draw.random(4000) < 0.3
    margins = draw.normal(size=4000) + 2 * y - 1.5
    score = Score()
    for part in (slice(0, 1500), slice(1500, None)):
        score.add(margins[part], np.where(y[part], 1, -1).astype(np.int8))
    record = score.as_record()
    assert record["auc"] == pytest.approx(roc_auc_score(y, margins), abs=0.005)
    assert record["majority_error_rate"] == pytest.approx(np.mean(y))
    assert (record["positives"], record["negatives"]) == (y.sum(), 4000 - y.sum())
    assert record["observed_rate"] == pytest.approx(np.mean(y))
    assert record["predicted_rate"] == pytest.approx(np.mean(1 / (1 + np.exp(-margins))))


def test_bytes_error_and_rows_error_together_cover_the_true_weight() -> None:
    """Independent features, some frequent and some in a few dozen rows. With room for all, `bytes_error` is 0."""
    draw = np.random.default_rng(0)
    n, features = 30_000, 1500
    keys = (features * draw.random((n, 6)) ** 2).astype(np.int32)
    X = sp.csr_matrix((np.ones(6 * n, np.float32), keys.ravel(), np.arange(0, 6 * n + 1, 6)), shape=(n, features))
    X.sum_duplicates()
    X.data[:] = 1
    truth = 0.7 * draw.normal(size=features)
    y = draw.random(n) < 1 / (1 + np.exp(-(X @ truth)))
    for budget in ("16KiB", "1MiB"):
        model = AWMSketch(budget)
        model.learn_many(X, y)
        top = model.top(1000)
        off = np.array([abs(row.weight - truth[row.feature]) for row in top])
        half = np.array([(row.high - row.low) / 2 for row in top])
        by_bytes, by_rows = np.array([(row.bytes_error, row.rows_error) for row in top]).T
        assert half == pytest.approx(np.hypot(by_bytes, by_rows))
        assert np.array([model.interval(row) for row in top[:5]]) == pytest.approx(
            np.array([(row.low, row.high) for row in top[:5]])
        )
        assert np.mean(off <= half) > 0.9
        assert np.mean(off <= by_bytes) < 0.9  # `bytes_error` alone ignores the number of rows


def test_the_range_of_a_feature_of_few_rows_says_that_it_may_not_matter() -> None:
    """Rain decides the label. Tail numbers do not, and each is in a few rows."""
    draw = np.random.default_rng(1)
    rain = draw.random(5000) < 0.3
    late = draw.random(5000) < np.where(rain, 0.6, 0.1)
    rows = [{"rain": str(wet), "tail": f"N{draw.integers(1000)}"} for wet in rain]
    model = AWMSketch("1MiB")
    model.learn_many(rows, late)
    top = model.top(10**6)
    sure = [row.feature for row in top if not row.may_be_zero]
    assert {"rain=True", "rain=False"} & set(sure)
    assert sum(str(name).startswith("tail") for name in sure) < 0.08 * len(top)


def test_rows_error_is_known_only_where_it_is_valid() -> None:
    X, y = [{"a": 1.0}] * 40, [True, False] * 20
    for parameters in ({"step": "plain"}, {"half_life": 100}, {"class_weight": "balanced"}, {"loss": "squared_hinge"}):
        model = AWMSketch("8KiB", **parameters)
        model.learn_many(X, y)
        assert np.isnan(model.top(1)[0].rows_error)
    weighted, plain = AWMSketch("8KiB"), AWMSketch("8KiB")
    weighted.learn_many(X, y, sample_weight=np.full(40, 2.0))
    plain.learn_many(X, y, sample_weight=np.tile([1.0, 0.0], 20))
    assert np.isnan(weighted.top(1)[0].rows_error)
    assert plain.top(1)[0].rows_error > 0.5
