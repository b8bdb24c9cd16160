"""Agreement with a w* that was not found by an online learner."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wmsketch.evaluation.generated import weighted_stream
from wmsketch.results.batch_optimum import batch_optimum
from wmsketch.results.top_agreement import TopAgreement


def test_the_truth_agrees_with_itself() -> None:
    weights = np.random.default_rng(0).normal(size=50)
    order = np.argsort(-np.abs(weights))
    found = TopAgreement(np.arange(50) + 7, weights).at(order + 7, weights[order], [1, 10, 50])
    assert [one.recall for one in found.values()] == [1.0, 1.0, 1.0]
    assert [one.sign_errors for one in found.values()] == [0.0, 0.0, 0.0]
    assert found[10].rank_correlation == pytest.approx(1.0)


def test_recall_signs_and_ranks_by_hand() -> None:
    truth = TopAgreement([1, 2, 3, 4, 5], [5.0, -4.0, 3.0, 2.0, 0.0])
    found = truth.at([2, 1, 9, 5], [2.0, 1.0, 0.5, -0.5], [3])[3]
    assert found.recall == pytest.approx(2 / 3)  # 1 and 2, not 3
    assert found.sign_errors == 0.5  # of 1 and 2; 9 has no weight in w*
    assert found.rank_correlation == pytest.approx(0.5)  # |answers| 1, 2, 0 for 5, 4, 3


def test_a_weight_of_zero_names_nothing() -> None:
    found = TopAgreement([1, 2], [2.0, 1.0]).at([1, 2], [0.0, 0.0], [1])[1]
    assert found.recall == 0.0 and math.isnan(found.sign_errors)


def test_more_than_there_are() -> None:
    assert math.isnan(TopAgreement([1, 2], [2.0, 0.0]).at([1], [1.0], [2])[2].recall)


def test_keys_and_weights_belong_together() -> None:
    with pytest.raises(ValueError, match="keys and true_weights must be equally long, got 2 and 1"):
        TopAgreement([1, 2], [1.0])


def test_the_batch_optimum_finds_planted_weights() -> None:
    pytest.importorskip("sklearn")
    X, y, weights = weighted_stream(4_000, 100, per_row=10, n_heavy=12, strength=30.0, seed=3)
    found = batch_optimum(X, y)
    best = np.argsort(-np.abs(found.weights))[:12]
    agreement = TopAgreement(np.arange(100), weights).at(best, found.weights[best], [12])[12]
    assert agreement.recall >= 0.9 and agreement.sign_errors == 0
    assert found.held_out_error < min(y.mean(), 1 - y.mean())


def test_the_batch_optimum_needs_both_labels() -> None:
    pytest.importorskip("sklearn")
    X, y, _ = weighted_stream(50, 20, per_row=3, n_heavy=2, strength=1.0, seed=0)
    with pytest.raises(ValueError, match="rows of both labels"):
        batch_optimum(X, np.ones_like(y))
