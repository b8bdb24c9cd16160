"""Orders of real streams: grouped, sorted, one after the other, in time. None may give a false difference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from wmsketch.apps import Diff

CARRIERS = ("AA", "DL", "UA", "WN")


def carriers_and_tails(order: Sequence[str], seed: int) -> list[str]:
    """Exactly 20,000 rows of each carrier, grouped, with 6,000 tail numbers."""
    draw = np.random.default_rng(seed)
    tails = draw.integers(0, 6000, 80_000)
    rows = [carrier for carrier in order for _ in range(20_000)]
    return [item for carrier, tail in zip(rows, tails, strict=True) for item in (carrier, f"tail {tail}")]


def exact_log_ratios(a: Sequence[object], b: Sequence[object]) -> dict[object, float]:
    in_a, in_b = Counter(a), Counter(b)
    offset = math.log(len(a) / len(b))
    return {item: math.log((in_a[item] + 0.5) / (in_b[item] + 0.5)) - offset for item in {*in_a, *in_b}}


@pytest.mark.parametrize("budget", ["8KiB", "32KiB", "256KiB", "4MiB"])
def test_grouped_rows_do_not_make_equal_carriers_differ(budget: str) -> None:
    a = carriers_and_tails(CARRIERS, 1)
    b = carriers_and_tails(CARRIERS[::-1], 2)
    diff = Diff(budget)
    diff.update(a, b)
    assert not [row for row in diff.top(100) if row.feature in CARRIERS]
    for row in diff.rows():
        if row.feature in CARRIERS:
            assert row.count_a_low <= 20_000 <= row.count_a_high
            assert row.count_b_low <= 20_000 <= row.count_b_high
            assert row.low <= 0 <= row.high
    assert diff.nbytes <= diff._new().nbytes
    whole = diff.held
    assert whole.all_exact == (budget == "4MiB")
    assert (whole.budget_for_all is None) == (budget == "4MiB")


def skewed(n: int, n_items: int, favour: int, seed: int) -> np.ndarray:
    """Zipf-distributed items; those equal to `favour` modulo 20 are four times as frequent."""
    rates = 1.0 / np.arange(1, n_items + 1)
    rates[favour::20] *= 4
    return np.random.default_rng(seed).choice(n_items, n, p=rates / rates.sum())


def ordered(items: np.ndarray, order: str) -> np.ndarray:
    if order == "sorted":
        return np.sort(items)
    if order == "backwards":
        return np.sort(items)[::-1]
    if order == "grouped":  # by a part of the item, so that groups have many items
        return items[np.argsort(items % 7, kind="stable")]
    return items


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "orders", [("given", "given"), ("sorted", "sorted"), ("sorted", "backwards"), ("grouped", "sorted")]
)
@pytest.mark.parametrize("together", [True, False])
def test_intervals_contain_the_truth_in_every_order(named: bool, orders: tuple[str, str], together: bool) -> None:
    a, b = ordered(skewed(40_000, 5000, 3, 1), orders[0]), ordered(skewed(60_000, 5000, 7, 2), orders[1])
    items_a, items_b = ([f"thing {i}" for i in a], [f"thing {i}" for i in b]) if named else (a, b)
    exact, in_a, in_b = exact_log_ratios(list(items_a), list(items_b)), Counter(items_a), Counter(items_b)
    diff = Diff("16KiB")
    if together:
        diff.update(items_a, items_b)
    else:  # one stream after the other
        diff.update(a=items_a)
        diff.update(b=items_b)
    rows = diff.rows()
    assert len(rows) > 100
    for row in rows:
        slack = 0 if named else 0.05  # large counts of integers are rounded
        assert row.count_a_low <= in_a[row.feature] * (1 + slack)
        assert row.count_a_high >= in_a[row.feature] * (1 - slack)
        assert row.count_b_low <= in_b[row.feature] * (1 + slack)
        assert row.count_b_high >= in_b[row.feature] * (1 - slack)
    shown = diff.top(50)
    inside = [row.low <= exact[row.feature] <= row.high for row in shown]
    assert all(inside)
    assert all((row.log_ratio > 0) == (exact[row.feature] > 0) for row in shown)


def test_a_file_in_the_order_of_time_is_compared_by_whole_counts() -> None:
    # a carrier that flew equally often, but in the first half of a and the second half of b
    a = ["summer"] * 5000 + ["winter"] * 5000
    b = ["winter"] * 5000 + ["summer"] * 5000
    tails = [f"tail {i % 3000}" for i in range(10_000)]
    for budget in ("8KiB", "16KiB"):
        diff = Diff(budget)
        for first in range(0, 10_000, 500):
            part = slice(first, first + 500)
            diff.update([*a[part], *tails[part]], [*b[part], *tails[part]])
        assert diff.top() == []


def test_the_default_budget_counts_exactly_and_says_so() -> None:
    a, b = carriers_and_tails(CARRIERS, 1), carriers_and_tails(CARRIERS[::-1], 2)
    diff = Diff()
    diff.update(a, b)
    assert diff.held.line() == f"all {len({*a, *b}):,} items are held: every count is exact"
    in_a, in_b = Counter(a), Counter(b)
    assert all((row.count_a, row.count_b) == (in_a[row.feature], in_b[row.feature]) for row in diff.rows())
    assert diff.nbytes <= 16 * 2**20


def test_the_suggested_budget_holds_everything() -> None:
    items = [f"thing {i % 9000}" for i in range(30_000)]
    small = Diff("32KiB")
    small.update(items, items)
    held = small.held
    assert 0.8 * 9000 < held.distinct < 1.2 * 9000
    large = Diff(held.budget_for_all)
    large.update(items, items)
    assert large.held.all_exact and large.held.distinct == 9000


def test_shown_names_are_distinct_and_truncated_names_are_marked() -> None:
    start = "a very long name that is the same for many a line of the log, "
    diff = Diff("16KiB", name_bytes=16)
    a = [f"{start}{i}" for i in range(200) for _ in range(40)]
    diff.update(a, [f"other {i % 100}" for i in range(8000)])
    rows = diff.top(300)
    assert len(rows) > 100
    assert len({row.feature for row in rows}) == len(rows)
    cut = [row for row in rows if row.shortened]
    assert cut and all(row.as_record()["shortened"] for row in cut)
    assert diff.held.cut >= len(cut)


def test_half_life_forgets_old_rows() -> None:
    old, new = ["tea"] * 3000 + ["milk"] * 1000, ["tea"] * 1000 + ["milk"] * 3000
    kept, faded = Diff("64KiB"), Diff("64KiB", half_life=500)
    for diff in (kept, faded):
        diff.update(old, new)
        for _ in range(100):  # long enough to rescale the counts
            diff.update(["tea"] * 5 + ["milk"] * 15, ["tea"] * 15 + ["milk"] * 5)
    assert {row.feature: row.log_ratio > 0 for row in kept.top()} == {"tea": True, "milk": False}
    assert {row.feature: row.log_ratio > 0 for row in faded.top()} == {"tea": False, "milk": True}
    assert faded.total_a + faded.total_b == pytest.approx(500 / math.log(2), rel=0.05)
    for less_than_a_row in (0, 0.01):
        with pytest.raises(ValueError, match=rf"half_life must be at least 1 \(a row\), got {less_than_a_row}"):
            Diff(half_life=less_than_a_row)
    with pytest.raises(ValueError, match="half_life needs method='count-table'"):
        Diff(half_life=10, method="lr")


def test_a_moderate_difference_is_found_in_a_pipe_of_32_kib():
    draw = np.random.default_rng(0)
    weights = 1 / np.arange(1, 50_001)
    sides = []
    for n_planted in (1630, 353):
        items = [f"item {i}" for i in draw.choice(50_000, 100_000, p=weights / weights.sum())]
        for place in draw.choice(100_000, n_planted, replace=False):
            items[place] = "planted"
        sides.append(items)
    diff = Diff("32KiB")
    for start in range(0, 100_000, 1000):
        diff.learn_many(*(side[start : start + 1000] for side in sides))
    [row] = diff.top(1)
    assert row.feature == "planted"
    assert row.count_a_low <= 1630 <= row.count_a_high and row.count_b_low <= 353 <= row.count_b_high
