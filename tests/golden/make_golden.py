"""Writes the golden files: a small model of each class in the current format, and its answers.

Run it once for each new version of the format, or for a model that has no file yet. From the first release on, the
files are kept forever: they represent what users have on disk. It never overwrites a file or its answers. The files of
a version are v<version>-<name>.wms, their answers v<version>.json.

    python tests/golden/make_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from wmsketch import (
    AWMSketch,
    CountMinFrequent,
    FeatureHashing,
    LogisticRegression,
    Mission,
    MulticlassAWMSketch,
    ProbabilisticTruncation,
    SimpleTruncation,
    SpaceSavingFrequent,
    WMSketch,
)
from wmsketch.learners.saving.model_document import VERSION

FOLDER = Path(__file__).parent
TABLE_ROW: dict[str, Any] = {"age": 41, "city": "Rome", "vip": True, "tags": ["a", "b"]}
QUESTIONS: list[str | int] = [0, 1, 2, 7, 30, "word-1", "word-2", "naïve", "never seen"]


def golden_models() -> dict[str, Any]:
    """The trained models: every class, and the variants that store other arrays."""
    models = {
        "awm-named": AWMSketch("2KiB", seed=11),
        "awm-plain": AWMSketch("1KiB", seed=5, step="plain"),
        "awm-exact": AWMSketch(step="plain", depth=3, width=20, active_set_size=8, active_set="exact", l1=1e-3),
        "awm-settled": AWMSketch("1KiB", seed=6, follow=True),
        "awm-forgetting": AWMSketch("1KiB", seed=5, half_life=30),
        "awm-default": AWMSketch("1KiB", seed=9),
        "awm-heap-named": AWMSketch(seed=8, width=16, active_set_size=16, active_set="exact"),
        "awm-plain-forgetting": AWMSketch("1KiB", step="plain", half_life="1min"),
        "logistic-adaptive": LogisticRegression(step="adaptive"),
        "wm-named": WMSketch("2KiB", seed=2**64 - 1),
        "wm-averaged": WMSketch(depth=2, width=40, active_set_size=16, averaged=True, project=2.0),
        "hashing": FeatureHashing(width=64, hash_family="polynomial", loss="squared_hinge"),
        "hashing-adaptive": FeatureHashing(width=64, step="adaptive"),
        "logistic-map-named": LogisticRegression(schedule="invsqrt"),
        "logistic-dense": LogisticRegression(n_features=32),
        "truncation-named": SimpleTruncation(active_set_size=12),
        "probabilistic": ProbabilisticTruncation(active_set_size=12, seed=5, priority="quotient"),
        "product": ProbabilisticTruncation(active_set_size=12, seed=5),
        "space-saving-named": SpaceSavingFrequent(active_set_size=12, class_weight="balanced", newcomers="all"),
        "one-newcomer": SpaceSavingFrequent(active_set_size=12, seed=9),
        "mission-named": Mission("2KiB", seed=4),
        "count-min": CountMinFrequent(depth=2, width=32, active_set_size=12, class_weight={-1: 0.5, 1: 2.0}),
        "multiclass-named": MulticlassAWMSketch("2KiB", seed=3, fit_intercept=True),
        "multiclass-plain": MulticlassAWMSketch("2KiB", seed=3, step="plain"),
        "multiclass-forgetting": MulticlassAWMSketch("2KiB", negatives=2, half_life="1min"),
    }
    for name, model in models.items():
        examples, labels = _rows(named=name.endswith("-named"))
        if name.startswith("multiclass"):
            labels = [("rouge", "évident", 7, True)[len(row) - 1] for row in examples]
        times = 10.0 * np.arange(len(labels)) if model.half_life == "1min" else None
        model.learn_many(examples, labels, times=times)
    draw = np.random.default_rng(1)
    columns, array = AWMSketch("2KiB", schema={"numbers": "raw"}), AWMSketch("2KiB")
    for model in (columns, array):
        model.fit(draw.normal(size=(40, 3)), np.array(["no", "yes"] * 20))
    tables = {
        "awm-table": AWMSketch("2KiB"),
        "awm-held": AWMSketch("2KiB"),
        "multiclass-table": MulticlassAWMSketch("4KiB"),
    }
    for name, model in tables.items():
        rows = [TABLE_ROW | {"age": 20 + i, "city": ["Rome", "Oslo", None][i % 3]} for i in range(60)]
        rows = rows[:3] if name == "awm-held" else rows
        model.learn_many(
            rows, [("no", "yes", "maybe")[i % 3] if model._multiclass else i % 2 for i in range(len(rows))]
        )
    return {
        **models,
        **tables,
        "awm-fitted": columns,
        "awm-array": array,
        "awm-unstarted": AWMSketch("1KiB", class_weight={"no": 1, "yes": 3.5}),
    }


def _rows(*, named: bool) -> tuple[list[dict[Any, float]], list[Any]]:
    draw = np.random.default_rng(7)
    keys, values = draw.zipf(1.5, size=(120, 4)) % 32, draw.normal(size=(120, 4)).round(3)
    examples = [
        {
            (f"word-{key}" if key % 5 else "naïve") if named else int(key): float(value)
            for key, value in zip(*row, strict=True)
        }
        for row in zip(keys, values, strict=True)
    ]
    return examples, [1 if row[0] % 2 else -1 for row in keys]


def answers(model: Any) -> dict[str, Any]:
    """The answers of a golden file. They are compared exactly, so every number is written in full."""
    if not model._started:
        return {"parameters": repr(model)}
    of_labels = [(label,) for label in model.classes_.tolist()] if model._multiclass else [()]
    weights = [model.weight(question, *of) for of in of_labels for question in QUESTIONS]
    named = model.schema_.table and not model._native.is_numbered
    margin = model.decision_function_one(TABLE_ROW if named else dict.fromkeys(QUESTIONS[:4], 1.0))
    return {
        "weights": weights,
        "intercept": model.intercept_.tolist() if model._multiclass else model.intercept_,
        "margin": list(margin.values()) if model._multiclass else margin,
        "top": [] if isinstance(model, FeatureHashing) else [[row.feature, row.weight] for row in model.top(20)],
        "seen": [model.n_seen_, model.record_.features_seen, model.record_.mistakes],
        "log_loss": round(model.log_loss_, 12),
        "classes": model.classes_.tolist(),
        "parameters": repr(model),
    }


def main() -> None:
    listing = FOLDER / f"v{VERSION}.json"
    said = json.loads(listing.read_text("utf-8")) if listing.exists() else {}
    for name, model in golden_models().items():
        path = FOLDER / f"v{VERSION}-{name}.wms"
        if path.exists():
            continue
        model.save(path, note={"golden": name})
        said[path.name] = answers(model)
    text = json.dumps(said, indent=1, ensure_ascii=False) + "\n"
    listing.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
