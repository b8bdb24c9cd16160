"""Dicts of names with numbers take a short way: the same bits, and everything else is left to the general way."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import pytest

from wmsketch import AWMSketch, _core

WORDS = [f"word{i}" for i in range(300)]
CLASSES = (False, True)


def rows(n: int) -> list[tuple[dict[Any, Any], bool]]:
    draw = random.Random(1)
    return [
        ({word: draw.choice([1, 0.5, -2.0]) for word in draw.sample(WORDS, 20)}, draw.random() < 0.5) for _ in range(n)
    ]


def learned() -> AWMSketch:
    model = AWMSketch("8KiB")
    for x, y in rows(100):
        model.learn_one(x, y)
    return model


@pytest.mark.parametrize("follow", [False, True])
def test_both_ways_have_the_same_bits(follow: bool) -> None:
    short, general = AWMSketch("8KiB", follow=follow), AWMSketch("8KiB", follow=follow)
    for x, y in rows(500):
        short.learn_one(x, y)
        general._learn_any(x, y, 1.0, None)
    assert pickle.dumps(short) == pickle.dumps(general)
    native = short._native
    for x, _ in rows(50):
        assert native.margin_usual(x, follow) == native.margin_row(x, follow) == short.decision_function_one(x)
        assert native.probabilities_usual(x, CLASSES, follow) == native.probabilities_row(x, *CLASSES, follow)
        assert short.predict_one(x) is (native.margin_row(x, follow) >= 0)


@pytest.mark.parametrize(
    "row",
    [
        None,
        [("word1", 1.0)],
        {"word1": "text"},
        {"word1": None},
        {"word1": True},
        {"word1": 1.0, 7: 1.0},
        {"word1": 1.0, "word2": math.nan},
        {"word1": math.inf},
        {"word1": 1e30},
        {"word1": 10**400},
        {"\ud800": 1.0},
    ],
    ids=ascii,
)
def test_other_rows_are_left_to_the_general_way(row: Any) -> None:
    model = learned()
    before = pickle.dumps(model)
    native = model._native
    assert native.learn_usual(row, True, CLASSES, 1.0, None) is False
    assert native.margin_usual(row, False) is None
    assert native.probabilities_usual(row, CLASSES, False) is None
    assert pickle.dumps(model) == before


def test_other_arguments_are_left_to_the_general_way() -> None:
    native, x = learned()._native, {"word1": 1.0}
    for arguments in (
        (x, 1, CLASSES, 1.0, None),
        (x, True, None, 1.0, None),
        (x, True, (True,), 1.0, None),
        (x, True, CLASSES, 2.0, None),
        (x, True, CLASSES, 1, None),
        (x, True, CLASSES, 1.0, 0.0),
        (x, True),
        (),
    ):
        assert native.learn_usual(*arguments) is False
    assert native.margin_usual(x, 1) is native.margin_usual(x) is None
    assert native.probabilities_usual(x, None, False) is native.probabilities_usual(x, CLASSES, 0) is None


def test_a_model_that_was_not_made_learns_nothing() -> None:
    empty = _core.Learner.__new__(_core.Learner)
    assert empty.learn_usual({"a": 1.0}, True, CLASSES, 1.0, None) is False
    assert empty.margin_usual({"a": 1.0}, False) is None


def test_a_label_that_cannot_be_a_key_is_an_error() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        learned()._native.probabilities_usual({"word1": 1.0}, ([], True), False)
