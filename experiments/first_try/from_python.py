"""The same questions from Python, about a pandas frame."""

from __future__ import annotations

import warnings
from typing import Any

from experiments.first_try.questions import (
    Counted,
    Refused,
    check_diff,
    check_explained,
    condition_on,
    errors,
    in_order,
    require,
    require_no_worse_than_base,
    same,
)
from experiments.first_try.tables import Table
from wmsketch import AWMSketch
from wmsketch.apps import Diff, Explainer


def fit(table: Table) -> dict[str, Any] | None:
    """Ask `AWMSketch().fit(frame, label=L).predict(frame)`."""
    label = table.label()
    if label is None:
        return None
    frame = table.typed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = AWMSketch().fit(frame, label=label)
            predicted = model.predict(frame.drop(columns=label))
        except Exception as problem:
            raise Refused(f"{type(problem).__name__}: {problem}") from problem
    counts = table.words[label].value_counts()
    require("rows", model.n_seen_ // model.n_iter_, int(counts.sum()))
    positive = in_order(list(counts.index))[1]
    require("positive", same(str(model.classes_[1]), positive), True)
    error = errors("\n".join(map(str, predicted)), table.words[label])
    return require_no_worse_than_base(table, label, error)


def explain(table: Table) -> dict[str, Any] | None:
    """Ask `Explainer("COL>p90").learn_many(frame)`."""
    name = table.outlier()
    if name is None:
        return None
    explainer = Explainer(condition_on(name))
    try:
        explainer.learn_many(table.typed)
        rows = explainer.top()
    except Exception as problem:
        raise Refused(f"{type(problem).__name__}: {problem}") from problem
    counts = [Counted(dict(row.attributes), row.outliers, row.inliers, row.exact) for row in rows]
    threshold = next(iter(explainer.thresholds.values()))
    return check_explained(table, name, threshold, explainer.examples + explainer.skipped, explainer.outliers, counts)


def diff(table: Table) -> dict[str, Any] | None:
    """Ask `Diff().learn_many(first_half, second_half)`."""
    half = len(table) // 2
    diff = Diff()
    try:
        diff.learn_many(table.typed.iloc[:half], table.typed.iloc[half:])
        rows = diff.top(20)
    except Exception as problem:
        raise Refused(f"{type(problem).__name__}: {problem}") from problem
    found = [(str(row.feature), row.count_a, row.count_b, row.exact, row.shortened) for row in rows]
    return check_diff(table, (diff.total_a, diff.total_b), found)
