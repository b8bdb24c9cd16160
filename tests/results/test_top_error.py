"""RelErr(K) compared with its definition on full vectors."""

import numpy as np
import pytest

from wmsketch.results.top_error import TopError


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
    found = TopError(truth).at(keys, weights, [k])
    assert found == {k: pytest.approx(by_definition(keys, weights, truth, k), rel=1e-12)}


def test_the_true_top_k_scores_one_and_nothing_scores_lower():
    truth = np.random.default_rng(0).standard_normal(1000)
    heaviest = np.argsort(-np.abs(truth))[:32]
    error = TopError(truth)
    assert error.at(heaviest, truth[heaviest], [32]) == {32: pytest.approx(1.0)}
    assert error.at(heaviest[:16], truth[heaviest[:16]], [32])[32] > 1.0
    assert error.at([], [], [32])[32] > 1.0


def test_a_feature_named_twice_is_an_error_and_k_of_all_weights_has_no_answer():
    with pytest.raises(ValueError, match="keys must be distinct"):
        TopError(np.ones(10)).at([1, 1], [0.5, 0.5], [4])
    with pytest.raises(ValueError, match="equally long"):
        TopError(np.ones(10)).at([1, 2], [0.5], [4])
    assert np.isnan(TopError([1.0, 2.0, 3.0]).at([0], [1.0], [3])[3])
