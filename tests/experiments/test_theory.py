"""The theorems on generated data: recovery by the sketch, and the effect of an adversarial order."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from wmsketch import WMSketch
from wmsketch.evaluation.generated import weighted_stream
from wmsketch.evaluation.streams import Library
from wmsketch.evaluation.theory_run import TheoryRun, batch_optimum, projection, recovered


def test_the_batch_optimum_has_no_slope() -> None:
    X, y, _ = weighted_stream(500, 40, per_row=5, n_heavy=8, strength=10.0, seed=0)
    w = batch_optimum(X, y, 0.01)
    signs = np.where(y, 1.0, -1.0)
    slope = X.T @ (-signs / (1 + np.exp(signs * (X @ w)))) / len(signs) + 0.01 * w
    assert np.abs(slope).max() < 1e-6


def test_the_projection_is_the_models_own() -> None:
    """One step from zero moves z along R x, so the estimates of the model equal those computed by hand."""
    model = WMSketch(depth=5, width=32, active_set_size=8, fit_intercept=False, l2=0.0, eta0=0.1)
    row = csr_matrix(([1.0, 0.5, 2.0], ([0, 0, 0], [3, 7, 50])), shape=(1, 60))
    model.learn_many(row, [True])
    R, buckets = projection(model, 60)
    z = 0.1 * 0.5 * (R @ row.toarray().ravel())
    assert recovered(z, R, buckets) == pytest.approx(model.weights(np.arange(60)), abs=1e-6)


def test_more_cells_recover_better_and_an_adversarial_order_undoes_it() -> None:
    small = TheoryRun(32, 7).measure(Library(None))
    large = TheoryRun(512, 7).measure(Library(None))
    sorted_by_label = TheoryRun(512, 7, "negatives first").measure(Library(None))
    for name in ("batch", "averaged", "last_iterate"):
        assert large[name] < small[name] / 5
    assert large["batch"] == pytest.approx(large["count_sketch"], rel=0.5)  # Theorem 1: z* is close to R w*
    assert sorted_by_label["last_iterate"] > 20 * large["last_iterate"]
    assert sorted_by_label["batch"] is None
