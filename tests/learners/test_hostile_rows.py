"""Names and values whose code runs while a row is read or dropped: nothing is freed twice, no name is made up."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from wmsketch import AWMSketch


class DyingName(str):
    """A column name that runs code when it is dropped."""

    def __new__(cls, name: str, act: Callable[[], object]) -> DyingName:
        made = super().__new__(cls, name)
        made.act = act
        return made

    act: Callable[[], object]

    def __del__(self) -> None:
        self.act()


class ActingNumber:
    """A number that runs code when it is read."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def __float__(self) -> float:
        self.act()
        return 1.0


def _row(i: int) -> dict[str, Any]:
    return {"price": float(i % 7), "city": "Rome" if i % 2 else "Oslo", "known": i % 3 == 0}


@pytest.mark.parametrize("act", ["predict_one", "learn_one", "explain_one"])
def test_a_name_that_calls_the_model_when_it_dies(act: str) -> None:
    model = AWMSketch("8KiB")
    calls = []

    def run() -> None:
        calls.append(act)
        if len(calls) < 200:
            arguments = (_row(1), True) if act == "learn_one" else (_row(1),)
            getattr(model, act)(*arguments)

    for i in range(60):
        names = [DyingName(name, run) for name in ("price", "city", "known", f"new{i}")]
        row = dict(zip(names, (*_row(i).values(), i), strict=True))
        del names
        model.learn_one(row, i % 2 == 0)
        model.predict_one(row)
        del row
    model.learn_many([_row(i) for i in range(20)], [True, False] * 10)
    gc.collect()
    assert calls and all(abs(row.weight) < 100 for row in model.top(5))


@pytest.mark.parametrize("learn", ["learn_many", "predict_proba_many"])
def test_a_value_that_clears_earlier_rows(learn: str) -> None:
    model = AWMSketch("8KiB")
    model.learn_many([{7: 1.0, f"bag{i}": 1.0} for i in range(40)], [True, False] * 20)  # integer features: no table

    def rows() -> list[dict[Any, Any]]:
        made: list[dict[Any, Any]] = [{"".join(["word", str(i)]): 0.25 + i for i in range(50)} | {3: 1.0}]

        def clear() -> None:
            made[0].clear()
            made.append({"".join(["other", str(i)]): 0.5 + i for i in range(5000)})  # takes the memory that was freed

        return [made[0], {1: ActingNumber(clear)}]

    for _ in range(20):
        if learn == "learn_many":
            model.learn_many(rows(), [True, False])
        else:
            model.predict_proba_many(rows())
    assert not [row for row in model.top(1000) if str(row.feature).startswith("other")]


def test_a_cached_name_that_clears_the_row_being_read() -> None:
    model = AWMSketch("8KiB")
    model.learn_many([_row(i) for i in range(40)], [True, False] * 20)  # a table
    for i in range(50):
        row = {"".join(["pri", "ce"]): 0.5 + i, "".join(["ci", "ty"]): "".join(["Ro", "me"]), "known": True}
        hostile: dict[str, Any] = {DyingName("price", row.clear): 1.0, "city": "Oslo", "known": False}
        model.learn_one(hostile, True)
        hostile.clear()
        model.learn_one(row, False)
    assert {str(row.feature).partition("=")[0] for row in model.top(50)} <= {"price", "city", "known"}


def test_equal_names_of_other_objects_and_types_are_one_feature() -> None:
    class Name(str):
        """Not a plain string."""

    names: list[Any] = [f"name {i}" for i in range(40)]
    usual, other = AWMSketch("8KiB"), AWMSketch("8KiB")
    for i in range(20_000):  # strings come and go, and their addresses are used again
        row = {names[i % 40]: 1.0, names[i * 7 % 40]: 0.5}
        usual.learn_one(row, i % 3 == 0)
        kind = Name if i % 11 == 0 else str
        other.learn_one({kind("".join(list(name))): value for name, value in row.items()}, i % 3 == 0)
    assert usual.top(40) == other.top(40)
    assert {feature.feature for feature in usual.top(40)} <= set(names)


def test_models_of_other_seeds_hash_the_same_names_each_in_its_way() -> None:
    row = {f"name {i}": float(i) for i in range(50)}
    models = [AWMSketch("8KiB", seed=seed) for seed in (1, 2, 1)]
    for i in range(10):
        for model in models[:2]:
            model.learn_one(row, i % 2 == 0)
    for i in range(10):
        models[2].learn_one({"".join(list(name)): value for name, value in row.items()}, i % 2 == 0)
    assert models[0].decision_function_one(row) == models[2].decision_function_one(row)
    assert models[0].top(50) == models[2].top(50)
    assert models[1].decision_function_one(row) == models[1].decision_function_one(dict(row))
