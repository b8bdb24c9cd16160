"""Conditions: syntax, meaning, and errors with their position."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps.explain_requests import exact, requests
from wmsketch.apps.explain.explainer import Explainer
from wmsketch.readers import BadInput
from wmsketch.readers.condition import parse_condition


def test_conditions_are_parsed(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("id,amount,country\n" + "123456789,100.01,US\n123456788,100,US\n123456789,500,NZ\n1,,US\n" * 5)
    for condition, outliers, skipped in [
        ("amount>100", 10, 5),
        ("amount>=100 and country==US", 10, 5),
        ("amount != 100", 10, 5),
        ("id==123456789", 10, 0),
        ("country != US", 5, 0),
        ("amount == 1e2", 5, 5),
        ("amount<=100 and amount>99 and country=='US'", 5, 5),
    ]:
        explainer = Explainer(condition)
        explainer.learn(path)
        explainer.finish_warm_up()
        assert (explainer.outliers, explainer.skipped) == (outliers, skipped), condition


def test_names_and_values_may_be_quoted() -> None:
    [left, right] = parse_condition("\"time taken\" > p99.5 AND city == 'p80'").comparisons
    assert (left.column, left.percentile) == ("time taken", 99.5)
    assert (right.value, right.percentile) == ("p80", None)


@pytest.mark.parametrize(
    ("condition", "column", "value"),
    [
        ("Amount (EUR)>p90", "Amount (EUR)", "p90"),
        ("time in status > 5", "time in status", "5"),
        ("(unit price <= 3)", "unit price", "3"),
        ("not new customer = yes", "new customer", "yes"),
        ("ship country (ISO) not in (New Zealand)", "ship country (ISO)", "New Zealand"),
        ("unit price is not missing", "unit price", ""),
        ("city = New York (NY)", "city", "New York (NY)"),
        ("(city != São Paulo)", "city", "São Paulo"),
    ],
)
def test_names_and_values_with_blanks_need_no_quotes(condition: str, column: str, value: str) -> None:
    [comparison] = parse_condition(condition).comparisons
    assert (comparison.column, comparison.value) == (column, value)


@pytest.mark.parametrize(
    ("condition", "position", "expected"),
    [
        ("", 1, "a column"),
        ("amount", 7, "one of"),
        ("amount => 5", 8, "found '=>'"),
        ("amount >", 9, "a number, a word or a percentile"),
        ("amount > p100", 10, "below p100"),
        ("amount > much", 10, "a number or a percentile"),
        ("amount > 5 but x > 3", 12, "'and', 'or' or the end"),
        ("amount > 5 or", 14, "a column"),
        ("(amount > 5", 12, "')'"),
        ("city in Rome", 9, "'('"),
        ("city in (Rome, )", 16, "a number or a word"),
        ("city in (Rome", 14, "')'"),
        ("city is gone", 9, "'missing'"),
        ("not", 4, "a column"),
        ("amount > 5 and", 15, "a column"),
        ("amount > 'open", 10, 'found "\'"'),
    ],
)
def test_a_bad_condition_says_where(condition: str, position: int, expected: str) -> None:
    with pytest.raises(ValueError, match="outlier: expected") as problem:
        parse_condition(condition)
    assert f"at position {position} of" in str(problem.value)
    assert expected in str(problem.value)


def test_a_word_among_numbers_leaves_its_row_out_and_only_words_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("amount,city\n5,Rome\n12 thousand,Oslo\n1,Oslo\n")
    explainer = Explainer("amount>3")
    explainer.learn(path)
    assert (explainer.examples, explainer.outliers, explainer.skipped) == (2, 1, 1)
    path.write_text("amount,city\n" + "5,Rome\n" * 30)
    with pytest.raises(BadInput, match=r"row 21: expected a number in column 'city', found 'Rome'"):
        Explainer("city>3").learn(path)


def test_only_rows_that_fulfil_where_count() -> None:
    frame = requests()
    explainer = Explainer("ms>=500", where="city in (Rome, Oslo) and not host == h7", attributes=["version"])
    explainer.learn_many(frame)
    inside = frame[frame.city.isin(["Rome", "Oslo"]) & (frame.host != "h7")]
    assert (explainer.examples, explainer.where_left_out) == (len(inside), len(frame) - len(inside))
    assert explainer.outliers == (inside.ms >= 500).sum()
    [row] = explainer.top()
    assert (row.outliers, row.inliers) == exact(inside, {"version": "2.0-bad"}, inside.ms >= 500)


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("a == x or b > 5", [True, True, False, True, None]),
        ("not (a == x or b > 5)", [False, False, True, False, None]),
        ("a in (x, z)", [True, False, False, False, None]),
        ("a not in (x, z)", [False, True, True, True, None]),
        ("b is missing", [False, False, False, False, True]),
        ("b is not missing and a == y", [False, True, True, True, False]),
        ("a == y and b > 5 or a == x", [True, True, False, True, None]),
        ("a == y and (b > 5 or a == x)", [False, True, False, True, None]),
        ("a is missing or b > 5", [False, True, False, True, True]),
    ],
)
def test_conditions_use_three_valued_logic(condition: str, wanted: list[bool | None]) -> None:
    rows = [{"a": "x", "b": 1}, {"a": "y", "b": 6}, {"a": "y", "b": 5}, {"a": "y", "b": 7}, {"a": None, "b": None}]
    for row, outlier in zip(rows, wanted, strict=True):
        explainer = Explainer(condition)
        explainer.learn_one(row)
        explainer.finish_warm_up()
        seen = None if explainer.skipped else explainer.outliers == 1
        # it is unknown whether a is x, but b is missing: neither true nor false
        assert seen == outlier, (condition, row)


@pytest.mark.parametrize("written", ["true", "True", "TRUE"])
def test_truth_values_are_the_same_in_any_case(written: str) -> None:
    explainer = Explainer(outlier=f"late == {written}")
    explainer.learn_many([{"late": "True", "dest": "OKC"}, {"late": "False", "dest": "BOS"}] * 20)
    assert explainer.outliers == 20
