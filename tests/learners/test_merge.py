"""Merging: the result does not depend on the order and stays within the budget."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest

from tests.learners.small_models import SMALL_MODELS
from wmsketch import AWMSketch, FeatureHashing, LogisticRegression, MulticlassAWMSketch, WMSketch, merge_models
from wmsketch.learners.saving.model_file import load_model, model_bytes, save_model

INTERCEPT_PRIOR = 2.5
RULES: dict[str, dict[str, Any]] = {
    "plain": {},
    "l2": {"l2": 0.3},
    "l1": {"l1": 1e-3},
    "balanced": {"class_weight": "balanced"},
}


def stream(n: int, seed: int, *, named: bool = False, n_features: int = 400) -> tuple[list[Any], list[bool]]:
    """Rows of a fixed linear model with a few heavy weights, and labels drawn from it."""
    truth = np.random.default_rng(99).standard_t(1.5, size=n_features) * 0.7
    draw = np.random.default_rng(seed)
    keys = draw.zipf(1.3, size=(n, 8)) % n_features
    examples, labels = [], []
    for row in keys:
        example = {int(key): 1.0 for key in row}
        margin = sum(truth[key] for key in example)
        labels.append(bool(draw.random() < 1 / (1 + np.exp(-margin))))
        examples.append({f"the name of {key}": value for key, value in example.items()} if named else example)
    return examples, labels


def halves(make: Any, *, named: bool = False, sizes: tuple[int, int] = (300, 200), **rule: Any) -> tuple[Any, Any]:
    models = make(**rule), make(**rule)
    for seed, (model, size) in enumerate(zip(models, sizes, strict=True)):
        model.learn_many(*stream(size, seed, named=named))
    return models


EVERY = [(name, named) for name in SMALL_MODELS for named in (False, True) if not (named and name == "dense")]


@pytest.mark.parametrize(("name", "named"), EVERY)
@pytest.mark.parametrize("rule", RULES)
def test_either_side_may_be_merged_into_the_other(name: str, named: bool, rule: str) -> None:
    a, b = halves(SMALL_MODELS[name], named=named, **RULES[rule])
    before = model_bytes(b)
    left, right = copy.copy(a).merge(b), copy.copy(b).merge(a)
    assert model_bytes(left) == model_bytes(right)
    assert model_bytes(b) == before
    assert model_bytes(merge_models([a, b])) == model_bytes(left)


@pytest.mark.parametrize(("name", "named"), EVERY)
def test_a_merged_model_goes_on_and_can_be_saved(name: str, named: bool, tmp_path: Any) -> None:
    a, b = halves(SMALL_MODELS[name], named=named)
    save_model(a.merge(b), tmp_path / "merged.wms")
    again = load_model(tmp_path / "merged.wms")
    assert model_bytes(again) == model_bytes(a)
    for model in (a, again):
        model.learn_many(*stream(100, 7, named=named))
    assert model_bytes(again) == model_bytes(a)


@pytest.mark.parametrize("name", SMALL_MODELS)
def test_counters_add_up_and_intercepts_become_one(name: str) -> None:
    a, b = halves(SMALL_MODELS[name])
    merged = merge_models([a, b])
    assert merged.n_seen_ == 500
    assert merged.record_.mistakes == a.record_.mistakes + b.record_.mistakes
    assert merged.record_.features_seen == a.record_.features_seen + b.record_.features_seen
    assert merged.log_loss_ == pytest.approx((300 * a.log_loss_ + 200 * b.log_loss_) / 500)
    if name == "awm":  # weighted by what each knows of it
        known = [model._native.state()["intercept_information"][0] + INTERCEPT_PRIOR for model in (a, b)]
        total = known[0] * a.intercept_ + known[1] * b.intercept_
        assert merged.intercept_ == pytest.approx(total / (sum(known) - INTERCEPT_PRIOR))
    else:
        assert merged.intercept_ == pytest.approx(0.6 * a.intercept_ + 0.4 * b.intercept_)


@pytest.mark.parametrize("name", ["wm", "wm-exact", "hashing"])
@pytest.mark.parametrize("rule", ["plain", "l2"])
def test_cells_of_plain_sketches_average_by_the_examples_of_those_that_used_them(name: str, rule: str) -> None:
    a, b = halves(SMALL_MODELS[name], **RULES[rule])
    merged = merge_models([a, b])
    mine, theirs, both = (model._native.state() for model in (a, b, merged))
    cells = [state["scale"] * state["cells"].astype(float) for state in (mine, theirs)]
    assert both["scale"][0] == 1
    assert both["cells"] == pytest.approx(average(*cells), rel=1e-6)


def average(mine: Any, theirs: Any) -> Any:
    """The mean weighted by examples, over the models in which the weight ever moved."""
    both = 0.6 * np.asarray(mine) + 0.4 * np.asarray(theirs)
    return np.where(np.equal(mine, 0), theirs, np.where(np.equal(theirs, 0), mine, both))


@pytest.mark.parametrize("name", ["map", "dense"])
def test_exact_weights_average_exactly(name: str) -> None:
    a, b = halves(SMALL_MODELS[name], l2=0.3)
    merged, keys = merge_models([a, b]), np.arange(400)
    assert merged.weights(keys) == pytest.approx(average(a.weights(keys), b.weights(keys)), abs=1e-7)


@pytest.mark.parametrize("name", ["truncation", "probabilistic", "space-saving", "count-min"])
def test_bounded_sets_average_among_those_that_hold_a_feature(name: str) -> None:
    a, b = halves(SMALL_MODELS[name])
    merged = merge_models([a, b])
    rows = merged.top(1000)
    assert len(rows) == max(len(a.top(1000)), len(b.top(1000)))
    for row in rows:
        assert row.weight == pytest.approx(float(average(a.weight(row.feature), b.weight(row.feature))), abs=1e-6)


def test_truncation_keeps_the_heaviest_of_both() -> None:
    a, b = halves(SMALL_MODELS["truncation"])
    merged = merge_models([a, b])
    held = {row.feature for row in a.top(1000)} | {row.feature for row in b.top(1000)}
    averages = sorted((abs(float(average(a.weight(key), b.weight(key)))) for key in held), reverse=True)
    kept = [abs(row.weight) for row in merged.top(1000)]
    assert kept == pytest.approx(averages[: len(kept)])


@pytest.mark.parametrize("name", ["awm-plain", "awm-exact"])
def test_only_models_that_hold_a_feature_contribute_to_it(name: str) -> None:
    a, b = halves(SMALL_MODELS[name])
    merged = merge_models([a, b])
    active = {model: {row.feature for row in model.top(1000)} for model in (a, b, merged)}
    assert active[merged] <= active[a] | active[b]
    for key in active[merged]:
        held = [model.weight(key) if key in active[model] else 0.0 for model in (a, b)]
        assert merged.weight(key) == pytest.approx(float(average(*held)), abs=1e-6)


def test_a_key_that_loses_its_place_is_written_back_and_not_counted_twice() -> None:
    """Disjoint active sets, keys of one side unknown to the other, and enough cells to avoid collisions."""
    shape: dict[str, Any] = {"depth": 1, "width": 4096, "active_set_size": 16, "active_set": "exact"}
    shape |= {"step": "plain", "fit_intercept": False}
    a, b = (AWMSketch(**shape) for _ in range(2))
    for key in range(16):
        for _ in range(10 + key):
            a.learn_one({key: 1.0}, True)
            b.learn_one({100 + key: 1.0}, True)
    merged = merge_models([a, b])
    expected = {key: a.weight(key) for key in range(16)} | {100 + key: b.weight(100 + key) for key in range(16)}
    kept = {row.feature for row in merged.top(100)}
    assert kept == {key for key in expected if key % 100 >= 8}
    for key, weight in expected.items():
        assert merged.weight(key) == pytest.approx(weight, abs=1e-6)
    dropped = merge_models([_with_eviction(model, "drop") for model in (a, b)])
    for key in set(expected) - kept:
        assert dropped.weight(key) == 0.0  # with this policy, the evicted weight is lost


def test_adaptive_keys_that_find_no_place_are_put_into_the_sketch() -> None:
    a, b = (AWMSketch(active_set_size=16, width=4096) for _ in range(2))
    for key in range(12):
        for _ in range(10 + key):
            a.learn_one({key: 1.0}, True)
            b.learn_one({100 + key: 1.0}, True)
    merged = merge_models([a, b])
    assert len(merged.top(100)) <= 16
    for key in range(12):
        assert merged.weight(key) == pytest.approx(a.weight(key), rel=0.02)
        assert merged.weight(100 + key) == pytest.approx(b.weight(100 + key), rel=0.02)


def _with_eviction(model: AWMSketch, eviction: str) -> AWMSketch:
    twin = model.clone({"eviction": eviction})
    twin.learn_one({0: 0.0}, True)
    twin._native.load_state(model._native.state())
    return twin


def test_averaged_iterates_of_a_wm_average() -> None:
    a, b = halves(lambda: WMSketch("8KiB", averaged=True, l2=0.0))
    merged = merge_models([a, b])
    state, mine, theirs = (model._native.state() for model in (merged, a, b))
    sums = [s["average_scale_sum"] * s["cells"] + s["average_corrections"] for s in (state, mine, theirs)]
    assert sums[0] == pytest.approx(sums[1] + sums[2])
    assert state["average_count"][0] == 500


def test_averaged_weights_of_one_row_average_under_decay_too() -> None:
    a, b = halves(lambda: WMSketch(depth=1, width=200, active_set_size=16, averaged=True, l2=0.1))
    merged, keys = merge_models([a, b]), np.arange(400)
    assert merged.weights(keys) == pytest.approx(0.6 * a.weights(keys) + 0.4 * b.weights(keys), abs=1e-6)
    merged.learn_many(*stream(1, 9))
    assert merged.weights(keys) == pytest.approx(0.6 * a.weights(keys) + 0.4 * b.weights(keys), abs=1e-2)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("name", ["awm", "wm", "hashing", "truncation", "probabilistic", "space-saving", "count-min"])
def test_the_budget_is_kept(name: str, named: bool) -> None:
    a, b = halves(SMALL_MODELS[name], named=named)
    merged = merge_models([a, b, copy.copy(a), copy.copy(b)])
    assert merged.nbytes == a.nbytes <= {"hashing": 1024}.get(name, 2048)
    assert merged.n_seen_ == 1000


@pytest.mark.parametrize("name", ["awm", "wm", "map", "truncation", "probabilistic", "space-saving", "count-min"])
def test_names_are_merged(name: str) -> None:
    a, b = halves(SMALL_MODELS[name], named=True)
    merged = merge_models([a, b])
    for row in merged.top(1000):
        assert str(row.feature).startswith("the name of"[: len(str(row.feature)) - 1])
        if not row.shortened:
            assert merged.weight(row.feature) == pytest.approx(row.weight)


def test_a_complete_name_beats_a_truncated_one() -> None:
    shape: dict[str, Any] = {"depth": 1, "width": 64, "active_set_size": 4, "active_set": "exact", "name_bytes": 120}
    shape["step"] = "plain"
    a, b = AWMSketch(**shape), AWMSketch(**shape)
    for model in (a, b):  # after ten rows it is clear that these are not a table
        model.learn_many([{f"{i}": 1e-9} for i in range(10)], [True, False] * 5)
    long = "a name so long that it is the first to be cut when others come"
    a.learn_one({long: 9.0}, True)
    b.learn_one({long: 9.0}, True)
    a.learn_many([{f"one of those others: {i}": 1.0} for i in range(3)], [True] * 3)
    assert a.top(1)[0].shortened
    a.learn_many([{f"{i}": 3.0} for i in range(3)], [True] * 3)
    assert [len(str(row.feature)) for row in a.top(4)[1:]] == [1, 1, 1]
    assert a.top(1)[0].shortened  # a truncated name stays marked although there is room again
    for merged in (merge_models([a, b]), merge_models([b, a])):
        assert merged.top(1)[0].feature == long
        assert merged.record_.names_shortened == 0
    twice = merge_models([a, copy.copy(a)])
    assert twice.top(1)[0].feature == a.top(1)[0].feature
    assert twice.record_.names_shortened == 1


@pytest.mark.parametrize("name", SMALL_MODELS)
def test_a_model_that_has_learned_nothing_changes_nothing(name: str) -> None:
    a, _ = halves(SMALL_MODELS[name])
    before = model_bytes(a)
    assert model_bytes(copy.copy(a).merge(SMALL_MODELS[name]())) == before
    assert model_bytes(SMALL_MODELS[name]().merge(a)) == before
    empty = SMALL_MODELS[name]()
    empty.learn_one({1: 1.0}, True, w=0.0)
    assert model_bytes(merge_models([empty, a])) == model_bytes(merge_models([a, empty])) == before
    assert model_bytes(SMALL_MODELS[name]().merge(SMALL_MODELS[name]())) == model_bytes(SMALL_MODELS[name]())


def test_a_model_is_not_merged_with_itself_but_with_a_copy() -> None:
    a, b = halves(SMALL_MODELS["hashing"])
    before, weights = model_bytes(a), a.weights(np.arange(400))
    with pytest.raises(ValueError, match="a model cannot be merged with itself"):
        a.merge(a)
    with pytest.raises(ValueError, match="one of the models is given twice"):
        merge_models([a, b, a])
    assert model_bytes(a) == before
    assert a.merge(copy.copy(a)).weights(np.arange(400)) == pytest.approx(weights)
    assert a.n_seen_ == 600


@pytest.mark.parametrize("orders", [("abc", "abc"), ("abc", "cab"), ("bca", "abd")])
@pytest.mark.parametrize("make", [AWMSketch, FeatureHashing, MulticlassAWMSketch])
def test_tables_give_the_same_bytes_in_either_direction(make: Any, orders: tuple[str, str]) -> None:
    draw = np.random.default_rng(5)
    for _ in range(4):
        parts = []
        for order in orders:
            part, n = make("16KiB"), int(draw.integers(30, 200))
            cells = {"a": draw.normal(3, 7, n), "b": draw.normal(0, 0.1, n), "c": draw.choice(["x", "y"], n)}
            cells["d"] = cells["a"] * cells["b"]
            part.learn_many(
                [{name: cells[name][i].item() for name in order} for i in range(n)], draw.integers(0, 2, n).tolist()
            )
            parts.append(part)
        a, b = parts
        assert model_bytes(copy.copy(a).merge(b)) == model_bytes(copy.copy(b).merge(a))


def test_a_base_changes_nothing_about_the_direction() -> None:
    base, _ = halves(SMALL_MODELS["awm"])
    a, b = copy.copy(base), copy.copy(base)
    a.learn_many(*stream(100, 7))
    b.learn_many(*stream(50, 8))
    assert model_bytes(copy.copy(a).merge(b, base=base)) == model_bytes(copy.copy(b).merge(a, base=base))


@pytest.mark.parametrize("name", ["awm", "wm", "hashing", "map"])
def test_a_merge_of_two_halves_predicts_nearly_as_well_as_one_run(name: str) -> None:
    """Accuracy on new rows is within 2.5 points of one run over both halves, and well above a constant prediction."""
    make = {"awm": lambda: AWMSketch("4KiB"), "wm": lambda: WMSketch("4KiB"), "hashing": lambda: FeatureHashing("4KiB")}
    make["map"] = LogisticRegression
    first, second, fresh = stream(4000, 1), stream(4000, 2), stream(4000, 3)
    whole, a, b = make[name](), make[name](), make[name]()
    whole.learn_many(*first)
    whole.learn_many(*second)
    a.learn_many(*first)
    b.learn_many(*second)
    truth = np.array(fresh[1])
    of_whole, of_merged = (float(np.mean(m.predict_many(fresh[0]) == truth)) for m in (whole, a.merge(b)))
    assert of_merged > of_whole - 0.025
    assert of_merged > max(truth.mean(), 1 - truth.mean()) + 0.05


# --- models that do not match ---


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, r"cannot merge: seed differs \(0 and 1\)"),
        ({"depth": 2}, r"depth differs \(1 and 2\)"),
        ({"width": 65}, r"width differs \(64 and 65\)"),
        ({"active_set_size": 24}, r"active_set_size differs \(16 and 24\)"),
        ({"active_set": "exact"}, r"active_set differs \('associative' and 'exact'\)"),
        ({"hash_family": "tabulation"}, r"hash_family differs \('mixer' and 'tabulation'\)"),
        ({"eviction": "drop"}, r"eviction differs \('paper' and 'drop'\)"),
        ({"eta0": 0.2}, r"eta0 differs \(0.1 and 0.2\)"),
        ({"l2": 0.0, "l1": 0.5}, r"l2 differs \(1e-06 and 0.0\), l1 differs \(0.0 and 0.5\)"),
        ({"loss": "squared_hinge"}, r"loss differs \('logistic' and 'squared_hinge'\)"),
        ({"class_weight": {True: 2.0}}, r"class_weight of the positive class differs \(1.0 and 2.0\)"),
        ({"fit_intercept": False}, r"fit_intercept differs \(True and False\)"),
    ],
)
@pytest.mark.parametrize("started", [False, True])
def test_models_that_differ_are_refused_with_both_values(change: dict[str, Any], message: str, started: bool) -> None:
    shape: dict[str, Any] = {"step": "plain", "depth": 1, "width": 64, "active_set_size": 16}
    a, b = AWMSketch(**shape), AWMSketch(**{**shape, **change})
    a.learn_one({1: 1.0}, True)
    if started:
        b.learn_one({1: 1.0}, True)
    before = model_bytes(a)
    with pytest.raises(ValueError, match=message):
        a.merge(b)
    assert model_bytes(a) == before


def test_other_classes_labels_and_columns_are_refused() -> None:
    a, b = halves(SMALL_MODELS["awm"])
    with pytest.raises(ValueError, match=r"the class differs \(AWMSketch and WMSketch\)"):
        a.merge(SMALL_MODELS["wm"]())
    with pytest.raises(TypeError, match="other must be a AWMSketch, got 3"):
        a.merge(3)
    b = SMALL_MODELS["awm"]()
    b.learn_many(stream(10, 0)[0], [-1, 1] * 5)
    with pytest.raises(ValueError, match=r"the labels differ \(\(False, True\) and \(-1, 1\)\)"):
        a.merge(b)
    X = np.eye(4)
    c, d = AWMSketch("2KiB").fit(X, list("abab")), AWMSketch("2KiB").fit(X[:, :3], list("abab"))
    with pytest.raises(ValueError, match=r"n_features_in_ differs \(4 and 3\)"):
        c.merge(d)
    with pytest.raises(ValueError, match=r"the labels differ \(\('a', 'b'\) and \('a', 'c'\)\)"):
        c.merge(AWMSketch("2KiB").fit(X, list("acac")))
    with pytest.raises(ValueError, match=r"models\[2\]: cannot merge: the class differs"):
        merge_models([a, copy.copy(a), SMALL_MODELS["wm"]()])
    with pytest.raises(ValueError, match="at least one model"):
        merge_models([])


def test_a_model_with_one_label_gets_the_other_by_merging() -> None:
    a, b = AWMSketch("2KiB"), AWMSketch("2KiB")
    a.learn_many([{1: 1.0}] * 10, [1] * 10)
    b.learn_many([{1: 1.0}] * 10, [-1] * 10)
    assert merge_models([a, b]).classes_.tolist() == merge_models([b, a]).classes_.tolist() == [-1, 1]
    assert model_bytes(merge_models([a, b])) == model_bytes(merge_models([b, a]))


def test_two_threads_may_merge_into_each_other() -> None:
    a, b = halves(SMALL_MODELS["wm"])
    threads = [threading.Thread(target=lambda x=x, y=y: [x.merge(y) for _ in range(20)]) for x, y in ((a, b), (b, a))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("name", SMALL_MODELS)
def test_seventy_merges_with_a_copy_can_be_saved(name: str) -> None:
    model, _ = halves(SMALL_MODELS[name])
    for _ in range(70):
        model.merge(copy.copy(model))
    assert model_bytes(type(model).from_bytes(model.to_bytes())) == model_bytes(model)
