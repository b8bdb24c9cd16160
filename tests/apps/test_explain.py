"""Explanations compared with exact counts: conditions, percentiles, bins, weights, and what cannot be explained."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.apps.explain_requests import exact, requests
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.apps.explain.ratios import Totals, exact_counts, risk_ratios
from wmsketch.cli.parts.explain_notes import notes


def test_the_cause_is_found_and_its_counts_are_exact() -> None:
    frame = requests()
    explainer = Explainer("ms>=500", categorical=["user"])
    explainer.learn(frame)
    slow = frame.ms >= 500
    assert (explainer.examples, explainer.outliers) == (len(frame), int(slow.sum()))
    row = explainer.top()[0]
    assert row.attributes == {"version": "2.0-bad"}
    outliers, inliers = exact(frame, row.attributes, slow)
    assert (row.outliers, row.inliers, row.exact) == (outliers, inliers, True)
    truth = float(risk_ratios(exact_counts(outliers, inliers), Totals(slow.sum(), (~slow).sum()))[0])
    assert row.risk_ratio == pytest.approx(truth)
    assert row.ratio_low < truth < row.ratio_high
    assert row.support == pytest.approx(outliers / slow.sum(), rel=0.02)
    assert row.weight > 1


@pytest.mark.parametrize("n", [60, 300, 1000])
def test_few_rows_are_explained_too_by_exact_counts(n: int) -> None:
    frame = requests(n)
    frame["version"] = np.where(frame.ms >= 500, "2.0-bad", "1.0")
    explainer = Explainer("ms>=500", attributes=["version", "city"])
    explainer.learn(frame)
    [row] = explainer.rows()
    assert row.attributes == {"version": "2.0-bad"}
    assert (row.outliers, row.inliers, row.exact) == ((frame.ms >= 500).sum(), 0, True)


def test_multiple_comparisons_are_corrected() -> None:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"user": np.arange(9000) // 3, "slow": draw.random(9000) < 0.09})
    assert frame.groupby("user").slow.sum().max() == 3  # by chance
    explainer = Explainer(label="slow", categorical=["user"])
    explainer.learn(frame)
    assert explainer.rows() == []


def test_a_conjunction_is_shown_only_if_it_adds_something() -> None:
    explainer = Explainer("ms>=500", ignore=["user"], order=2)
    explainer.learn(requests(40_000))
    rows = explainer.rows()
    assert [row.attributes for row in rows] == [
        {"version": "2.0-bad"},
        {"version": "2.0-bad", "host": "h7"},
        {"host": "h7"},  # slightly, because of the bad version on it
    ]
    folded = {row.label for row in rows[0].folded}
    assert any("city" in label for label in folded)
    assert all("version=2.0-bad" in label for label in folded)
    everything = {row.label for row in explainer.rows(None, folded=False)}
    assert everything == {row.label for top in rows for row in (top, *top.folded)}


def test_three_attributes_together() -> None:
    draw = random.Random(2)
    rows = [{name: draw.choice("xyz") for name in "abcd"} for _ in range(20_000)]
    frame = pd.DataFrame(rows)
    frame["bad"] = (frame.a == "x") & (frame.b == "y") & (frame.c == "z")
    explainer = Explainer(label="bad", order=3, budget="256KiB")
    explainer.learn(frame)  # every outlier has all three, so all ratios are infinite
    assert explainer.rows()[0].attributes == {"a": "x", "b": "y", "c": "z"}


def test_noise_alone_gives_no_ranking() -> None:
    frame = requests()
    frame["ms"] = np.random.default_rng(3).permutation(frame.ms)
    explainer = Explainer("ms>=500", order=2, categorical=["user"])
    explainer.learn(frame)
    assert explainer.rows() == []
    assert len(explainer.rows(certain=False)) > 0


def test_all_parts_stay_within_the_budget_however_many_values_there_are() -> None:
    draw = np.random.default_rng(4)
    for budget in ("16KiB", "64KiB"):
        explainer = Explainer("x>p90", order=2, budget=budget)
        for _ in range(5):
            columns = {f"c{i}": draw.integers(0, 10**6, 2000).astype(str) for i in range(8)}
            explainer.learn(pd.DataFrame({**columns, "x": draw.random(2000)}))
            assert explainer.nbytes <= explainer.budget_bytes
        assert explainer.examples == 10_000


def test_how_rows_arrive_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    requests(15_000).to_json(path, orient="records", lines=True)
    answers = []
    for chunk_bytes in (1 << 20, 5000):
        explainer = Explainer("ms>p95", order=2, categorical=["user"])
        explainer.learn(path, chunk_bytes=chunk_bytes)
        answers.append([row.as_record() for row in explainer.rows(None, certain=False, folded=False)])
    assert answers[0] == answers[1]
    assert len(answers[0]) > 20


def test_numbers_are_binned_by_quantiles_unless_they_are_few_integers() -> None:
    frame = requests()
    frame["ms"] = np.where((frame["size"] > 350) | (frame.hour == 13), 900.0, 1.0)
    explainer = Explainer("ms>500", attributes=["size", "hour"], bins=10)
    explainer.learn(frame)
    found = {row.label for row in explainer.rows(None)}
    assert "hour=13" not in found  # 24 values are more than twice the ten bins
    assert any(label.startswith("hour=") and " to " in label for label in found)
    assert any(label.startswith("size=from ") for label in found)
    finer = Explainer("ms>500", attributes=["hour"], bins=12)
    finer.learn(frame)
    assert [row.label for row in finer.rows()] == ["hour=13"]


def test_the_columns_of_the_condition_explain_only_when_asked() -> None:
    frame = requests()
    asked = Explainer("ms>=500", attributes=["ms", "version"])
    asked.learn(frame)
    assert any("ms" in row.attributes for row in asked.rows())
    explainer = Explainer("ms>=500")
    explainer.learn(frame)
    assert all("ms" not in row.attributes for row in explainer.rows(None, certain=False))


def test_amounts_replace_row_counts() -> None:
    frame = requests()
    explainer = Explainer("ms>=500", attributes=["version"], weight="size")
    explainer.learn(frame)
    slow = frame.ms >= 500
    assert explainer.totals.outliers == pytest.approx(frame["size"][slow].sum(), rel=1e-5)
    [row] = explainer.rows()
    amount = frame["size"][slow & (frame.version == "2.0-bad")].sum()
    assert row.outliers == pytest.approx(amount, rel=0.02)
    assert row.support == pytest.approx(amount / frame["size"][slow].sum(), rel=0.02)


def test_what_outliers_have_less_often() -> None:
    explainer = Explainer("ms>=500", attributes=["version"])
    explainer.learn(requests())
    rows = explainer.rows(min_ratio=0)
    assert {row.label: row.risk_ratio < 1 for row in rows} == {
        "version=2.0-bad": False,
        "version=1.0": True,
        "version=1.1": True,
    }


@pytest.mark.parametrize("sort", ["evidence", "weight", "ratio", "support", "low"])
def test_rows_come_in_the_order_that_was_asked(sort: str) -> None:
    explainer = Explainer("ms>=500", order=2, categorical=["user"])
    explainer.learn(requests())
    rows = explainer.rows(None, sort=sort, certain=False, folded=False)
    numbers = [{"ratio": row.ratio_low, "support": row.support, "evidence": row.evidence} for row in rows]
    values = [each.get(sort, row.weight) for each, row in zip(numbers, rows, strict=True)]
    assert len(values) > 3
    if sort != "low":
        assert values == sorted(values, reverse=True)


def test_percentiles_are_those_of_the_stream() -> None:
    frame = requests()
    explainer = Explainer("size>p80", attributes=["city"])
    explainer.learn(frame)
    [threshold] = explainer.thresholds.values()
    assert (frame["size"] <= threshold).mean() == pytest.approx(0.8, abs=0.01)
    assert explainer.outliers / len(frame) == pytest.approx(0.2, abs=0.01)
    assert not any("drifts" in note for note in notes(explainer))
    sorted_input = Explainer("size>p80", attributes=["city"], warm_up=1000)
    sorted_input.learn(frame.sort_values("size"))
    assert sorted_input.outliers == explainer.outliers
    sorted_input = Explainer("size>p80", attributes=["city"], warm_up=1000)
    sorted_input.learn_many(frame.sort_values("size").to_dict("records"))
    assert any("drifts, is sorted, or has many equal values" in note for note in notes(sorted_input))
    few = Explainer("size>p80", attributes=["city"])
    few.learn(frame.head(3))
    assert not any("drifts" in note for note in notes(few))  # three rows are too few


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (pd.DataFrame({"ms": [1.0, 2.0], "city": ["Rome", "Oslo"]}), "no row of 2 is an outlier"),
        (pd.DataFrame({"ms": [700.0, 800.0], "city": ["Rome", "Oslo"]}), "every row of 2 is an outlier"),
        (pd.DataFrame({"ms": [None, None], "city": ["Rome", "Oslo"]}, dtype=object), "no row has a value in ms"),
        (pd.DataFrame({"ms": [1.0, 800.0], "city": [None, None]}, dtype=object), "no row has an attribute"),
        (pd.DataFrame({"ms": [], "city": []}), "there are no rows"),
    ],
)
def test_nothing_to_explain_is_reported(frame: pd.DataFrame, problem: str) -> None:
    explainer = Explainer("ms>500")
    explainer.learn(frame)
    assert explainer.rows() == []
    assert problem in (explainer.problem or "")


def test_missing_values_are_attributes_and_can_be_asked_for() -> None:
    """Regression: 90 % of the failed rows lack `user`, but explain found nothing more common."""
    draw = np.random.default_rng(8)
    failed = draw.random(8000) < 0.1
    lacks = draw.random(8000) < np.where(failed, 0.9, 0.02)
    frame = pd.DataFrame({"user": np.where(lacks, None, "u1"), "city": "Rome", "failed": failed})  # type: ignore[call-overload]
    explainer = Explainer(label="failed")
    explainer.learn_many(frame)
    [row] = explainer.top()
    assert row.attributes == {"user": "(missing)"}
    assert (row.outliers, row.inliers) == ((lacks & failed).sum(), (lacks & ~failed).sum())
    asked = Explainer("user is missing", attributes=["failed"])
    asked.learn_many(frame)
    assert (asked.outliers, asked.skipped) == (lacks.sum(), 0)
    assert asked.top()[0].attributes == {"failed": "true"}


def test_a_late_column_counts_as_missing_before() -> None:
    rows = [{"ms": 900 if i % 10 == 0 else 5, "host": "a"} for i in range(200)]
    rows += [{"ms": 5, "host": "a", "user": "x"} for _ in range(300)]
    explainer = Explainer("ms>100", warm_up=100)
    explainer.learn_many(rows)
    found = {row.label: row for row in explainer.top(None, certain=False, min_ratio=0)}
    assert (found["user=(missing)"].outliers, found["user=(missing)"].inliers) == (20, 180)
    assert found["user=(missing)"].exact
    pairs = Explainer("ms>100", warm_up=100, order=2)
    pairs.learn_many(rows)
    both = {row.label: row for row in pairs.top(None, certain=False, min_ratio=0, folded=False)}
    assert (both["host=a & user=(missing)"].outliers, both["host=a & user=(missing)"].inliers) == (20, 180)
    assert pairs.held.held == 5


def test_a_text_that_says_missing_is_not_a_missing_value() -> None:
    explainer = Explainer("ms>100")
    explainer.learn_many([{"ms": 500, "user": "(missing)"}, {"ms": 1, "user": None}, {"ms": 1, "user": "x"}])
    rows = explainer.top(None, certain=False, min_ratio=0, min_support=0)
    found = {row.label: (row.outliers, row.inliers) for row in rows}
    assert found == {'user="(missing)"': (1, 0), "user=(missing)": (0, 1), "user=x": (0, 1)}


def test_a_word_counts_once_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "logs.jsonl"
    path.write_text('{"log": "a a b", "bad": true}\n{"log": "b", "bad": false}\n' * 2000)
    explainer = Explainer(label="bad")
    explainer.learn(path, text=["log"])
    rows = {row.label: (row.outliers, row.inliers) for row in explainer.rows(certain=False, min_ratio=0)}
    assert rows["log=a"] == (2000, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either"),
        ({"outlier": "a>1", "label": "b"}, "give either"),
        ({"outlier": "a>1", "order": 4}, "order must be"),
        ({"outlier": "a>1", "positive": "yes"}, "positive needs label"),
        ({"outlier": "a>1", "budget": "1KiB"}, "budget must be at least"),
        ({"outlier": "a>1", "budget": "17GiB"}, "budget must be at most"),
    ],
)
def test_bad_parameters_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Explainer(**options)  # type: ignore[arg-type]


def test_the_example_runs_and_agrees_with_exact_counts() -> None:
    example = Path(__file__).parents[2] / "examples" / "explain_flights.py"
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "│" in line]
    assert len(rows) == 15
    for _, ratio, _, _, exact_one, _ in rows:
        assert float(ratio) == pytest.approx(float(exact_one), rel=0.05)


@pytest.mark.parametrize("share", [0.2, 0.02])
def test_weights_are_the_log_odds_of_rare_and_frequent_attributes_alike(share: float) -> None:
    """The weights are relative to the odds of all rows, even if outliers are rare."""
    draw = np.random.default_rng(5)
    n, n_values = 60_000, 40
    value = np.minimum(draw.zipf(1.4, n) - 1, n_values - 1)
    chance = np.minimum(0.9, share * np.exp(draw.normal(0, 1, n_values)))
    slow = draw.random(n) < chance[value]
    explainer = Explainer("ms>100")
    explainer.learn(pd.DataFrame({"v": [f"v{i}" for i in value], "ms": np.where(slow, 200, 50)}))
    found = {row.attributes["v"]: row for row in explainer.rows(None, min_support=0, min_ratio=0, certain=False)}
    weights, truth = [], []
    for i in range(n_values):
        outliers, inliers = (slow & (value == i)).sum(), (~slow & (value == i)).sum()
        if outliers >= 10 and f"v{i}" in found:
            weights.append(found[f"v{i}"].weight)
            truth.append(np.log((outliers + 0.5) / (inliers + 0.5)) - np.log(slow.sum() / (~slow).sum()))
    assert len(weights) >= 10
    assert np.corrcoef(weights, truth)[0, 1] > 0.97
    assert np.sqrt(np.mean((np.array(weights) - truth) ** 2)) < 0.3
