"""explain, diff and pmi over partitions: the same counts as over all rows in Python."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from tests.spark.test_classifier import table_of
from tests.spark.visits import COLUMNS, visits
from wmsketch.apps import PMI, Diff, Explainer
from wmsketch.spark import diff, explain, pmi

ROWS = visits(1200)


@pytest.fixture(scope="module")
def df(spark: Any) -> Any:
    return spark.createDataFrame(spark.sparkContext.parallelize(ROWS, 3), COLUMNS).cache()


def counts(explainer: Explainer) -> set[tuple[Any, ...]]:
    rows = explainer.top(None, min_support=0, min_ratio=0, certain=False, folded=False)
    return {(str(sorted(row.attributes.items())), row.outliers, row.inliers) for row in rows}


@pytest.mark.parametrize("parameters", [{"outlier": "minutes>12"}, {"label": "bought", "order": 2}])
def test_explain_counts_what_one_explainer_counts(df: Any, parameters: dict[str, Any]) -> None:
    small = {"budget": "1MiB", **parameters}
    found = explain(df, **small)
    again = Explainer(**small).choose_bins(table_of(ROWS))
    again.learn_many(table_of(ROWS))
    assert (found.examples, found.outliers) == (again.examples, again.outliers)
    assert found.held.held == found.held.distinct
    assert counts(found) == counts(again)
    assert len(counts(found)) > 10


def test_a_percentile_is_that_of_the_whole_frame(df: Any) -> None:
    found = explain(df, "minutes>p80 and not device is missing", budget="1MiB")
    known = sorted(row[0] for row in ROWS if row[0] is not None)
    number = float(found.condition.comparisons[0].value)
    assert abs(known.index(number) - 0.8 * len(known)) <= 2
    assert found.outliers == sum(row[0] is not None and row[0] > number and row[2] is not None for row in ROWS)
    assert found.outlier == f"(minutes>{number} and not device is missing)"


def test_diff_counts_what_one_diff_counts(df: Any) -> None:
    a, b = df.where("bought = 1"), df.where("bought = 0")
    found = diff(a, b, items=["device", "pages"], budget="256KiB")
    tables = [table_of([row for row in ROWS if row[4] == bought]).select(["device", "pages"]) for bought in (1, 0)]
    again = Diff("256KiB")
    again.learn_many(*tables)
    assert (found.total_a, found.total_b) == (again.total_a, again.total_b)
    assert [(row.feature, row.count_a, row.count_b) for row in sorted(found.rows(), key=lambda row: row.feature)] == [
        (row.feature, row.count_a, row.count_b) for row in sorted(again.rows(), key=lambda row: row.feature)
    ]
    assert found.top(1)[0].feature == again.top(1)[0].feature


def test_diff_takes_amounts_and_pairs(df: Any) -> None:
    known = df.na.drop()
    found = diff(
        known.where("bought = 1"),
        known.where("bought = 0"),
        items=["device"],
        pairs=["device:member"],
        weight="minutes",
    )
    assert found.total_a == pytest.approx(sum(row[0] for row in ROWS if None not in row and row[4] == 1))
    assert {"device=phone", "device=phone&member=true"} <= {str(row.feature) for row in found.rows()}


def test_pmi_of_text_counts_what_one_pmi_counts(spark: Any) -> None:
    lines = ["the prime minister met the mayor", "the mayor of new york", "a new minister in york"] * 30
    df = spark.createDataFrame(spark.sparkContext.parallelize([(line,) for line in lines], 3), "line string")
    found, again = pmi(df, text="line", budget="1MiB"), PMI(budget="1MiB")
    again.learn_text("\n".join(lines))
    for pair in (("new", "york"), ("the", "mayor"), ("prime", "minister")):
        rows = [asdict(each.row(*pair)) for each in (found, again)]
        assert rows[0]["count"] == rows[1]["count"]
        assert rows[0]["pmi"] == pytest.approx(rows[1]["pmi"], abs=1e-6)
    assert found.tokens == again.tokens


def test_pmi_of_groups_brings_them_together(spark: Any) -> None:
    # the rows of each user are in both partitions
    rows = [(user, float(at), page) for at, page in enumerate(("home", "cart", "pay")) for user in range(20)]
    df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), "user long, at double, page string")
    found = pmi(df, items="page", group="user", time="at", window=1, groups=4, budget="1MiB")
    assert [found.row(*pair).count for pair in (("home", "cart"), ("cart", "pay"), ("pay", "home"))] == [20, 20, 0]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda df: explain(df, "hours>3"), "outlier: there is no column 'hours'"),
        (lambda df: explain(df, "hours>p90"), "outlier: there is no column 'hours'"),
        (lambda df: explain(df, "minutes>3", where="pages>1"), r"where must not be given: .* df.where\(...\)"),
        (lambda df: explain(df, label="pages"), "label: the column 'pages' holds .*: set positive"),
        (lambda df: explain(df), "give either"),
        (lambda df: diff(df, df, items=["colour"]), "items of a: there is no column 'colour'"),
        (lambda df: diff(df, df.drop("pages"), items=["pages"]), "items of b: there is no column 'pages'"),
        (lambda df: pmi(df, text="body"), "text: there is no column 'body'"),
        (lambda df: pmi(df), "items or text must name a column"),
    ],
)
def test_wrong_arguments_are_named(df: Any, ask: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask(df)
