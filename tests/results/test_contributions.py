"""Reasons of predictions."""

import pytest

from wmsketch import AWMSketch, _core
from wmsketch.results.contributions import contributions
from wmsketch.results.heavy_features import as_records, heavy_features
from wmsketch.results.score import Score


def _block(text: bytes, parser=_core.LibsvmParser):
    return parser().feed(text, True)


def test_largest_first_and_a_key_that_stands_twice_counts_once():
    model = AWMSketch("8KiB")
    model.learn_block(_block(b"1 5:1 6:-2\n-1 8:3\n"))
    [row] = contributions(model, _block(b"1 5:1 5:2 6:1 8:0.5 99:1\n"), 3)
    assert [each.feature for each in row] == sorted([5, 6, 8], key=lambda key: -abs(_part(model, key)))
    [five] = [each for each in row if each.feature == 5]
    assert five.value == 3.0 and five.contribution == pytest.approx(3 * model.weight(5))


def _part(model, key: int) -> float:
    return model.weight(key) * {5: 3.0, 6: 1.0, 8: 0.5}[key]


def test_names_and_rows_without_features():
    model = AWMSketch("8KiB")
    block = _block(b"1 |w big cat\n-1 |w\n", _core.VwParser)
    model.learn_block(block)
    first, second = contributions(model, block, 5)
    assert {each.feature for each in first} == {"w^big", "w^cat"} and second == []


def test_orders_of_heavy_features():
    model = AWMSketch("8KiB")
    model.learn_block(_block(b"1 1:1\n-1 2:4\n-1 2:4\n1 3:3\n1 3:3\n"))
    assert next(row.feature for row in heavy_features(model, 3, "abs")) == 2
    assert [row.feature for row in heavy_features(model, 1, "weight")] == [3]
    assert set(as_records(heavy_features(model, 1))[0]) == {"feature", "weight", "low", "high"}
    with pytest.raises(ValueError, match="sort must be one of abs, weight, low, got 'name'"):
        heavy_features(model, 1, "name")


def test_an_empty_score_is_not_a_number():
    score = Score()
    assert score.error_rate != score.error_rate and score.log_loss != score.log_loss
