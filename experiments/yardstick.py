"""Do the heaviest features of a learner agree with the batch optimum, and with the true weights of generated rows?

    python -m experiments.yardstick [--data NAME...] [--seeds N] [--budgets KIB...]

The batch optimum is scikit-learn's liblinear on all rows, with the penalty chosen by held-out error; it is cached.
Recall@128 is how many of its 128 heaviest features are among the 128 heaviest of the method. Sign errors are those of
the method's features with the opposite sign in the optimum. Rank is Spearman's correlation of |weight| over the 128
features of the optimum. `planted` are generated rows: the truth is known, and the batch optimum is one of the methods.

Equal true bytes: `paper` is AWMSketch.paper in half of the budget by its own count.
`unlimited` and `unlimited plain` are the default's and the paper's rule without a limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.csr_cache import cache_folder
from experiments.datasets import load
from wmsketch import AWMSketch, LogisticRegression, Mission, SimpleTruncation, SpaceSavingFrequent
from wmsketch.evaluation.generated import planted
from wmsketch.evaluation.provenance import provenance
from wmsketch.results.batch_optimum import BatchOptimum, batch_optimum
from wmsketch.results.top_agreement import Agreement, TopAgreement

K, KIB, PLANTED = 128, 1024, "planted"
NAMES = ["imdb", "urls_both", "newsgroups", "reuters", PLANTED]
RESULTS = Path(__file__).parent / "results" / "yardstick.json"
LIMITED: dict[str, Callable[[int, int], Any]] = {
    "default": lambda budget, seed: AWMSketch(budget, seed=seed),
    "paper": lambda budget, seed: AWMSketch.paper(budget // 2, seed=seed),
    "truncation": lambda budget, seed: SimpleTruncation(budget, seed=seed),
    "Space Saving": lambda budget, seed: SpaceSavingFrequent(budget, seed=seed),
    "MISSION": lambda budget, seed: Mission(budget, seed=seed),
}


def optimum_of(name: str, X: Any, y: Any) -> BatchOptimum:
    """Return the batch optimum of a data set, from the cache if possible."""
    path = cache_folder() / f"optimum-{name}.npz"
    if not path.exists():
        found = batch_optimum(X, y)
        np.savez(path, weights=found.weights, facts=[found.c, found.held_out_error])
    with np.load(path) as kept:
        return BatchOptimum(np.arange(len(kept["weights"])), kept["weights"], *kept["facts"].tolist())


def agreement_with(name: str, X: Any, y: Any) -> TopAgreement:
    """Return the object that compares answers with the batch optimum of a data set."""
    found = optimum_of(name, X, y)
    return TopAgreement(found.keys, found.weights)


def measures(model: Any, truth: TopAgreement) -> dict[str, float]:
    """Return recall, sign errors and rank correlation of the 128 heaviest features of a model."""
    top = model.top(K)
    return _record(truth.at([row.feature for row in top], [row.weight for row in top], [K])[K])


def _record(found: Agreement) -> dict[str, float]:
    return {name: getattr(found, name) for name in ("recall", "sign_errors", "rank_correlation")}


def run(name: str, budgets: list[int], seeds: int) -> list[dict[str, Any]]:
    """Return one row for each method, budget and seed."""
    rows: list[dict[str, Any]] = []
    if name == PLANTED:
        X, y, weights = planted()
        truth = TopAgreement(np.arange(len(weights)), weights)
        best = optimum_of(name, X, y)
        heaviest = np.argsort(-np.abs(best.weights))[:K]
        rows.append(
            {"method": "batch", "KiB": None, "seed": 0, **_record(truth.at(heaviest, best.weights[heaviest], [K])[K])}
        )
    else:
        table = load(name)
        X, y = table.X, np.asarray(table.y) > 0
        truth = agreement_with(name, X, y)
    models: list[tuple[str, int | None, int, Any]] = [
        (label, None, 0, LogisticRegression(n_features=X.shape[1], step=step))
        for label, step in (("unlimited", "adaptive"), ("unlimited plain", "plain"))
    ]
    models += [
        (label, kib, seed, make(kib * KIB, seed))
        for label, make in LIMITED.items() for kib in budgets for seed in range(seeds)
    ]  # fmt: skip
    for label, kib, seed, model in models:
        model.learn_many(X, y)
        facts = {"error_rate": model.error_rate_, "nbytes": model.nbytes}
        rows.append({"method": label, "KiB": kib, "seed": seed, **measures(model, truth), **facts})
    return [{"data": name, **row} for row in rows]


def print_table(rows: list[dict[str, Any]]) -> None:
    print("| data | method | KiB | recall@128 | sign errors | rank | online error |\n|---|---|---|---|---|---|---|")
    places = dict.fromkeys((row["data"], row["method"], row["KiB"]) for row in rows)
    for place in places:
        mine = [row for row in rows if (row["data"], row["method"], row["KiB"]) == place]

        def text(name: str, form: str, mine: list[dict[str, Any]] = mine) -> str:
            values = [row[name] for row in mine if name in row]
            if not values:
                return ""
            both = f" ({min(values):{form}} to {max(values):{form}})" if len(values) > 1 else ""
            return f"{statistics.median(values):{form}}{both}"

        data, method, kib = place
        cells = [
            text("recall", ".2f"),
            text("sign_errors", ".3f"),
            text("rank_correlation", ".2f"),
            text("error_rate", ".4f"),
        ]
        print(f"| {data} | {method} | {kib or 'no limit'} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--budgets", nargs="+", type=int, default=[2, 8, 32, 128], metavar="KIB")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    rows = [row for name in options.data for row in run(name, options.budgets, options.seeds)]
    RESULTS.write_text(json.dumps({**provenance(), "rows": rows}, indent=1) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
