"""Names are hashed with the seed of the model. Without the seed, nobody can find colliding names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wmsketch import (
    AWMSketch,
    CountMin,
    CountSketch,
    FeatureHashing,
    LogisticRegression,
    MulticlassAWMSketch,
    PairedCountMin,
    SpaceSaving,
    WMSketch,
    _core,
    load,
)
from wmsketch.errors import MergeError
from wmsketch.learners.models.introspection import hash_names_under, learn_block, margins_of_block, reading_of
from wmsketch.readers import open_examples
from wmsketch.results.contributions import contributions
from wmsketch.results.recovery_error import RecoveryError

WAYS: list[Any] = [AWMSketch, WMSketch, FeatureHashing, LogisticRegression, MulticlassAWMSketch]


def colliding_names() -> tuple[str, str]:
    """Two names with the same key under the unseeded hash, found as an attacker would."""
    seen: dict[int, str] = {}
    for number in range(10**6):
        name = f"user-{number}"
        if (key := _core.key_of(name)) in seen:
            return seen[key], name
        seen[key] = name
    raise AssertionError("no two names meet")


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1, "random"])
def test_names_that_collide_without_a_seed_do_not_collide_in_a_model(seed: Any) -> None:
    victim, attacker = colliding_names()
    model = LogisticRegression(seed=seed)
    model.learn_many([{victim: 1.0}] * 50 + [{attacker: 1.0}] * 500, [True] * 50 + [False] * 500)
    assert model.weight(victim) > 0 > model.weight(attacker)
    assert {row.feature for row in model.top()} == {victim, attacker}


def test_each_seed_has_keys_of_its_own() -> None:
    models = [AWMSketch("2KiB", seed=seed) for seed in range(8)]
    for model in models:
        model.learn_one({"name": 1.0, 7: 1.0}, True)
    assert len({model._native.key_of("name") for model in models}) == 8
    assert {model._native.key_of(7) for model in models} == {7}


def test_the_same_strings_have_the_right_keys_under_hundreds_of_seeds_in_turns() -> None:
    row = {f"name {i}": float(i) for i in range(20)} | {"a": 1.0}
    models = [AWMSketch("2KiB", seed=seed) for seed in range(600)]
    for model in models:
        model.learn_one(row, True)
    for model in [*models, *reversed(models)]:
        found = [key for key, _, _ in model._native.features_row(row)]
        assert found == [model._native.key_of(name) for name in row]


def test_strings_beyond_the_room_for_remembered_names_keep_their_keys() -> None:
    model = AWMSketch("2KiB")
    model.learn_one({"a": 1.0}, True)
    names = [f"name {i}" for i in range(200_000)]
    right = [model._native.key_of(name) for name in names]
    for _ in range(2):
        found = [key for key, _, _ in model._native.features_row(dict.fromkeys(names, 1.0))]
        assert found == right


@pytest.mark.parametrize("make", WAYS)
def test_rows_are_the_same_from_every_source(make: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [f"{i % 2},{i % 7},city{i % 5}" for i in range(60)]
    path.write_text("y,n,c\n" + "\n".join(lines) + "\n")
    many = {"many_classes": True} if make is MulticlassAWMSketch else {}
    rule = {"seed": 5, "schema": {"interactions": ["n:c"]}}
    hashed_once, hashed_again, by_row = make(**rule), make(**rule), make(**rule)
    hashed_once.learn_file(path, label="y")
    with open_examples(path, label="y", interactions=["n:c"], **many) as examples:  # without the seed of a model
        for block in examples:
            learn_block(hashed_again, block, label_names=examples.labels)
    rows = [{"n": i % 7, "c": f"city{i % 5}"} for i in range(60)]
    by_row.learn_many(rows, [i % 2 for i in range(60)])
    assert reading_of(hashed_once, to_learn=True)["name_seed"] == 5
    assert hashed_once._native.nbytes == hashed_again._native.nbytes
    for name, array in hashed_once._native.state().items():
        np.testing.assert_array_equal(array, hashed_again._native.state()[name])
    for row in rows[:5]:
        assert by_row._native.margin_row(row) == pytest.approx(hashed_once._native.margin_row(row), abs=0)
    with open_examples(path, label="y", interactions=["n:c"], **many) as examples:
        block = next(iter(examples))
        margins = margins_of_block(hashed_once, block)
        explained = contributions(hashed_once, block, 9, [1] * len(block) if many else None)
    assert margins[0] == pytest.approx(hashed_once._native.margin_row(rows[0]), abs=0)
    label = {"label": 1} if many else {}
    found = {each.feature: each.weight for row in explained for each in row}
    assert found["c=city3"] == hashed_once.weight("c=city3", **label) != 0


def test_models_of_other_seeds_know_names_by_other_keys() -> None:
    reference, other = LogisticRegression(seed=1), AWMSketch("2KiB")
    for model in (reference, other):
        model.learn_many([{"word-1": 1.0}] * 20, [True] * 20)
    with pytest.raises(ValueError, match="hash names with different seeds"):
        RecoveryError(reference).at(other, [1])


def test_models_that_share_rows_share_the_seed_of_their_names(tmp_path: Path) -> None:
    """As `compare` does with models of several seeds."""
    models = [AWMSketch("2KiB", seed=seed) for seed in (1, 2)]
    for model in models:
        hash_names_under(model, 9)
        model.learn_many([{"word-1": 1.0}] * 20, [True] * 20)
    assert models[0]._native.key_of("word-1") == models[1]._native.key_of("word-1") == _core.key_of("word-1", 9)
    models[0].save(tmp_path / "model.wms")
    again = load(tmp_path / "model.wms")
    assert again.weight("word-1") == models[0].weight("word-1") > 0
    assert reading_of(again, to_learn=True)["name_seed"] == 9
    own = AWMSketch("2KiB", seed=1)
    own.learn_many([{"word-1": 1.0}], [True])
    with pytest.raises(MergeError, match="the seed of the names differs"):
        own.merge(again)


@pytest.mark.parametrize("seeds", [(0, 0), (0, 1)])
def test_changes_are_reported_by_name_across_seeds(seeds: tuple[int, int]) -> None:
    old, new = (AWMSketch("8KiB", seed=seed) for seed in seeds)
    for model, up in ((old, "rain"), (new, "snow")):
        model.learn_many([{up: 1.0}, {"sun": 1.0}] * 50, [True, False] * 50)
    found = {row.feature: (row.before, row.after) for row in new.changes_since(old, 3)}
    assert set(found) == {"rain", "snow", "sun"}
    assert found["sun"] == (old.weight("sun"), new.weight("sun"))
    assert found["rain"][0] > 1 > abs(found["rain"][1])


def test_a_generator_draws_one_seed_for_a_table(tmp_path: Path) -> None:
    model = AWMSketch("8KiB", random_state=np.random.RandomState(3))
    rows = [{"age": i % 9, "city": f"c{i % 4}"} for i in range(40)]
    for i, row in enumerate(rows):  # the first rows are held, and the model gets its shape later
        model.learn_one(row, i % 4 == 0)
    model.save(tmp_path / "model.wms")
    again = load(tmp_path / "model.wms")
    assert again._native.key_of("city=c0") == model._native.key_of("city=c0")
    assert again.predict_proba_one(rows[0]) == model.predict_proba_one(rows[0])
    assert again.weight("city=c0") == model.weight("city=c0") > 0


@pytest.mark.parametrize("make", [CountMin, CountSketch, SpaceSaving])
@pytest.mark.parametrize("seed", [0, 7, "random"])
def test_names_that_collide_without_a_seed_are_counted_separately(make: Any, seed: Any) -> None:
    victim, attacker = colliding_names()
    counter = make("8KiB", seed=seed)
    counter.learn_many([victim] + [attacker] * 50)
    counter.learn_one(victim)
    twin = counter.copy()
    for one in (counter, twin):
        assert (one.estimate(victim).count, one.estimate(attacker).count) == (2, 50)
        assert [row.feature for row in one.top(2)] == [attacker, victim]


def test_a_pair_of_counters_hashes_names_under_its_seed() -> None:
    victim, attacker = colliding_names()
    pair = PairedCountMin("8KiB", seed=3)
    pair.learn_many([victim] * 4, a=1)
    pair.learn_many([attacker] * 9, b=1)
    assert [pair.estimate(name).count_a for name in (victim, attacker)] == [4, 0]
