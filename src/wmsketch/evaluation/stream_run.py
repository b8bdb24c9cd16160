"""One run: one method learns one stream once; online error, recovery, bytes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.evaluation.budget_shapes import SEEDLESS, make_model, paper_shape
from wmsketch.evaluation.streams import Library, Stream
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.methods import METHODS, method_name

SIZES = (8, 16, 32, 64, 128, 256, 512)
L2 = 1e-6


@dataclass(frozen=True)
class StreamRun:
    """A run, defined by everything that determines its numbers."""

    stream: str
    method: str
    shape: tuple[tuple[str, int], ...]
    l2: float = L2
    seed: int = 0
    hash_family: str = "mixer"

    kind = "stream"

    @property
    def title(self) -> str:
        sizes = "x".join(str(size) for _, size in self.shape)
        return f"{self.stream} {self.method} {sizes} l2={self.l2:g} seed {self.seed}"

    def measure(self, library: Library) -> dict[str, Any]:
        """Learn and score. The unlimited model learns the same rows in the same order by the same rule."""
        stream, (unlimited, truth) = library.load(self.stream), library.reference(self.stream, self.l2)
        rule: dict[str, Any] = {"l2": self.l2}
        if self.method not in SEEDLESS:
            rule["seed"] = self.seed
        if self.hash_family != "mixer":
            rule["hash_family"] = self.hash_family
        model = make_model(self.method, dict(self.shape), **rule)
        began = time.process_time()
        model.learn_many(stream.X, stream.y)
        seconds = time.process_time() - began
        keys, weights = own_top(model, stream)
        return {
            "error_rate": model.error_rate_,
            "rel_err": {str(k): ratio for k, ratio in truth.at(keys, weights, SIZES).items()},
            "nbytes": model.nbytes,
            "paper_bytes": model.paper_bytes,
            "unlimited_error_rate": unlimited["error_rate"],
            "cpu_seconds": round(seconds, 4),
        }


def own_top(model: OnlineClassifier, stream: Stream) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the heaviest features according to the method itself.

    Feature hashing stores no keys, so all features that occurred are looked up. Features of one cell are equally heavy;
    the smaller id wins, which helps feature hashing if ids are in order of first appearance.
    """
    if METHODS[method_name(model)].holds_keys:
        top = model.top(max(SIZES))
        return np.array([row.feature for row in top], np.int64), np.array([row.weight for row in top])
    weights = model.weights(stream.features)
    heaviest = np.argsort(-np.abs(weights), kind="stable")[: max(SIZES)]
    return stream.features[heaviest], weights[heaviest]


def stream_runs(
    stream: str, method: str, seeds: int, shapes: Iterable[dict[str, Any]], l2: float = L2, **more: Any
) -> Iterator[StreamRun]:
    """Yield a run for each shape and seed; a deterministic method needs one seed."""
    for shape in shapes:
        for seed in range(1 if method in SEEDLESS else seeds):
            yield StreamRun(stream, method, tuple(shape.items()), l2, seed, **more)


def budget_runs(
    stream: str, method: str, budget: int, seeds: int, l2: float = L2, **more: Any
) -> tuple[StreamRun, ...]:
    """Return the runs of one method in the paper's shape for a budget."""
    return tuple(stream_runs(stream, method, seeds, [paper_shape(method, budget)], l2, **more))
