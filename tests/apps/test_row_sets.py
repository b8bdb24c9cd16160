"""The rows of explain, diff and pmi are the same sets, with the same counts, for every number of shards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apps.tables import TABLES, table
from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.apps.merging import merge_apps

SHARDS = (1, 2, 8, 32, 64)


def explained(frame: Any, bins_of: Any = None) -> Explainer:
    one = Explainer(label="slow", order=2, budget="4MiB", ignore=["day"]).choose_bins(
        frame if bins_of is None else bins_of
    )
    one.learn_many(frame)
    return one


def compared(frame: Any) -> Diff:
    one = Diff("1MiB")
    columns = [name for name in ("host", "city") if name in frame]
    sides = [[f"{c}={v}" for c in columns for v in frame[frame.day == day][c].dropna()] for day in ("mon", "tue")]
    one.learn_many(*sides)
    return one


def paired(frame: Any) -> PMI:
    one = PMI(budget="4MiB", window=2)
    one.learn_many([[str(v) for v in row] for row in frame[["host", "city"]].itertuples(index=False)])
    return one


def rows_of(app: Any) -> set[Any]:
    """Return the rows that a user sees, with their counts."""
    if isinstance(app, Explainer):
        return {(row.full_label, row.outliers, row.inliers) for row in app.top(None)}
    if isinstance(app, Diff):
        return {(row.feature, row.count_a, row.count_b) for row in app.top(10**6)}
    return {(row.pair, row.count, row.exact) for row in app.top(10**6)}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("question", ["explain", "diff", "pmi"])
def test_row_sets_do_not_depend_on_the_number_of_shards(question: str, name: str) -> None:
    frame = table(name)

    def learned(part: Any) -> Any:
        if question == "explain":
            return explained(part, bins_of=frame)
        return compared(part) if question == "diff" else paired(part)

    found = {n: rows_of(merge_apps([learned(frame[i::n]) for i in range(n)])) for n in SHARDS}
    assert len(found[1]) > (0 if question == "diff" else 1)
    for n in SHARDS[1:]:
        assert found[n] == found[1], f"{n} shards"
