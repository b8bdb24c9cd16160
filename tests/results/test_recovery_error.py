"""RelErr compared with its definition."""

import numpy as np
import pytest

from wmsketch import AWMSketch, LogisticRegression
from wmsketch.results.recovery_error import RecoveryError


def _learned(model):
    rng = np.random.default_rng(1)
    for _ in range(400):
        keys = rng.choice(300, 6, replace=False)
        model.learn_one({int(key): float(rng.normal()) for key in keys}, bool(keys.min() < 40))
    return model


def test_equals_its_definition():
    reference, model = _learned(LogisticRegression()), _learned(AWMSketch("600B"))
    keys = [int(key) for key in reference._learner().state()["keys"]]  # keys in one cell tie, and the first seen wins
    true = np.array([reference.weight(key) for key in keys])
    estimates = np.array([model.weight(key) for key in keys])

    def sparse(weights, k):
        kept = np.zeros_like(weights)
        heaviest = np.argsort(-np.abs(weights), kind="stable")[:k]
        kept[heaviest] = weights[heaviest]
        return kept

    for k, ratio in RecoveryError(reference).at(model, [1, 8, 64]).items():
        best = np.linalg.norm(sparse(true, k) - true)
        assert ratio == pytest.approx(np.linalg.norm(sparse(estimates, k) - true) / best, rel=1e-6)
        assert ratio > 1


def test_the_reference_itself_is_perfect_and_nothing_can_be_missed_at_the_end():
    reference = _learned(LogisticRegression())
    ratios = RecoveryError(reference).at(reference, [8, 10_000])
    assert ratios[8] == 1.0 and np.isnan(ratios[10_000])
