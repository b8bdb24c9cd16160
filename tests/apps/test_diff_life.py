"""A Diff is saved, copied, pickled and merged like the learners, and accepts common kinds of tables."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wmsketch
from wmsketch.apps import Diff


def learned(**settings) -> Diff:
    draw = np.random.default_rng(1)
    diff = Diff("16KiB", **settings)
    diff.learn_many(*([f"thing {i}" for i in draw.zipf(1.3, 3000) % 900] for _ in range(2)))
    return diff


@pytest.mark.parametrize("settings", [{}, {"weighted": True}, {"half_life": 300}, {"seed": 5, "per_item": True}])
def test_a_loaded_diff_continues_identically(settings, tmp_path) -> None:
    diff = learned(**settings)
    diff.save(tmp_path / "diff.wms")
    twins = [
        wmsketch.load(tmp_path / "diff.wms"),
        pickle.loads(pickle.dumps(diff)),
        copy.deepcopy(diff),
        diff.copy(),
    ]
    for twin in twins:
        assert repr(twin) == repr(diff)
        assert twin.rows() == diff.rows() and twin.to_bytes() == diff.to_bytes()
        twin.learn_many(["more"] * 9, ["less"] * 9)
    diff.learn_many(["more"] * 9, ["less"] * 9)
    assert all(twin.to_bytes() == diff.to_bytes() for twin in twins)
    empty = Diff("16KiB")
    assert Diff.from_bytes(empty.to_bytes()).rows() == []


@pytest.mark.parametrize("named", [True, False])
def test_merged_bounds_contain_the_truth(named: bool) -> None:
    draw = np.random.default_rng(2)
    parts = [[draw.zipf(1.2, 4000) % 3000 for _ in range(2)] for _ in range(3)]
    whole, all_a, all_b = Diff("16KiB"), Counter(), Counter()
    for a, b in parts:
        items_a, items_b = ([f"thing {i}" for i in side] if named else side for side in (a, b))
        one = Diff("16KiB")
        one.learn_many(items_a, items_b)
        whole.merge(one)
        all_a.update(items_a)
        all_b.update(items_b)
    assert (whole.total_a, whole.total_b) == (12_000, 12_000)
    slack = 0 if named else 0.1
    for row in whole.rows():
        assert row.count_a_low <= all_a[row.feature] * (1 + slack)
        assert row.count_a_high >= all_a[row.feature] * (1 - slack)
        assert row.count_b_low <= all_b[row.feature] * (1 + slack)
        assert row.count_b_high >= all_b[row.feature] * (1 - slack)
    whole.learn_many(["late"] * 5 if named else [4_000_000_000] * 5)
    with pytest.raises(ValueError, match="cannot merge: seed differs"):
        whole.merge(Diff("16KiB", seed=9))
    with pytest.raises(ValueError, match="items must be"):
        whole.learn_many([1, 2] if named else ["x", "y"])


def test_a_table_is_rows_of_values_and_not_of_column_names() -> None:
    a = pd.DataFrame({"city": ["Rome"] * 30 + ["Oslo"] * 10, "n": [1] * 40}, index=range(100, 140))
    b = pd.DataFrame({"city": ["Rome"] * 10 + ["Oslo"] * 30, "n": [1] * 20 + [None] * 20})
    diff = Diff("16KiB")
    diff.update(a=a, b=b)
    assert (diff.total_a, diff.total_b) == (40, 40)
    counts = {row.feature: (row.count_a, row.count_b) for row in diff.rows()}
    assert counts == {"city=Rome": (30, 10), "city=Oslo": (10, 30), "n=1": (40, 20)}
    column = Diff("16KiB")
    column.learn_many(a["city"], b["city"])
    assert {row.feature for row in column.rows()} == {"Rome", "Oslo"}
    with pytest.raises(ValueError, match="a must be a sequence of items, got one str"):
        column.learn_many("Rome")


def test_one_item_at_a_time_is_the_same_as_many() -> None:
    one, many = Diff("16KiB"), Diff("16KiB")
    for item, stream in (("tea", "a"), ("milk", "b"), ("tea", "b")):
        one.learn_one(item, stream)
        many.learn_many(**{stream: [item]})
    assert one.rows() == many.rows()
    with pytest.raises(ValueError, match="stream must be 'a' or 'b', got 'c'"):
        one.learn_one("tea", "c")


def test_what_is_learned_while_another_thread_asks_is_not_forgotten() -> None:
    diff = Diff("16KiB")
    diff.learn_many(["tea"] * 60, ["jam"] * 60)
    native = diff._native

    class Slow:
        """Answers slowly, so that another thread learns in the meantime."""

        def table(self):
            found = native.table()
            diff._native = native
            diff.learn_many(["tea"] * 40, ["jam"] * 40)
            return found

        def __getattr__(self, name: str):
            return getattr(native, name)

    diff._native = Slow()
    assert {row.count_a for row in diff.rows()} == {0, 60}
    assert {row.count_a for row in diff.rows()} == {0, 100}


def test_a_file_of_earlier_versions_loads_under_todays_name() -> None:
    path = Path(__file__).parents[1] / "golden" / "apps" / "v3-deltoids.wms"
    for loaded in (Diff.load(path), wmsketch.load(path)):
        assert type(loaded) is Diff and loaded.method == "count-table"
        assert [(row.feature, row.count_a, row.count_b) for row in loaded.top()] == [("jam", 0, 40), ("tea", 60, 20)]
        assert Diff.from_bytes(loaded.to_bytes()).rows() == loaded.rows()


@pytest.mark.parametrize("package", [wmsketch, wmsketch.apps])
def test_the_former_name_is_the_same_class_with_a_warning(package) -> None:
    with pytest.warns(DeprecationWarning, match="Deltoids is now called Diff"):
        assert package.Deltoids is Diff
    assert Diff(method="awm").method == "count-table"
