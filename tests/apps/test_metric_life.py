"""A metric explainer is merged, saved and copied like an explainer."""

import math
import pickle

import pytest

import wmsketch
from tests.apps.sales import sales
from wmsketch.apps import MetricExplainer
from wmsketch.errors import MergeError

SIDES = {"test": "day==tue", "control": "day==mon"}
METRICS = ["sum(revenue)", "sum(revenue)/sum(items)"]


def _rows(explainer):
    rows = explainer.top(None, certain=False, folded=False, min_support=0)
    nothing = -1.5  # instead of nan, which differs from itself
    found = {}
    for row in rows:
        values = row.control, row.test, row.contribution, row.low, row.high
        found[" & ".join(sorted(row.label.split(" & ")))] = tuple(nothing if math.isnan(x) else x for x in values)
    return found


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("metric", METRICS)
def test_parts_merge_to_the_whole(metric, order):
    frame = sales(4000)
    given = {"order": order, "ignore": ["load"] if order == 2 else [], "categorical": ["items"]}
    whole = MetricExplainer(metric, **SIDES, **given)
    whole.learn_many(frame)
    parts = []
    for part in (frame[1000:], frame[:1000]):
        parts.append(MetricExplainer(metric, **SIDES, **given))
        parts[-1].learn_many(part)
    merged = _rows(parts[0].merge(parts[1]))
    expected = _rows(whole)
    same = [label for label in expected if not label.startswith("load=")]  # bins of merged cells may differ
    assert {label: merged[label] for label in same} == {label: pytest.approx(expected[label]) for label in same}


@pytest.mark.parametrize("metric", [*METRICS, "p90(revenue)"])
@pytest.mark.parametrize("order", [1, 2])
def test_files_and_pickles_have_the_same_answers(metric, order, tmp_path):
    explainer = MetricExplainer(metric, order=order, **SIDES)
    explainer.learn_many(sales(4000))
    explainer.save(tmp_path / "x.wms")
    loaded = wmsketch.load(tmp_path / "x.wms")
    assert isinstance(loaded, MetricExplainer)
    for other in (loaded, pickle.loads(pickle.dumps(explainer)), explainer.copy()):
        assert _rows(other) == _rows(explainer)
        assert (other.percentiles, other.change) == (explainer.percentiles, explainer.change)


def test_two_sources_are_saved_too():
    frame = sales(4000)
    explainer = MetricExplainer("avg(revenue)")
    explainer.learn_sides(frame[frame.day == "tue"], frame[frame.day == "mon"])
    assert _rows(explainer.copy()) == _rows(explainer)


def test_other_metrics_do_not_merge():
    one, other = MetricExplainer("sum(x)", test="a==1"), MetricExplainer("avg(x)", test="a==1")
    with pytest.raises(MergeError, match="metric differs"):
        one.merge(other)
