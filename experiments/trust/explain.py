"""Compare `explain` with exact counts: recall of the exact top 20 and 50, and coverage of its intervals.

Outliers are the rows above the exact 80th percentile of a numeric column (the one with the most distinct values).
Attributes are up to eight other columns with text or few distinct values, alone (order 1) and in pairs (order 2). The
exact top are the attributes with the most evidence, the order in which `explain` shows them, among those with a support
of at least 0.1 % and a ratio that differs significantly from 1. Orders of the rows: as given, grouped by the column of
the first of them, sorted by the outlier column. An interval is correct if it contains the exact risk ratio of all rows
and the exact counts are within their bounds. All rows that `explain --all --min-ratio 0` shows are checked.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.trust.times import as_readers_write
from wmsketch.apps import Explainer
from wmsketch.apps.explain.ratios import Totals, are_certain, evidence, exact_counts, risk_ratios
from wmsketch.apps.explain.rows import Explanation

MISSING = "(missing)"
MOST_COLUMNS, MIN_SUPPORT = 8, 0.001
BUDGETS = ("default", "32KiB")


@dataclass(frozen=True)
class Question:
    """A table of strings, and which of its rows are outliers."""

    frame: pd.DataFrame
    outlier: str
    threshold: float
    order: int

    def explain(self, frame: pd.DataFrame, budget: str, once: bool = False) -> Explainer:
        """Return an explainer that has read the rows from a file, as if it were a pipe with `once`."""
        sizes = {} if budget == "default" else {"budget": budget}
        columns = [name for name in frame.columns if name != self.outlier]
        condition = f'"{self.outlier}">{self.threshold!r}'
        explainer = Explainer(condition, order=self.order, categorical=columns, **sizes)  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory() as folder:
            frame.to_csv(Path(folder, "rows.csv"), index=False)
            if once:
                with explainer.open(Path(folder, "rows.csv")) as examples:
                    for block in examples:
                        explainer.learn_block(block)
            else:
                explainer.learn_file(Path(folder, "rows.csv"))
        return explainer

    def exact(self) -> pd.DataFrame:
        """Return exact counts of all attributes and conjunctions, by the set of their columns and values."""
        above = self.frame[self.outlier] > self.threshold
        words = self.frame.drop(columns=self.outlier).astype(object).fillna(MISSING)
        parts = []
        for size in range(1, self.order + 1):
            for columns in combinations(words.columns, size):
                counts = above.groupby([words[name] for name in columns], sort=False).agg(["sum", "count"])
                values = counts.index if size > 1 else [(value,) for value in counts.index]
                names = [frozenset(zip(columns, each, strict=True)) for each in values]
                parts.append(counts.reset_index(drop=True).assign(name=names))
        truth = pd.concat(parts).set_index("name").rename(columns={"sum": "outliers"})
        truth["inliers"] = truth["count"] - truth.outliers
        totals = Totals(float(above.sum()), float((~above).sum()))
        counts = exact_counts(truth.outliers.to_numpy(float), truth.inliers.to_numpy(float))
        ratios = risk_ratios(counts, totals)
        enough = truth.outliers >= MIN_SUPPORT * totals.outliers
        truth["ratio"] = ratios[0]
        truth["evidence"] = evidence(counts, ratios[0], totals)
        truth["shown"] = are_certain(counts, ratios, totals, len(truth)) & enough & (ratios[0] >= 1)
        return truth


def compare(path: Path, rows: int | None = None, budgets: tuple[str, ...] = BUDGETS) -> list[dict[str, Any]]:
    """Return a record for each order of conjunctions, order of rows and budget."""
    found = []
    for order in (1, 2):
        question = _question(path, rows, order)
        frame, truth = question.frame, question.exact()
        top = truth[truth.shown].sort_values(["evidence", "outliers"], ascending=False, kind="stable")
        if top.empty:
            print("no attribute differs beyond chance")
            continue
        best = min(top.index[0])[0]
        orders = {
            "as given": frame,
            f"grouped by {best}": frame.sort_values(best, kind="stable"),
            f"sorted by {question.outlier}": frame.sort_values(question.outlier, kind="stable"),
        }
        for name, ordered in orders.items():
            for budget in budgets:
                result = _judge(question.explain(ordered, budget), truth, top)
                found.append({"order": order, "rows": name, "budget": budget, **result})
    print(f"{len(frame):,} rows, {frame.shape[1] - 1} columns, outlier: {question.outlier}>{question.threshold:g}")
    return found


def _question(path: Path, rows: int | None, order: int) -> Question:
    frame = pd.read_csv(path, nrows=rows, sep="\t" if ".tsv" in path.name else ",", low_memory=False)
    outlier = outlier_column(frame)
    frame = frame[frame[outlier].notna()]
    kept = [
        name
        for name in frame.columns
        if name != outlier and "=" not in name
        if frame[name].dtype.kind not in "iuf" or frame[name].nunique() <= 100
    ]
    words = {name: frame[name].map(_word, na_action="ignore") for name in kept[:MOST_COLUMNS]}
    table = as_readers_write(pd.DataFrame(words)).assign(**{outlier: frame[outlier]})
    return Question(table, outlier, float(frame[outlier].quantile(0.8)), order)


def outlier_column(frame: pd.DataFrame) -> str:
    """Return the numeric column with the most distinct values."""
    numbers = frame.select_dtypes("number")
    if numbers.empty:
        raise ValueError("expected a column of numbers")
    return str(numbers.nunique().idxmax())


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).strip() or "_"


def _judge(explainer: Explainer, truth: pd.DataFrame, top: pd.DataFrame) -> dict[str, Any]:
    exact = dict(zip(truth.index, truth.itertuples(), strict=True))
    shown = {name_of(row, exact) for row in explainer.top(None, folded=False, min_support=MIN_SUPPORT)} - {None}
    rows = explainer.top(None, folded=False, certain=False, min_ratio=0, min_support=MIN_SUPPORT)
    named = [(row, name) for row in rows if (name := name_of(row, exact)) is not None]
    inside = [holds(row, exact[name]) for row, name in named]
    held = explainer.held
    return {
        **{f"top {k}": _share(sum(name in shown for name in top.index[:k]), min(k, len(top))) for k in (20, 50)},
        "shown": len(shown),
        "wrongly": len(shown - set(top.index)),
        "ranges": len(named),
        "cut": len(rows) - len(named),
        "ratio in range": _share(sum(ratio for ratio, _ in inside), len(named)),
        "counts in range": _share(sum(counts for _, counts in inside), len(named)),
        "exact": _share(sum(row.exact for row in rows), len(rows)),
        "held": held.held,
        "of": held.distinct,
        "truly": len(truth),
        "bytes": explainer.nbytes,
    }


def name_of(row: Explanation, exact: dict[Any, Any]) -> Any:
    """Return the exact name; for a truncated value, the only one with this prefix, or None if there are several."""
    name = frozenset(row.attributes.items())
    if not row.shortened:
        return name
    begins = {column: value.partition("…") for column, value in row.attributes.items()}
    fits = [
        known
        for known in exact
        if len(known) == len(begins)
        if all(
            column in begins
            and (value.startswith(begins[column][0]) if begins[column][1] else value == begins[column][0])
            for column, value in known
        )
    ]
    return fits[0] if len(fits) == 1 else None


def holds(row: Explanation, exact: Any) -> tuple[bool, bool]:
    """Return whether the intervals of a row contain the exact ratio and the exact counts."""
    ratio = row.ratio_low * (1 - 1e-9) <= exact.ratio <= row.ratio_high * (1 + 1e-9)
    counts = all(
        low <= count <= high
        for count, (low, high) in ((exact.outliers, row.outliers_range), (exact.inliers, row.inliers_range))
    )
    return ratio, counts


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else float("nan")
