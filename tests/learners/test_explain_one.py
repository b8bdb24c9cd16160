"""Explaining a single prediction, and answers as tables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learners.learners_under_test import EVERY_LEARNER, as_dicts, stream
from wmsketch import AWMRegressor, AWMSketch, MulticlassAWMSketch
from wmsketch.baselines import FeatureHashing
from wmsketch.records import Contribution

# a sketch of several rows predicts from their mean but estimates weights by their median
ONE_ROW = [name for name in EVERY_LEARNER if not name.startswith("WMSketch") and name != "AWMSketch-deep"]


@pytest.mark.parametrize("name", ONE_ROW)
@pytest.mark.parametrize("prefix", [None, "word-"])
def test_contributions_and_intercept_add_up_to_the_margin(name: str, prefix: str | None) -> None:
    X, y = stream(300)
    rows = as_dicts(X, prefix)
    model = EVERY_LEARNER[name]()
    model.learn_many(rows, y)
    for row in rows[:50]:
        found = model.explain_one(row)
        margin = model.decision_function_one(row)
        expected = margin[model.predict_one(row)] if isinstance(margin, dict) else margin
        assert found.margin == expected
        assert found.intercept + sum(each.contribution for each in found) == pytest.approx(expected, abs=1e-5)
        sizes = [abs(each.contribution) for each in found]
        assert sizes == sorted(sizes, reverse=True)
        assert {each.feature for each in found} == set(row)
        assert all(each.value == np.float32(row[each.feature]) for each in found)


def test_the_same_feature_twice_is_one_contribution() -> None:
    model = AWMSketch("4KiB")
    model.learn_one({"a": 1.0, "colour": "red"}, True)
    found = model.explain_one([("a", 1.0), ("a", 2.0), ("colour", "red")])
    assert [(each.feature, each.value) for each in found] == [("a", 3.0), ("colour=red", 1.0)]
    assert isinstance(found[0], Contribution)


def test_explaining_before_learning() -> None:
    for model in (AWMSketch("4KiB"), MulticlassAWMSketch("4KiB")):
        assert model.explain_one({"a": 1.0}) == [] and model.explain_one({"a": 1.0}).intercept == 0.0


def test_a_table_of_text_for_river() -> None:
    model = AWMSketch("4KiB")
    for _ in range(20):
        model.learn_one({"free": 1, "the": 1}, True)
        model.learn_one({"meeting": 1, "the": 1}, False)
    lines = model.debug_one({"free": 2, "the": 1}, decimals=2).splitlines()
    assert lines[0].split() == ["Name", "Value", "Weight", "Contribution"]
    assert lines[1].split()[:2] == ["free", "2.00"]
    assert any(line.startswith("Intercept") for line in lines)
    assert len({len(line) for line in lines}) == 1


def test_explaining_one_class_of_many() -> None:
    model = MulticlassAWMSketch("8KiB")
    for _ in range(20):
        for word, label in (("goal", "sport"), ("vote", "politics"), ("film", "culture")):
            model.learn_one({word: 1.0}, label)
    assert model.explain_one({"goal": 1.0})[0].contribution == model.weight("goal", "sport")
    assert model.explain_one({"goal": 1.0}, "culture")[0].contribution == model.weight("goal", "culture") < 0
    assert model.weight(model.top(1)[0]) == model.top(1)[0].weight
    with pytest.raises(TypeError, match="label is missing"):
        model.weight("goal")


def test_top_is_a_list_a_frame_and_a_table() -> None:
    model = AWMSketch("4KiB")
    model.learn_many([{"<b>": 1.0}, {"c": 0.5}], [True, False])
    rows = model.top(2)
    assert isinstance(rows, list) and rows == list(rows) and rows[0].feature == "<b>"
    frame = rows.to_frame()
    assert frame.columns.tolist() == [
        "feature",
        "weight",
        "low",
        "high",
        "shortened",
        "key",
        "rows_error",
        "bytes_error",
    ]
    assert frame["feature"].tolist() == ["<b>", "c"]
    shown = rows._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown and shown.count("<tr>") == 3
    assert model.weight(rows[0].key) == rows[0].weight
    assert model.top(0)._repr_html_() == "<p>no rows</p>"
    old = model.copy()
    model.learn_one({"c": 1.0}, True)
    assert model.changes_since(old).to_frame()["feature"].tolist()[0] == "c"


def test_a_notebook_shows_what_a_model_is_and_its_heaviest_features() -> None:
    model = AWMSketch("8KiB", class_weight={"<b>": 1.0, "a": 2.0}, shuffle=False)
    assert "&lt;b&gt;" in model._repr_html_() and "has learned nothing yet" in model._repr_html_()
    rows, labels = [{"free": 1.0}, {"the": 1.0}] * 20, ["a", "<b>"] * 20
    shown = model.fit(rows, labels)._repr_html_()
    assert f"{model.n_seen_:,} examples, online error {model.error_rate_:.2%}, {model.nbytes:,} bytes" in shown
    assert "<td>free</td>" in shown
    number = AWMRegressor("8KiB")
    number.learn_many(rows, [3.0, 5.0] * 20)
    assert "mean absolute error" in number._repr_html_()
    assert "<table>" not in FeatureHashing("8KiB", shuffle=False).fit(rows, labels)._repr_html_()
