"""RelErr(K) against the definition, written with whole vectors."""

import numpy as np
import pytest

from experiments.recovery import relative_error


def by_definition(keys, weights, truth, k):
    estimate, best = np.zeros_like(truth), np.zeros_like(truth)
    estimate[keys] = weights
    heaviest = np.argsort(-np.abs(truth))[:k]
    best[heaviest] = truth[heaviest]
    return np.linalg.norm(estimate - truth) / np.linalg.norm(best - truth)


@pytest.mark.parametrize("k", [1, 8, 64])
def test_equals_the_definition(k):
    rng = np.random.default_rng(k)
    truth = rng.standard_normal(1000)
    keys = rng.choice(1000, k, replace=False)
    weights = rng.standard_normal(k)
    assert relative_error(keys, weights, truth, k) == pytest.approx(by_definition(keys, weights, truth, k), rel=1e-12)


def test_the_true_top_k_scores_one_and_nothing_scores_lower():
    truth = np.random.default_rng(0).standard_normal(1000)
    heaviest = np.argsort(-np.abs(truth))[:32]
    assert relative_error(heaviest, truth[heaviest], truth, 32) == pytest.approx(1.0)
    assert relative_error(heaviest[:16], truth[heaviest[:16]], truth, 32) > 1.0
    assert relative_error([], [], truth, 32) > 1.0


def test_a_feature_named_twice_or_too_many_is_an_error():
    with pytest.raises(ValueError, match="each feature once"):
        relative_error([1, 1], [0.5, 0.5], np.ones(10), 4)
    with pytest.raises(ValueError, match="at most k=1"):
        relative_error([1, 2], [0.5, 0.5], np.ones(10), 1)
    with pytest.raises(ValueError, match="k must be below the 3 non-zero weights"):
        relative_error([0], [1.0], [1.0, 2.0, 3.0], 3)
