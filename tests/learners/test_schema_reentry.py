"""Rows that run code or change while they are read, and threads that start one model together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.learners.named_rows import LABELS, METHODS, TABLE, Row
from wmsketch import AWMSketch
from wmsketch.learners.saving.model_file import model_bytes

# --- rows that run code while they are read ---


class Acting:
    def __init__(self, model: Any) -> None:
        self.model = model

    def __float__(self) -> float:
        self.model.predict_one(TABLE[0])
        self.model.learn_one(TABLE[1], True)
        return 2.0


class Lazy(Sequence[Row]):
    """Generates its rows, so that nothing else keeps them alive."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, i: Any) -> Any:
        if not 0 <= i < 40:
            raise IndexError(i)
        return {"".join(["a"]): float(i * i % 7), "".join(["b"]): "".join(["xyz"[i % 3]]), "c": i % 2 == 0}


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("started", [0, 5, 40])
def test_values_may_call_a_model(same: bool, started: int) -> None:
    model, plain = AWMSketch("8KiB"), AWMSketch("8KiB")
    for each in (model, plain):
        each.learn_many(TABLE[:started], LABELS[:started])
    other = model if same else AWMSketch("8KiB")
    model.learn_one({"a": Acting(other), "b": "x", "c": True}, True)
    if same:
        plain.learn_one(TABLE[1], True)
    plain.learn_one({"a": 2.0, "b": "x", "c": True}, True)
    assert model_bytes(model) == model_bytes(plain)
    assert model.decision_function_one({"a": Acting(AWMSketch("8KiB")), "b": "x"}) == plain.decision_function_one(
        {"a": 2.0, "b": "x"}
    )


def test_rows_may_be_made_on_the_fly() -> None:
    lazy, plain = AWMSketch("8KiB"), AWMSketch("8KiB")
    lazy.learn_many(Lazy(), LABELS)
    plain.learn_many(TABLE, LABELS)
    assert model_bytes(lazy) == model_bytes(plain)
    assert np.array_equal(lazy.predict_proba_many(Lazy()), plain.predict_proba_many(TABLE))


@pytest.mark.parametrize("row", [dict(TABLE[0]), {f"w{i}": 1.0 for i in range(20)}], ids=["table", "bag"])
def test_dicts_may_change_while_they_are_learned(row: Row) -> None:
    model, stop = AWMSketch("8KiB"), threading.Event()

    def change() -> None:
        i = 0
        while not stop.is_set():
            i += 1
            row[f"extra {i % 50}"] = float(i)
            row.pop(f"extra {(i + 25) % 50}", None)

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(2000):
            model.learn_one(row, i % 2 == 0)
            model.predict_one(row)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert model.n_seen_ == 2000 and model.nbytes <= 8192


@pytest.mark.parametrize("method", METHODS)
def test_four_threads_begin_one_model(method: str) -> None:
    model, barrier = METHODS[method](), threading.Barrier(4)
    frame = pd.DataFrame(TABLE)

    def work(number: int) -> None:
        barrier.wait()
        for row, label in zip(TABLE, LABELS, strict=True):
            model.learn_one(row, label)
            model.predict_proba_one(row)
        model.learn_many(frame, LABELS) if number % 2 else model.learn_many(TABLE, LABELS)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.n_seen_ == 320 and model.schema_["a"].count == 320
