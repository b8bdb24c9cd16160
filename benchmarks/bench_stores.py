"""The contenders of `make bench` that learn in this process. They take turns block by block."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from river import linear_model, optim
from sklearn.linear_model import SGDClassifier

from benchmarks.generated_rows import Block, zipf_blocks
from benchmarks.quiet import Times
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

BUDGET = "8KiB"
FEW, MANY = 50_000, 20_000_000
Learn = Callable[[Block], object]
Round = tuple[dict[str, Learn], list[Block], Learn]  # contenders, blocks of rows, and how to fetch a block from memory


def touch_arrays(block: Block) -> None:
    block.X.data.sum(), block.X.indices.sum()


def race(contenders: Mapping[str, Learn], blocks: list[Block], touch: Learn) -> dict[str, list[float]]:
    """Return each contender's nanoseconds per feature, block by block; the first block is a warm-up."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number, block in enumerate(blocks):
        for name, learn in contenders.items():
            touch(block)  # so that no contender pays for fetching the block from memory
            start = time.process_time()  # CPU time of one thread is least affected by other work
            learn(block)
            spent = (time.process_time() - start) / block.X.nnz * 1e9
            if number > 0:
                times[name].append(spent)
    return times


def batches(model: Any) -> Learn:
    return lambda block: model.learn_many(block.X, block.y)


def stores(run: int) -> Round:
    """Every store on rows of 88 features over FEW, and scikit-learn beside them."""
    sgd = SGDClassifier(loss="log_loss", alpha=1e-6, learning_rate="constant", eta0=0.1)
    both = np.array([False, True])
    contenders = {
        "dense": batches(LogisticRegression(n_features=FEW)),
        "unlimited": batches(LogisticRegression()),
        "hashing": batches(FeatureHashing(BUDGET)),
        "awm": batches(AWMSketch(BUDGET)),
        "awm plain": batches(AWMSketch(BUDGET, step="plain")),
        "awm exact": batches(AWMSketch(BUDGET, step="plain", active_set="exact")),
        "wm": batches(WMSketch(BUDGET)),
        "wm 128 x 14": batches(WMSketch(depth=14, width=128, active_set_size=128)),
        "wm depth 1": batches(WMSketch(depth=1, width=1792, active_set_size=128)),
        "simple truncation": batches(SimpleTruncation(BUDGET)),
        "probabilistic truncation": batches(ProbabilisticTruncation(BUDGET)),
        "space saving": batches(SpaceSavingFrequent(BUDGET)),
        "count-min frequent": batches(CountMinFrequent(BUDGET)),
        "SGDClassifier": lambda block: sgd.partial_fit(block.X, block.y, both),
    }
    return contenders, zipf_blocks(15, rows=5_000, per_row=88, n_features=FEW, seed=run), touch_arrays


def budgets(run: int) -> Round:
    """The default learner with budgets beyond the caches, and a dense array that is far larger than any."""
    contenders = {f"awm {budget}": batches(AWMSketch(budget)) for budget in ("64KiB", "2MiB", "16MiB", "64MiB")}
    contenders["awm, 20M features"] = batches(AWMSketch(BUDGET))
    contenders["dense, 20M features"] = batches(LogisticRegression(n_features=MANY))
    return contenders, zipf_blocks(10, rows=5_000, per_row=75, n_features=MANY, seed=run), touch_arrays


def row_lengths(run: int) -> Iterator[Round]:
    """The default learner on rows of 1 to 1,000 features."""
    for length in (1, 6, 20, 100, 1000):
        blocks = zipf_blocks(8, rows=400_000 // length, per_row=length, n_features=FEW, seed=run)
        yield {f"awm, rows of {length}": batches(AWMSketch(BUDGET))}, blocks, touch_arrays


def one_by_one(run: int) -> Round:
    """`learn_one` and `predict_proba_one` with dicts of names, as in River."""
    names = [f"word{j}" for j in range(FEW)]
    blocks = zipf_blocks(60, rows=50, per_row=88, n_features=FEW, seed=run)
    rows = {id(block): as_dicts(block, names) for block in blocks}

    def touch(block: Block) -> None:
        for x in rows[id(block)]:
            sum(x.values()), sum(map(len, x))

    def learner(model: Any) -> Learn:
        def learn(block: Block) -> None:
            for x, y in zip(rows[id(block)], block.y.tolist(), strict=True):
                model.learn_one(x, y)

        return learn

    def asker(model: Any) -> Learn:
        learner(model)(blocks[0])

        def ask(block: Block) -> None:
            for x in rows[id(block)]:
                model.predict_proba_one(x)

        return ask

    def river() -> Any:
        return linear_model.LogisticRegression(optim.SGD(0.1))

    contenders = {
        "learn_one awm": learner(AWMSketch(BUDGET)),
        "learn_one unlimited": learner(LogisticRegression()),
        "learn_one River": learner(river()),
        "predict_proba_one awm": asker(AWMSketch(BUDGET)),
        "predict_proba_one River": asker(river()),
    }
    return contenders, blocks, touch


def as_dicts(block: Block, names: list[str]) -> list[dict[str, float]]:
    return [{names[j]: float(v) for j, v in zip(row.indices, row.data, strict=True)} for row in block.X]


def learners(n_runs: int) -> dict[str, Times]:
    """Return the nanoseconds per feature of every contender, from runs on different rows."""
    found: dict[str, Times] = {}
    for run in range(n_runs):
        for contenders, blocks, touch in (stores(run), budgets(run), *row_lengths(run), one_by_one(run)):
            for name, times in race(contenders, blocks, touch).items():
                found.setdefault(name, Times()).runs.append(times)
    return found
