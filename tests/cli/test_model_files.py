"""Model files on the command line: never overwritten by mistake, and validated when loaded."""

import json
from pathlib import Path

import pytest

from tests.fuzz.model_files import sealed
from wmsketch import load


@pytest.fixture
def model(run, data, tmp_path):
    path = tmp_path / "events.wms"
    assert run("train", data / "events.svm", "--budget", "4KiB", "--save", path).exit_code == 0
    return path


@pytest.mark.parametrize("way", ["same", "link", "hard link"])
def test_predictions_do_not_go_over_the_model_or_an_input(run, data, tmp_path, model, way):
    before, output, rows = model.read_bytes(), model, tmp_path / "rows.svm"
    rows.write_bytes((data / "more.svm").read_bytes())
    if way == "link":
        (output := tmp_path / "link").symlink_to(model)
    elif way == "hard link":
        (output := tmp_path / "link").hardlink_to(model)
    result = run("predict", rows, "--model", model, "--output", output)
    assert result.exit_code == 2
    assert "is the model and would be overwritten" in result.stderr
    assert model.read_bytes() == before
    result = run("predict", tmp_path / "*.svm", "--model", model, "--output", rows)
    assert result.exit_code == 2
    assert "is an input and would be overwritten" in result.stderr
    assert rows.read_bytes() == (data / "more.svm").read_bytes()


def test_a_place_that_nothing_can_be_saved_to_is_noticed_before_training(run, data):
    result = run("train", data / "events.svm", "--save", "/proc/model.wms")
    assert result.exit_code == 1
    assert "/proc/model.wms: a model cannot be saved here:" in result.stderr
    assert result.stdout == ""  # nothing was learned


def _with_note(path: Path, change) -> None:
    """The file with another note and a matching checksum."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    document = json.loads(header["__metadata__"]["wmsketch"])
    change(document["note"])
    text = json.dumps({**document, "checksum": "0" * 64}, sort_keys=True, separators=(",", ":"))
    header = {"__metadata__": {"wmsketch": text}, **{k: v for k, v in header.items() if k != "__metadata__"}}
    new = json.dumps(header, separators=(",", ":")).encode()
    new += b" " * (-len(new) % 8)
    path.write_bytes(sealed(len(new).to_bytes(8, "little") + new + data[end:]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda note: note.update(reader=[]), "reader must be an object"),
        (lambda note: note["reader"].update(format=3), "reader.format must be a text"),
        (lambda note: note["reader"].update(ngrams=-1), "reader.ngrams must be a whole number of at least 1"),
        (lambda note: note["reader"].update(na="-"), "reader.na must be a list of texts"),
        (lambda note: note["reader"].update(chunk_bytes=2**40), "reader.chunk_bytes is no option of a reader"),
        (lambda note: note["training"].update(inputs=[{}]), "training.inputs must be a list of names and sizes"),
        (lambda note: note["training"].update(passes=0), "training.passes must be a whole number of at least 1"),
        (
            lambda note: note["training"]["position"].update(rows=-5),
            "training.position.rows must be a whole number of at least 0",
        ),
        (lambda note: note["training"]["position"].pop("file"), "training lacks position.file"),
        (lambda note: note["training"].pop("holdout"), "training lacks holdout"),
        (
            lambda note: note["training"].update(shuffle=0),
            "training.shuffle must be a whole number of at least 1, or null",
        ),
        (lambda note: note["training"].update(rejected={"first": 3}), "training.rejected.first must be a text"),
    ],
)
@pytest.mark.parametrize("command", ["resume", "predict"])
def test_a_damaged_note_is_refused_by_name(run, data, model, command, change, message):
    _with_note(model, change)
    if command == "resume":
        result = run("train", data / "events.svm", "--resume", model)
    else:
        result = run("predict", data / "events.svm", "--model", model)
    assert result.exit_code == 1, result.output
    assert f"{model}: the note of the model is damaged: " in result.stderr
    assert message in result.stderr


def test_a_model_that_cannot_be_loaded_again_leaves_the_old_file(run, data, model, monkeypatch):
    from wmsketch.learners.saving import model_file

    before = model.read_bytes()
    monkeypatch.setattr(model_file, "model_of", lambda *_: (_ for _ in ()).throw(ValueError("a weight is not finite")))
    result = run("train", data / "events.svm", "--budget", "4KiB", "--save", model)
    assert result.exit_code == 1
    assert "the model was not saved, because it could not be loaded again" in result.stderr
    assert "online error" in result.stdout  # the report is still printed
    monkeypatch.undo()
    assert model.read_bytes() == before
    assert load(model).n_seen_ == 3000
