"""Changes since an older model."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from wmsketch import AWMSketch, ChangedFeature, FeatureHashing, LogisticRegression, Schema, SimpleTruncation


def traffic(seed: int, broken: str | None, n: int = 3000) -> tuple[list[dict[str, str]], list[bool]]:
    """Requests that fail now and then; with `broken`, nearly always on one host."""
    rng = np.random.default_rng(seed)
    rows, failed = [], []
    for host, path, luck in zip(rng.integers(0, 40, n), rng.integers(0, 500, n), rng.random(n), strict=True):
        row = {"host": f"h{host}", "path": f"/p{path}"}
        rows.append(row)
        failed.append(bool(luck < (0.9 if row["host"] == broken else 0.7 if path < 5 else 0.1)))
    return rows, failed


@pytest.mark.parametrize("step", ["plain", "adaptive"])
@pytest.mark.parametrize("half_life", [None, 2000])
def test_a_drift_is_found_by_name(step: str, half_life: int | None) -> None:
    model = AWMSketch("8KiB", step=step, half_life=half_life)
    model.learn_many(*traffic(0, None))
    before = copy.copy(model)
    model.learn_many(*traffic(1, "h13"))
    rows = model.changes_since(before, k=5)
    assert rows[0].feature == "host=h13" and rows[0].low > 0
    assert [abs(row.change) for row in rows] == sorted((abs(row.change) for row in rows), reverse=True)
    for row in rows:
        assert isinstance(row, ChangedFeature)
        assert row.before == before.weight(row.feature) and row.after == model.weight(row.feature)
        assert row.change == pytest.approx(row.after - row.before)
        assert row.low <= row.change <= row.high


def test_nothing_changes_between_equal_models() -> None:
    model = AWMSketch("8KiB")
    model.learn_many(*traffic(0, None))
    assert {row.change for row in model.changes_since(copy.copy(model), 10**6)} == {0.0}


def test_features_that_only_one_model_holds_are_compared_too() -> None:
    old, new = LogisticRegression(), LogisticRegression()
    old.learn_many([{"gone": 1.0}, {"x": 1.0}], [True, False])
    new.learn_many([{"come": 1.0}, {"x": 1.0}], [True, False])
    changes = {row.feature: row for row in new.changes_since(old)}
    assert set(changes) == {"gone", "come", "x"}
    assert changes["gone"].after == 0 and changes["gone"].change < 0 < changes["come"].change
    assert len(new.changes_since(old, 2)) == 2


def test_classes_and_shapes_may_differ() -> None:
    hashing, sketch, exact, cut = (
        FeatureHashing("4KiB"),
        AWMSketch("4KiB", seed=3),
        LogisticRegression(),
        SimpleTruncation("4KiB"),
    )
    for model in (hashing, sketch, exact):
        model.learn_many(*traffic(0, None))
    cut.learn_many(*traffic(1, "h13"))
    assert sketch.changes_since(hashing, 3)[0].feature in {row.feature for row in sketch.top(10**6)}
    assert cut.changes_since(exact, 1)[0].feature == "host=h13"
    assert np.isnan(cut.changes_since(exact, 1)[0].low)  # truncation does not know its error
    with pytest.raises(ValueError, match="neither model keeps features"):
        hashing.changes_since(hashing)


def test_the_error_bars_of_both_models_add_up() -> None:
    old, new = AWMSketch("2KiB"), AWMSketch("2KiB", seed=1)
    old.learn_many(*traffic(0, None))
    new.learn_many(*traffic(1, "h13"))
    row = new.changes_since(old, 1)[0]
    halves = [(high - low) / 2 for low, high in (old.interval(row.feature), new.interval(row.feature))]
    assert (row.high - row.low) / 2 == pytest.approx(np.hypot(*halves))


def test_labels_and_kinds_of_features_must_agree() -> None:
    by_name, by_number, other_labels = AWMSketch("4KiB"), AWMSketch("4KiB"), AWMSketch("4KiB")
    by_name.learn_many([{"a": 1.0}, {"b": 1.0}], [True, False])
    by_number.learn_many([{1: 1.0}, {2: 1.0}], [True, False])
    other_labels.learn_many([{"a": 1.0}, {"b": 1.0}], [1, -1])
    with pytest.raises(ValueError, match="one model knows its features by name, the other by number"):
        by_name.changes_since(by_number)
    with pytest.raises(ValueError, match=r"the labels differ \(\(-1, 1\) and \(False, True\)\)"):
        by_name.changes_since(other_labels)
    with pytest.raises(ValueError, match="has not learned anything yet"):
        by_name.changes_since(AWMSketch("4KiB"))


def test_interactions_are_asked_for_by_name_and_compared_under_any_seed() -> None:
    draw = np.random.default_rng(0)
    rows = [
        {"carrier": c, "origin": o}
        for c, o in zip(draw.choice(["AA", "B&6"], 2000), draw.choice(["x", "y"], 2000), strict=True)
    ]
    late = [row == {"carrier": "B&6", "origin": "y"} for row in rows]
    models = [AWMSketch("8KiB", seed=seed, schema=Schema(interactions=["carrier:origin"])) for seed in (0, 1)]
    for model in models:
        model.learn_many(rows, late)
        top = model.top(100)
        assert "carrier=B&6&origin=y" in [row.feature for row in top]
        assert [model.weight(row.feature) for row in top] == [row.weight for row in top]
        assert model.weights([row.feature for row in top]).tolist() == [row.weight for row in top]
    for row in models[1].changes_since(models[0], 100):
        assert row.before == models[0].weight(row.feature) != 0
