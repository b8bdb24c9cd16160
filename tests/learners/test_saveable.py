"""Every saveable object supports files, open files, bytes, pickles and copies in the same way."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

import wmsketch
from tests.learners.test_model_file import document_and_arrays
from wmsketch import AWMSketch, CountMin, CountSketch, MulticlassAWMSketch, PairedCountMin, SpaceSaving
from wmsketch.learners.saving.model_document import model_of
from wmsketch.learners.saving.saveable import Saveable

COUNTERS = {
    "CountMin": lambda: CountMin("4KiB", seed=3),
    "conservative": lambda: CountMin("4KiB", conservative=True, hash_family="polynomial"),
    "CountSketch": lambda: CountSketch("4KiB"),
    "PairedCountMin": lambda: PairedCountMin("4KiB", smoothing=0.5),
    "SpaceSaving": lambda: SpaceSaving("2KiB"),
    "without keys": lambda: CountMin(depth=2, width=16, top_size=0),
}
WORDS = [f"wörd {key}" for key in (np.random.default_rng(1).zipf(1.3, 2000) % 500)]


def counted(name: str):
    counter = COUNTERS[name]()
    counter.update_many(WORDS, **({"a": 1} if name == "PairedCountMin" else {}))
    return counter


@pytest.mark.parametrize("name", COUNTERS)
def test_a_counter_is_loaded_from_a_file_and_continues(name: str, tmp_path) -> None:
    counter = counted(name)
    counter.save(tmp_path / "c.wms", note={"rows": 2000})
    again = wmsketch.load(tmp_path / "c.wms")
    assert type(again) is type(counter)
    assert wmsketch.read_note(tmp_path / "c.wms") == {"rows": 2000}
    assert repr(again) == repr(counter)
    assert again.top(1000) == counter.top(1000)
    assert again.to_bytes() == counter.to_bytes()
    for each in (again, counter):
        each.update("one more")
    assert again.to_bytes() == counter.to_bytes()


@pytest.mark.parametrize("name", COUNTERS)
def test_bytes_open_files_pickles_and_copies_are_the_same_counter(name: str) -> None:
    counter = counted(name)
    file = io.BytesIO()
    counter.save(file)
    twins = [
        type(counter).from_bytes(counter.to_bytes()),
        type(counter).load(io.BytesIO(file.getvalue())),
        pickle.loads(pickle.dumps(counter)),
        copy.copy(counter),
        copy.deepcopy(counter),
        counter.copy(),
    ]
    assert {twin.to_bytes() for twin in twins} == {counter.to_bytes()}


def test_a_learner_as_bytes_and_in_an_open_file() -> None:
    model = AWMSketch("4KiB")
    model.learn_one({"spam": 1.0}, True)
    file = io.BytesIO()
    model.save(file, note={"rows": 1})
    assert file.getvalue() == model.to_bytes(note={"rows": 1})
    file.seek(0)
    assert wmsketch.read_note(file) == {"rows": 1}
    assert AWMSketch.from_bytes(file.getvalue()).weight("spam") == model.weight("spam")
    assert model.copy().to_bytes() == model.to_bytes()


def test_a_file_of_another_class_is_refused_by_name() -> None:
    data = CountMin("4KiB").to_bytes()
    with pytest.raises(ValueError, match="the bytes: holds a model of the class CountMin, expected AWMSketch"):
        AWMSketch.from_bytes(data)
    with pytest.raises(ValueError, match="expected CountSketch"):
        CountSketch.from_bytes(data)
    with pytest.raises(ValueError, match="not a wmsketch model"):
        CountSketch.from_bytes(b"no")


@pytest.mark.parametrize("name", ["CountMin", "CountSketch", "PairedCountMin", "SpaceSaving"])
def test_the_document_of_a_counter_is_validated(name: str, tmp_path) -> None:
    counted(name).save(tmp_path / "c.wms")
    document, arrays = document_and_arrays(tmp_path / "c.wms")

    def refused(document, arrays) -> None:
        with pytest.raises((ValueError, TypeError)):
            model_of(document, arrays, 5000, Saveable)

    for key in arrays:
        refused(document, {other: array for other, array in arrays.items() if other != key})
        refused(document, {**arrays, key: arrays[key][:-1]})
        refused(document, {**arrays, key: arrays[key].astype(np.float32)})
    refused(document, {**arrays, "more": arrays["total" if "total" in arrays else "total_a"]})
    refused(document, {**arrays, "name_bytes": np.full_like(arrays["name_bytes"], 0xFF)})
    refused(document, {**arrays, "name_ends": arrays["name_ends"][::-1].copy()})
    for parameter, wrong in [("name_bytes", 3), ("depth", 65), ("width", 2**31), ("capacity", 2**24), ("seed", -1)]:
        if parameter in document["parameters"]:
            refused({**document, "parameters": {**document["parameters"], parameter: wrong}}, arrays)
    refused({**document, "parameters": {**document["parameters"], "other": 1}}, arrays)
    refused({**document, "parameters": {}}, arrays)
    refused({**document, "class": "load"}, arrays)


def test_every_public_class_of_models_can_be_saved() -> None:
    assert issubclass(MulticlassAWMSketch, Saveable)
    for name in ("CountMin", "CountSketch", "PairedCountMin", "SpaceSaving"):
        assert issubclass(getattr(wmsketch, name), Saveable)
