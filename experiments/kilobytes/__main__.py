"""Compare `explain`, `diff` and `pmi` in few kilobytes with exact answers and with other methods of the same bytes.

    python -m experiments.kilobytes --tasks pmi --budgets 1400KiB
    python -m experiments.kilobytes [--tables flights packets] [--tasks diff] [--budgets 32KiB] [--save FILE.json]

Eight tables of about 100,000 rows, in their own order, grouped by the column with most values, and sorted. A file is
read as often as the command reads it, a pipe once. Figures are the mean share of the exact first 20 and 100 that a
method has in its own first 20 and 100, and the share of ranges that hold the exact counts and ratio. `pmi` asks for the
pairs of highest PMI among those that occur 20 times, in two texts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.kilobytes import diff, explain, pmi
from experiments.kilobytes.baselines import METHODS
from experiments.kilobytes.case import Case
from experiments.kilobytes.tables import TABLES

TASKS = ("diff", "explain 1", "explain 2", "pmi")
BUDGETS, ORDERS = ("8KiB", "32KiB", "128KiB", "512KiB"), ("given", "grouped", "sorted")


def records(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the records of all tables and tasks."""
    for name in given.tables:
        for task in given.tasks:
            if task == "pmi":
                continue
            began = time.process_time()
            case = Case(name, given.rows, given.orders, given.budgets, given.methods)
            for record in diff.compare(case) if task == "diff" else explain.compare(case, int(task[-1])):
                yield {"table": name, "task": task, **record}
            print(f"{name}: {task}, {time.process_time() - began:.0f} s", flush=True)
    for name in pmi.TEXTS if "pmi" in given.tasks else ():
        for record in pmi.compare(name, given.orders, given.budgets, given.methods):
            yield {"table": name, "task": "pmi", **record}


def table_of(found: pd.DataFrame) -> str:
    """Return the means over all tables: a row for each task, method and order, a column for each budget."""
    means = found.groupby(["task", "method", "order", "budget"], sort=False)[["top 20", "top 100"]].mean().reset_index()
    cells = [f"{first:.2f} / {more:.2f}" for first, more in zip(means["top 20"], means["top 100"], strict=True)]
    table = means.assign(cell=cells).pivot(index=["task", "method", "order"], columns="budget", values="cell")
    return table[list(dict.fromkeys(found.budget))].to_string()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--budgets", nargs="+", default=BUDGETS)
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=ORDERS)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--save", type=Path, help="a JSON file for the records")
    given = parser.parse_args(arguments)
    found = pd.DataFrame(records(given))
    if given.save:
        given.save.write_text(found.to_json(orient="records", lines=True, double_precision=3))
    by_table = found.pivot_table("top 20", ["task", "method", "table"], ["budget", "order"], sort=False)
    print(f"first 20 by table\n{by_table.round(2).to_string()}\nfirst 20 / first 100\n{table_of(found)}")
    held = found.ranges.dropna()
    if len(held):
        print(f"ranges that hold: {held.mean():.2%}, at least {held.min():.1%} in each run")


if __name__ == "__main__":
    main()
