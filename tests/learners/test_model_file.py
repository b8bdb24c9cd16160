"""Model files: a saved model loads bit for bit, and a damaged file is rejected."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wmsketch
from tests.learners.small_models import SMALL_MODELS
from wmsketch import AWMSketch, CountMinFrequent, FeatureHashing, WMSketch
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.saving.model_file import load_model, model_bytes, read_note

RULES: dict[str, dict[str, Any]] = {
    "awm": {"seed": 3},
    "awm-exact": {"l1": 1e-3},
    "awm-plain": {"seed": 3},
    "wm": {"l2": 1e-2},
    "hashing": {"schedule": "invsqrt"},
    "dense": {"loss": "smoothed_hinge"},
    "probabilistic": {"seed": 2**64 - 1},
    "space-saving": {"class_weight": "balanced"},
    "count-min": {"class_weight": {False: 0.5, True: 2.0}},
}
MODELS: dict[str, Any] = {
    **{name: partial(make, **RULES.get(name, {})) for name, make in SMALL_MODELS.items()},
    "awm-tabulation": lambda: AWMSketch("8KiB", step="plain", eviction="drop", hash_family="tabulation"),
    "wm-averaged": lambda: WMSketch("4KiB", averaged=True, project=2.0, hash_family="polynomial"),
}


def rows(n: int, *, named: bool, seed: int = 0) -> tuple[list[dict[Any, float]], list[bool]]:
    draw = np.random.default_rng(seed)
    keys = draw.zipf(1.3, size=(n, 6)) % 300
    values = draw.normal(size=(n, 6))
    examples = [
        {(f"word-{key}é" if named else int(key)): float(value) for key, value in zip(*row, strict=True)}
        for row in zip(keys, values, strict=True)
    ]
    return examples, [bool(row[0] % 2) for row in keys]


def trained(make: Any, *, named: bool, n: int = 200) -> Any:
    model = make()
    model.learn_many(*rows(n, named=named))
    return model


@pytest.fixture(params=[(name, named) for name in MODELS for named in (False, True) if not (name == "dense" and named)])
def case(request: pytest.FixtureRequest) -> tuple[Any, bool]:
    name, named = request.param
    return MODELS[name], named


def test_a_saved_model_loads_unchanged(case: Any, tmp_path: Path) -> None:
    make, named = case
    model, path = trained(make, named=named), tmp_path / "model.wms"
    model.save(path)
    again = wmsketch.load(path)
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert again.intercept_ == model.intercept_
    assert repr(again.record_) == repr(model.record_)
    examples, _ = rows(100, named=named, seed=1)
    assert np.array_equal(again.predict_proba_many(examples), model.predict_proba_many(examples))
    if not isinstance(model, FeatureHashing):
        assert repr(again.top(50)) == repr(model.top(50))
    assert set(again.__dict__) == set(model.__dict__)
    assert model_bytes(again) == path.read_bytes()


def test_an_interrupted_run_gives_the_same_bytes(case: Any, tmp_path: Path) -> None:
    make, named = case
    first, second = rows(150, named=named), rows(150, named=named, seed=1)
    straight = make()
    straight.learn_many(*first)
    stopped = make()
    stopped.learn_many(*first)
    stopped.save(tmp_path / "model.wms")
    resumed = type(stopped).load(tmp_path / "model.wms")
    for model in (straight, resumed):
        model.learn_many(*second)
    assert model_bytes(resumed) == model_bytes(straight)


@pytest.mark.parametrize("name", MODELS)
def test_equal_models_give_equal_bytes_and_others_do_not(name: str) -> None:
    model, twin = (trained(MODELS[name], named=False) for _ in range(2))
    assert model_bytes(model) == model_bytes(twin) == model_bytes(copy.copy(model))
    twin.learn_one({1: 1.0}, True)
    assert model_bytes(model) != model_bytes(twin)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_has_learned_nothing_can_be_saved(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    model.save(tmp_path / "model.wms")
    again = wmsketch.load(tmp_path / "model.wms")
    assert again.get_params() == model.get_params()
    examples = rows(50, named=False)
    for one in (model, again):
        one.learn_many(*examples)
    assert model_bytes(again) == model_bytes(model)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ham", "spam!"] * 20),
        np.array(["ham", "spam!"] * 20, dtype=object),
        np.array([3, 7] * 20, dtype=np.int16),
        np.array([0.0, 1.0] * 20, dtype=np.float32),
        np.array([False, True] * 20),
        [-1, 1] * 20,
    ],
    ids=["str", "object", "int16", "float32", "bool", "list"],
)
def test_labels_and_columns_come_back(labels: Any, tmp_path: Path) -> None:
    import pandas

    data = pandas.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "ç"])
    model = AWMSketch("2KiB").fit(data, labels)
    model.save(tmp_path / "model.wms")
    again = AWMSketch.load(tmp_path / "model.wms")
    assert again.classes_.dtype == model.classes_.dtype
    assert np.array_equal(again.classes_, model.classes_)
    assert np.array_equal(again.predict(data), model.predict(data))
    assert list(again.feature_names_in_) == ["a", "b", "ç"]
    assert again.n_features_in_ == 3
    again.partial_fit(data, labels)
    assert model_bytes(again) == model_bytes(model.partial_fit(data, labels))


def test_labels_that_json_cannot_hold_are_refused_when_saving(tmp_path: Path) -> None:
    model = AWMSketch("2KiB").fit(np.eye(2), np.array(["2020", "2021"], dtype="datetime64[Y]"))
    with pytest.raises(ValueError, match="labels must be booleans, numbers or strings"):
        model.save(tmp_path / "model.wms")
    assert list(tmp_path.iterdir()) == []


# --- the note ---


def test_the_note_is_kept(tmp_path: Path) -> None:
    model, path = trained(MODELS["awm"], named=True), tmp_path / "model.wms"
    note = {"position": 2**40, "files": ["a.svm", "é"], "done": False, "0" * 64: '\\"checksum\\":\\"' + "0" * 64}
    model.save(path, note=note)
    assert read_note(path) == note
    wmsketch.load(path).save(path)
    assert read_note(path) == {}


def test_a_note_that_is_not_json_is_refused(tmp_path: Path) -> None:
    for note in ({"x": float("nan")}, {"x": object()}, {1: 2, "a": 3}):
        with pytest.raises(ValueError, match="note must be made of JSON values"):
            MODELS["awm"]().save(tmp_path / "model.wms", note=note)


# --- what is refused ---


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "small.wms"
    model = AWMSketch(depth=1, width=8, active_set_size=16, name_bytes=80)
    model.learn_many([{"a": 1.0, "b": -1.0}, {"b": 1.0}] * 6, [True, False] * 6)
    model.save(path, note={"rows": 2})
    return path


def test_every_truncated_prefix_is_refused(small_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.wms"
    path.write_bytes(small_file.read_bytes() + b"\0")
    with pytest.raises(ValueError, match=r"cut\.wms: damaged"):
        load_model(path)
    with path.open("r+b") as file:
        file.truncate(small_file.stat().st_size)
        assert load_model(path).n_seen_ == 12
        for length in reversed(range(small_file.stat().st_size)):
            file.truncate(length)
            with pytest.raises(ValueError, match=r"cut\.wms: "):
                load_model(path)


def test_every_flipped_byte_is_refused(small_file: Path, tmp_path: Path) -> None:
    data, path = small_file.read_bytes(), tmp_path / "flipped.wms"
    path.write_bytes(data)
    with path.open("r+b", buffering=0) as file:
        for at, byte in enumerate(data):
            for mask in (0x01, 0x20, 0xFF):
                os.pwrite(file.fileno(), bytes([byte ^ mask]), at)
                with pytest.raises(ValueError, match=r"flipped\.wms: "):
                    load_model(path)
            os.pwrite(file.fileno(), bytes([byte]), at)
    assert load_model(path).n_seen_ == 12


def document_and_arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"]["wmsketch"]), safetensors.numpy.load(data)


def write_with_checksum(path: Path, document: Any, arrays: dict[str, Any]) -> None:
    """Write a file with a correct checksum and any content."""
    text = json.dumps({**document, "checksum": "0" * 64}, sort_keys=True, separators=(",", ":"))
    data = bytearray(safetensors.numpy.save(arrays, {"wmsketch": text}))
    at = data.index(b"0" * 64)
    data[at : at + 64] = hashlib.sha256(data).hexdigest().encode()
    path.write_bytes(data)


def test_write_with_checksum_writes_what_the_library_writes(small_file: Path, tmp_path: Path) -> None:
    write_with_checksum(tmp_path / "same.wms", *document_and_arrays(small_file))
    assert (tmp_path / "same.wms").read_bytes() == small_file.read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 4}, r"written by a newer wmsketch \(format 4, this one reads 3\)"),
        ({"version": 2}, "expected the format version 3, got 2"),
        ({"version": True}, "expected the format version 3, got True"),
        ({"format": "another"}, "not a wmsketch model"),
        ({"class": "Unheard"}, "holds a model of the class 'Unheard', which this wmsketch does not know"),
        ({"class": "load"}, "does not know"),
        ({"class": "WMSketch"}, "the kind of a WMSketch must be wm, got 'awm'|unexpected keyword"),
        ({"labels": None}, "config and labels must both be there"),
        ({"config": {}}, "the kind of a AWMSketch must be awm"),
        ({"extra": 1}, "expected the keys"),
        ({"parameters": {"width": 0}}, "width must be at least 1, got 0"),
        ({"columns": {"n_features_in": -1}}, "n_features_in must be a number of columns, got -1"),
    ],
)
def test_a_document_that_is_not_ours_is_refused(changes: Any, message: str, small_file: Path, tmp_path: Path) -> None:
    document, arrays = document_and_arrays(small_file)
    write_with_checksum(tmp_path / "odd.wms", {**document, **changes}, arrays)
    with pytest.raises(ValueError, match=message):
        load_model(tmp_path / "odd.wms")


@pytest.mark.parametrize(
    "sizes",
    [
        {"width": 2**31},
        {"active_set_size": 2**28},
        {"name_bytes": 2**32 - 1},
        {"width": 16},
        {"active_set_size": 32, "name_bytes": 160},
    ],
)
def test_a_config_of_other_sizes_is_refused_before_memory_is_taken(
    sizes: dict[str, int], small_file: Path, tmp_path: Path
) -> None:
    document, arrays = document_and_arrays(small_file)
    document["config"].update(sizes)
    write_with_checksum(tmp_path / "odd.wms", document, arrays)
    with pytest.raises(ValueError, match=r"cannot stand in a file|entries, but the model has"):
        load_model(tmp_path / "odd.wms")


def test_a_polynomial_hash_cannot_ask_for_gigabytes(small_file: Path, tmp_path: Path) -> None:
    document, arrays = document_and_arrays(small_file)
    document["config"].update(hash_family="polynomial", independence=2**32 - 1)
    write_with_checksum(tmp_path / "odd.wms", document, arrays)
    with pytest.raises(ValueError, match="cannot stand in a file"):
        load_model(tmp_path / "odd.wms")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda arrays: arrays.pop("cells"),
        lambda arrays: arrays.update(cells=arrays["cells"].astype(np.float64)),
        lambda arrays: arrays.update(cells=arrays["cells"].reshape(2, 4)),
        lambda arrays: arrays["unit_of_squares"].__setitem__(0, np.inf),
        lambda arrays: arrays["active_slots"].__setitem__(0, 0x7F800000),
        lambda arrays: arrays["scale"].__setitem__(0, 0.0),
        lambda arrays: arrays["name_ends"].__setitem__(0, 2**63),
        lambda arrays: arrays.update(unheard=np.zeros(1)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(spoil: Any, small_file: Path, tmp_path: Path) -> None:
    document, arrays = document_and_arrays(small_file)
    spoil(arrays)
    write_with_checksum(tmp_path / "odd.wms", document, arrays)
    with pytest.raises(ValueError, match=r"odd\.wms: "):
        load_model(tmp_path / "odd.wms")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_document_loads_or_is_a_value_error(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.wms"
    model = CountMinFrequent(depth=2, width=8, active_set_size=4, class_weight={False: 1, True: 2})
    model.fit(np.eye(4), [0, 1, 0, 1])
    model.save(path)
    document, arrays = document_and_arrays(path)
    inside: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(inside)))
        if not isinstance(inside[key], dict) or not inside[key] or data.draw(st.booleans()):
            break
        inside = inside[key]
    inside[key] = data.draw(JSON_VALUES)
    assume(inside is not document or key != "checksum")  # it is written anew below
    write_with_checksum(path, document, arrays)
    try:
        loaded = load_model(path)
    except ValueError as problem:
        assert "fuzzed.wms: " in str(problem)
    else:
        loaded.save(path)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    text = '{\\"checksum\\":\\"' + "0" * 64 + '\\",\\"note\\":' + "[" * 200_000 + "}"
    header = ('{"__metadata__":{"wmsketch":"' + text + '"}}').encode()
    data = bytearray(len(header).to_bytes(8, "little") + header)
    at = data.index(b"0" * 64)
    data[at : at + 64] = hashlib.sha256(data).hexdigest().encode()
    (tmp_path / "deep.wms").write_bytes(data)
    with pytest.raises(ValueError, match=r"deep\.wms: "):
        load_model(tmp_path / "deep.wms")


def test_a_file_of_another_class_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.wms"
    trained(MODELS["wm"], named=False).save(path)
    with pytest.raises(ValueError, match=r"model\.wms: holds a model of the class WMSketch, expected AWMSketch"):
        AWMSketch.load(path)
    assert isinstance(OnlineClassifier.load(path), WMSketch)


@pytest.mark.parametrize("content", [b"", b"\0", b"hello\n" * 99, b"\x80\x04\x95", os.urandom(500)])
def test_garbage_is_not_a_model(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "garbage").write_bytes(content)
    for read in (load_model, read_note):
        with pytest.raises(ValueError, match="garbage: not a wmsketch model"):
            read(tmp_path / "garbage")


def test_a_safetensors_file_of_others_is_not_a_model(tmp_path: Path) -> None:
    safetensors.numpy.save_file({"cells": np.zeros(8)}, tmp_path / "other.safetensors", {"a": "b"})
    with pytest.raises(ValueError, match="not a wmsketch model"):
        load_model(tmp_path / "other.safetensors")


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)
    model = MODELS["awm"]()
    with pytest.raises(IsADirectoryError, match="the model was not saved"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="the model was not saved"):
        model.save(tmp_path / "no" / "such" / "folder.wms")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [0, 1])
def test_a_large_undecided_model_is_saved(rows: int, tmp_path: Path) -> None:
    model = AWMSketch("256MiB")
    model.learn_many([{"a": 1.0}] * rows, [True] * rows)
    model.save(tmp_path / "m.wms")
    again = load_model(tmp_path / "m.wms", AWMSketch)
    assert (tmp_path / "m.wms").stat().st_size < 10_000 and model_bytes(again) == model_bytes(model)
