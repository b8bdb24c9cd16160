"""Contributions of features to predictions."""

import pytest

from wmsketch import AWMSketch, MulticlassAWMSketch, _core
from wmsketch.learners.models.introspection import learn_block
from wmsketch.results.contributions import contributions
from wmsketch.results.heavy_features import as_records, heavy_features
from wmsketch.results.score import Score


def _block(text: bytes, parser=_core.LibsvmParser):
    return parser().feed(text, True)


def test_largest_first_and_a_key_that_stands_twice_counts_once():
    model = AWMSketch("8KiB")
    learn_block(model, _block(b"1 5:1 6:-2\n-1 8:3\n"))
    [row] = contributions(model, _block(b"1 5:1 5:2 6:1 8:0.5 99:1\n"), 3)
    assert [each.feature for each in row] == sorted([5, 6, 8], key=lambda key: -abs(_part(model, key)))
    [five] = [each for each in row if each.feature == 5]
    assert five.value == 3.0 and five.contribution == pytest.approx(3 * model.weight(5))


def _part(model, key: int) -> float:
    return model.weight(key) * {5: 3.0, 6: 1.0, 8: 0.5}[key]


def test_names_and_rows_without_features():
    model = AWMSketch("8KiB")
    block = _block(b"1 |w big cat\n-1 |w\n", _core.VwParser)
    learn_block(model, block)
    first, second = contributions(model, block, 5)
    assert {each.feature for each in first} == {"w^big", "w^cat"} and second == []


def test_of_many_classes_they_are_those_to_the_score_of_the_rows_label():
    model = MulticlassAWMSketch("8KiB")
    block = _core.LibsvmParser(many_classes=True).feed(b"1 5:1 6:-2\n2 8:3\n3 5:2 8:1\n" * 5, True)
    learn_block(model, block)
    rows = contributions(model, block, 9, [1, 2, 3] * 5)
    for row, label in zip(rows, [1, 2, 3] * 5, strict=True):
        assert [each.weight for each in row] == [model.weight(each.feature, label) for each in row]
        score = model.decision_function_one({each.feature: each.value for each in row})[label]
        prior = model.intercept_[label - 1]
        assert score == pytest.approx(prior + sum(each.contribution for each in row), abs=1e-6)
    with pytest.raises(ValueError, match="label must be one of the classes seen so far, got 4"):
        contributions(model, block, 1, [4] * 15)


def test_orders_of_heavy_features():
    model = AWMSketch("8KiB")
    learn_block(model, _block(b"1 1:4\n" + b"-1 2:4\n" * 6 + b"1 3:4\n" * 3))
    assert next(row.feature for row in heavy_features(model, 3, "abs")) == 2
    assert [row.feature for row in heavy_features(model, 1, "weight")] == [3]
    assert set(as_records(heavy_features(model, 1))[0]) == {
        "feature",
        "weight",
        "low",
        "high",
        "rows_error",
        "bytes_error",
    }
    with pytest.raises(ValueError, match="sort must be one of abs, weight, low, got 'name'"):
        heavy_features(model, 1, "name")


def test_an_empty_score_is_not_a_number():
    score = Score()
    assert score.error_rate != score.error_rate and score.log_loss != score.log_loss
