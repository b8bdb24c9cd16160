"""CPU time of every method on the same blocks, relative to the unlimited model."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from typing import Any

from wmsketch.evaluation.budget_shapes import make_model, paper_shape
from wmsketch.evaluation.streams import Library
from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.baselines import LogisticRegression
from wmsketch.methods import EVALUATED

BLOCKS = 24


@dataclass(frozen=True)
class TimingRun:
    """All methods at one budget take turns block by block, so that a slow period of the machine affects all of them."""

    stream: str
    budget: int
    machine: str = platform.node()

    kind = "timing"

    @property
    def title(self) -> str:
        return f"{self.stream} run time at {self.budget} bytes"

    def measure(self, library: Library) -> dict[str, Any]:
        """Return ns per feature in each method's best block; the first block warms up."""
        stream = library.load(self.stream)
        models: dict[str, OnlineClassifier] = {"unlimited": LogisticRegression(n_features=stream.X.shape[1])}
        models |= {method: make_model(method, paper_shape(method, self.budget)) for method in EVALUATED}
        shape = paper_shape("awm", self.budget)
        models["awm associative"] = AWMSketch(**shape, step="plain", eviction="paper")
        best = dict.fromkeys(models, float("inf"))
        rows = max(1, stream.X.shape[0] // BLOCKS)
        for number in range(BLOCKS):
            X, y = stream.X[number * rows : (number + 1) * rows], stream.y[number * rows : (number + 1) * rows]
            for name, model in models.items():
                X.data.sum(), X.indices.sum()  # load the block into the cache before the first method
                began = time.process_time()
                model.learn_many(X, y)
                if number and X.nnz:
                    best[name] = min(best[name], (time.process_time() - began) / X.nnz * 1e9)
        return {"ns_per_feature": best}
