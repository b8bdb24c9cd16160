"""Contributions to the change of a metric, compared with pandas."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from experiments.trust.metric import Table, judge
from tests.apps.sales import sales
from wmsketch.apps import MetricExplainer
from wmsketch.errors import ParameterError

SIDES = {"test": "day==tue", "control": "day==mon"}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "sales.csv"
    frame = sales(6000)[["day", "country", "device", "shop", "items", "revenue"]]
    frame.to_csv(path, index=False)
    return Table(path, None)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("which", range(5))
def test_every_number_is_that_of_pandas(table, which, order):
    metric = table.metrics[which]
    truth = table.exact(table.frame, metric, order)
    for name, ordered in table.orders().items():
        found = judge(table.explain(ordered, metric, order, "default"), truth)
        assert (found["different"], found["not shown"], found["exact"]) == (0, 0, len(truth)), name


@pytest.mark.parametrize("which", [0, 1, 4])
def test_small_budgets_have_ranges_that_hold(table, which):
    metric = table.metrics[which]
    truth = table.exact(table.frame, metric, 2)
    explainer = table.explain(table.frame, metric, 2, "24KiB")
    found = judge(explainer, truth)
    assert (found["different"], found["out of range"]) == (0, 0)
    assert not explainer.held.all_exact
    assert explainer.nbytes <= 24 * 1024


def test_pipes_at_small_budgets_have_ranges_that_hold(table):
    metric = table.metrics[0]
    truth = table.exact(table.frame, metric, 2)
    given = {"attributes": table.columns, "categorical": table.columns, "order": 2, "budget": "24KiB"}
    explainer = MetricExplainer(metric, test=f"day=={table.test}", control=f"day=={table.control}", **given)
    explainer.learn_many(table.frame.to_dict("records"))
    found = judge(explainer, truth)
    assert found["exact"] < found["shown"]
    assert (found["different"], found["out of range"]) == (0, 0)


def test_intervals_hold_in_resamples(table):
    for metric in table.metrics[:2]:
        assert table.coverage(metric)["inside"] >= 0.93, metric


@pytest.mark.parametrize(
    "metric", ["sum(revenue)", "avg(revenue)", "count()", "sum(revenue)/sum(items)", "p90(revenue)"]
)
def test_contributions_add_up_within_a_column(metric):
    explainer = MetricExplainer(metric, **SIDES)
    explainer.learn_many(sales())
    rows = explainer.top(None, certain=False, folded=False, min_support=0)
    for column in ("country", "device", "shop", "load"):
        parts = [row for row in rows if [*row.attributes] == [column]]
        assert math.isclose(sum(row.contribution for row in parts), explainer.change, rel_tol=1e-9, abs_tol=1e-12)
        assert all(
            row.mix is None or math.isclose(row.mix + row.rate, row.contribution, abs_tol=1e-12) for row in parts
        )


def test_bins_of_numbers_are_exact_whatever_the_order():
    frame = sales().sort_values("load")
    explainer = MetricExplainer("sum(revenue)", **SIDES)
    explainer.learn_many(frame)
    rows = [row for row in explainer.top(None, certain=False, folded=False, min_support=0) if "load" in row.attributes]
    assert len(rows) == 10
    for row in rows:
        low, high = _ends(row.attributes["load"])
        inside = frame[(frame.load >= low) & (frame.load < high)]
        sums = inside.groupby("day").revenue.sum()
        assert math.isclose(row.control, sums.mon, rel_tol=1e-9)
        assert math.isclose(row.test, sums.tue, rel_tol=1e-9)


def _ends(label):
    if found := re.fullmatch(r"(\S+) to (\S+)", label):
        return float(found[1]), float(found[2])
    word, number = label.split()
    return (-math.inf, float(number)) if word == "below" else (float(number), math.inf)


def test_the_small_set_is_the_cause():
    frame = sales()
    explainer = MetricExplainer("sum(revenue)", order=2, **SIDES)
    explainer.learn_many(frame)
    rows = explainer.small_set(frame)
    assert [row.label for row in rows] == ["country=FR & device=phone"]
    assert "country=FR" in [row.label for row in rows[0].folded]
    assert 0.9 < rows[0].share < 1.6


def test_nothing_is_shown_if_nothing_changed_beyond_noise():
    shown = 0
    for seed in range(10):
        frame = sales(4000, seed)
        frame["day"] = np.random.default_rng(seed + 100).choice(["mon", "tue"], len(frame))
        for metric in ("sum(revenue)", "avg(revenue)", "count()"):
            explainer = MetricExplainer(metric, order=2, **SIDES)
            explainer.learn_many(frame)
            shown += len(explainer.top(None))
    assert shown <= 3  # 30 tables, each tried at 5 %


def test_without_sides_each_attribute_is_compared_with_the_rest():
    frame = sales()
    frame.loc[frame.shop == "s3", "items"] += 3
    explainer, frame = MetricExplainer("avg(items)"), frame.drop(columns="revenue")
    explainer.learn_many(frame)
    [first] = explainer.small_set(frame)
    assert first.label == explainer.top()[0].label
    assert first.label == "shop=s3"
    assert math.isclose(first.test, frame[frame.shop == "s3"]["items"].mean())
    assert math.isclose(first.control, frame[frame.shop != "s3"]["items"].mean())
    assert math.isclose(first.contribution, frame["items"].mean() - first.control, rel_tol=1e-9)


def test_a_total_against_the_rest_is_scaled_to_its_rows():
    frame = sales()
    explainer = MetricExplainer("sum(revenue)", test="day==tue")
    explainer.learn_many(frame)
    counts = frame.day.value_counts()
    assert math.isclose(explainer.control_factor, counts.tue / counts.mon)
    expected = frame[frame.day == "mon"].revenue.sum() * counts.tue / counts.mon
    assert math.isclose(explainer.control_value, expected)


def test_a_column_that_tells_the_sides_apart_explains_nothing():
    frame = sales()
    explainer = MetricExplainer("avg(revenue)", order=2)
    explainer.learn_sides(frame[frame.day == "tue"], frame[frame.day == "mon"])
    assert explainer.columns_not_used == {"day": "sides"}
    assert not any("day" in row.attributes for row in explainer.top(None, certain=False, folded=False))


def test_two_frames_and_a_time_are_sides_too():
    frame = sales()
    one, two, three = MetricExplainer("avg(revenue)", **SIDES), MetricExplainer("avg(revenue)"), None
    one.learn_many(frame)
    parts = [frame[frame.day == day].drop(columns="day") for day in ("tue", "mon")]
    two.learn_sides(*parts)
    timed = frame.assign(at=np.where(frame.day == "tue", "2024-05-17 08:00", "2024-05-16 23:59")).drop(columns="day")
    three = MetricExplainer("avg(revenue)", after="2024-05-17", time="at")
    three.learn_many(timed)
    shown = [{row.label: row.contribution for row in each.top(None)} for each in (one, two, three)]
    assert shown[0]
    for other in shown[1:]:
        assert other == pytest.approx(shown[0])


def test_percentiles_are_those_of_numpy():
    frame = sales()
    explainer = MetricExplainer("p90(revenue)", **SIDES)
    explainer.learn_many(frame)
    expected = [frame[frame.day == day].revenue.quantile(0.9) for day in ("mon", "tue")]
    assert explainer.percentiles == pytest.approx(expected)
    above = frame[frame.day == "tue"].revenue.dropna().gt(expected[0]).mean()
    assert explainer.test_value == pytest.approx(above)


def test_words_count_as_missing_and_are_told():
    explainer = MetricExplainer("avg(ms)", test="day==b", control="day==a")
    explainer.learn_many(pd.DataFrame({"day": ["a", "b"] * 50, "ms": ["1", "oops"] + ["2", "true"] * 49, "os": "x"}))
    assert explainer.odd_values == (1, "oops")
    assert explainer.test_value == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metric": "median ms"}, "metric must be like sum"),
        ({"metric": "count()"}, "needs two sides"),
        ({"metric": "avg(x)", "control": "a==1"}, "control needs test"),
        ({"metric": "avg(x)", "test": "a==1", "after": "2024-01-01", "time": "t"}, "not both"),
        ({"metric": "avg(x)", "after": "someday", "time": "t"}, "after must be a time"),
        ({"metric": "sum(x)", "test": "a==1", "scale": "days"}, "scale must be"),
        ({"metric": "sum(x)", "test": "x>p90"}, "percentile"),
    ],
)
def test_what_is_wrong_is_said(given, said):
    with pytest.raises(ValueError, match=said):
        MetricExplainer(**given)


def test_problems_are_named():
    explainer = MetricExplainer("avg(ms)", test="day==b", control="day==a")
    explainer.learn_many([{"day": "a", "ms": 1, "os": "x"}])
    assert explainer.problem == "no row of 1 is on the test side"
    assert explainer.top() == []


def _two_causes(*conditions: tuple[dict[str, str], float]) -> tuple[pd.DataFrame, list[str]]:
    """Return response times of two days, where the rows of each condition take so many times as long on the second."""
    draw = np.random.default_rng(1)
    n = 30_000
    names = {"day": ["mon", "tue"], "device": ["a", "b", "c"], "release": ["r1", "r2", "r3", "r4", "r5"]}
    frame = pd.DataFrame({name: draw.choice(values, n) for name, values in names.items()})
    frame["ms"] = np.round(100 * draw.lognormal(0, 0.5, n), 1)
    for attributes, factor in conditions:
        inside = frame.day == "tue"
        for name, value in attributes.items():
            inside &= frame[name] == value
        frame.loc[inside, "ms"] *= factor
    explainer = MetricExplainer("avg(ms)", test="day==tue", control="day==mon", order=2)
    explainer.learn_many(frame)
    return frame, [row.label for row in explainer.small_set(frame)]


def test_a_cause_that_another_one_hides_is_in_the_small_set():
    """The second release is slower too, but no more than all rows are on average."""
    _, shown = _two_causes(({"release": "r1"}, 4.0), ({"release": "r2"}, 1.75))
    assert shown == ["release=r1", "release=r2"]


def test_a_pair_is_told_from_its_part_once_the_first_cause_is_out():
    _, shown = _two_causes(({"device": "a"}, 3.0), ({"device": "b", "release": "r1"}, 2.5))
    assert shown == ["device=a", "device=b & release=r1"]


def test_two_values_are_named_and_not_what_they_are_not():
    _, shown = _two_causes(({"device": "a"}, 3.0), ({"device": "b"}, 2.5))
    assert sorted(shown) == ["device=a", "device=b"]


def test_many_values_are_told_by_the_one_that_did_not_change():
    _, shown = _two_causes(*(({"release": f"r{i}"}, 2.0) for i in (1, 2, 3, 4)))
    assert shown == ["not release=r5"]


def test_all_but_one_is_told_only_of_rows_that_are_alike():
    """One release did not change, and the others changed in different ways: these are what to look at."""
    _, shown = _two_causes(*(({"release": f"r{i}"}, factor) for i, factor in ((1, 4.0), (2, 1.5), (3, 1.5), (4, 1.5))))
    assert "not release=r5" not in shown and "release=r1" in shown


def test_a_column_of_one_side_only_is_told():
    frame = sales(2000)
    explainer = MetricExplainer("avg(revenue)")
    old, new = frame.assign(store=frame.shop).drop(columns="shop"), frame
    explainer.learn_sides(new, old)
    assert {name: why for name, why in explainer.columns_not_used.items() if name != "day"} == {
        "shop": "one side",
        "store": "one side",
    }


def test_sides_that_are_the_same_are_refused():
    with pytest.raises(ParameterError, match="control must be another condition"):
        MetricExplainer("sum(x)", test="day==1", control="day==1")
    with pytest.raises(ParameterError, match="after needs time"):
        MetricExplainer("sum(x)", after="2024-05-17")
