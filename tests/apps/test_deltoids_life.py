"""Deltoids are saved, copied, pickled and merged like the learners, and accept common kinds of tables."""

from __future__ import annotations

import copy
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import wmsketch
from wmsketch.apps import Deltoids


def learned(**settings) -> Deltoids:
    draw = np.random.default_rng(1)
    deltoids = Deltoids("16KiB", **settings)
    deltoids.learn_many(*([f"thing {i}" for i in draw.zipf(1.3, 3000) % 900] for _ in range(2)))
    return deltoids


@pytest.mark.parametrize("settings", [{}, {"weighted": True}, {"half_life": 300}, {"seed": 5, "per_item": True}])
def test_loaded_deltoids_continue_identically(settings, tmp_path) -> None:
    deltoids = learned(**settings)
    deltoids.save(tmp_path / "diff.wms")
    twins = [
        wmsketch.load(tmp_path / "diff.wms"),
        pickle.loads(pickle.dumps(deltoids)),
        copy.deepcopy(deltoids),
        deltoids.copy(),
    ]
    for twin in twins:
        assert repr(twin) == repr(deltoids)
        assert twin.rows() == deltoids.rows() and twin.to_bytes() == deltoids.to_bytes()
        twin.learn_many(["more"] * 9, ["less"] * 9)
    deltoids.learn_many(["more"] * 9, ["less"] * 9)
    assert all(twin.to_bytes() == deltoids.to_bytes() for twin in twins)
    empty = Deltoids("16KiB")
    assert Deltoids.from_bytes(empty.to_bytes()).rows() == []


@pytest.mark.parametrize("named", [True, False])
def test_merged_bounds_contain_the_truth(named: bool) -> None:
    draw = np.random.default_rng(2)
    parts = [[draw.zipf(1.2, 4000) % 3000 for _ in range(2)] for _ in range(3)]
    whole, all_a, all_b = Deltoids("16KiB"), Counter(), Counter()
    for a, b in parts:
        items_a, items_b = ([f"thing {i}" for i in side] if named else side for side in (a, b))
        one = Deltoids("16KiB")
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
        whole.merge(Deltoids("16KiB", seed=9))
    with pytest.raises(ValueError, match="items must be"):
        whole.learn_many([1, 2] if named else ["x", "y"])


def test_a_table_is_rows_of_values_and_not_of_column_names() -> None:
    a = pd.DataFrame({"city": ["Rome"] * 30 + ["Oslo"] * 10, "n": [1] * 40}, index=range(100, 140))
    b = pd.DataFrame({"city": ["Rome"] * 10 + ["Oslo"] * 30, "n": [1] * 20 + [None] * 20})
    deltoids = Deltoids("16KiB")
    deltoids.update(a=a, b=b)
    assert (deltoids.total_a, deltoids.total_b) == (40, 40)
    counts = {row.feature: (row.count_a, row.count_b) for row in deltoids.rows()}
    assert counts == {"city=Rome": (30, 10), "city=Oslo": (10, 30), "n=1": (40, 20)}
    column = Deltoids("16KiB")
    column.learn_many(a["city"], b["city"])
    assert {row.feature for row in column.rows()} == {"Rome", "Oslo"}
    with pytest.raises(ValueError, match="a must be a sequence of items, got one str"):
        column.learn_many("Rome")


def test_one_item_at_a_time_is_the_same_as_many() -> None:
    one, many = Deltoids("16KiB"), Deltoids("16KiB")
    for item, stream in (("tea", "a"), ("milk", "b"), ("tea", "b")):
        one.learn_one(item, stream)
        many.learn_many(**{stream: [item]})
    assert one.rows() == many.rows()
    with pytest.raises(ValueError, match="stream must be 'a' or 'b', got 'c'"):
        one.learn_one("tea", "c")


def test_what_is_learned_while_another_thread_asks_is_not_forgotten() -> None:
    deltoids = Deltoids("16KiB")
    deltoids.learn_many(["tea"] * 60, ["jam"] * 60)
    native = deltoids._native

    class Slow:
        """Answers slowly, so that another thread learns in the meantime."""

        def table(self):
            found = native.table()
            deltoids._native = native
            deltoids.learn_many(["tea"] * 40, ["jam"] * 40)
            return found

        def __getattr__(self, name: str):
            return getattr(native, name)

    deltoids._native = Slow()
    assert {row.count_a for row in deltoids.rows()} == {0, 60}
    assert {row.count_a for row in deltoids.rows()} == {0, 100}
