"""The default learner beside the paper's, feature hashing and Vowpal Wabbit: online error, recovery and time.

    python -m experiments.beyond_the_paper [--data NAME...] [--seeds N] [--table]

Every data set of experiments.datasets, 2 to 128 KiB, one pass, rows of length one. Each run is a line of
experiments/results/beyond_the_paper.jsonl, and runs that stand there are not run again; `--table` only prints.

- `default`: AWMSketch(budget), in true bytes.
- `paper`: AWMSketch.paper(bytes). These are bytes as the paper counts them; truly it takes twice as many, so that half
  the budget, all of it, twice and four times are 1, 2, 4 and 8 times the budget in true bytes.
- `hashing`: FeatureHashing(budget), with plain and with adaptive steps.
- `vw`: Vowpal Wabbit with logistic loss and else as it comes, its table (16 bytes a cell) cut to the budget, and
  `vw 4MiB`: its table as it comes. Its seed is that of its hash.

RelErr(128) is measured against the learner of the same steps without a limit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from experiments.csr_cache import Table
from experiments.datasets import load
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression
from wmsketch.evaluation.provenance import provenance
from wmsketch.results.top_error import TopError

NAMES = [
    *("imdb", "imdb_bigrams", "reuters", "newsgroups", "urls", "urls_both"),
    *("assist2009", "assist2017", "spending2015", "w8a", "a9a"),
]
KIB = 1024
BUDGETS = [2 * KIB, 8 * KIB, 32 * KIB, 128 * KIB]
PAPER_BUDGETS = sorted({budget * factor // 2 for budget in BUDGETS for factor in (1, 2, 4, 8)})
VW_CELL, VW_DEFAULT = 16, 4096 * KIB
K = 128
RESULTS = Path(__file__).parent / "results" / "beyond_the_paper.jsonl"

VOWPAL_WABBIT = """
import sys, vowpalwabbit
arguments = "--loss_function logistic --binary --hash all --quiet --no_stdin"
vw = vowpalwabbit.Workspace(f"-d {sys.argv[1]} -b {sys.argv[2]} --hash_seed {sys.argv[3]} {arguments}")
print(vw.get_sum_loss() / vw.get_weighted_examples())
"""


def runs_wanted(seeds: int) -> list[tuple[str, int, int]]:
    wanted = [("default", budget, seed) for seed in range(seeds) for budget in BUDGETS]
    wanted += [("paper", budget, seed) for seed in range(seeds) for budget in PAPER_BUDGETS]
    for method in ("hashing", "adaptive hashing", "vw"):
        wanted += [(method, budget, seed) for seed in range(seeds) for budget in BUDGETS]
    return [*wanted, ("vw", VW_DEFAULT, 0)]


def run(method: str, budget: int, seed: int, data: Table, truth: dict[str, TopError], text: Path) -> dict[str, Any]:
    if method == "vw":
        bits = (budget // VW_CELL).bit_length() - 1
        done = subprocess.run(
            [sys.executable, "-c", VOWPAL_WABBIT, text, str(bits), str(seed)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return {"error_rate": float(done.stdout)}
    model: Any
    if method == "default":
        model = AWMSketch(budget, seed=seed)
    elif method == "paper":
        model = AWMSketch.paper(budget, seed=seed)
    else:
        model = FeatureHashing(budget, seed=seed, step="adaptive" if method == "adaptive hashing" else "plain")
    begin = time.process_time()
    model.learn_many(data.X, data.y)
    seconds = time.process_time() - begin
    row = {"error_rate": model.error_rate_, "nbytes": model.nbytes, "ns_per_feature": 1e9 * seconds / data.X.nnz}
    error = truth["plain" if method == "paper" else "adaptive"]
    if method in ("default", "paper") and error.n_nonzero > K:
        top = model.top(K)
        row["rel_err"] = error.at([one.feature for one in top], [one.weight for one in top], [K])[K]
    return row


def unlimited(data: Table, step: str) -> tuple[TopError, dict[str, Any]]:
    model = LogisticRegression(n_features=data.X.shape[1], step=step)
    model.learn_many(data.X, data.y)
    weights = model.weights(np.arange(data.X.shape[1], dtype=np.uint32))
    return TopError(weights), {"error_rate": model.error_rate_, "nbytes": model.nbytes}


def write_for_vw(data: Table, path: Path) -> None:
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
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(row["data"], row["method"], row["budget_bytes"], row["seed"]): row for row in rows if "data" in row}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--table", action="store_true", help="Run nothing; print what is there.")
    options = parser.parse_args()
    if not options.table:
        run_all(options.data, options.seeds)
    from experiments.beyond_tables import print_tables

    print_tables(read_results(), options.data)


def run_all(names: list[str], seeds: int) -> None:
    done = read_results()
    folder = Path(os.environ.get("WMSKETCH_CACHE") or Path(__file__).parent / "cache")
    with RESULTS.open("a") as file:
        file.write(json.dumps(provenance()) + "\n")
        for name in names:
            wanted = [one for one in runs_wanted(seeds) if (name, *one) not in done]
            if not wanted:
                continue
            data, truth, text = load(name), {}, folder / f"{name}.vw"
            write_for_vw(data, text)
            for step in ("plain", "adaptive"):
                truth[step], row = unlimited(data, step)
                if (name, f"unlimited {step}", 0, 0) not in done:
                    found = {"data": name, "method": f"unlimited {step}", "budget_bytes": 0, "seed": 0, **row}
                    file.write(json.dumps(found) + "\n")
            for method, budget, seed in wanted:
                row = run(method, budget, seed, data, truth, text)
                found = {"data": name, "method": method, "budget_bytes": budget, "seed": seed, **row}
                file.write(json.dumps(found) + "\n")
                file.flush()
            text.unlink()


if __name__ == "__main__":
    main()
