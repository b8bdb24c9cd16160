"""A model that has not decided on its schema yet: no failure, file, copy or merge changes the outcome."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.learners.named_rows import LABELS, METHODS, TABLE, Row, bags
from wmsketch import AWMSketch, MulticlassAWMSketch, Schema, load
from wmsketch.errors import ParameterError
from wmsketch.learners.saving.model_file import model_bytes

# --- nothing is half-started ---

HUGE = 10**400  # fits into no float; an infinite number would be a category
FAILING: dict[str, Callable[[Any], Any]] = {
    "value": lambda m: m.learn_one({"a": HUGE}, -1),
    "type": lambda m: m.learn_one({"a": object()}, True),
    "weight": lambda m: m.learn_one({"a": 1.0}, True, -1.0),
    "row": lambda m: m.learn_many([*TABLE, {"a": HUGE}], [*LABELS, True]),
    "weights": lambda m: m.partial_fit(TABLE, LABELS, sample_weight=[1.0] * 39 + [-1.0]),
    "frame": lambda m: m.fit(pd.DataFrame(TABLE).assign(z=[1.0] * 39 + [b"bytes"]), LABELS),
    "weights of a frame": lambda m: m.fit(pd.DataFrame(TABLE), LABELS, sample_weight=[-1] * 40),
    "lengths": lambda m: m.learn_many(TABLE, LABELS[:3]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("failing", FAILING)
def test_a_first_call_that_fails_leaves_no_trace(method: str, failing: str) -> None:
    model = METHODS[method]()
    before = dict(model.__dict__)
    with pytest.raises((ValueError, TypeError)):
        FAILING[failing](model)
    assert model.__dict__ == before
    model.learn_many([{1: 1.0}, {2: 1.0}], [0, 1])  # other keys and other labels
    assert model.n_seen_ == 2 and model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("failing", FAILING)
def test_a_call_that_fails_changes_nothing(method: str, failing: str) -> None:
    model = METHODS[method]().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0] * 10, "q": [1.0, 2.0] * 15}), [False, True] * 15)
    before, names = model_bytes(model), list(model.feature_names_in_)
    with pytest.raises((ValueError, TypeError)):
        FAILING[failing](model)
    assert model_bytes(model) == before and list(model.feature_names_in_) == names


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("then", [{1: 1.0}, {"a": 1.0}], ids=["numbers", "names"])
def test_an_empty_first_row_does_not_decide_the_kind_of_keys(method: str, then: Any) -> None:
    model = METHODS[method]()
    model.learn_one({}, True)
    assert model.n_seen_ == 1
    model.learn_one(then, False)
    model.learn_many([then] * 20, [True] * 20)
    assert model.n_seen_ == 22


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [TABLE, bags(40)[0], [{1: 1.0}] * 40], ids=["table", "bag", "numbers"])
def test_a_shard_of_empty_rows_merges(method: str, rows: Any) -> None:
    for n in (5, 40):
        full, empty = METHODS[method](), METHODS[method]()
        full.learn_many(rows[:n], LABELS[:n])
        empty.learn_many([{}] * 20, [True, False] * 10)
        assert copy.copy(full).merge(empty).n_seen_ == n + 20
        assert copy.copy(empty).merge(full).n_seen_ == n + 20


def test_classes_declared_early_are_kept() -> None:
    model = MulticlassAWMSketch("8KiB").partial_fit(TABLE[:3], [0, 1, 2], classes=[0, 1, 2, 3])
    for twin in (model, copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert twin.classes_.tolist() == [0, 1, 2, 3]
        twin.learn_many(TABLE[3:], [3] * 37)
        assert model_bytes(twin) == model_bytes(model)


# --- before it is decided ---


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [TABLE, bags(40)[0]], ids=["table", "bag"])
def test_interruptions_change_nothing(method: str, rows: list[Row], tmp_path: Path) -> None:
    whole = METHODS[method]()
    whole.learn_many(rows, LABELS)
    for n in range(13):
        begun = METHODS[method]()
        for row, label in zip(rows[:n], LABELS[:n], strict=True):
            begun.learn_one(row, label)
        begun.save(tmp_path / "m.wms")
        for twin in (
            load(tmp_path / "m.wms"),
            pickle.loads(pickle.dumps(begun)),
            copy.copy(begun),
            copy.deepcopy(begun),
        ):
            if n:
                assert twin.predict_proba_one(rows[0]) == begun.predict_proba_one(rows[0])
                assert twin.n_seen_ == n
            twin.learn_many(rows[n:], LABELS[n:])
            assert model_bytes(twin) == model_bytes(whole)
        parts = METHODS[method](), METHODS[method]()
        if n < 10:
            for part, chosen in zip(parts, (slice(0, n // 2), slice(n // 2, n)), strict=True):
                part.learn_many(rows[chosen], LABELS[chosen])
            merged = parts[0].merge(parts[1])
            merged.learn_many(rows[n:], LABELS[n:])
            assert model_bytes(merged) == model_bytes(whole)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "lr"])
def test_bytes_stay_in_the_budget_at_every_row(method: str) -> None:
    for budget in (1024, 1500, 2048, 3000, 8192):
        for rows in (TABLE, bags(40)[0], [{f"column {j}": "v" * 30 + str(i) for j in range(4)} for i in range(40)]):
            model = METHODS[method]().set_params(budget=budget)
            try:
                for row, label in zip(rows, LABELS, strict=True):
                    model.learn_one(row, label)
                    assert model.nbytes <= budget
            except ValueError as problem:
                assert "budget must be at least" in str(problem)
                assert not model.__sklearn_is_fitted__() or model.nbytes <= budget


def test_held_rows_of_two_models_stay_in_the_budget() -> None:
    a, b = AWMSketch("2KiB"), AWMSketch("2KiB")
    for model in (a, b):
        for i in range(4):
            model.learn_one({f"column {j}": "v" * 40 + str(i) for j in range(4)}, i % 2 == 0)
    assert a.merge(b).n_seen_ == 8
    assert a.nbytes <= 2048


def test_a_table_too_wide_for_the_budget_is_an_error() -> None:
    model = AWMSketch("8KiB")
    rows = [{f"column {i}": float(j) for i in range(200)} for j in range(20)]
    with pytest.raises(
        ValueError, match=r"table of 200 columns, whose schema takes [\d]+ bytes, but it may take at most half"
    ):
        model.learn_many(rows, [True, False] * 10)
    assert not model.__sklearn_is_fitted__()
    model.learn_many([{"a": 1.0}] * 20, [True, False] * 10)
    assert model.n_seen_ == 20


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("empty", ["city", "price"])
def test_parts_of_a_table_merge_although_a_column_was_empty_at_first(tmp_path: Path, empty: str, first: int) -> None:
    rows = [{"city": f"c{i % 7}", "price": float(i % 11), "sold": i % 3 == 0} for i in range(200)]
    parts = [[{**row, empty: None} if i < 15 else row for i, row in enumerate(rows)], rows]
    models = []
    for number, part in enumerate(parts):
        path = tmp_path / f"{number}.csv"
        pd.DataFrame(part).to_csv(path, index=False)
        models.append(AWMSketch("8KiB").learn_file(path, label="sold"))
        models.append(AWMSketch("8KiB"))
        models[-1].learn_many(
            [{k: v for k, v in row.items() if k != "sold"} for row in part], [r["sold"] for r in part]
        )
    for one, other in ((models[0], models[2]), (models[1], models[3])):
        merged = (one, other)[first].copy().merge((one, other)[1 - first])
        assert merged.n_seen_ == 400 and merged.nbytes <= 8192


@pytest.mark.parametrize("label", [lambda i: i % 2 == 0, lambda i: f"label {i % 50}"])
def test_rows_without_features_are_held_within_the_budget(label: Callable[[int], Any]) -> None:
    cls = AWMSketch if isinstance(label(0), bool) else MulticlassAWMSketch
    for size in (1, 11):
        model = cls("16KiB")
        for start in range(0, 1500, size):
            model.learn_many([{}] * size, [label(i) for i in range(start, start + size)])
            assert model.nbytes <= 16384
        assert model.n_seen_ >= 1500


@pytest.mark.parametrize("rule", ["label", "positive", "ignore", "text", "na"])
def test_a_rule_that_is_not_utf8_is_named(rule: str) -> None:
    given = ["\udc80"] if rule in ("ignore", "text", "na") else "\udc80"
    with pytest.raises(ParameterError, match=f"{rule} must be text that UTF-8 can encode"):
        Schema(**{rule: given})
