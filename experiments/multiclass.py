"""Many classes in one budget, compared with one model per class that gets its part of the budget.

    python -m experiments.multiclass [NAME...]

Newsgroups (20 groups, shuffled), Reuters (first topic of each story, in time order) and the next word of novels (the
1,000 most frequent words, from the two words before). One pass over the first four fifths; accuracy and log loss are
those of the last fifth. Rows have length one, and features have names, except for the words. Vowpal Wabbit learns
newsgroups and Reuters by `--oaa` with logistic loss and otherwise default settings, its table (16 bytes per cell)
reduced to the budget; 4 MiB is its default table. It keeps no names. The result is written to
experiments/results/multiclass.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from experiments.csr_cache import table_of
from experiments.datasets import WORD, lines, log_counts
from wmsketch import AWMSketch, MulticlassAWMSketch
from wmsketch.evaluation.provenance import provenance

KIB = 1024
VW_CELL, VW_DEFAULT = 16, 4096  # bytes per cell, and KiB of the default table
VOWPAL_WABBIT = """
import sys, time, vowpalwabbit
fit, rest, bits, classes = sys.argv[1:]
arguments = "--loss_function logistic --hash all --quiet --no_stdin"
began = time.perf_counter()
vw = vowpalwabbit.Workspace(f"-d {fit} -b {bits} --oaa {classes} {arguments}")
seconds = time.perf_counter() - began
rows = open(rest).read().splitlines()
print(sum(vw.predict(row) == int(row.split(" ", 1)[0]) for row in rows) / len(rows), seconds)
"""
N_WORDS, N_TOKENS = 1000, 300_000


@dataclass
class Data:
    """Rows and their labels; `fit` for learning, the rest for scoring."""

    X: csr_matrix
    y: NDArray[Any]
    rows: Any  # X, or rows as mappings from names (words)
    budgets: list[int]
    negatives: list[int | None]

    @property
    def n_fit(self) -> int:
        return len(self.y) * 4 // 5

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))


def newsgroups() -> Data:
    rows = [line.split("\t", 2)[1:] for line in lines("newsgroups20.tsv.xz")]
    Random(1).shuffle(rows)
    return Data(*_table(rows), [8, 32, 128, VW_DEFAULT], [None, 5])


def reuters() -> Data:
    def rows() -> Iterator[list[str]]:
        for line in lines("reuters21578.tsv.xz"):
            _, _, _, _, topics, title, body = line.split("\t", 6)
            if topics:
                yield [topics.split()[0], f"{title} {body}".lower()]

    return Data(*_table(rows()), [8, 32, 128, VW_DEFAULT], [None, 5])


def words() -> Data:
    """Load the words; the features are the previous word, the one before it, and both together."""
    paragraphs = (WORD.findall(line.lower()) for line in islice(lines("gutenberg_100MB.txt.xz"), 0, None, 20))
    texts, n_tokens = [], 0
    for text in paragraphs:
        texts.append(text)
        n_tokens += len(text)
        if n_tokens > N_TOKENS:
            break
    frequent = {word for word, _ in Counter(word for text in texts for word in text).most_common(N_WORDS)}
    column: dict[tuple[str, ...], int] = {}
    indices, labels = [], []
    for text in texts:
        for far, near, word in zip(text, text[1:], text[2:], strict=False):
            if word in frequent:
                for feature in (("near", near), ("far", far), ("both", far, near)):
                    indices.append(column.setdefault(feature, len(column)))
                labels.append(word)
    starts = np.arange(0, len(indices) + 1, 3, dtype=np.int32)
    values = np.ones(len(indices), np.float32)
    X = csr_matrix((values, np.array(indices, np.int32), starts), shape=(len(labels), len(column)))
    return Data(X, np.array(labels), X, [128, 1024], [None, 10, 50])


def _table(rows: Any) -> tuple[csr_matrix, NDArray[Any], list[dict[str, float]]]:
    labels: list[str] = []

    def counted() -> Iterator[tuple[bool, dict[str, float]]]:
        for label, text in rows:
            labels.append(label)
            yield True, log_counts(WORD.findall(text))

    table = table_of(counted())
    parts = zip(
        np.split(table.X.indices, table.X.indptr[1:-1]), np.split(table.X.data, table.X.indptr[1:-1]), strict=True
    )
    named = [{table.names[i]: v for i, v in zip(keys.tolist(), values.tolist(), strict=True)} for keys, values in parts]
    return table.X, np.array(labels), named


def shared(data: Data, budget: int, negatives: int | None) -> dict[str, Any]:
    """One model for all classes."""
    model = MulticlassAWMSketch(budget * KIB, max_classes=_room_for(data), negatives=negatives)
    began = time.perf_counter()
    model.learn_many(data.rows[: data.n_fit], data.y[: data.n_fit])
    seconds = time.perf_counter() - began
    column = {label: place for place, label in enumerate(model.classes_.tolist())}
    right = np.array([column.get(label, -1) for label in data.y[data.n_fit :]])
    scores = model._margins_many(data.rows[data.n_fit :])
    powers, sigmoids = np.exp(scores - scores.max(axis=1, keepdims=True)), 1 / (1 + np.exp(-scores))
    return {
        "accuracy": float(np.mean(scores.argmax(axis=1) == right)),
        "online_error": model.error_rate_,
        "log_loss_softmax": _log_loss(powers, right),
        "log_loss_sigmoid": _log_loss(sigmoids, right),
        "microseconds": 1e6 * seconds / data.n_fit,
        "nbytes": model.nbytes,
    }


def separate(data: Data, budget: int) -> dict[str, Any] | None:
    """One model per class, each in its part of the budget; None if that is too small."""
    scores, nbytes, classes = [], 0, np.unique(data.y[: data.n_fit])
    began = time.perf_counter()
    for label in classes:
        try:
            model = AWMSketch(budget * KIB // len(classes), step="adaptive")
            model.learn_many(data.rows[: data.n_fit], data.y[: data.n_fit] == label)
        except ValueError:
            return None
        scores.append(model.decision_function(data.rows[data.n_fit :]))
        nbytes += model.nbytes
    seconds = time.perf_counter() - began
    right = data.y[data.n_fit :]
    accuracy = float(np.mean(classes[np.argmax(scores, axis=0)] == right))
    return {"accuracy": accuracy, "microseconds": 1e6 * seconds / data.n_fit, "nbytes": nbytes}


def vowpal_wabbit(data: Data, budget: int) -> dict[str, Any]:
    """Vowpal Wabbit's one against all, with a table that fits into the budget."""
    bits = (budget * KIB // VW_CELL).bit_length() - 1
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("fit.vw", "rest.vw")]
        for path, rows in zip(paths, (range(data.n_fit), range(data.n_fit, len(data.y))), strict=True):
            write_for_vw(data, rows, path)
        done = subprocess.run(
            [sys.executable, "-c", VOWPAL_WABBIT, *map(str, paths), str(bits), str(data.n_classes)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    accuracy, seconds = map(float, done.stdout.split())
    return {"accuracy": accuracy, "microseconds": 1e6 * seconds / data.n_fit, "nbytes": VW_CELL * 2**bits}


def write_for_vw(data: Data, rows: range, path: Path) -> None:
    labels = np.unique(data.y, return_inverse=True)[1] + 1
    starts, keys, values = data.X.indptr, data.X.indices, data.X.data
    with path.open("w") as file:
        for r in rows:
            features = (f" {keys[i]}:{values[i]:.6g}" for i in range(starts[r], starts[r + 1]))
            file.write(f"{labels[r]} |{''.join(features)}\n")


def unlimited(data: Data) -> dict[str, Any]:
    """scikit-learn's one model per class over all features; one pass."""
    model = SGDClassifier(loss="log_loss", max_iter=1, tol=None, alpha=1e-6, random_state=0)
    model.fit(data.X[: data.n_fit], data.y[: data.n_fit])
    return {"accuracy": model.score(data.X[data.n_fit :], data.y[data.n_fit :]), "nbytes": model.coef_.nbytes}


def _room_for(data: Data) -> int:
    """Return max_classes: the number of classes, and more if their names are long."""
    return max(data.n_classes, 1 + sum(len(label) + 1 for label in np.unique(data.y)) // 12)


def _log_loss(shares: NDArray[np.float64], right: NDArray[np.int64]) -> float:
    known = right >= 0
    chances = (shares / shares.sum(axis=1, keepdims=True))[known, right[known]]
    return float(-np.mean(np.log(np.maximum(chances, 1e-9))))


DATA: dict[str, Callable[[], Data]] = {"newsgroups": newsgroups, "reuters": reuters, "words": words}


def main() -> None:
    rows: list[dict[str, Any]] = []
    for name in sys.argv[1:] or DATA:
        data = DATA[name]()

        def note(method: str, budget: int | None, result: dict[str, Any] | None, name: str = name) -> None:
            if result is not None:
                rows.append({"data": name, "method": method, "budget_kib": budget, **result})
                print(json.dumps(rows[-1]), flush=True)

        if name != "words":  # weights of a thousand classes for every column would take a gigabyte
            note("SGDClassifier, unlimited", None, unlimited(data))
        for budget in data.budgets:
            for negatives in data.negatives:
                if negatives is None and name == "words" and budget != data.budgets[-1]:
                    continue  # takes minutes
                note(f"shared, {'all classes' if negatives is None else f'{negatives} drawn'}", budget,
                     shared(data, budget, negatives))  # fmt: skip
            if name != "words":
                note("one model a class", budget, separate(data, budget))
                note("Vowpal Wabbit --oaa", budget, vowpal_wabbit(data, budget))
    path = Path(__file__).parent / "results" / "multiclass.json"
    path.write_text(json.dumps({**provenance(), "seeds": [0], "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
