"""Trustworthy answers: intervals contain the truth in any order, and the rest is reported."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.apps.explain_requests import exact, requests
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.apps.explain.ratios import Totals, exact_counts, risk_ratios
from wmsketch.cli.parts.explain_notes import coverage_line, notes


def orders(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows in the original order, grouped by the cause, and with the cause first."""
    return {
        "as given": frame,
        "grouped": frame.sort_values("value", kind="stable"),
        "by label": frame.sort_values("slow", kind="stable"),
    }


@pytest.mark.parametrize("order", ["as given", "grouped", "by label"])
@pytest.mark.parametrize("budget", ["16KiB", "32KiB", "16MiB"])
def test_intervals_contain_the_truth_in_any_order(order: str, budget: str) -> None:
    """Regression: partial counts were shown as exact, 121/25 instead of 246/182."""
    draw = np.random.default_rng(6)
    n = 40_000
    value = np.minimum(draw.zipf(1.3, n), 20_000)
    slow = draw.random(n) < np.where(value % 7 == 0, 0.6, 0.1)
    frame = orders(pd.DataFrame({"value": value.astype(str), "id": np.arange(n) % 3000, "slow": slow}))[order]
    explainer = Explainer(label="slow", budget=budget, categorical=["value", "id"])
    explainer.learn_many(frame)
    totals = Totals(slow.sum(), (~slow).sum())
    truth = frame.groupby("value").slow.agg(["sum", "count"])
    rows = [row for row in explainer.top(None, certain=False, min_ratio=0) if "value" in row.attributes]
    assert len(rows) >= 5
    for row in rows:
        outliers, count = truth.loc[row.attributes["value"]]
        assert row.outliers_range[0] <= outliers <= row.outliers_range[1]
        assert row.inliers_range[0] <= count - outliers <= row.inliers_range[1]
        assert row.ratio_low <= risk_ratios(exact_counts(outliers, count - outliers), totals)[0] <= row.ratio_high
        if row.exact:
            assert (row.outliers, row.inliers) == (outliers, count - outliers)
    for row in explainer.top(None):  # reported as significantly more common
        if "value" in row.attributes:
            assert int(row.attributes["value"]) % 7 == 0
    assert explainer.held.all_exact == (budget == "16MiB")
    assert explainer.nbytes <= explainer.budget_bytes


def test_intervals_of_conjunctions_contain_the_truth() -> None:
    draw = np.random.default_rng(7)
    n = 20_000
    frame = pd.DataFrame({name: draw.integers(0, 40, n).astype(str) for name in "abc"})
    frame["slow"] = draw.random(n) < np.where(frame.a == "7", 0.7, 0.1)
    frame = frame.sort_values("a", kind="stable")
    explainer = Explainer(label="slow", order=2, budget="32KiB", categorical=list("abc"))
    explainer.learn_many(frame)
    rows = explainer.top(None, certain=False, min_ratio=0, min_support=0, folded=False)
    assert sum(len(row.attributes) == 2 for row in rows) > 20
    for row in rows:
        outliers, inliers = exact(frame, row.attributes, frame.slow)
        assert row.outliers_range[0] <= outliers <= row.outliers_range[1], row
        assert row.inliers_range[0] <= inliers <= row.inliers_range[1], row


def test_an_answer_says_how_much_it_holds_and_which_budget_would_do() -> None:
    frame = requests(30_000)
    small = Explainer("ms>=500", categorical=["user"], budget="32KiB")
    small.learn_many(frame)
    coverage = small.held
    assert not coverage.all_exact
    assert coverage.distinct == pytest.approx(frame.user.nunique() + 53, rel=0.2)
    assert f"{coverage.held:,} of about" in coverage_line(small)
    larger = Explainer("ms>=500", categorical=["user"], budget=coverage.budget_for_all)
    larger.learn_many(frame)
    assert larger.held.all_exact
    assert larger.held.held == larger.held.distinct
    assert "every count is exact" in coverage_line(larger)
    # what is reported as held is held
    counts = frame[frame.ms >= 500].user.value_counts()
    held = {row.attributes.get("user") for row in small.top(None, certain=False, min_support=0, min_ratio=0)}
    assert set(counts[counts > coverage.surely_held_above].index) <= held


def test_columns_without_room_are_named() -> None:
    """Regression: 875,567 values were left out without naming their columns."""
    frame = pd.DataFrame({f"a_rather_long_column_name_{i}": ["x", "y"] * 50 for i in range(60)} | {"ms": [1, 900] * 50})
    explainer = Explainer("ms>500", budget="8KiB")
    explainer.learn_many(frame)
    [note] = [note for note in notes(explainer) if "left out" in note]
    assert explainer.columns_left_out[0] in note
    assert explainer.columns_left_out[0].startswith("a_rather_long_column_name_")
    assert f"{explainer.values_left_out:,} values left out" in note
    assert "--budget" in note


def test_rows_with_truncated_names_are_distinct() -> None:
    """Regression: three rows were shown as `verified_reviews=…`."""
    draw = np.random.default_rng(9)
    reviews = [f"{'I love this speaker, it plays music ' * 30}{i}" for i in range(40)]
    frame = pd.DataFrame({"review": draw.choice(reviews, 4000), "bad": draw.random(4000) < 0.3})
    explainer = Explainer(label="bad", budget="8KiB")
    explainer.learn_many(frame)
    rows = explainer.top(None, certain=False, min_ratio=0)
    assert len({row.label for row in rows}) == len(rows) > 20
    cut = [row for row in rows if row.shortened]
    assert cut
    assert all("…" in row.label and row.as_record()["shortened"] for row in cut)
    assert any("values are cut" in note for note in notes(explainer))
    whole = Explainer(label="bad", budget=explainer.held.budget_for_all)
    whole.learn_many(frame)
    assert not any(row.shortened for row in whole.top(None, certain=False))


@pytest.mark.parametrize("order", [1, 2])
def test_attributes_of_the_same_rows_are_one_row(order: int) -> None:
    """For example, StockCode=D and Description=Discount occur in the same rows."""
    draw = np.random.default_rng(10)
    code = draw.choice(["D", "A", "B"], 5000)
    frame = pd.DataFrame({"code": code, "name": pd.Series(code).map({"D": "Discount", "A": "Apple", "B": "Bread"})})
    frame["country"] = draw.choice(["UK", "FR"], 5000)
    frame["bad"] = draw.random(5000) < np.where(code == "D", 0.8, 0.05)
    explainer = Explainer(label="bad", order=order)
    explainer.learn_many(frame)
    [row] = explainer.top()
    assert row.full_label == "code=D = name=Discount"
    assert row.as_record()["same_rows"] == [{"name": "Discount"}]
    assert {row.label for row in explainer.top(folded=False)} >= {"code=D", "name=Discount"}


def test_same_counts_of_other_rows_are_not_the_same() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", "y"] * 100, "b": ["u", "v", "u", "v"] * 100})
    frame["bad"] = np.arange(400) % 4 == 0
    explainer = Explainer(label="bad")
    explainer.learn_many(frame)
    assert {row.full_label for row in explainer.top()} == {"a=x", "b=u"}


def test_what_is_old_counts_less_with_a_half_life() -> None:
    draw = np.random.default_rng(11)
    n = 30_000
    old = np.arange(n) < n // 2
    version = draw.choice(["1", "2"], n)
    slow = draw.random(n) < np.where((version == "1") == old, 0.6, 0.1)
    frame = pd.DataFrame({"version": version, "slow": slow, "at": np.arange(n, dtype=float)})
    for options in ({"half_life": 1000}, {"half_life": "1000s", "time": "at"}):
        explainer = Explainer(label="slow", categorical=["version"], **options)  # type: ignore[arg-type]
        explainer.learn_many(frame)
        [row] = [row for row in explainer.top() if "version" in row.attributes]
        assert row.label == "version=2"
        assert row.risk_ratio == pytest.approx(6, rel=0.3)
        assert explainer.totals.outliers + explainer.totals.inliers == pytest.approx(1000 / np.log(2), rel=0.01)
    forgetless = Explainer(label="slow", categorical=["version"], attributes=["version"])
    forgetless.learn_many(frame)
    assert forgetless.top() == []  # over all rows, both are equally common


def test_bins_that_no_longer_suit_the_stream_are_named() -> None:
    n = 30_000
    frame = pd.DataFrame({"number": np.arange(n) + 0.5, "ms": np.where(np.arange(n) % 9 == 0, 900, 1)})
    explainer = Explainer("ms>500", order=2)
    explainer.learn_many(frame)
    [note] = notes(explainer)
    assert "the bins of number come from the first 10,000 rows" in note
    assert list(explainer.uneven_bins) == ["number"]
    assert explainer.uneven_bins["number"][1] > 0.5
    even = Explainer("ms>500", order=2)
    even.learn_many(frame.sample(frac=1, random_state=1))
    assert even.uneven_bins == {}
    [note] = notes(even)
    assert note.startswith("the bins of number come from the first 10,000 rows; their counts are of all rows")
    assert even.first_bins == ["number"]
