"""Golden model files still give the same answers, and the document that describes the format is correct."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import wmsketch
from tests.learners.test_model_file import document_and_arrays
from wmsketch.learners.saving.model_document import VERSION
from wmsketch.learners.saving.model_file import load_model, model_bytes, read_note

GOLDEN = Path(__file__).parents[1] / "golden"


def golden_answers() -> dict[str, Any]:
    return {
        name: said
        for listing in sorted(GOLDEN.glob("v*.json"))
        for name, said in json.loads(listing.read_text("utf-8")).items()
    }


@pytest.mark.parametrize("name", golden_answers())
def test_golden_files_still_give_the_same_answers(name: str) -> None:
    """The files were made by tests/golden/make_golden.py."""
    from tests.golden.make_golden import answers

    path = GOLDEN / name
    model = load_model(path)
    assert json.loads(json.dumps(answers(model))) == golden_answers()[name]
    note = read_note(path)
    assert note["golden"] in name
    if name.startswith(f"v{VERSION}-"):
        assert model_bytes(model, note) == path.read_bytes()


def test_no_golden_file_is_forgotten() -> None:
    assert {path.name for path in GOLDEN.glob("*.wms")} == set(golden_answers())
    classes = {type(load_model(GOLDEN / name)).__name__ for name in golden_answers()}
    assert len(classes) == 10
    assert all(path.stat().st_size < 10_000 for path in GOLDEN.glob("*.wms"))


def _read_by_the_document(name: str) -> tuple[dict[str, Any], Any, Any, Any]:
    document = (GOLDEN.parents[1] / "docs" / "model-file.md").read_text("utf-8")
    reader: dict[str, Any] = {}
    exec(document.split("```python\n")[1].split("```")[0], reader)  # our own text
    path = GOLDEN / f"v{VERSION}-{name}.wms"
    return reader, load_model(path), *reader["read_model"](path)


@pytest.mark.parametrize("name", ["awm-named", "awm-exact", "awm-heap-named", "awm-fitted"])
def test_the_reader_in_the_document_reads(name: str) -> None:
    reader, model, config, arrays = _read_by_the_document(name)
    for key in range(200):
        assert reader["awm_weight"](config, arrays, key) == pytest.approx(model.weight(key), abs=1e-7)
    for row in model.top(5):
        key = wmsketch._core.key_of(row.feature, config["name_seed"])
        assert reader["awm_weight"](config, arrays, key) == pytest.approx(row.weight, abs=1e-7)


@pytest.mark.parametrize("name", ["multiclass-named", "multiclass-plain", "multiclass-forgetting"])
def test_the_reader_in_the_document_reads_many_classes(name: str) -> None:
    reader, model, config, arrays = _read_by_the_document(name)
    texts, begin = [], 0
    for end in arrays["label_ends"]:
        texts.append(bytes(arrays["label_bytes"][begin:end]).decode())
        begin = end
    assert texts == model._many().labels
    key_of = partial(wmsketch._core.key_of, name_seed=config["name_seed"])
    label_keys = [key_of(text) for text in texts]
    for features in ({}, {2: 1.0, 7: -2.0, 30: 0.5}, {"word-1": 1.0, "naïve": 3.0, "never seen": 1.0}):
        row = {key_of(feature): value for feature, value in features.items()}
        expected = list(model.decision_function_one(features).values())
        constant = {key_of(""): 1.0} if config["fit_intercept"] else {}
        assert reader["class_scores"](config, arrays, label_keys, row | constant) == pytest.approx(expected, abs=1e-6)


def test_the_document_names_every_array_and_every_setting() -> None:
    document = (GOLDEN.parents[1] / "docs" / "model-file.md").read_text("utf-8")
    for name in golden_answers():
        said, arrays = document_and_arrays(GOLDEN / name)
        for word in [*said, *arrays, *(said["config"] or {}), *(said["labels"] or {}), *said["columns"]]:
            assert f"`{word}`" in document, word
