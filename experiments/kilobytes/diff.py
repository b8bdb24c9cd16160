"""`diff` from files and from pipes, and what the paper compares with, against exact counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from experiments.kilobytes.baselines import Numbers, Stream, baselines_for
from experiments.kilobytes.case import MOST, Case, record
from experiments.kilobytes.tables import MEASURE, TABLES, load
from experiments.trust.diff import Exact, exact_of, holds, learn_files, ordered
from wmsketch import _core
from wmsketch.apps import Diff
from wmsketch.learners.sizes.budget import parse_bytes

PARTS = 200  # of the two streams, which a pipe mixes


def compare(case: Case) -> Iterator[dict[str, Any]]:
    """Yield a record for each order, budget and method."""
    a, b = _sides(case)
    exact = exact_of(a, b)
    names = list(exact.counts)
    number_of = {item: i for i, item in enumerate(names)}
    keys = {_core.key_of(item, 0): item for item in names}
    score = _score_by(len(a), len(b), len(names))
    for order in case.orders:
        sides = ordered(a, order), ordered(b, order, backwards=True)
        stream = _mixed(sides, number_of)
        for budget in case.budgets:
            for method, learn in {"file": learn_files, "pipe": _learn_pipe}.items():
                if method not in case.methods:
                    continue
                diff = Diff(budget)
                learn(diff, *sides)
                shown = diff.top(MOST)
                inside = [holds(keys[row.key], row, exact) for row in shown]
                yield record(order, budget, method, [keys[row.key] for row in shown], exact.top, exact.sure, inside)
            for method, baseline in baselines_for(order, case.methods).items():
                found = baseline(stream, parse_bytes(budget), MOST, score, True)
                yield record(order, budget, method, [names[i] for i in found], exact.top, exact.sure)


def _sides(case: Case) -> tuple[pd.DataFrame, pd.DataFrame]:
    table, threshold = load(case.table, case.rows)
    words = table.drop(columns=MEASURE)
    if TABLES[case.table].by_outlier:
        above = table[MEASURE] > threshold
        return words[above], words[~above]
    return words.iloc[: len(words) // 2], words.iloc[len(words) // 2 :]


def _learn_pipe(diff: Diff, a: pd.DataFrame, b: pd.DataFrame) -> None:
    cuts = [np.linspace(0, len(side), PARTS + 1).astype(int) for side in (a, b)]
    for part in range(PARTS):
        diff.learn_many(*(side.iloc[cut[part] : cut[part + 1]] for side, cut in zip((a, b), cuts, strict=True)))


def _mixed(sides: tuple[pd.DataFrame, pd.DataFrame], number_of: dict[str, int]) -> Stream:
    """Return the items of both tables, row by row, in proportion to their sizes."""
    items, places, labels = [], [], []
    for side, table in zip((True, False), sides, strict=True):
        for column in table.columns:
            known = table[column].notna().to_numpy()
            numbers = {value: number_of[f"{column}={value}"] for value in table[column].dropna().unique()}
            items.append(table[column][known].map(numbers).to_numpy(np.uint32))
            places.append(((np.arange(len(table)) + 0.5) / len(table))[known])
            labels.append(np.full(int(known.sum()), side))
    order = np.argsort(np.concatenate(places), kind="stable")
    return Stream(np.concatenate(items)[order], np.concatenate(labels)[order])


def _score_by(n_a: int, n_b: int, n_items: int) -> Any:
    def score(a: Numbers, b: Numbers) -> Numbers:
        exact = Exact(pd.DataFrame({"a": a, "b": b}), n_a, n_b, n_items)
        beyond = {int(item) for item in exact.top}
        return np.array([exact.sure[str(i)] if i in beyond else -math.inf for i in range(len(a))])

    return score
