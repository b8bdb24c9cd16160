"""Compare `explain --metric` with pandas: every number of every row, ranges at a small budget, and intervals.

The metrics are the sum, the average and the 90th percentile of the numeric column with the most distinct values, the
count of rows, and the ratio to another numeric column if there is one. The sides are the two most frequent values of
the first column with few of them. Attributes are up to six other columns, alone and in pairs; orders of the rows: as
given, grouped by the first of them, sorted by the metric's column. With a budget of 64 KiB the values of pandas must
lie in the ranges. Files are read again if not all attributes fit, so that counts are exact; `once` is one pass, as of a
pipe, where they are not.

Intervals: the sides are resampled (each row as often as a Poisson draw of mean 1/4 says), and the contribution that is
expected, that of the whole table, must be in the 95 % range of the resample.
"""

from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.trust.explain import MISSING, outlier_column
from experiments.trust.times import as_readers_write
from wmsketch.apps import MetricExplainer

MOST_COLUMNS, RESAMPLES, RATE, CLOSE = 6, 40, 0.25, 1e-9
BUDGETS = ("default", "64KiB", "64KiB once")
_FEWEST = 20  # rows of an attribute on a side, in the whole table, for its interval to be judged


def compare(path: Path, rows: int | None = None, budgets: tuple[str, ...] = BUDGETS) -> list[dict[str, Any]]:
    """Return a record for each metric, order of conjunctions, order of rows and budget."""
    table = Table(path, rows)
    found = []
    for metric in table.metrics:
        for order in (1, 2):
            truth = table.exact(table.frame, metric, order)
            for name, ordered in table.orders().items():
                for budget in budgets:
                    explainer = table.explain(ordered, metric, order, budget)
                    edge = (
                        explainer.threshold_of_first_rows
                    )  # of a pipe, the percentile that its rows are compared with
                    known = truth if edge is None else table.exact(table.frame, metric, order, edge)
                    found.append(
                        {"metric": metric, "order": order, "rows": name, "budget": budget} | judge(explainer, known)
                    )
        found.append({"metric": metric, "order": 1, "rows": "resampled", "budget": "default"} | table.coverage(metric))
    print(
        f"{len(table.frame):,} rows, {len(table.columns)} columns, sides of {table.side}: {table.test}, {table.control}"
    )
    return found


class Sums(NamedTuple):
    """Sums of a metric's terms, and rows."""

    u: float
    v: float
    n: float


_NONE = Sums(0.0, 0.0, 0.0)


def _by_value(sums: pd.DataFrame) -> dict[Any, Sums]:
    rows = sums[["u", "v", "n"]].itertuples(index=False, name=None)
    return {value: Sums(*row) for value, row in zip(sums.index, rows, strict=True)}


class Table:
    """A table with two sides and a number."""

    def __init__(self, path: Path, rows: int | None) -> None:
        frame = pd.read_csv(path, nrows=rows, sep="\t" if ".tsv" in path.name else ",", low_memory=False)
        self.number = outlier_column(frame)
        positive = [
            c for c in frame.select_dtypes("number") if c != self.number and frame[c].gt(0).all() and "=" not in c
        ]
        self.other = positive[0] if positive else None
        few = [
            name
            for name in frame.columns
            if name not in (self.number, self.other) and "=" not in name and 2 <= frame[name].nunique() <= 1000
            if not frame[name].astype(str).str.match(r"\d{4}-\d\d-\d\d").any()  # readers write times in one form
        ]
        others = [
            name for name in frame.select_dtypes(exclude="number") if name not in few and frame[name].nunique() > 1
        ]
        few += others[: max(0, 3 - len(few))]  # a table of long texts
        words = pd.DataFrame({c: frame[c].map(_word, na_action="ignore") for c in few[: MOST_COLUMNS + 1]})
        words = as_readers_write(words)
        self.side = few[0]
        self.test, self.control = words[self.side].value_counts().index[:2]
        self.columns = few[1 : MOST_COLUMNS + 1]
        kept = [self.number, *([self.other] if self.other else [])]
        self.frame = words.assign(**{name: frame[name] for name in kept})
        quoted = f'"{self.number}"'
        self.metrics = [f"sum({quoted})", f"avg({quoted})", "count()", f"p90({quoted})"]
        if self.other:
            self.metrics.append(f'sum({quoted})/sum("{self.other}")')

    def orders(self) -> dict[str, pd.DataFrame]:
        """Return the frame in the orders that streams have."""
        first = self.columns[0]
        return {
            "as given": self.frame,
            f"grouped by {first}": self.frame.sort_values(first, kind="stable"),
            f"sorted by {self.number}": self.frame.sort_values(self.number, kind="stable"),
        }

    def explain(self, frame: pd.DataFrame, metric: str, order: int, budget: str) -> MetricExplainer:
        """Return an explainer that has read the rows from a file."""
        size, _, once = budget.partition(" ")
        sizes: dict[str, Any] = {} if budget == "default" else {"budget": size}
        explainer = MetricExplainer(
            metric,
            test=f'"{self.side}"=="{self.test}"',
            control=f'"{self.side}"=="{self.control}"',
            attributes=self.columns,
            categorical=self.columns,
            order=order,
            **sizes,
        )
        with tempfile.TemporaryDirectory() as folder:
            frame.to_csv(Path(folder, "rows.csv"), index=False)
            if not once:
                explainer.learn_file(Path(folder, "rows.csv"))
                return explainer
            with explainer.open(Path(folder, "rows.csv")) as blocks:
                for block in blocks:
                    explainer.learn_block(block)
        return explainer

    def exact(
        self, frame: pd.DataFrame, metric: str, order: int, edge: float | None = None
    ) -> dict[Any, dict[str, float]]:
        """Return values and contributions by pandas, by the set of columns and values; `edge` is a given percentile."""
        sides = [frame[frame[self.side] == value] for value in (self.control, self.test)]
        edge = float(sides[0][self.number].quantile(0.9)) if edge is None else edge
        terms = [self._terms(side, metric, edge) for side in sides]
        totals = [Sums(*map(float, each.sum())) for each in terms]
        found: dict[Any, dict[str, float]] = {}
        for size in range(1, order + 1):
            for columns in combinations(self.columns, size):
                sums = [
                    _by_value(each.groupby([side[c].astype(object).fillna(MISSING) for c in columns], sort=False).sum())
                    for each, side in zip(terms, sides, strict=True)
                ]
                for values in {*sums[0], *sums[1]}:
                    name = frozenset(zip(columns, values if size > 1 else (values,), strict=True))
                    found[name] = _contribution([each.get(values, _NONE) for each in sums], totals, metric)
        return found

    def _terms(self, side: pd.DataFrame, metric: str, edge: float) -> pd.DataFrame:
        numbers = side[self.number]
        known = numbers.notna().astype(float)
        u, v = numbers.fillna(0.0), known
        if metric == "count()":
            u = v = known * 0 + 1
        elif metric.startswith("p90"):
            u = (numbers > edge).astype(float)
        elif "/" in metric:
            v = side[self.other].fillna(0.0)
        return pd.DataFrame({"u": u, "v": v, "n": 1.0})

    def coverage(self, metric: str) -> dict[str, Any]:
        """Return how often the interval of a resample contains the contribution that is expected."""
        # the population that the resamples are of; its percentile is that of each resample's control, so p90 is judged
        # with the threshold of the whole table
        population = self.frame[self.frame[self.side].isin([self.test, self.control])].reset_index(drop=True)
        if metric.startswith("p90"):
            edge = population[population[self.side] == self.control][self.number].quantile(0.9)
            population = population.assign(beyond=(population[self.number] > edge).astype(float))
            inner = Table.__new__(Table)
            inner.__dict__ = {**self.__dict__, "number": "beyond", "frame": population}
            return inner.coverage('avg("beyond")')
        truth = self.exact(population, metric, 1)
        total = "/" not in metric and not metric.startswith("avg")
        draw = np.random.default_rng(5)
        inside = n = 0
        for _ in range(RESAMPLES):
            times = draw.poisson(RATE, len(population))
            sample = population.loc[np.repeat(population.index, times)]
            explainer = self.explain(sample, metric, 1, "default")
            for row in explainer.top(None, certain=False, folded=False, min_support=0):
                known = truth[frozenset(row.attributes.items())]
                if max(known["control_rows"], known["test_rows"]) < _FEWEST:
                    continue
                expected = known["contribution"] * (RATE if total else 1.0)
                slack = CLOSE * max(abs(row.low), abs(row.high))
                inside += row.low - slack <= expected <= row.high + slack
                n += 1
        return {"shown": n, "inside": round(inside / n, 4) if n else float("nan")}


def _contribution(got: list[Sums], totals: list[Sums], metric: str) -> dict[str, float]:
    (c, t), (all_c, all_t) = got, totals
    rows = {"control_rows": c.n, "test_rows": t.n}
    if metric == "count()" or (metric.startswith("sum") and "/" not in metric):
        return {"control": c.u, "test": t.u, "contribution": t.u - c.u, **rows}
    middle = (all_t.u / all_t.v + all_c.u / all_c.v) / 2
    moved = t.v / all_t.v - c.v / all_c.v
    rates = [each.u / each.v if each.v else np.nan for each in (c, t)]
    own = [rates[i] if not np.isnan(rates[i]) else rates[1 - i] for i in (0, 1)]
    contribution = t.u / all_t.v - c.u / all_c.v - middle * moved
    mix = moved * (sum(own) / 2 - middle) if not np.isnan(own[0]) else 0.0
    return {
        "control": rates[0],
        "test": rates[1],
        "contribution": contribution,
        "mix": mix,
        "rate": contribution - mix,
        **rows,
    }


def judge(explainer: MetricExplainer, truth: dict[Any, dict[str, float]]) -> dict[str, Any]:
    """Return how many rows were compared, how many numbers differ, and how many ranges miss."""
    rows = explainer.top(None, certain=False, folded=False, min_support=0)
    size = max(abs(each["contribution"]) for each in truth.values()) or 1.0
    wrong = missed = n_exact = n_cut = 0
    for row in rows:
        if row.shortened:
            n_cut += 1
            continue
        known = truth[frozenset(row.attributes.items())]
        n_exact += row.exact
        if row.exact:
            wrong += sum(not _same(getattr(row, name), value, size) for name, value in known.items())
        else:
            for name in ("control", "test"):
                low, high = getattr(row, f"{name}_range")
                ok = np.isnan(known[name]) or low - CLOSE * size <= known[name] <= high + CLOSE * size
                missed += not ok
            missed += not row.low - CLOSE * size <= known["contribution"] <= row.high + CLOSE * size
    complete = explainer.held.all_exact
    return {
        "shown": len(rows),
        "exact": n_exact,
        "cut": n_cut,
        "different": wrong,
        "out of range": missed,
        "not shown": len(truth) - len(rows) if complete else "-",
        "bytes": explainer.nbytes,
    }


def _same(got: float, known: float, size: float) -> bool:
    if np.isnan(known):
        return bool(np.isnan(got))
    return abs(got - known) <= CLOSE * max(abs(known), size)


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).strip() or "_"
