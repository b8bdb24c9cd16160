"""What mergeable shards need: the same bins, and learning one side of a comparison at a time."""

from __future__ import annotations

import pandas as pd

from wmsketch.apps import Diff, Explainer
from wmsketch.readers import open_examples


def rows(first: int, last: int) -> pd.DataFrame:
    return pd.DataFrame({"ms": range(first, last), "load": [0.01 * (i % 97) for i in range(first, last)]})


def test_explainers_with_chosen_bins_merge() -> None:
    base = Explainer("ms>700").choose_bins(rows(0, 100))
    assert base.examples == 0
    parts = [base.copy() for _ in range(2)]
    parts[0].learn_many(rows(0, 500))
    parts[1].learn_many(rows(500, 1000))
    whole = base.copy()
    whole.learn_many(rows(0, 1000))
    merged = parts[0].merge(parts[1])
    found = [
        {(str(row.attributes), row.outliers, row.inliers) for row in each.top(None, min_support=0, min_ratio=0)}
        for each in (merged, whole)
    ]
    assert found[0] == found[1]
    assert merged.outliers == 299


def test_diff_learns_a_block_of_one_stream() -> None:
    diff = Diff("16KiB")
    for stream, drinks in (("a", ["tea", "tea"]), ("b", ["milk"])):
        frame = pd.DataFrame({"drink": drinks})
        for block in open_examples(frame, features=["drink"], categorical=["drink"], require_labels=False):
            diff.learn_block(block, stream)  # type: ignore[arg-type]
    assert sorted((row.feature, row.count_a, row.count_b) for row in diff.rows()) == [
        ("drink=milk", 0, 1),
        ("drink=tea", 2, 0),
    ]
