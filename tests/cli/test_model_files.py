"""Model files on the command line: never overwritten by mistake, and validated when loaded."""

import json
from pathlib import Path

import pytest

from tests.fuzz.model_files import sealed
from wmsketch import load

GOLDEN = Path(__file__).parents[1] / "golden"


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
    assert f"{model}: the note beside the model is damaged: " in result.stderr
    assert message in result.stderr


OLD = {
    "named": True,
    "column_kinds": {"price": "number"},
    "seen_kinds": {},
    "number_scales": {"price": [3, 2.5, 1.0]},
    "labels": {"negative": "no", "positive": "yes", "several_negatives": False},
    "reader": {"label": "sold", "positive": "yes"},
}


@pytest.fixture
def old_model(tmp_path):
    """A file of format version 1, with the note that its command line wrote."""
    path = tmp_path / "old.wms"
    path.write_bytes((GOLDEN / "v1-awm-named.wms").read_bytes())
    _with_note(path, lambda note: note.update(OLD))
    return path


def test_the_note_of_the_first_format_becomes_the_schema(run, tmp_path, old_model):
    model = load(old_model)
    assert model.label_names_ == ("no", "yes", False)
    assert model.schema == {"label": "sold", "positive": "yes", "numbers": "scaled"}
    rows = tmp_path / "rows.csv"
    rows.write_text("price,sold\n2,yes\n9,no\n")
    result = run("predict", rows, "--model", old_model)
    assert result.exit_code == 0, result.output
    assert {line.split("\t")[0] for line in result.stdout.splitlines()} <= {"yes", "no"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reader": []}, "reader must be an object"),
        ({"named": "x"}, "named must be true, false or null"),
        ({"column_kinds": {"a": []}}, "column_kinds must be texts by column"),
        ({"seen_kinds": 3}, "seen_kinds must be texts by column"),
        ({"number_scales": {"price": [1]}}, "number_scales must be three numbers by column"),
        ({"number_scales": {"price": [1, 2, -3]}}, "number_scales must be three numbers by column"),
        ({"labels": {"other": "x"}}, "labels must be labels by their class"),
        ({"labels": {"negative": 3}}, "labels must be labels by their class"),
    ],
)
def test_a_damaged_note_of_the_first_format_is_refused_by_name(run, data, old_model, change, message):
    _with_note(old_model, lambda note: note.update(change))
    result = run("predict", data / "events.svm", "--model", old_model)
    assert result.exit_code == 1, result.output
    assert f"{old_model}: the note beside the model is damaged: {message}" in result.stderr
    with pytest.raises(ValueError, match="the note beside the model is damaged"):
        load(old_model)


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ({"label": 3}, "label must be the name of a column, got 3"),
        ({"ignore": "id"}, "ignore must be a list of names"),
        ({"ngrams": "2"}, "ngrams must be at least 1, got '2'"),
    ],
)
def test_rules_of_the_first_format_are_looked_at(old_model, reader, message):
    _with_note(old_model, lambda note: note.update(reader=reader))
    with pytest.raises(ValueError, match=message):
        load(old_model)


def test_a_model_that_cannot_be_loaded_again_leaves_the_old_file(run, data, model, monkeypatch):
    from wmsketch.learners import model_file

    before = model.read_bytes()
    monkeypatch.setattr(model_file, "model_of", lambda *_: (_ for _ in ()).throw(ValueError("a weight is not finite")))
    result = run("train", data / "events.svm", "--budget", "4KiB", "--save", model)
    assert result.exit_code == 1
    assert "the model was not saved, because it could not be loaded again" in result.stderr
    assert "online error" in result.stdout  # the report is still printed
    monkeypatch.undo()
    assert model.read_bytes() == before
    assert load(model).n_seen_ == 3000
