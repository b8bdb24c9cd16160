"""Which columns explain, and which rows come first: near-unique columns, copies of the condition, the cause of many."""

import numpy as np
import pandas as pd
import pytest

from tests.apps.incident import incident
from wmsketch.apps import Explainer


def test_columns_that_restate_the_condition_are_left_out_and_come_back():
    draw = np.random.default_rng(2)
    delay = np.round(draw.normal(10, 40, 3000))
    flights = pd.DataFrame(
        {
            "DepDelay": delay,
            "DepDelayMinutes": np.maximum(delay, 0),
            "DepDel15": (delay >= 15).astype(int),
            "group": np.floor(delay / 15),
            "word": np.where(delay > 60, "late", "on time"),
            "ArrDelay": delay + np.round(draw.normal(0, 10, 3000)),
            "carrier": draw.choice(["AA", "UA"], 3000),
        }
    )
    explainer = Explainer("DepDelay>60")
    explainer.learn_many(flights)
    restating = {"DepDelayMinutes", "DepDel15", "group", "word"}
    assert {column for column, why in explainer.columns_not_used.items() if why == "restates"} == restating
    assert {column for row in explainer.top(None) for column in row.attributes} == {"ArrDelay"}
    wanted = Explainer("DepDelay>60", include=["DepDel15"])
    wanted.learn_many(flights)
    assert any(row.attributes == {"DepDel15": "1"} for row in wanted.top(None))
    again = Explainer.from_bytes(explainer.to_bytes())
    assert again.columns_not_used == explainer.columns_not_used


def test_a_true_cause_is_no_copy_of_the_condition():
    frame = pd.DataFrame({"ms": [5, 6, 7, 900, 901] * 100, "host": ["a", "b", "c", "bad", "bad"] * 100})
    explainer = Explainer("ms>100")
    explainer.learn_many(frame)
    assert explainer.top(1)[0].attributes == {"host": "bad"}


@pytest.mark.parametrize("budget", ["64KiB", "1MiB", "64MiB"])
def test_conjunctions_never_cost_the_single_attributes(budget):
    frame = incident(20_000).drop(columns=["ts", "trace_id"])
    alone, together = Explainer("status>=500", budget="64MiB"), Explainer("status>=500", order=3, budget=budget)
    for explainer in (alone, together):
        explainer.learn_many(frame)
    singles = [row for row in together.top(None, folded=False) if len(row.attributes) == 1]
    for row in alone.top(3):
        [same] = [each for each in singles if each.attributes == row.attributes]
        assert (same.outliers, same.inliers, same.exact) == (row.outliers, row.inliers, True)


def test_conjunctions_with_equal_short_keys_are_told_apart():
    """Hundreds of thousands of conjunctions: some share 32 bits with another or with an attribute."""
    draw = np.random.default_rng(7)
    n = 4000
    frame = pd.DataFrame({f"c{i}": draw.integers(0, 12, n).astype(str) for i in range(12)})
    frame["y"] = (draw.random(n) < 0.1) | (frame.c0 == "3")
    explainer = Explainer("y==true", order=3, budget="256MiB", categorical=list(frame.columns[:-1]))
    explainer.learn_many(frame)
    assert explainer.held.all_exact
    for row in explainer.top(None, certain=False, folded=False, min_support=0.02)[:2000]:
        match = np.logical_and.reduce([frame[column] == value for column, value in row.attributes.items()])
        assert (row.outliers, row.outliers + row.inliers) == ((match & frame.y).sum(), match.sum())


@pytest.mark.parametrize("sort", ["evidence", "ratio"])
def test_uncertain_counts_do_not_outrank_by_their_point_estimate(sort):
    frame = incident(20_000)
    explainer = Explainer("status>=500", budget="48KiB", include=["trace_id"])
    explainer.learn_many(frame)
    rows = explainer.top(None, sort=sort)
    keys = [row.evidence if sort == "evidence" else row.ratio_low for row in rows]
    assert keys == sorted(keys, reverse=True)


def test_asking_changes_nothing():
    rows = [{"ms": i % 17 * 10, "host": f"h{i % 5}", "load": i / 7} for i in range(400)]
    for order in (1, 2):
        asked, silent = Explainer("ms>p90", order=order), Explainer("ms>p90", order=order)
        for i in range(0, 400, 50):
            for explainer in (asked, silent):
                explainer.learn_many(rows[i : i + 50])
            asked.top(), asked.held, asked.to_bytes(), asked.thresholds, repr(asked)
        assert asked.to_bytes() == silent.to_bytes()


def test_bins_of_one_number_are_named_by_it():
    years = np.repeat(np.arange(1990, 2022), 40)
    frame = pd.DataFrame({"year": years, "slow": years == 2020})
    for order in (1, 2):
        explainer = Explainer("slow==true", order=order)
        explainer.learn_many(frame)
        labels = {row.attributes["year"] for row in explainer.top(None, certain=False, min_ratio=0, min_support=0)}
        assert not any(label == f"{year} to {year + 1}" for label in labels for year in range(1990, 2022))


def test_the_name_of_a_column_may_contain_an_equals_sign(tmp_path):
    path = tmp_path / "requests.csv"
    path.write_text("a=b,ms,host\n" + "x=1,250,h1\ny=2,20,h2\n" * 100)
    rows = [{"a=b": "x=1", "ms": 250, "host": "h1"}, {"a=b": "y=2", "ms": 20, "host": "h2"}] * 100
    for source in (path, pd.read_csv(path), rows):
        explainer = Explainer("ms>100", attributes=["a=b"])
        explainer.learn_many(rows) if source is rows else explainer.learn_file(source)
        assert [row.attributes for row in explainer.top()] == [{"a=b": "x=1"}]
