"""Resizing models: what was learned in many bytes is kept in few."""

from __future__ import annotations

import copy
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from wmsketch import AWMSketch, FeatureHashing, LogisticRegression, MulticlassAWMSketch, merge_models
from wmsketch.errors import ParameterError
from wmsketch.learners.saving.model_file import model_bytes
from wmsketch.learners.sizes.resize import MOST_BYTES, narrowed, shard_bytes, widened

WORDS = 6000


def bags(rows: int, seed: int) -> tuple[csr_matrix, Any]:
    """Rows of 20 words. Later words are rarer, and a third of all words carry information about the label."""
    draw = np.random.default_rng(seed)
    weights = np.random.default_rng(0).normal(0, 1.5, WORDS) * (np.arange(WORDS) % 3 == 0)
    words = (WORDS * draw.random((rows, 20)) ** 3).astype(np.int32)
    labels = draw.random(rows) < 1 / (1 + np.exp(-weights[words].sum(axis=1)))
    values = np.full(words.size, 20**-0.5, np.float32)
    X = csr_matrix((values, words.ravel(), np.arange(0, words.size + 1, 20)), shape=(rows, WORDS))
    X.sum_duplicates()
    return X, labels


def learned(model: Any, X: Any, y: Any) -> Any:
    model = copy.copy(model)
    return model.partial_fit(X, y, classes=[False, True])


def error(model: Any, X: Any, y: Any) -> float:
    return float(np.mean(model.predict(X) != y))


MAKE: dict[str, Any] = {
    "adaptive": lambda budget: AWMSketch(budget),
    "exact set": lambda budget: AWMSketch(budget, active_set="exact"),
    "three rows": lambda budget: AWMSketch(budget, depth=3, step="plain"),
    "plain": lambda budget: AWMSketch(budget, step="plain"),
    "decayed": lambda budget: AWMSketch(budget, l2=0.01, l1=0.001),
}


@pytest.mark.parametrize("name", MAKE)
def test_growing_and_shrinking_a_model_changes_no_answer(name: str) -> None:
    X, y = bags(2000, 1)
    model = learned(MAKE[name]("4KiB"), X, y)
    wide = widened(model, 8)
    again = narrowed(wide, model)
    for other in (wide, again):
        assert other.decision_function(X) == pytest.approx(model.decision_function(X), abs=0.02)
        assert [row.feature for row in other.top(20)] == [row.feature for row in model.top(20)]
        assert (other.n_seen_, other.record_.mistakes, other.intercept_) == (
            model.n_seen_,
            model.record_.mistakes,
            model.intercept_,
        )
    assert again.nbytes == model.nbytes <= 4096 < wide.nbytes


@pytest.mark.parametrize("name", MAKE)
def test_the_heaviest_features_keep_their_weights_in_a_smaller_model(name: str) -> None:
    X, y = bags(4000, 2)
    model = learned(MAKE[name]("32KiB"), X, y)
    small = merge_models([model], budget="4KiB")
    assert small.nbytes <= 4096
    assert small.get_params()["budget"] == "4KiB"
    for before, after in zip(model.top(5), small.top(5), strict=True):
        assert (before.feature, before.weight) == (after.feature, after.weight)
    held_X, held_y = bags(2000, 3)
    assert error(small, held_X, held_y) < 0.46  # a constant prediction has an error of 0.5
    assert error(model, held_X, held_y) < error(small, held_X, held_y) + 0.02
    loaded = AWMSketch.from_bytes(model_bytes(small))
    assert model_bytes(learned(loaded, X, y)) == model_bytes(learned(small, X, y))  # learning continues as usual


def test_eight_shards_lose_less_when_they_learn_in_more_bytes() -> None:
    X, y = bags(16_000, 4)
    held_X, held_y = bags(4000, 5)
    one = learned(AWMSketch("8KiB"), X, y)
    equal = merge_models([learned(AWMSketch("8KiB"), X[i::8], y[i::8]) for i in range(8)])
    wide = merge_models([learned(AWMSketch("128KiB"), X[i::8], y[i::8]) for i in range(8)], budget="8KiB")
    errors = [error(model, held_X, held_y) for model in (one, equal, wide)]
    assert wide.nbytes <= 8192
    assert errors[2] < errors[1]
    assert errors[2] < 1.03 * errors[0]


def test_the_order_of_the_models_changes_no_byte() -> None:
    X, y = bags(2000, 6)
    parts = [learned(AWMSketch("4KiB"), X[i::4], y[i::4]) for i in range(4)]
    merged = {model_bytes(merge_models(order, budget="2KiB")) for order in permutations(parts)}
    assert len(merged) == 1
    base = learned(AWMSketch("4KiB"), X[:500], y[:500])
    parts = [learned(base, X[i::4], y[i::4]) for i in range(4)]
    assert len({model_bytes(merge_models(order, base=base)) for order in permutations(parts)}) == 1


def test_names_and_columns_come_along() -> None:
    rows = [{"city": city, "size": float(size)} for city in ("Rome", "Oslo", "Paris") for size in range(60)]
    labels = [row["city"] == "Rome" or row["size"] > 40 for row in rows]
    model = AWMSketch("16KiB")
    model.learn_many(rows, labels)
    small = merge_models([model], budget="2KiB")
    assert small.nbytes <= 2048
    assert {row.feature for row in small.top(3)} == {row.feature for row in model.top(3)}
    assert small.schema_.as_record()["columns"] == model.schema_.as_record()["columns"]
    assert small.predict_proba_one(rows[0]) == model.predict_proba_one(rows[0])


def test_many_classes_in_a_smaller_model() -> None:
    rows = [{word: 1.0} for word in ("goal", "vote", "film")] * 50
    model = MulticlassAWMSketch("32KiB")
    model.learn_many(rows, ["sport", "politics", "culture"] * 50)
    small = merge_models([model], budget="4KiB")
    assert small.nbytes <= 4096
    assert [small.predict_one(row) for row in rows[:3]] == ["sport", "politics", "culture"]
    assert small.class_counts_ == model.class_counts_
    many = MulticlassAWMSketch("32KiB", max_classes=40)
    many.learn_many([{str(n): 1.0} for n in range(30)], [str(n) for n in range(30)])
    many.max_classes = None
    with pytest.raises(ValueError, match="classes"):
        merge_models([many], budget="2KiB")


def test_what_cannot_change_its_size_is_refused_with_the_reason() -> None:
    for model in (LogisticRegression(), FeatureHashing("2KiB")):
        model.learn_many([{1: 1.0}] * 20, [True] * 20)
        with pytest.raises(ValueError, match="only an AWM-Sketch can change its size"):
            merge_models([model], budget="1KiB")
    held = AWMSketch("4KiB")
    held.learn_one({"a": 1.0, "b": 2.0}, True)
    with pytest.raises(ValueError, match="still holds its first rows"):
        merge_models([held], budget="2KiB")
    decided = AWMSketch("4KiB")
    decided.learn_many([{1: 1.0}] * 20, [True] * 20)
    with pytest.raises(ParameterError, match="budget must be at least"):
        merge_models([decided], budget=64)
    assert merge_models([AWMSketch("4KiB")], budget="2KiB").get_params()["budget"] == "2KiB"


def test_a_large_model_is_not_made_larger() -> None:
    model = AWMSketch(width=MOST_BYTES // 2, active_set_size=16)
    model.learn_many([{1: 1.0}] * 20, [True] * 20)
    assert widened(model).nbytes == model.nbytes == shard_bytes(model)
    small = AWMSketch("4KiB")
    small.learn_many([{1: 1.0}] * 20, [True] * 20)
    assert widened(small).nbytes == shard_bytes(small)


def test_repeated_merges_in_few_bits_stay_close_to_exact_ones() -> None:
    """Sums of squares in a slot have few bits, so rounding may lose or double what a shard adds to a large sum."""
    n_words, n_rows, per_round = 300, 16_000, 1000
    draw = np.random.default_rng(7)
    words = (n_words * draw.random((n_rows, 100)) ** 2).astype(np.int32)
    truth = draw.normal(0, 0.5, n_words)[words].sum(axis=1)
    y = draw.random(n_rows) < 1 / (1 + np.exp(-truth))
    X = csr_matrix((np.full(words.size, 0.1, np.float32), words.ravel(), np.arange(0, words.size + 1, 100)))
    X.sum_duplicates()
    models: list[Any] = []
    for model in (AWMSketch("64KiB"), LogisticRegression(step="adaptive", n_features=n_words)):
        merged = learned(model, X[:per_round], y[:per_round])
        for start in range(per_round, n_rows, per_round):
            shards = [slice(start + i, start + per_round, 8) for i in range(8)]
            merged = merge_models([learned(merged, X[rows], y[rows]) for rows in shards], base=merged)
        models.append(merged)
    few, exact = (model.weights(np.arange(n_words)) for model in models)
    assert np.linalg.norm(few - exact) < 0.12 * np.linalg.norm(exact)
