"""Compare the default learner with shared cells, the paper's sketch, hashing and Vowpal Wabbit.

    python -m experiments.beyond_the_paper [--data NAME...] [--seeds N] [--again METHOD...] [--table]

Measures error, log loss, recovery and time on every data set of experiments.datasets, with 2 to 128 KiB, one pass, and
rows of length one. Each run is a line of experiments/results/beyond_the_paper.jsonl and is not repeated. `--again`
first drops the runs of a method, and `--table` only prints. After a change of the default rule, use
`--again default "adaptive hashing"` (about 3 minutes of CPU time; `--seeds 3` takes a third). All methods
together take hours, mostly for Vowpal Wabbit.

- `default`: AWMSketch(budget), in true bytes, and in half as many bytes again.
- `shared`: adaptive steps with shared cells, which version 0.2 removed; kept in the results, not run again.
- `before`: the default before calibration, larger steps and tagged cells; kept in the results, not run again.
- `paper`: AWMSketch.paper(bytes), with bytes as the paper counts them. It really takes twice as many. So half the
  budget, the budget, and two and four times the budget are 1, 2, 4 and 8 times the budget in true bytes.
- `hashing`: FeatureHashing(budget), with plain and with adaptive steps.
- `vw`: Vowpal Wabbit with logistic loss and otherwise default settings, its table (16 bytes per cell) reduced to the
  budget. `vw 4MiB`: its default table. The seed is that of its hash. For its best step sizes see
  experiments.vowpal_wabbit.

RelErr(128) and the coverage of the error bars (`bytes_error`, nominal 95 %) are relative to the learner with the same
steps and no memory limit. Recall@128 is relative to the batch optimum (experiments.yardstick), for `RECALL` only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.csr_cache import Table, cache_folder
from experiments.datasets import load
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression
from wmsketch.evaluation.provenance import provenance
from wmsketch.results.top_agreement import TopAgreement
from wmsketch.results.top_error import TopError

NAMES = [
    *("imdb", "imdb_bigrams", "reuters", "newsgroups", "urls", "urls_both"),
    *("assist2009", "assist2017", "spending2015", "w8a", "a9a"),
]
RECALL = ("imdb",)
KIB = 1024
BUDGETS = [2 * KIB, 8 * KIB, 32 * KIB, 128 * KIB]
PAPER_BUDGETS = sorted({budget * factor // 2 for budget in BUDGETS for factor in (1, 2, 4, 8)})
VW_CELL, VW_DEFAULT = 16, 4096 * KIB
K = 128
RESULTS = Path(__file__).parent / "results" / "beyond_the_paper.jsonl"
MODELS: dict[str, Callable[[int, int], Any]] = {
    "default": lambda budget, seed: AWMSketch(budget, seed=seed),
    "paper": lambda budget, seed: AWMSketch.paper(budget, seed=seed),
    "hashing": lambda budget, seed: FeatureHashing(budget, seed=seed),
    "adaptive hashing": lambda budget, seed: FeatureHashing(budget, seed=seed, step="adaptive"),
}
METHODS = [*MODELS, "vw"]

VOWPAL_WABBIT = """
import sys, vowpalwabbit
arguments = "--loss_function logistic --binary --hash all --quiet --no_stdin"
vw = vowpalwabbit.Workspace(f"-d {sys.argv[1]} -b {sys.argv[2]} --hash_seed {sys.argv[3]} {arguments}")
print(vw.get_sum_loss() / vw.get_weighted_examples())
"""


def half_as_many_again(budget: int) -> int:
    """Return one and a half times a budget."""
    return budget * 3 // 2


def runs_wanted(seeds: int) -> list[tuple[str, int, int]]:
    """Return method, bytes and seed of each run; runs whose times are compared are adjacent."""
    wanted = [
        run
        for seed in range(seeds)
        for budget in BUDGETS
        for run in (("default", budget, seed), ("default", half_as_many_again(budget), seed))
    ]
    wanted += [("paper", budget, seed) for seed in range(seeds) for budget in PAPER_BUDGETS]
    for method in ("hashing", "adaptive hashing", "vw"):
        wanted += [(method, budget, seed) for seed in range(seeds) for budget in BUDGETS]
    return [*wanted, ("vw", VW_DEFAULT, 0)]


class Truth(NamedTuple):
    """The references for a model: the learner without a memory limit for each step rule, and the batch optimum."""

    errors: dict[str, TopError]
    weights: dict[str, NDArray[np.float64]]
    optimum: TopAgreement | None


def run(method: str, budget: int, seed: int, data: Table, truth: Truth, text: Path) -> dict[str, Any]:
    """Return the results of one run."""
    if method == "vw":
        bits = (budget // VW_CELL).bit_length() - 1
        done = subprocess.run(
            [sys.executable, "-c", VOWPAL_WABBIT, text, str(bits), str(seed)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return {"error_rate": float(done.stdout)}
    model = MODELS[method](budget, seed)
    begin = time.process_time()
    model.learn_many(data.X, data.y)
    seconds = time.process_time() - begin
    row = {"error_rate": model.error_rate_, "log_loss": model.log_loss_, "nbytes": model.nbytes}
    row["ns_per_feature"] = 1e9 * seconds / data.X.nnz
    if isinstance(model, AWMSketch):
        row.update(recovery(model, "plain" if method == "paper" else "adaptive", truth))
    return row


def recovery(model: AWMSketch, step: str, truth: Truth) -> dict[str, Any]:
    """Return how the heaviest features of a model compare with the references."""
    found: dict[str, Any] = {}
    everything = model.top(len(truth.weights[step]) if step == "adaptive" else K)
    keys, weights = [one.feature for one in everything], [one.weight for one in everything]
    if truth.errors[step].n_nonzero > K:
        found["rel_err"] = truth.errors[step].at(keys[:K], weights[:K], [K])[K]
    if step == "adaptive":
        holds = [abs(one.weight - truth.weights[step][one.feature]) <= one.bytes_error for one in everything]
        found["bars"], found["bars_top"] = float(np.mean(holds)), float(np.mean(holds[:K]))
    if truth.optimum is not None:
        agreement = truth.optimum.at(keys[:K], weights[:K], [K])[K]
        found["recall"], found["sign_errors"] = agreement.recall, agreement.sign_errors
    return found


def unlimited(data: Table, step: str) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return the weights of a learner without a memory limit, and the results of its run."""
    model = LogisticRegression(n_features=data.X.shape[1], step=step)
    model.learn_many(data.X, data.y)
    weights = model.weights(np.arange(data.X.shape[1], dtype=np.uint32))
    return weights, {"error_rate": model.error_rate_, "log_loss": model.log_loss_, "nbytes": model.nbytes}


def write_for_vw(data: Table, path: Path) -> None:
    """Write a data set in Vowpal Wabbit's format, atomically."""
    if path.exists():
        return
    starts, keys, values = data.X.indptr, data.X.indices, data.X.data
    part = path.with_suffix(".part")
    with part.open("w") as file:
        for r, label in enumerate(data.y):
            row = range(starts[r], starts[r + 1])
            file.write(("1 |" if label > 0 else "-1 |") + "".join(f" {keys[i]}:{values[i]:.6g}" for i in row) + "\n")
    part.rename(path)


def read_results() -> dict[tuple[str, str, int, int], dict[str, Any]]:
    """Return the stored runs by data set, method, bytes and seed."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(row["data"], row["method"], row["budget_bytes"], row["seed"]): row for row in rows if "data" in row}


def forget(methods: list[str], names: list[str]) -> None:
    """Drop the runs of these methods on these data sets."""
    lines = RESULTS.read_text().splitlines()
    parsed = [json.loads(line) for line in lines]
    kept = [
        line
        for line, row in zip(lines, parsed, strict=True)
        if not ("data" in row and row["method"] in methods and row["data"] in names)
    ]
    RESULTS.write_text("".join(line + "\n" for line in kept))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--again", nargs="+", default=[], choices=METHODS, help="Run these methods, even if they were.")
    parser.add_argument("--table", action="store_true", help="Run nothing; print what is there.")
    options = parser.parse_args()
    if options.again:
        forget([*options.again, "unlimited adaptive", "unlimited plain"], options.data)
    if not options.table:
        run_all(options.data, options.seeds)
    from experiments.beyond_tables import print_tables

    print_tables(read_results(), options.data)


def run_all(names: list[str], seeds: int) -> None:
    from experiments.yardstick import agreement_with

    done = read_results()
    with RESULTS.open("a") as file:
        file.write(json.dumps(provenance()) + "\n")
        for name in names:
            wanted = [one for one in runs_wanted(seeds) if (name, *one) not in done]
            if not wanted:
                continue
            data, text = load(name), cache_folder() / f"{name}.vw"
            optimum = agreement_with(name, data.X, np.asarray(data.y) > 0) if name in RECALL else None
            truth = Truth({}, {}, optimum)
            for step in ("plain", "adaptive"):
                truth.weights[step], row = unlimited(data, step)
                truth.errors[step] = TopError(truth.weights[step])
                if (name, f"unlimited {step}", 0, 0) not in done:
                    found = {"data": name, "method": f"unlimited {step}", "budget_bytes": 0, "seed": 0, **row}
                    file.write(json.dumps(found) + "\n")
            if any(method == "vw" for method, _, _ in wanted):
                write_for_vw(data, text)
            for method, budget, seed in wanted:
                row = run(method, budget, seed, data, truth, text)
                found = {"data": name, "method": method, "budget_bytes": budget, "seed": seed, **row}
                file.write(json.dumps(found) + "\n")
                file.flush()
            text.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
