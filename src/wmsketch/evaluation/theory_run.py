"""Theorems 1 and 2 on generated data: the true optimum, the optimum in the sketch, and one pass over the stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.evaluation.generated import weighted_stream
from wmsketch.evaluation.streams import Library
from wmsketch.learners.models.introspection import config_of, hash_of
from wmsketch.learners.models.wm import WMSketch

N_FEATURES, N_ROWS, L2, ETA0 = 1000, 20_000, 1e-2, 10.0
Vector = NDArray[np.float64]


def batch_optimum(X: Any, y: NDArray[np.bool_], l2: float) -> Vector:
    """Return the minimiser of the mean logistic loss + l2/2 |w|^2, computed from all rows.

    >>> from scipy.sparse import csr_matrix
    >>> batch_optimum(csr_matrix([[1.0], [1.0]]), np.array([True, False]), 0.1).round(6).tolist()
    [0.0]
    """
    from scipy.optimize import minimize

    signs = np.where(y, 1.0, -1.0)

    def loss(w: Vector) -> tuple[float, Vector]:
        margins = signs * (X @ w)
        slope = -signs / (1.0 + np.exp(np.minimum(margins, 500)))
        value = np.logaddexp(0.0, -margins).mean() + l2 / 2 * (w @ w)
        return float(value), X.T @ slope / len(signs) + l2 * w

    found = minimize(loss, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options={"gtol": 1e-8, "maxiter": 2000})
    optimum: Vector = found.x
    return optimum


@cache
def problem() -> tuple[Any, NDArray[np.bool_], Vector]:
    """Return rows (l1 norm at most 1), labels, and w*: the optimum of the batch objective."""
    X, y, _ = weighted_stream(N_ROWS, N_FEATURES, per_row=10, n_heavy=40, strength=30.0, seed=5)
    return X, y, batch_optimum(X, y, L2)


def projection(model: WMSketch, n_features: int) -> tuple[Any, NDArray[np.int64]]:
    """Return R = A / sqrt(depth) of a model's own hashes, and the bucket (first axis: row) of every feature."""
    from scipy.sparse import csr_matrix

    shape = config_of(model)
    depth, width = shape["depth"], shape["width"]
    bits = np.array([[hash_of(model, row, key) for key in range(n_features)] for row in range(depth)], np.uint64)
    buckets = ((bits * np.uint64(width)) >> np.uint64(32)).astype(np.int64) + width * np.arange(depth)[:, None]
    signs = np.where(bits & np.uint64(1), -1.0, 1.0)
    columns = np.tile(np.arange(n_features), depth)
    R = csr_matrix((signs.ravel() / np.sqrt(depth), (buckets.ravel(), columns)), shape=(depth * width, n_features))
    return R, buckets


def recovered(z: Vector, R: Any, buckets: NDArray[np.int64]) -> Vector:
    """Count-Sketch recovery: the median over rows of sqrt(depth) * sign * cell."""
    depth = len(buckets)
    signs = np.stack([np.asarray(R[row_buckets, np.arange(R.shape[1])]).ravel() for row_buckets in buckets])
    estimates: Vector = np.median(depth * signs * z[buckets], axis=0)
    return estimates


@dataclass(frozen=True)
class TheoryRun:
    """One choice of R. Errors are the largest distances to w*, in units of its l1 norm: the epsilon reached."""

    width: int
    depth: int
    order: str = "random"
    seed: int = 0
    stream: str = "theory"

    kind = "theory"

    @property
    def title(self) -> str:
        return f"theory {self.width}x{self.depth} {self.order} seed {self.seed}"

    def measure(self, library: Library) -> dict[str, Any]:
        X, y, optimum = problem()
        norm = np.abs(optimum).sum()
        rng = np.random.default_rng(1000 + self.seed)
        order = rng.permutation(N_ROWS)
        if self.order == "negatives first":
            order = order[np.argsort(y[order], kind="stable")]
        shape: dict[str, Any] = {"width": self.width, "depth": self.depth, "active_set_size": 8, "active_set": "exact"}
        rule: dict[str, Any] = {"l2": L2, "eta0": ETA0, "fit_intercept": False, "seed": self.seed}
        radius = float(np.linalg.norm(optimum) + 0.1 * norm)  # D = D_2 + epsilon * D_1, epsilon = 0.1
        averaged = WMSketch(**shape, **rule, averaged=True, project=radius)
        plain = WMSketch(**shape, **rule)
        for model in (averaged, plain):
            model.learn_many(X[order], y[order])
        keys = np.arange(N_FEATURES)

        def reached(estimates: Vector) -> float:
            return float(np.abs(estimates - optimum).max() / norm)

        R, buckets = projection(averaged, N_FEATURES)
        batch = batch_optimum((X @ R.T).tocsr(), y, L2) if self.order == "random" else None
        return {
            "batch": reached(recovered(batch, R, buckets)) if batch is not None else None,
            "count_sketch": reached(recovered(R @ optimum, R, buckets)),
            "averaged": reached(averaged.weights(keys)),
            "last_iterate": reached(plain.weights(keys)),
            "all_zero": reached(np.zeros(N_FEATURES)),
            "l1_norm": float(norm),
        }
