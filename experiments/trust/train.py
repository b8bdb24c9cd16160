"""Is a finished model as good on later rows as batch logistic regression, in every order that streams have?

    python -m experiments.trust.train FILE.csv --label L [--time COLUMN] [--budget BYTES]

The default model learns nine tenths of the rows in one pass and scores the last tenth. scikit-learn's
LogisticRegression fits the same nine tenths. Text columns are one-hot encoded, numbers are scaled. The orders are:

- `given`: as in the file;
- `grouped`: the same last tenth, with the earlier rows grouped by the column with the largest groups;
- `shuffled`: random;
- `time`: sorted by `--time`, which is not used as a feature.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression as Batch

from experiments.trust.explain import outlier_column
from wmsketch import AWMSketch
from wmsketch.results.score import Score

HELD_OUT = 0.1


def compare(
    path: str | Path,
    label: str | None = None,
    *,
    positive: str | None = None,
    time: str | None = None,
    ignore: tuple[str, ...] = (),
    budget: int | str | None = None,
    rows: int | None = None,
) -> list[dict[str, Any]]:
    """Return a record for each order: error and log loss of the finished model and of batch, and their differences."""
    table = pd.read_csv(path, nrows=rows, sep="\t" if ".tsv" in str(path) else ",", low_memory=False)
    if label is None:
        label = outlier_column(table)
        table = table[table[label].notna()].reset_index(drop=True)
        y = np.asarray(table[label] > table[label].quantile(0.8))
    else:
        y = labels_of(table[label], positive)
    columns = table.drop(columns=[label, *ignore, *([time] if time else [])])
    X = encoded(columns)
    records = []
    for order, learned, held in orders(columns, None if time is None else table[time]):
        model = AWMSketch(budget)
        model.learn_many(X[learned], y[learned])
        batch = Batch(max_iter=300).fit(X[learned], y[learned])
        ours = score(model.calibrated(model.decision_function(X[held])), y[held])
        theirs = score(batch.decision_function(X[held]), y[held])
        records.append(
            {
                "order": order,
                "rows": len(learned),
                "held_out": len(held),
                "features": X.shape[1],
                "nbytes": model.nbytes,
                "online_error": model.error_rate_,
                "majority_error": ours["majority_error_rate"],
                "error": ours["error_rate"],
                "batch_error": theirs["error_rate"],
                "error_ratio": ours["error_rate"] / theirs["error_rate"],
                "log_loss": ours["log_loss"],
                "batch_log_loss": theirs["log_loss"],
                "log_loss_ratio": ours["log_loss"] / theirs["log_loss"],
                "auc": ours["auc"],
                "batch_auc": theirs["auc"],
            }
        )
    return records


def labels_of(column: pd.Series, positive: str | None) -> NDArray[np.bool_]:
    """Return which rows are positive: those with this value, or else true or above 0."""
    if positive is not None:
        return np.asarray(column.astype(str) == positive)
    if not pd.api.types.is_numeric_dtype(column):
        raise ValueError(f"--positive must say which value of column {column.name!r} is positive")
    return np.asarray(column > 0)


def encoded(columns: pd.DataFrame) -> csr_matrix:
    """Return the columns as features: one per text value, and one per numeric column, standardised."""
    parts, n = [], len(columns)
    for name in columns:
        column = columns[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            values = column.to_numpy(np.float64)
            values = (values - np.nanmean(values)) / (np.nanstd(values) or 1.0)
            parts.append(csr_matrix(np.nan_to_num(values)[:, None]))
        else:
            codes, found = pd.factorize(column)  # -1: missing, which gives no feature
            there = np.flatnonzero(codes >= 0)
            parts.append(csr_matrix((np.ones(len(there)), (there, codes[there])), shape=(n, len(found))))
    return csr_matrix(hstack(parts, format="csr"), dtype=np.float32)


def orders(columns: pd.DataFrame, time: pd.Series | None) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Return, for each order, its name, the rows to learn and the rows to score."""
    n, last = len(columns), len(columns) - int(HELD_OUT * len(columns))
    given = np.arange(n)
    texts = [name for name in columns if not pd.api.types.is_numeric_dtype(columns[name])] or list(columns)
    grouping = min(texts, key=lambda name: columns[name].nunique() if columns[name].nunique() > 1 else n + 1)
    grouped = np.argsort(pd.factorize(columns[grouping][:last])[0], kind="stable")
    shuffled = np.random.default_rng(0).permutation(n)
    yield "given", given[:last], given[last:]
    yield "grouped", grouped, given[last:]
    yield "shuffled", shuffled[:last], shuffled[last:]
    if time is not None:
        by_time = time.reset_index(drop=True).sort_values(kind="stable", na_position="first").index.to_numpy()
        yield "time", by_time[:last], by_time[last:]


def score(margins: NDArray[np.float64], y: NDArray[np.bool_]) -> dict[str, Any]:
    found = Score()
    found.add(margins, np.where(y, 1, -1).astype(np.int8))
    return found.as_record()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--label", required=True)
    parser.add_argument("--positive", help="The label that is positive; numbers above 0 need none.")
    parser.add_argument("--time", help="A column to sort by.")
    parser.add_argument("--ignore", default="", help="Columns to leave out, with commas between them.")
    parser.add_argument("--budget", help="Bytes of the model, as the command line has it.")
    given = parser.parse_args(arguments)
    ignore = tuple(filter(None, given.ignore.split(",")))
    found = compare(
        given.file, given.label, positive=given.positive, time=given.time, ignore=ignore, budget=given.budget
    )
    print(pd.DataFrame(found).T.to_string(header=False))


if __name__ == "__main__":
    main()
