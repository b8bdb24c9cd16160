"""Files with a correct checksum and wrong numbers are rejected, or the model works."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from tests.fuzz.model_files import GOLDEN, sealed
from wmsketch import AWMSketch, Diff, MulticlassAWMSketch, load
from wmsketch.learners.saving.model_file import model_bytes

MOST = 2**64 - 1
COUNTERS = ("n_seen", "n_positive", "features_seen", "mistakes", "recent_examples", "recent_positive")


def resealed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with changed arrays and a matching checksum."""
    arrays = {name: array.copy() for name, array in safetensors.numpy.load(data).items()}
    change(arrays)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return sealed(safetensors.numpy.save(arrays, header["__metadata__"]))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_any_number_that_is_not_finite_is_rejected(golden: Path, tmp_path: Path) -> None:
    data, path = golden.read_bytes(), tmp_path / "model.wms"
    arrays = safetensors.numpy.load(data)
    accepted = []
    for name, array in arrays.items():
        for value in (np.nan, np.inf, -np.inf) if array.dtype.kind == "f" and array.size else ():
            for place in {0, array.size - 1}:

                def change(state: dict[str, Any], name: str = name, place: int = place, value: float = value) -> None:
                    state[name][place] = value

                path.write_bytes(resealed(data, change))
                try:
                    load(path)
                except ValueError:
                    continue
                accepted.append((name, place, value))
    no_time_yet = [
        (name, 0, -np.inf) for name in ("time", "time_ahead", "example_time", "example_time_ahead", "schema_time")
    ]
    missing = [entry for entry in accepted if entry[0] == "held_number_values" and np.isnan(entry[2])]
    assert [entry for entry in accepted if entry not in no_time_yet + missing] == []


def texts_of_golden_files() -> list[tuple[Path, str]]:
    found = [(path, name) for path in GOLDEN for name in ("name_bytes", "label_bytes")]
    return [
        (path, name)
        for path, name in found
        if name in (arrays := safetensors.numpy.load_file(path)) and arrays[name].size
    ]


@pytest.mark.parametrize(("golden", "array"), texts_of_golden_files(), ids=lambda value: getattr(value, "stem", value))
def test_names_that_are_not_utf8_are_refused(golden: Path, array: str, tmp_path: Path) -> None:
    data, path = golden.read_bytes(), tmp_path / "model.wms"

    def change(state: dict[str, Any]) -> None:
        state[array][0] = 0xFF

    path.write_bytes(resealed(data, change))
    with pytest.raises(ValueError, match="a name is not UTF-8"):
        load(path)


@pytest.mark.parametrize("learn", ["one by one", "one feature each", "merge"])
def test_counters_saturate(learn: str, tmp_path: Path) -> None:
    path = tmp_path / "model.wms"
    model = AWMSketch("2KiB")
    model.learn_many([{"a": 1.0}, {"b": 1.0}] * 5, [True, False] * 5)

    def change(state: dict[str, Any]) -> None:
        for name in COUNTERS:
            state[name][0] = float(MOST) if state[name].dtype.kind == "f" else MOST

    path.write_bytes(resealed(model_bytes(model), change))
    full = load(path)
    if learn == "one by one":
        full.learn_one({"a": 1.0, "b": 2.0}, False)
    elif learn == "one feature each":
        full.learn_many([{"a": 1.0}] * 100, [False] * 100)
    else:
        full.merge(load(path))
    assert full.n_seen_ == MOST
    full.save(path)
    assert load(path).n_seen_ == MOST


def test_counters_of_many_classes_saturate(tmp_path: Path) -> None:
    path = tmp_path / "model.wms"
    model = MulticlassAWMSketch("8KiB", max_classes=4)
    model.learn_many([{"a": 1.0}, {"b": 1.0}] * 5, ["x", "y"] * 5)

    def change(state: dict[str, Any]) -> None:
        for name in ("examples_seen", "example_features_seen", "examples_scored"):
            state[name][0] = MOST
        state["class_counts"][:] = [MOST - 7, 7]

    path.write_bytes(resealed(model_bytes(model), change))
    full = load(path)
    full.learn_many([{"a": 1.0}, {"b": 1.0}], ["x", "y"])
    full.merge(load(path))
    full.save(path)
    assert load(path).n_seen_ == MOST


@pytest.mark.parametrize(
    ("array", "value", "rule"),
    [("tags", 7, "two cells of a bucket have one tag"), ("tags", 0, "a cell without an owner is not empty")],
)
def test_impossible_tags_are_rejected(array: str, value: int, rule: str, tmp_path: Path) -> None:
    model, path = AWMSketch("1KiB"), tmp_path / "model.wms"
    model.learn_many([dict.fromkeys(range(first, first + 20), 1.0) for first in range(500)], [True, False] * 250)

    def change(state: dict[str, Any]) -> None:
        assert state["cells"][:8].any()
        state[array][:8] = value

    path.write_bytes(resealed(model_bytes(model), change))
    with pytest.raises(ValueError, match=rule):
        load(path)


def test_a_bound_beyond_a_float_is_rejected(tmp_path: Path) -> None:
    """Such a Diff was loaded, but the file that it then saved was not."""
    diff, path = Diff("4KiB", weighted=True), tmp_path / "diff.wms"
    diff.learn_many(["tea"], ["milk"])

    def change(state: dict[str, Any]) -> None:
        state["slot_amounts"][2] = 1e300

    path.write_bytes(resealed(model_bytes(diff), change))
    with pytest.raises(ValueError, match="an amount of an item is negative or too large"):
        load(path)
