"""Is every data set read correctly? Compares one pass of plain logistic regression with figures noted for the raw data.

    python -m experiments.check_datasets [NAME...]

The noted figures come from a plain hashed learner whose step size and table were not recorded. So they should be
close, not equal. A mistake in labels or order shows as an error close to the share of the smaller class.
"""

from __future__ import annotations

import sys
from typing import Any

from experiments.datasets import DATASETS, load
from wmsketch import FeatureHashing, LogisticRegression

RULE: dict[str, Any] = {"eta0": 0.1, "l2": 1e-6}
NOTED = {
    "imdb_bigrams": 0.204,
    "reuters": 0.064,
    "newsgroups": 0.180,
    "urls": 0.060,
    "assist2009": 0.321,
    "assist2017": 0.331,
    "spending2015": 0.152,
}


def main(names: list[str]) -> None:
    print(f"{'data set':14} {'unlimited':>9} {'hashed 8 KiB':>12} {'noted':>6} {'smaller class':>13}")
    for name in names or DATASETS:
        table = load(name)
        models = [LogisticRegression(n_features=table.X.shape[1], **RULE), FeatureHashing("8KiB", **RULE)]
        for model in models:
            model.learn_many(table.X, table.y)
        errors = [model.error_rate_ for model in models]
        noted = f"{NOTED[name]:.3f}" if name in NOTED else ""
        smaller = min(table.y.mean(), 1 - table.y.mean())
        print(f"{name:14} {errors[0]:9.4f} {errors[1]:12.4f} {noted:>6} {smaller:13.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
