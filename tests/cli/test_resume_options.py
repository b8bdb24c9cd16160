"""What may change when a training is resumed, and what is never taken from a model file."""

from pathlib import Path

import pytest

from wmsketch import load
from wmsketch.learners.saving.model_file import read_note

OPTIONS = ["--label", "sold", "--positive", "yes", "--ignore", "id", "--budget", "4KiB", "--seed", 3]
OPTIONS += ["--shuffle", 0, "--passes", 1]


def _poisoned(data: Path, folder: Path) -> Path:
    """Sales with a row that cannot be read in the middle, and another near the end."""
    lines = (data / "sales.csv").read_text().splitlines()
    lines[700:700] = ["Rome,0.5"]
    lines[1400:1400] = ["Oslo,0.5,1,yes,,,"]
    path = folder / "sales.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_model_file_names_no_file_to_write(run, data, tmp_path):
    victim, save = tmp_path / "victim.txt", tmp_path / "m.wms"
    victim.write_text("precious\n")
    assert run("train", "-", *OPTIONS, "--save", save, input=(data / "sales.csv").read_bytes()).exit_code == 0
    model, note = load(save), read_note(save)
    note["reader"] |= {"rejects": str(victim), "bad_rows": "skip"}
    note["training"]["rejected"] = {"bad_rows": 1, "missing_labels": 0, "file_bytes": 0, "first": "x"}
    model.save(save, note=note)
    text = (data / "sales.csv").read_bytes() + b"Rome,0.5\n"
    result = run("train", "-", "--resume", save, input=text)
    assert result.exit_code == 0, result.output
    assert victim.read_text() == "precious\n"
    assert "rejects" not in read_note(save)["reader"]
    merged = tmp_path / "merged.wms"
    parts = [tmp_path / "one.wms", tmp_path / "other.wms"]
    for part in parts:
        model.save(part, note=note)
        model.learn_one({"city": "Rome"}, "yes")  # two models of the same bytes are not merged
    assert run("merge", *parts, "--output", merged).exit_code == 0
    assert "rejects" not in read_note(merged)["reader"]


def test_a_poisoned_row_can_be_skipped_on_resume(run, data, tmp_path):
    bad, save, whole, dead = (_poisoned(data, tmp_path), *(tmp_path / name for name in ("m.wms", "w.wms", "dead.txt")))
    stopped = run("train", bad, *OPTIONS, "--bad-rows", "stop", "--save", save)
    assert stopped.exit_code == 1 and "--bad-rows skip" in stopped.stderr
    resumed = run("train", bad, "--resume", save, "--bad-rows", "skip", "--rejects", dead, "--top", 3, "--quiet")
    assert resumed.exit_code == 0, resumed.output
    assert [line.split("\t")[-1] for line in dead.read_text().splitlines()] == ["Rome,0.5", "Oslo,0.5,1,yes,,,"]
    run("train", bad, *OPTIONS, "--save", whole, "--bad-rows", "skip")
    assert load(save).n_seen_ == load(whole).n_seen_ == 1500
    assert load(save).top(50) == load(whole).top(50)


def test_rows_that_were_skipped_cannot_stop_a_resumed_run(run, data, tmp_path):
    bad, save = _poisoned(data, tmp_path), tmp_path / "m.wms"
    run("train", bad, *OPTIONS, "--save", save, "--bad-rows", "skip")
    result = run("train", bad, "--resume", save, "--bad-rows", "stop")
    assert result.exit_code == 2 and "cannot change" in result.stderr


@pytest.mark.parametrize("left", [0, 1, 30, 1000])
def test_a_rejects_file_is_completed_never_cut(run, data, tmp_path, left):
    """After a kill the file may lack rows, end within a row, or have rows after the checkpoint."""
    bad, save, dead = _poisoned(data, tmp_path), tmp_path / "m.wms", tmp_path / "dead.txt"
    run("train", bad, *OPTIONS, "--save", save, "--bad-rows", "skip", "--rejects", dead)
    whole = dead.read_bytes()
    model, note = load(save), read_note(save)
    note["training"]["rejected"]["file_bytes"] = 0
    note["training"]["position"] |= {"rows": 1, "file_rows": 1}  # a checkpoint near the beginning
    note["training"]["rejected"] |= {"bad_rows": 0}
    model.save(save, note=note)
    dead.write_bytes(whole[:left])
    result = run("train", bad, "--resume", save, "--rejects", dead)
    assert result.exit_code == 0, result.output
    assert dead.read_bytes() == whole
    dead.write_bytes(b"from elsewhere")
    model.save(save, note=note)
    assert run("train", bad, "--resume", save, "--rejects", dead).exit_code == 0
    assert dead.read_bytes() == b"from elsewhere\n" + whole


@pytest.mark.parametrize("resumed", [False, True])
def test_a_model_replaces_only_a_model(run, data, tmp_path, resumed):
    save, other = tmp_path / "m.wms", tmp_path / "r.txt"
    other.write_text("rows that were skipped\n")
    more = ["--resume", save] if resumed else []
    run("train", data / "events.svm", "--save", save)
    result = run("train", data / "events.svm", *more, "--save", other)
    assert result.exit_code == 1 and "something else than a model" in result.stderr
    assert other.read_text() == "rows that were skipped\n"
    other.write_text("")
    assert run("train", data / "events.svm", *more, "--save", other).exit_code == 0
    assert run("train", data / "events.svm", *more, "--save", other).exit_code == 0
