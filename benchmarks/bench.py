"""Speed of every weight store, and the ratios the project promises, in one run of under three minutes.

    python -m benchmarks.bench [--json FILE]

Each contender learns the same stream of blocks. The first block is a warm-up and is not counted. Then the contenders
take turns block by block, so that a slow minute of the machine affects all of them. The best block counts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from river import linear_model, optim
from sklearn.linear_model import SGDClassifier

from benchmarks.generated_rows import Block, zipf_blocks
from wmsketch import (
    AWMSketch,
    CountMinFrequent,
    FeatureHashing,
    LogisticRegression,
    ProbabilisticTruncation,
    SimpleTruncation,
    SpaceSavingFrequent,
    WMSketch,
)
from wmsketch.evaluation.provenance import provenance

BUDGET = "8KiB"
FEW, MANY = 50_000, 20_000_000
Learn = Callable[[Block], object]


@dataclass(frozen=True)
class Ratio:
    """A promised ratio: `value` must be at most or at least `target`."""

    name: str
    value: float
    target: float
    at_most: bool

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target


def touch_arrays(block: Block) -> None:
    block.X.data.sum(), block.X.indices.sum()


def best_times(contenders: Mapping[str, Learn], blocks: list[Block], touch: Learn = touch_arrays) -> dict[str, float]:
    """Return each contender's nanoseconds per feature in its best block."""
    best = dict.fromkeys(contenders, np.inf)
    for number, block in enumerate(blocks):
        for name, learn in contenders.items():
            touch(block)  # so that no contender pays for fetching the block from memory
            start = time.process_time()  # CPU time of one thread is least affected by other work
            learn(block)
            spent = (time.process_time() - start) / block.X.nnz * 1e9
            if number > 0:
                best[name] = min(best[name], spent)
    return best


def batches(model: Any) -> Learn:
    return lambda block: model.learn_many(block.X, block.y)


def stores() -> dict[str, float]:
    """Time every store on rows over FEW features, and scikit-learn beside them."""
    sgd = SGDClassifier(loss="log_loss", alpha=1e-6, learning_rate="constant", eta0=0.1)
    both = np.array([False, True])
    return best_times(
        {
            "dense": batches(LogisticRegression(n_features=FEW)),
            "unlimited": batches(LogisticRegression()),
            "hashing": batches(FeatureHashing(BUDGET)),
            "awm": batches(AWMSketch(BUDGET)),
            "awm plain": batches(AWMSketch(BUDGET, step="plain")),
            "awm exact": batches(AWMSketch(BUDGET, step="plain", active_set="exact")),
            "wm": batches(WMSketch(BUDGET)),
            "simple truncation": batches(SimpleTruncation(BUDGET)),
            "probabilistic truncation": batches(ProbabilisticTruncation(BUDGET)),
            "space saving": batches(SpaceSavingFrequent(BUDGET)),
            "count-min frequent": batches(CountMinFrequent(BUDGET)),
            "SGDClassifier": lambda block: sgd.partial_fit(block.X, block.y, both),
        },
        zipf_blocks(40, rows=5_000, per_row=88, n_features=FEW),
    )


def many_features() -> dict[str, float]:
    """Time a dense array against AWM with an array far larger than any cache."""
    return best_times(
        {
            "dense, 20M features": batches(LogisticRegression(n_features=MANY)),
            "awm, 20M features": batches(AWMSketch(BUDGET)),
        },
        zipf_blocks(25, rows=5_000, per_row=75, n_features=MANY),
    )


def one_by_one() -> dict[str, float]:
    """Time `learn_one` with dicts of names, as in River; each dict is new, so it is still in the cache."""
    names = [f"word{j}" for j in range(FEW)]
    blocks = zipf_blocks(200, rows=50, per_row=88, n_features=FEW)
    rows = {id(block): as_dicts(block, names) for block in blocks}

    def touch(block: Block) -> None:
        for x in rows[id(block)]:
            sum(x.values()), sum(map(len, x))

    def learner(model: Any) -> Learn:
        def learn(block: Block) -> None:
            for x, y in zip(rows[id(block)], block.y.tolist(), strict=True):
                model.learn_one(x, y)

        return learn

    return best_times(
        {
            "learn_one awm": learner(AWMSketch(BUDGET)),
            "learn_one unlimited": learner(LogisticRegression()),
            "learn_one River": learner(linear_model.LogisticRegression(optim.SGD(0.1))),
        },
        blocks,
        touch,
    )


def as_dicts(block: Block, names: list[str]) -> list[dict[str, float]]:
    return [{names[j]: float(v) for j, v in zip(row.indices, row.data, strict=True)} for row in block.X]


def ratios(ns: Mapping[str, float]) -> list[Ratio]:
    """Return the promised ratios, each from two times of this run."""
    return [
        Ratio("awm / dense, 50k features", ns["awm"] / ns["dense"], 4.5, at_most=True),
        Ratio("awm / awm plain", ns["awm"] / ns["awm plain"], 1.25, at_most=True),
        Ratio("hashing / dense, 50k features", ns["hashing"] / ns["dense"], 1.5, at_most=True),
        Ratio("awm / dense, 20M features", ns["awm, 20M features"] / ns["dense, 20M features"], 1.0, at_most=True),
        Ratio("River / awm, learn_one", ns["learn_one River"] / ns["learn_one awm"], 10.0, at_most=False),
        Ratio("SGDClassifier / dense", ns["SGDClassifier"] / ns["dense"], 4.0, at_most=False),
        Ratio("SGDClassifier / awm", ns["SGDClassifier"] / ns["awm"], 1.0, at_most=False),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of every weight store, and the promised ratios.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    about = provenance()
    print(f"{about['machine']}; commit {about['commit']}")
    print(", ".join(f"{name} {found}" for name, found in dict(about["versions"]).items()))  # type: ignore[call-overload]
    print("\nns per feature (best block)")
    ns: dict[str, float] = {}
    for part in (stores, many_features, one_by_one):
        found = part()
        ns |= found
        for name, value in found.items():
            print(f"  {name:26} {value:8.2f}", flush=True)
    print("\nratio                              found   wanted")
    found_ratios = ratios(ns)
    for ratio in found_ratios:
        wanted = f"{'<=' if ratio.at_most else '>='} {ratio.target:g}"
        print(f"  {ratio.name:30} {ratio.value:7.2f} {wanted:>8}  {'yes' if ratio.met else 'NO'}")
    if options.json:
        rows = [vars(ratio) | {"met": ratio.met} for ratio in found_ratios]
        options.json.write_text(json.dumps({**about, "ns_per_feature": ns, "ratios": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
