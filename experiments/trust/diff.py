"""Compare diff with exact counts by pandas, in orders that real files have.

    python -m experiments.trust.diff A.csv B.csv [--items carrier,dest]
    python -m experiments.trust.diff FLIGHTS.csv            # its first half against its second
    python -m experiments.trust.diff A.csv B.csv --files --budgets 8KiB,32KiB,128KiB,512KiB

With --files the tables are files, which are read again if they do not fit the budget; otherwise they are a stream.
Recall is relative to the top items by exact counts under the same rule: beyond noise, ordered by the least ratio in the
interval. An interval is correct if it contains the log ratio of the exact counts, and both counts are within their
bounds.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.trust.times import as_readers_write
from wmsketch.apps import Diff
from wmsketch.apps.diff.diff import DEFAULT_BUDGET

ORDERS = ("given", "grouped", "sorted")
BUDGETS = (DEFAULT_BUDGET, "32KiB")
TOPS = (20, 50)
_NAME_BYTES = 32


def compare(
    path: str | Path,
    other: str | Path | None = None,
    *,
    items: Sequence[str] = (),
    budgets: Iterable[str] = BUDGETS,
    orders: Iterable[str] = ORDERS,
    rows: int | None = None,
    files: bool = False,
) -> list[dict[str, Any]]:
    """Compare two tables, or the halves of one, with exact counts; return a record for each budget and order."""
    a, b = _sides(path, other, rows)
    columns = list(items) or _categories(a)
    a, b = a[columns], b[columns]
    exact = exact_of(a, b)
    records = []
    for budget in budgets:
        for order in orders:
            diff = Diff(budget, name_bytes=_NAME_BYTES)
            sides = ordered(a, order), ordered(b, order, backwards=True)
            if files:
                learn_files(diff, *sides)
            else:
                diff.learn_many(*sides)
            records.append({"budget": budget, "order": order, **_score(diff, exact)})
    return records


def learn_files(diff: Diff, a: pd.DataFrame, b: pd.DataFrame) -> None:
    """Learn two tables as files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
        for table, path in zip((a, b), paths, strict=True):
            table.to_csv(path, index=False)
        diff.learn_file(paths[0], paths[1], items=list(a.columns))


def _sides(path: str | Path, other: str | Path | None, rows: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    first = _read(path, rows)
    if other is not None:
        return first, _read(other, rows)
    half = len(first) // 2
    return first.iloc[:half], first.iloc[half:]


def _read(path: str | Path, rows: int | None) -> pd.DataFrame:
    separator = "\t" if ".tsv" in str(path) else ","
    table = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""], nrows=rows, sep=separator)
    return as_readers_write(table)


def _categories(table: pd.DataFrame) -> list[str]:
    """Return the columns whose values repeat: not all or mostly distinct."""
    return [str(name) for name in table.columns if 1 < table[name].nunique() < 0.5 * len(table)]


def ordered(table: pd.DataFrame, order: str, backwards: bool = False) -> pd.DataFrame:
    """Return both streams in an order. Grouped: the groups of the column with the most values, in different orders."""
    if order == "given":
        return table
    by = list(table.columns) if order == "sorted" else [max(table.columns, key=lambda name: int(table[name].nunique()))]
    down = backwards and order == "grouped"
    return table.sort_values(by, kind="stable", na_position="last", ascending=not down)


def exact_of(a: pd.DataFrame, b: pd.DataFrame) -> Exact:
    """Return the reference: every item counted by pandas, then ranked by the same rules."""
    counts = pd.DataFrame({side: _counts(table) for side, table in (("a", a), ("b", b))}).fillna(0).astype(int)
    return Exact(counts, len(a), len(b))


def _counts(table: pd.DataFrame) -> pd.Series[int]:
    parts = []
    for name in table.columns:
        counted = table[name].value_counts()
        parts.append(pd.Series(counted.to_numpy(), index=[f"{name}={value}" for value in counted.index]))
    return pd.concat(parts)


class Exact:
    """Counts of items in both streams, and their order by the rules of `diff`, among `n_tried` items."""

    def __init__(self, counts: pd.DataFrame, n_a: int, n_b: int, n_tried: int | None = None) -> None:
        self.counts = {str(name): (int(in_a), int(in_b)) for name, in_a, in_b in counts.itertuples()}
        in_a, in_b = counts["a"].to_numpy(float), counts["b"].to_numpy(float)
        log_ratio = np.log((in_a + 0.5) / (in_b + 0.5)) - math.log(n_a / n_b)
        spread = 1.96 * np.sqrt(1 / (in_a + 0.5) + 1 / (in_b + 0.5))
        share = n_a / (n_a + n_b)
        with np.errstate(divide="ignore", invalid="ignore"):
            evidence = np.nan_to_num(in_a * np.log(in_a / ((in_a + in_b) * share)))
            evidence = evidence + np.nan_to_num(in_b * np.log(in_b / ((in_a + in_b) * (1 - share))))
        sure = np.abs(log_ratio) - spread
        beyond = (evidence > math.log(2 * (n_tried or len(counts)) / 0.05)) & (sure > 0)
        order = np.argsort(-np.where(beyond, sure, -np.inf), kind="stable")[: int(beyond.sum())]
        self.top = [str(name) for name in counts.index[order]]
        self.sure = dict(zip(map(str, counts.index), sure, strict=True))
        self.log_ratios = dict(zip(map(str, counts.index), log_ratio, strict=True))


def _score(diff: Diff, exact: Any) -> dict[str, Any]:
    shown = diff.top(max(TOPS))
    record: dict[str, Any] = {"items": len(exact.counts), "held": diff.held.held, "exact": diff.held.exact}
    names = [str(row.feature) for row in shown]
    for k in TOPS:
        wanted = exact.top[:k]
        # an item tied with the last of them is equally good
        last = exact.sure[wanted[-1]] - 1e-9 if wanted else 0.0
        found = sum(name in exact.sure and exact.sure[name] >= last for name in names[:k])
        record[f"recall_{k}"] = min(found, len(wanted)) / len(wanted) if wanted else None
    inside = [holds(str(row.feature), row, exact) for row in shown if not row.shortened]
    record["shown"] = len(shown)
    record["hold_the_truth"] = sum(inside) / len(inside) if inside else None
    return record


def holds(name: str, row: Any, exact: Any) -> bool:
    """Return whether the ranges of a row hold the exact counts and their log ratio."""
    in_a, in_b = exact.counts.get(name, (0, 0))
    counts = row.count_a_low <= in_a <= row.count_a_high and row.count_b_low <= in_b <= row.count_b_high
    return bool(counts and row.low <= exact.log_ratios.get(name, math.inf) <= row.high)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the records of `compare` as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a")
    parser.add_argument("b", nargs="?")
    parser.add_argument("--items", default="")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--budgets", default=",".join(BUDGETS))
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args(arguments)
    items = [name for name in options.items.split(",") if name]
    budgets = options.budgets.split(",")
    records = compare(options.a, options.b, items=items, budgets=budgets, rows=options.rows, files=options.files)
    sys.stdout.write(pd.DataFrame(records).to_string(index=False) + "\n")


if __name__ == "__main__":
    main()
