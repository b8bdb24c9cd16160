"""Do the weights of 1-sparse examples follow the relative risk, and which features do they pick? (paper, section 8.1)

    python -m experiments.explain_spending [--data spending senate] [--seeds 5]

Outliers are the payments in the top 20 % by amount. Each attribute of a payment is a separate example. Relative risks
come from exact counts, with half a row added to each count, so that logarithms exist. Four methods pick 2048 features:
the most frequent among outliers, the most frequent of all, logistic regression without a memory limit, and the
AWM-Sketch in 32 KiB of true bytes. The paper's data are not available; these are payments of UK public bodies.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv
from scipy.sparse import csr_matrix

from experiments.csr_cache import cache_folder
from experiments.datasets import data_folder
from experiments.explain_figures import draw_risks, draw_scatter
from wmsketch import AWMSketch, LogisticRegression
from wmsketch.apps import Explainer
from wmsketch.evaluation.provenance import provenance
from wmsketch.learners.models.base import OnlineClassifier

K = 2048
TOP_SHARE = 0.2
BATCH = 1 << 20
FILES = {
    "spending": (
        "uk_spending.csv.xz",
        ["body", "unit", "subunit", "category", "detail", "class", "caprev", "supplier"],
    ),
    "senate": ("senate_disbursements.csv.xz", ["office", "payee", "description"]),
}
# 2048 keys must fit although lines are unequally loaded: 3056 keys of 8 bytes and 8176 bytes of cells
SHAPE: dict[str, Any] = {"depth": 1, "active_set_size": 3056, "cell_bytes": 8128, "name_bytes": 0}
HALF: dict[str, Any] = {"depth": 1, "active_set_size": 2040, "cell_bytes": 16256, "name_bytes": 0}
PLAIN: dict[str, Any] = {"step": "plain", "eta0": 0.2, "l2": 0.0, "schedule": "constant", "fit_intercept": False,
                         "class_weight": "balanced"}  # fmt: skip
CHOSEN = {**PLAIN, "step": "adaptive"}
TRIED: list[dict[str, Any]] = [
    {"eta0": 0.1, "l2": 1e-6},  # the paper's rule with an intercept
    PLAIN,
    CHOSEN,
]
RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"


@dataclass(frozen=True)
class Payments:
    """All attributes row by row, each with the label of its row; and exact counts of each attribute."""

    features: NDArray[np.int32]
    positive: NDArray[np.bool_]
    n_rows: int
    n_outliers: int
    count: NDArray[np.int64]
    outliers: NDArray[np.int64]

    @property
    def log_risk(self) -> NDArray[np.float64]:
        """Return the log relative risk of each feature, from counts with half a row added."""
        rate = (self.outliers + 0.5) / (self.count + 1)
        other = (self.n_outliers - self.outliers + 0.5) / (self.n_rows - self.count + 1)
        logarithm: NDArray[np.float64] = np.log(rate / other)
        return logarithm


def load(name: str) -> Payments:
    """Read a file, or its cache."""
    path = cache_folder() / f"payments-{name}-v1.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        codes, amounts = read(*FILES[name])
        np.savez(path, codes=codes, amounts=amounts)
    with np.load(path) as stored:
        codes, amounts = stored["codes"], stored["amounts"]
    outlier = amounts > np.quantile(amounts, 1 - TOP_SHARE)
    present = codes >= 0
    features, positive = codes[present], np.repeat(outlier, present.sum(1))
    n = int(features.max()) + 1
    counts = np.bincount(features, minlength=n), np.bincount(features[positive], minlength=n)
    return Payments(features, positive, len(outlier), int(outlier.sum()), *counts)


def read(file: str, columns: list[str]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the columns as integer codes (-1: missing), and the amounts."""
    types = {column: pa.string() for column in columns} | {"amount": pa.float64()}
    convert = csv.ConvertOptions(
        column_types=types, strings_can_be_null=True, null_values=[""], include_columns=list(types)
    )
    with lzma.open(data_folder() / file) as stream:
        parse = csv.ParseOptions(newlines_in_values=True)
        table = csv.read_csv(pa.PythonFile(stream), convert_options=convert, parse_options=parse)
    codes, n = [], 0
    for column in columns:
        values = table[column].combine_chunks().dictionary_encode()
        indices = values.indices.fill_null(-1).to_numpy()
        codes.append(np.where(indices < 0, -1, indices + n).astype(np.int32))
        n += len(values.dictionary)
    return np.stack(codes, axis=1), table["amount"].to_numpy()


def learn(model: OnlineClassifier, data: Payments) -> float:
    """Learn every attribute of every payment, in the order of the file; return the seconds."""
    start = time.perf_counter()
    for first in range(0, len(data.features), BATCH):
        keys = data.features[first : first + BATCH]
        starts = np.arange(len(keys) + 1, dtype=np.int32)
        rows = csr_matrix((np.ones(len(keys), np.float32), keys, starts), shape=(len(keys), len(data.count)))
        model.learn_many(rows, data.positive[first : first + BATCH])
    return time.perf_counter() - start


def unlimited(data: Payments, rule: dict[str, Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the heaviest features of logistic regression without a memory limit, and their weights."""
    model = LogisticRegression(n_features=len(data.count), **{"step": "plain", **rule})
    learn(model, data)
    weights = model.weights(np.arange(len(data.count)))
    top = np.argsort(-np.abs(weights))[:K]
    return top, weights[top]


def sketched(
    data: Payments, rule: dict[str, Any], shape: dict[str, Any], seed: int
) -> tuple[Any, Any, AWMSketch, float]:
    """Return the heaviest features of the AWM-Sketch, their weights, the model, and the seconds."""
    rule = {"step": "plain", **rule}
    cells = shape["cell_bytes"] // (4 if rule["step"] == "plain" else 2)
    sizes = {name: size for name, size in shape.items() if name != "cell_bytes"}
    model = AWMSketch(**sizes, width=cells, **rule, seed=seed)
    seconds = learn(model, data)
    top = model.top(K)
    return np.array([row.feature for row in top]), np.array([row.weight for row in top]), model, seconds


def correlation(weights: NDArray[np.float64], log_risk: NDArray[np.float64]) -> float:
    return float(np.corrcoef(weights, log_risk)[0, 1])


def one_sign(weights: NDArray[np.float64], log_risk: NDArray[np.float64]) -> dict[str, float]:
    """Return the correlation within weights of one sign; over all weights, correct signs alone would correlate."""
    sides = {"above zero": weights > 0, "below zero": weights < 0}
    return {name: correlation(weights[side], log_risk[side]) for name, side in sides.items()}


def spread(log_risk: NDArray[np.float64]) -> dict[str, float]:
    """Return how far the relative risks are from 1."""
    far = np.abs(log_risk)
    return {"median_abs_log_risk": float(np.median(far)), "share_within_factor_1.5": float(np.mean(far < np.log(1.5)))}


def measure(name: str, seeds: range) -> dict[str, Any]:
    """Run all methods on one file, print a table, draw the figures."""
    data = load(name)
    risk = data.log_risk
    print(f"{name}: {data.n_rows:,} payments, {data.n_outliers:,} outliers, {len(data.count):,} values, "
          f"{len(data.features):,} examples")  # fmt: skip
    exact, exact_weights = unlimited(data, CHOSEN)
    runs = [sketched(data, CHOSEN, SHAPE, seed) for seed in seeds]
    sketch, sketch_weights, model, _ = runs[0]
    picks = {
        "most frequent among outliers": np.argsort(-data.outliers)[:K],
        "most frequent of all": np.argsort(-data.count)[:K],
        "logistic regression, no limit": exact,
        "AWM-Sketch, 32 KiB": sketch,
    }
    correlations = [correlation(weights, risk[top]) for top, weights, _, _ in runs]
    result: dict[str, Any] = {
        "rows": data.n_rows,
        "outliers": data.n_outliers,
        "values": len(data.count),
        "examples": len(data.features),
        "k": K,
        "risks": {method: spread(risk[top]) for method, top in picks.items()},
        "correlation": {
            "logistic regression, no limit": correlation(exact_weights, risk[exact]),
            "AWM-Sketch, 32 KiB": median(correlations),
            "AWM-Sketch, 32 KiB, each seed": correlations,
        },
        "correlation_of_one_sign": {
            "logistic regression, no limit": one_sign(exact_weights, risk[exact]),
            "AWM-Sketch, 32 KiB": one_sign(sketch_weights, risk[sketch]),
        },
        "nbytes": model.nbytes,
        "seconds": median(seconds for *_, seconds in runs),
    }
    for method, facts in result["risks"].items():
        print(f"  {method:32} {facts}")
    print(f"  correlation {result['correlation']}, {model.nbytes:,} bytes")
    print(f"  of one sign {result['correlation_of_one_sign']}", flush=True)
    draw_risks(DOCS / f"explain_{name}_risks.png", {method: risk[top] for method, top in picks.items()})
    shown = {"logistic regression, no limit": (exact_weights, risk[exact]),
             "AWM-Sketch, 32 KiB": (sketch_weights, risk[sketch])}  # fmt: skip
    draw_scatter(DOCS / f"explain_{name}_correlation.png", shown)
    result["tried"] = [tried(data, rule) for rule in TRIED]
    return result


def tried(data: Payments, rule: dict[str, Any]) -> dict[str, Any]:
    """Return the correlations for another rule: without a memory limit, in our shape, and in the paper's shape."""
    top, weights = unlimited(data, rule)
    risk = data.log_risk
    found: dict[str, Any] = {"rule": rule, "unlimited": correlation(weights, risk[top])}
    for name, shape in (("awm", SHAPE), ("awm_half_and_half", HALF)):
        top, weights, _, _ = sketched(data, rule, shape, seed=0)
        found[name] = correlation(weights, risk[top])
    print(f"  {found}", flush=True)
    return found


def whole_command(name: str) -> dict[str, Any]:
    """Measure `wmsketch explain` on the file: speed, bytes, and ratios compared with exact ones."""
    file, columns = FILES[name]
    explainer = Explainer("amount>p80", attributes=columns)
    start, learning = time.perf_counter(), time.thread_time()
    explainer.learn(data_folder() / file)
    seconds, learning = time.perf_counter() - start, time.thread_time() - learning
    rows = explainer.rows(None)
    return {
        "seconds": seconds,
        "cpu_seconds_of_learning": learning,  # decompression and reading run in another thread
        "rows_per_cpu_second": explainer.examples / learning,
        "nbytes": explainer.nbytes,
        "threshold": explainer.thresholds,
        "outlier_share": explainer.outliers / explainer.examples,
        "n_rows": len(rows),
        "first": [row.as_record() for row in rows[:10]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", nargs="+", default=list(FILES), choices=list(FILES))
    parser.add_argument("--seeds", type=int, default=5, help="how many, counted from 0")
    options = parser.parse_args()
    DOCS.mkdir(exist_ok=True)
    found = {name: measure(name, range(options.seeds)) | {"command": whole_command(name)} for name in options.data}
    document = {**provenance(), "seeds": list(range(options.seeds)), "rule": CHOSEN, "shape": SHAPE, "data": found}
    (RESULTS / "explain_spending.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
