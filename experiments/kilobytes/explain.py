"""`explain` from files and from pipes, and what the paper compares with, against exact counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from experiments.kilobytes.baselines import Numbers, Stream, baselines_for
from experiments.kilobytes.case import MOST, Case, record
from experiments.kilobytes.tables import MEASURE, load
from experiments.trust.explain import MIN_SUPPORT, MISSING, Question, holds
from wmsketch.apps import Explainer
from wmsketch.apps.explain.ratios import Totals, are_certain, evidence, exact_counts, risk_ratios
from wmsketch.apps.explain.rows import Explanation
from wmsketch.learners.sizes.budget import parse_bytes


def compare(case: Case, size: int) -> Iterator[dict[str, Any]]:
    """Yield a record for each order, budget and method; `size` is the most attributes in a conjunction."""
    table, threshold = load(case.table, case.rows)
    question = Question(table, MEASURE, threshold, size)
    truth = question.exact()
    top = list(truth[truth.shown].sort_values(["evidence", "outliers"], ascending=False, kind="stable").index)
    exact, whole = dict(zip(truth.index, truth.itertuples(), strict=True)), _Whole(table)
    value = dict(zip(truth.index, truth.evidence, strict=True))
    widest = str(table.drop(columns=MEASURE).nunique().idxmax())
    score = _score_by(table[MEASURE].to_numpy() > threshold, len(truth))
    names = list(truth.index)
    for order in case.orders:
        by = {"grouped": widest, "sorted": MEASURE}
        frame = table if order == "given" else table.sort_values(by[order], kind="stable")
        for budget in case.budgets:
            for method in ("file", "pipe"):
                if method not in case.methods:
                    continue
                explainer = question.explain(frame, budget, once=method == "pipe")
                shown = [whole.name(row) for row in explainer.top(MOST, folded=False)]
                yield record(order, budget, method, shown, top, value, _ranges(explainer, exact, whole))
            for method, baseline in baselines_for(order, case.methods if size == 1 else ()).items():
                stream = _items(frame, threshold, {each: i for i, each in enumerate(names)})
                found = baseline(stream, parse_bytes(budget), MOST, score, False)
                yield record(order, budget, method, [names[i] for i in found], top, value)


class _Whole:
    """The whole names of rows, whose values may be cut."""

    def __init__(self, table: pd.DataFrame) -> None:
        columns = [name for name in table.columns if name != MEASURE]
        self._values = {str(name): sorted({*table[name].dropna().unique(), MISSING}) for name in columns}

    def name(self, row: Explanation) -> frozenset[tuple[str, str]] | None:
        """Return columns and values, or None if a cut value may be one of several."""
        parts = [self._part(*each) for each in row.attributes.items()]
        whole = [part for part in parts if part is not None]
        return frozenset(whole) if len(whole) == len(parts) else None

    def _part(self, column: str, value: str) -> tuple[str, str] | None:
        begin, cut, _ = value.partition("…")
        values = self._values[column]
        if not cut or value in values[bisect_left(values, value) :][:1]:
            return column, value
        found = values[bisect_left(values, begin) : bisect_left(values, begin + chr(0x10FFFF))]
        return (column, found[0]) if len(found) == 1 else None


def _ranges(explainer: Explainer, exact: dict[Any, Any], whole: _Whole) -> list[bool]:
    rows = explainer.top(None, folded=False, certain=False, min_ratio=0, min_support=MIN_SUPPORT)
    return [all(holds(row, exact[name])) for row in rows if (name := whole.name(row)) is not None]


def _items(frame: Any, threshold: float, number_of: dict[Any, int]) -> Stream:
    words = frame.drop(columns=MEASURE).astype(object).fillna(MISSING)
    columns = []
    for name in words:
        numbers = {value: number_of[frozenset([(name, value)])] for value in words[name].unique()}
        columns.append(words[name].map(numbers))
    items = np.stack([column.to_numpy(np.uint32) for column in columns], axis=1)
    return Stream(items.ravel(), np.repeat(frame[MEASURE].to_numpy() > threshold, len(columns)))


def _score_by(above: Any, n_tried: int) -> Any:
    totals = Totals(float(above.sum()), float((~above).sum()))

    def score(a: Numbers, b: Numbers) -> Numbers:
        counts = exact_counts(np.minimum(a, totals.outliers), np.minimum(b, totals.inliers))
        ratios = risk_ratios(counts, totals)
        shown = are_certain(counts, ratios, totals, n_tried) & (a >= MIN_SUPPORT * totals.outliers) & (ratios[0] >= 1)
        return np.where(shown, evidence(counts, ratios[0], totals), -np.inf)

    return score
