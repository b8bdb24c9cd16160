"""Online error of the AWM-Sketch with the paper's steps and with adaptive ones, at equal true bytes.

    python -m experiments.adaptive_steps [NAME...]

One pass, eta0 0.1, l2 1e-6, seed 0; the data sets of experiments.datasets. The result goes to
experiments/results/adaptive_steps.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from experiments.datasets import load
from experiments.provenance import provenance
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression

NAMES = ["imdb", "reuters", "newsgroups", "urls", "urls_both", "assist2009", "assist2017", "spending2015"]
BUDGETS = [2048, 8192, 32768, 131072]
STEPS = ["plain", "adaptive"]


def main() -> None:
    rows = []
    for name in sys.argv[1:] or NAMES:
        data = load(name)
        unlimited = {}
        for step in STEPS:
            reference = LogisticRegression(n_features=data.X.shape[1], step=step)
            reference.learn_many(data.X, data.y)
            unlimited[step] = reference.error_rate_
        for budget in BUDGETS:
            row = {"data": name, "budget_bytes": budget, **{f"unlimited_{step}": unlimited[step] for step in STEPS}}
            for step in STEPS:
                model = AWMSketch(budget, step=step)
                model.learn_many(data.X, data.y)
                row[step] = model.error_rate_
            hashing = FeatureHashing(budget)
            hashing.learn_many(data.X, data.y)
            row["hashing"] = hashing.error_rate_
            rows.append(row)
            print(
                f"| {name} | {budget // 1024} KiB | {row['plain']:.4f} | {row['adaptive']:.4f} | "
                f"{unlimited['plain']:.4f} / {unlimited['adaptive']:.4f} |",
                flush=True,
            )
    report = {**provenance(), "seeds": [0], "rows": rows}
    path = Path(__file__).parent / "results" / "adaptive_steps.json"
    path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
