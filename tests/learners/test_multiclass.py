"""Many classes: compared with the oracle, within the budget, with new classes at any time, in any file format."""

from __future__ import annotations

import copy
import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier

import wmsketch
from tests.learners.learners_under_test import as_dicts, state
from tests.learners.test_oracle import stream as binary_stream
from tests.reference import AssociativeAWMSketchOracle, AWMSketchOracle, Rule
from tests.reference.multiclass import MulticlassOracle
from wmsketch import MulticlassAWMSketch
from wmsketch.learners.models.introspection import hash_of

WORDS = {
    "sport": ["goal", "team", "win", "match"],
    "politics": ["vote", "party", "law", "win"],
    "culture": ["film", "stage", "art", "law"],
    "tech": ["chip", "code", "app", "stage"],
}


def news(n: int, seed: int = 0, labels: list[str] | None = None) -> tuple[list[dict[str, float]], list[str]]:
    """Rows of six words, half of them about the topic of the row."""
    rng = np.random.default_rng(seed)
    y = rng.choice(labels or list(WORDS), n).tolist()
    draw = lambda label: rng.choice(WORDS[label] if rng.random() < 0.5 else ["the", "a", "of", "to"])  # noqa: E731
    return [dict.fromkeys((str(draw(label)) for _ in range(6)), 1.0) for label in y], y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("exact", [False, True], ids=["lines", "heap"])
@pytest.mark.parametrize("half_life", [None, 20, "30s"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_equals_the_oracle(seed: int, exact: bool, half_life: float | str | None, class_weight: str | None) -> None:
    examples = binary_stream(seed, 200)
    rng = np.random.default_rng(seed)
    labels = [f"c{int(c)}" for c in rng.integers(0, 2 + np.arange(len(examples)) // 60)]  # one more class every 60 rows
    size = {"depth": 1, "width": 64, "active_set_size": 32}
    model = MulticlassAWMSketch(
        **size,
        step="plain",
        eviction="drop",
        l2=1e-3,
        active_set="exact" if exact else "associative",
        max_classes=8,
        fit_intercept=True,
        half_life=half_life,
        class_weight=class_weight,
    )
    model.learn_one(
        [(1, 0.0)], "c0", 0.0, time=0.0 if half_life == "30s" else None
    )  # starts the model, so that it has hashes
    rule = Rule(l2=1e-3, fit_intercept=False, half_life=half_life, class_weight=class_weight)
    times = 1e6 + np.cumsum(rng.choice([0.0, 1.0, 20.0, -3.0], len(examples), p=[0.3, 0.5, 0.1, 0.1]))
    store = (AWMSketchOracle if exact else AssociativeAWMSketchOracle)(
        rule, **size, hash_key=partial(hash_of, model), eviction="drop"
    )
    oracle = MulticlassOracle(store, lambda text: model._native.key_of("s" + text if text else ""), fit_intercept=True)
    for example, label, at in zip(examples, labels, times.tolist(), strict=True):
        time = at if isinstance(half_life, str) else None
        oracle.learn(example.pairs, label, example.weight, time)
        model.learn_one(example.pairs, label, example.weight, time)
    for example in examples[::20]:
        scores = model.decision_function_one(example.pairs)
        expected = oracle.scores(example.pairs)
        assert list(scores) == list(expected)
        np.testing.assert_allclose(list(scores.values()), list(expected.values()), rtol=2e-4, atol=2e-5)
    assert model.record_.mistakes == oracle.mistakes and model.n_seen_ == oracle.t
    assert model.class_counts_ == oracle.counts


def test_top_names_class_and_feature_for_names_and_ids() -> None:
    X, y = news(600)
    model = MulticlassAWMSketch("8KiB")
    model.learn_many(X, y)
    for label, words in WORDS.items():
        rows = model.top(3, label=label)
        assert {row.label for row in rows} == {label}
        assert rows[0].feature in words and rows[0].weight > 0
        assert rows[0].weight == pytest.approx(model.weight(rows[0].feature, label))
        assert rows[0].low <= rows[0].weight <= rows[0].high
    ids = {word: 10**9 + 7 * place for place, word in enumerate(sorted({word for row in X for word in row}))}
    numbered = MulticlassAWMSketch("8KiB")
    numbered.learn_many([{ids[word]: 1.0 for word in row} for row in X], y)
    for row in numbered.top(50):
        assert row.feature in ids.values()
        assert row.weight == pytest.approx(numbered.weight(row.feature, row.label))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2000, 40_000),
    st.integers(2, 40),
    st.sampled_from([None, 3]),
    st.booleans(),
    st.lists(st.tuples(st.text(max_size=14), st.text(max_size=40)), min_size=1, max_size=40),
)
def test_never_takes_more_than_the_budget(budget, max_classes, negatives, named, pairs) -> None:
    model = MulticlassAWMSketch(budget, max_classes=max_classes, negatives=negatives)
    assert model.nbytes <= budget
    for place, (label, feature) in enumerate(pairs):
        try:
            model.learn_one({feature if named else place: 1.0}, label)
        except ValueError as problem:
            assert "max_classes" in str(problem)
        assert model.nbytes <= budget


def test_a_class_too_many_is_refused_and_changes_nothing() -> None:
    X, y = news(100)
    model = MulticlassAWMSketch("8KiB", max_classes=4)
    model.learn_many(X, y)
    before = state(model)
    with pytest.raises(ValueError, match="max_classes is 4, got 5 different labels"):
        model.learn_many([{"goal": 1.0}, {"rain": 1.0}], ["sport", "weather"])
    with pytest.raises(ValueError, match="raise max_classes"):
        MulticlassAWMSketch("8KiB", max_classes=4).learn_one({"a": 1.0}, "x" * 50)
    with pytest.raises(ValueError, match=r"row 1: .*finite"):
        model.learn_many(np.array([[1.0], [np.inf]]), ["weather", "weather"])
    assert state(model) == before


@pytest.mark.parametrize("negatives", [None, 1, 2])
def test_new_classes_come_at_any_time(negatives: int | None) -> None:
    model = MulticlassAWMSketch("16KiB", negatives=negatives)
    for seed, labels in enumerate([["sport"], ["sport", "politics"], list(WORDS)]):
        model.learn_many(*news(600, seed, labels))
    X, y = news(500, seed=9)
    assert model.classes_.tolist() == sorted(WORDS)
    assert np.mean(model.predict_many(X) == np.asarray(y)) > 0.85
    assert model.predict_one({"goal": 1.0, "team": 1.0}) == "sport"
    chances = model.predict_proba_one({"film": 1.0, "art": 1.0})
    assert max(chances, key=chances.__getitem__) == "culture" and sum(chances.values()) == pytest.approx(1.0)


def test_labels_are_strings_integers_and_booleans_and_stay_apart() -> None:
    model = MulticlassAWMSketch("8KiB")
    for label in ["1", 1, True, -7, "é"] * 20:
        model.learn_one({repr(label): 1.0}, label)
    assert [(type(label), label) for label in model.classes_] == [
        (str, "1"),
        (int, 1),
        (bool, True),
        (int, -7),
        (str, "é"),
    ]
    assert model.predict_one({"1": 1.0}) == 1 and model.predict_one({"'1'": 1.0}) == "1"
    with pytest.raises(ValueError, match="a label must be a string, an integer or a boolean, got None"):
        model.learn_one({"a": 1.0}, None)
    with pytest.raises(ValueError, match="one of the classes seen so far, got 'b'"):
        model.top(label="b")


@pytest.mark.parametrize("negatives", [None, 2])
def test_files_and_batches_give_the_same_bytes(negatives: int | None, tmp_path: Path) -> None:
    X, y = news(400)
    whole = MulticlassAWMSketch("4KiB", negatives=negatives, l2=1e-4, seed=3)
    whole.learn_many(X, y)
    half = whole.clone()
    half.learn_many(X[:150], y[:150])
    half.save(tmp_path / "half.wms")
    half = wmsketch.load(tmp_path / "half.wms")
    for row, label in zip(X[150:], y[150:], strict=True):
        half.learn_one(row, label)
    assert state(half) == state(whole) and half.top() == whole.top()
    whole.save(tmp_path / "whole.wms")
    half.save(tmp_path / "other.wms")
    assert (tmp_path / "whole.wms").read_bytes() == (tmp_path / "other.wms").read_bytes()


def test_partial_fit_knows_announced_classes_first() -> None:
    X, y = load_digits(return_X_y=True)
    model = MulticlassAWMSketch("16KiB").partial_fit(X[:50] / 16, y[:50], classes=range(10))
    assert model.classes_.tolist() == list(range(10))
    assert model.decision_function(X[:5]).shape == (5, 10)
    two = MulticlassAWMSketch("8KiB").fit(X[y < 2], y[y < 2])
    assert two.decision_function(X[:5]).shape == (5,)


def test_merging_matches_classes_in_any_order() -> None:
    parts = [MulticlassAWMSketch("16KiB") for _ in range(2)]
    for seed, (part, labels) in enumerate(
        zip(parts, (["sport", "tech"], ["tech", "politics", "culture"]), strict=True)
    ):
        part.learn_many(*news(800, seed, labels))
    left, right = copy.copy(parts[0]).merge(parts[1]), copy.copy(parts[1]).merge(parts[0])
    assert state(left) == state(right)
    assert left.n_seen_ == 1600 and left.class_counts_["tech"] == sum(part.class_counts_["tech"] for part in parts)
    # a class that only one part has seen keeps its weights
    assert left.weight("goal", "sport") == pytest.approx(parts[0].weight("goal", "sport"), rel=0.01)
    assert left.top(1, label="culture")[0].feature in WORDS["culture"]
    X, y = news(500, seed=9)
    assert np.mean(left.predict_many(X) == np.asarray(y)) > 0.85
    with pytest.raises(ValueError, match="max_classes differs"):
        MulticlassAWMSketch("16KiB", max_classes=3).merge(parts[0])


def test_online_error_with_drawn_classes_is_an_estimate_of_the_whole_one() -> None:
    X, y = news(3000)
    drawn, whole = MulticlassAWMSketch("16KiB", negatives=1), MulticlassAWMSketch("16KiB")
    drawn.learn_many(X, y)
    whole.learn_many(X, y)
    assert 0 < drawn._n_scored() < 3000 == whole._n_scored()
    assert drawn.error_rate_ == pytest.approx(whole.error_rate_, abs=0.03)


def test_one_shared_budget_is_at_least_as_good_as_a_part_for_each_class() -> None:
    X, y = load_digits(return_X_y=True)
    X = X / 16
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    shared = MulticlassAWMSketch("8KiB", passes=3).fit(X[:1400], y[:1400])
    scores = []
    for label in range(10):
        part = wmsketch.AWMSketch(8192 // 10, passes=3).fit(X[:1400], y[:1400] == label)
        scores.append(part.decision_function(X[1400:]))
    apart = np.mean(np.argmax(scores, axis=0) == y[1400:])
    unlimited = SGDClassifier(loss="log_loss", max_iter=3, tol=None, random_state=0).fit(X[:1400], y[:1400])
    assert shared.score(X[1400:], y[1400:]) >= apart - 0.02
    assert shared.score(X[1400:], y[1400:]) >= unlimited.score(X[1400:], y[1400:]) - 0.05


def test_uneven_classes_share_the_budget_as_well_as_equal_parts_would() -> None:
    """As in text, some classes have more examples, and so more words, than others."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, 21) ** 1.2
    y = rng.choice(20, 6000, p=shares / shares.sum())
    own = rng.zipf(1.4, (6000, 8)) % 300 + 1000 * (y[:, None] + 1)
    common = rng.zipf(1.2, (6000, 12)) % 900
    words = np.where(rng.random((6000, 8)) < 0.3, own, common[:, :8])
    X = [dict.fromkeys((f"w{word}" for word in row), 1.0) for row in words.tolist()]
    shared = MulticlassAWMSketch("16KiB", max_classes=20)
    shared.learn_many(X[:5000], y[:5000])
    scores = []
    for label in range(20):
        part = wmsketch.AWMSketch(16 * 1024 // 20)
        part.learn_many(X[:5000], y[:5000] == label)
        scores.append([part.decision_function_one(row) for row in X[5000:]])
    apart = np.mean(np.argmax(scores, axis=0) == y[5000:])
    assert np.mean(shared.predict_many(X[5000:]) == y[5000:]) >= apart


def test_arrays_dicts_and_frames_agree() -> None:
    X, y = load_digits(return_X_y=True)
    X = X[:300].astype(np.float32) / 16 + 1  # no zeros: dicts by number have the columns of the array
    from scipy.sparse import csr_matrix

    models = [MulticlassAWMSketch("8KiB") for _ in range(3)]
    for model, rows in zip(models, (X, csr_matrix(X), as_dicts(csr_matrix(X))), strict=True):
        model.learn_many(rows, y[:300])
    assert state(models[0]) == state(models[1]) == state(models[2])


def test_labels_that_hash_alike_are_refused_as_the_user_wrote_them() -> None:
    labels = [f"l{i}" for i in range(70_000)]  # so many that two share a 32-bit hash
    model = MulticlassAWMSketch("16MiB", max_classes=len(labels), negatives=1)
    with pytest.raises(ValueError, match=r"the label 'l\d+' has the same hash as another label"):
        model.learn_many([{"a": 1.0}] * len(labels), labels)


def test_a_class_whose_numbers_lie_near_the_mean_is_told_from_those_around_it():
    draw = random.Random(3)
    labels = [draw.choice(["low", "middle", "high"]) for _ in range(3000)]
    centre = {"low": 10.0, "middle": 20.0, "high": 30.0}
    rows = [{"size": draw.gauss(centre[label], 3.0), "width": draw.gauss(0.0, 1.0)} for label in labels]
    model = MulticlassAWMSketch("16KiB")
    model.learn_many(rows[:2000], labels[:2000])
    right = sum(model.predict_one(row) == label for row, label in zip(rows[2000:], labels[2000:], strict=True))
    assert right > 850  # the best cuts, at 15 and 25, are right in 93 %; without an intercept there are no two cuts
    shard = MulticlassAWMSketch("16KiB")
    shard.learn_many(rows[:5], labels[:5])  # these rows are still held
    assert model.merge(shard).n_seen_ == 2005
    assert type(model).from_bytes(model.to_bytes()).predict_one(rows[0]) == model.predict_one(rows[0])


def test_words_have_no_intercept_unless_it_is_asked_for():
    rows, labels = [{"goal": 1.0}, {"vote": 1.0}, {"film": 1.0}] * 20, ["sport", "politics", "culture"] * 20
    plain, without, with_one = (MulticlassAWMSketch("16KiB", fit_intercept=each) for each in (None, False, True))
    for model in (plain, without, with_one):
        model.learn_many(rows, labels)
    assert plain.predict_proba(rows).tolist() == without.predict_proba(rows).tolist()
    assert plain.predict_proba(rows).tolist() != with_one.predict_proba(rows).tolist()
