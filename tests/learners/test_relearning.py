"""A merged model that learns rows again: nearer to one model, the same counts, bounded samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wmsketch import AWMRegressor, AWMSketch, MulticlassAWMSketch, WMSketch, merge_models
from wmsketch.learners.models.introspection import features_seen_by
from wmsketch.learners.saving.model_file import model_bytes
from wmsketch.learners.shards import relearning
from wmsketch.learners.shards.relearning import SampledRows, learn_again
from wmsketch.readers import open_examples


def words(n: int, seed: int, noise: float = 0.5) -> tuple[list[dict[str, float]], np.ndarray[Any, Any]]:
    """Rows of ten words out of 2,000, whose weights decide the label."""
    weights = np.random.default_rng(7).normal(size=2000)
    draw = np.random.default_rng(seed)
    chosen = draw.integers(0, 2000, (n, 10))
    labels = weights[chosen].sum(axis=1) + noise * draw.normal(size=n) > 0
    return [{f"w{word}": 1.0 for word in row} for row in chosen.tolist()], labels


def shards_of(new: Any, rows: list[Any], labels: Any, n: int = 32) -> list[Any]:
    models = [new.clone() for _ in range(n)]
    for number, model in enumerate(models):
        model.learn_many(rows[number::n], labels[number::n])
    return models


def test_a_merge_of_many_small_parts_that_learns_rows_again_is_as_good_as_one_model() -> None:
    rows, labels = words(8000, 0)
    new, unseen = AWMSketch("128KiB"), words(4000, 1)
    one = new.clone()
    one.learn_many(rows, labels)
    parts = shards_of(new, rows, labels)
    merged, again = merge_models(parts), merge_models(parts, relearn=(rows, labels))
    errors = [1 - model.score(*unseen) for model in (one, merged, again)]
    assert errors[1] > 1.1 * errors[0]
    assert errors[2] < 1.03 * errors[0]


@pytest.mark.parametrize(
    ("new", "target"),
    [
        (AWMSketch("8KiB"), lambda labels: labels),
        (AWMSketch.paper("8KiB"), lambda labels: labels),
        (WMSketch("8KiB"), lambda labels: labels),
        (MulticlassAWMSketch("16KiB"), lambda labels: np.where(labels, "spam", "ham")),
        (AWMRegressor("8KiB"), lambda labels: 3.0 * labels - 1),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "budget") else "",
)
def test_rows_that_are_learned_again_count_once(new: Any, target: Any) -> None:
    rows, labels = words(2000, 0)
    parts = shards_of(new, rows, target(labels))
    merged, again = merge_models(parts), merge_models(parts, relearn=(rows, target(labels)))
    assert again.n_seen_ == 2000 and features_seen_by(again) == features_seen_by(merged)
    measure = "mae_" if isinstance(new, AWMRegressor) else "error_rate_"
    assert getattr(again, measure) == getattr(merged, measure)
    assert again.nbytes == merged.nbytes
    assert type(again).from_bytes(again.to_bytes()).predict(rows[:50]).tolist() == again.predict(rows[:50]).tolist()


def test_nothing_is_learned_again_if_rows_held_back_are_then_predicted_worse() -> None:
    rows, _ = words(3000, 0)
    by_chance = np.random.default_rng(3).random(3000) < 0.5
    merged = merge_models(shards_of(AWMSketch("128KiB"), rows, by_chance, 2))
    before = model_bytes(merged)
    assert learn_again(merged, (rows, by_chance)).passes == 0
    assert model_bytes(merged) == before


def test_files_are_learned_again_by_the_schema_of_the_model(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    paths = [tmp_path / f"{number}.csv" for number in range(4)]
    for path in paths:
        size, city = draw.normal(10, 3, 500), draw.choice(["Rome", "Oslo", "Bonn"], 500)
        sold = np.where(size + 2 * (city == "Rome") + draw.normal(size=500) > 10, "yes", "no")
        lines = (f"{a:.2f},{b},{c}" for a, b, c in zip(size, city, sold, strict=True))
        path.write_text("size,city,sold\n" + "\n".join(lines) + "\n")
    parts = [AWMSketch("8KiB").learn_file(path, label="sold", positive="yes") for path in paths]
    merged, again = merge_models(parts), merge_models(parts, relearn=paths)
    assert again.n_seen_ == 2000 and model_bytes(again) != model_bytes(merged)
    assert [row.feature for row in again.top(1)] == ["size"]
    assert model_bytes(again) == model_bytes(merge_models(parts, relearn=paths))


def test_a_sample_is_bounded_and_spread_over_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relearning, "MOST_ROWS", 256)
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{1 if row % 2 else -1} {row + 1}:1\n" for row in range(10_000)))
    sample, most = SampledRows(), 0
    with open_examples(path) as examples:
        for block in examples:
            sample.add(block, examples.labels)
            most = max(most, len(sample))
    keys = np.concatenate([piece.keys for _, piece in sample._pieces])
    assert 128 <= len(sample) <= most <= 256 and len(keys) == len(sample)
    assert np.histogram(keys, bins=4, range=(0, 10_000))[0].min() >= len(sample) // 8


def test_models_with_a_half_life_learn_nothing_again() -> None:
    rows, labels = words(200, 0)
    parts = shards_of(AWMSketch("8KiB", half_life=100), rows, labels)
    with pytest.raises(ValueError, match="relearn must not be given with half_life"):
        merge_models(parts, relearn=(rows, labels))


def test_models_that_still_hold_their_first_rows_stay_as_they_are() -> None:
    parts = [AWMSketch("8KiB"), AWMSketch("8KiB")]
    for model in parts:
        model.learn_one({"a": 1.0}, True)
    assert merge_models(parts, relearn=([{"a": 1.0}] * 9, [True] * 9)).n_seen_ == 2
