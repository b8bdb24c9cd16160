"""Accuracy on arrays in any units, beside linear models of scikit-learn.

    python -m experiments.any_numbers

Each data set is learned raw, scaled to [0, 1], standardised, and as a data frame; each stream of River by names and by
numbers. `AWMSketch()` has no options and learns each row once; `passes=10` shuffles. The best linear model is batch
logistic regression on standardised columns. Accuracy on held-out rows (streams: on later rows), mean of five splits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from wmsketch import AWMSketch

Array = NDArray[np.float64]
SPLITS, STREAM_ROWS, LATER_ROWS = 5, 20_000, 5_000

FORMS: dict[str, Callable[[Array], Any]] = {
    "raw": lambda X: X,
    "min-max": lambda X: MinMaxScaler().fit_transform(X),
    "standard": lambda X: StandardScaler().fit_transform(X),
    "frame": lambda X: pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]),
}


def data_sets() -> Iterator[tuple[str, Array, Array]]:
    """Tables that come with scikit-learn, as two classes, and generated ones in awkward units."""
    yield "breast_cancer", *datasets.load_breast_cancer(return_X_y=True)
    X, y = datasets.load_wine(return_X_y=True)
    yield "wine, class 1", X, y == 1
    X, y = datasets.load_digits(return_X_y=True)
    yield "digits, odd", X, y % 2
    X, y = datasets.load_iris(return_X_y=True)
    yield "iris, virginica", X, y == 2
    X, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    yield "diabetes, over 140", X, y > 140
    yield "generated", *datasets.make_classification(20_000, 20, random_state=0)
    yield "generated, far from 0", *datasets.make_classification(20_000, 20, random_state=1, shift=50, scale=100)
    draw = np.random.default_rng(2)
    X, y = datasets.make_classification(20_000, 20, random_state=2)
    yield "generated, units 1e-6 to 1e6", X * 10.0 ** draw.uniform(-6, 6, 20) + draw.normal(size=20), y


def streams() -> Iterator[tuple[str, Any]]:
    """Generated streams of River whose rows are numbers."""
    from river.datasets import synth

    yield "Hyperplane", synth.Hyperplane(seed=1, n_features=10)
    yield "SEA", synth.SEA(seed=1)
    yield "RandomRBF", synth.RandomRBF(seed_model=1, seed_sample=1, n_features=10)
    yield "Waveform, class 0", synth.Waveform(seed=1)


def models() -> dict[str, Callable[[int], Any]]:
    """The models by the heads of their columns; each takes the number of the split."""
    return {
        "`AWMSketch()`": lambda _: AWMSketch(),
        "`passes=10`": lambda seed: AWMSketch(passes=10, seed=seed),
        "`SGDClassifier`": lambda seed: SGDClassifier(loss="log_loss", random_state=seed),
        "best linear": lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }


def of_table(X: Any, y: Array) -> list[float]:
    """The mean accuracy of each model."""
    found = []
    for seed in range(SPLITS):
        learn, test, right, expected = train_test_split(X, y, random_state=seed, test_size=0.3)
        row = []
        for name, make in models().items():
            model = make(seed)
            more = {"shuffle": True} if name == "`passes=10`" else {}
            row.append(model.fit(learn, right, **more).score(test, expected))
        found.append(row)
    means: list[float] = np.mean(found, axis=0).tolist()
    return means


def of_stream(rows: list[dict[Any, float]], labels: list[bool]) -> list[float]:
    """The accuracy of each model on the later rows; ours learns one row after the other."""
    X, y = pd.DataFrame(rows).to_numpy(), np.array(labels)
    first = len(y) - LATER_ROWS
    ours = AWMSketch()
    for row, label in zip(rows[:first], labels[:first], strict=True):
        ours.learn_one(row, label)
    accuracy = [
        np.mean([ours.predict_one(row) == label for row, label in zip(rows[first:], labels[first:], strict=True)])
    ]
    accuracy.append(float("nan"))
    for name in ("`SGDClassifier`", "best linear"):
        accuracy.append(models()[name](0).fit(X[:first], y[:first]).score(X[first:], y[first:]))
    return [float(each) for each in accuracy]


def main() -> None:
    """Print the table, and the largest distance from the best linear model."""
    warnings.simplefilter("ignore")
    print(f"| data | as | {' | '.join(models())} |\n|---|---|{'---|' * len(models())}")
    behind = []

    def show(name: str, form: str, accuracy: list[float]) -> None:
        behind.append(accuracy[3] - np.nanmax(accuracy[:2]))
        print(f"| {name} | {form} | {' | '.join('' if np.isnan(a) else f'{a:.3f}' for a in accuracy)} |", flush=True)

    for name, X, y in data_sets():
        for form, scaled in FORMS.items():
            show(name, form, of_table(scaled(X), y))
    for name, stream in streams():
        pairs = list(islice(stream, STREAM_ROWS))
        labels = [label == 0 if "class 0" in name else bool(label) for _, label in pairs]
        show(name, "numbers", of_stream([dict(enumerate(row.values())) for row, _ in pairs], labels))
        show(name, "names", of_stream([{f"c{key}": value for key, value in row.items()} for row, _ in pairs], labels))
    print(f"\nBehind the best linear model: {max(behind):.3f} at most, {np.median(behind):.3f} in the median.")


if __name__ == "__main__":
    main()
