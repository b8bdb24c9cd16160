"""Errors for a new user: one line on stderr, status 1 for data and 2 for usage, no traceback."""

import gzip
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from wmsketch import load


def _fails(result, status: int, *words: str) -> None:
    assert result.exit_code == status, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("wmsketch: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr
    assert "Traceback" not in result.stderr


def test_missing_file(run, tmp_path):
    _fails(run("train", tmp_path / "nope.svm"), 1, "nope.svm: no such file")
    _fails(run("top", tmp_path / "nope.wms"), 1, "nope.wms: no such file")
    _fails(run("train", tmp_path / "*.svm"), 1, "*.svm: no file matches")


def test_a_folder_is_no_file(run, tmp_path):
    _fails(run("train", tmp_path), 1, "expected a file, found a folder")


def test_binary_file(run, tmp_path):
    (tmp_path / "photo.svm").write_bytes(bytes(range(256)) * 20)
    _fails(run("train", tmp_path / "photo.svm"), 1, "photo.svm:1:", "expected a label")
    (tmp_path / "photo").write_bytes(bytes(range(256)) * 20)
    _fails(run("train", tmp_path / "photo"), 1, "photo: expected text in UTF-8", "found binary data")


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("twice.csv", b"a,a,y\n1,2,1\n", "the column 'a.2' is a later column with the name 'a'"),
        ("wide.csv", "a,y\n1,1\n".encode("utf-16"), "is not UTF-8 but read as utf-16"),
        ("array.json", b'[{"a": 1, "y": 1}]\n', ""),
        ("pretty.json", b'{\n  "a": 1,\n  "y": 1\n}\n', ""),
    ],
)
def test_an_unusual_first_line_is_read(run, tmp_path, name, content, note):
    (tmp_path / name).write_bytes(content)
    result = run("train", tmp_path / name, "--label", "y")
    assert result.exit_code == 0 and "1 examples" in result.stdout and note in result.stderr


def test_a_row_of_another_length_far_down(run, tmp_path):
    rows = "Rome,1\nOslo,0\n" * 500_000
    (tmp_path / "long.csv").write_text(f"city,y\n{rows}Rome,1\nRome,1,1\nOslo,0\n")
    save = tmp_path / "m.wms"
    result = run("train", tmp_path / "long.csv", "--label", "y", "--bad-rows", "stop", "--shuffle", 0, "--save", save)
    _fails(result, 1, "long.csv:1000003:8: expected 2 columns, found 3", "the 1,000,001 rows before")
    assert load(save).n_seen_ == 1_000_001


def test_empty_file(run, tmp_path):
    (tmp_path / "empty.svm").touch()
    _fails(run("train", tmp_path / "empty.svm"), 1, "no examples found")
    _fails(run("compare", tmp_path / "empty.svm"), 1, "no examples found")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_standard_input(run, data, tmp_path, text):
    run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    for command in (["train"], ["compare"], ["predict", "--model", tmp_path / "m.wms"]):
        _fails(run(command[0], "-", *command[1:], input=text), 1, "wmsketch: stdin: no examples found")


def test_bad_line_names_its_place(run, tmp_path):
    (tmp_path / "bad.svm").write_text("1 3:1\n-1 4:1 5:x\n")
    _fails(run("train", tmp_path / "bad.svm"), 1, "bad.svm:2:10: ", 'found "x"')


def test_rows_before_a_bad_line_are_saved(run, data, tmp_path):
    good = (data / "events.svm").read_text()
    (tmp_path / "bad.svm").write_text(good + "1 3:oops\n")
    save = tmp_path / "m.wms"
    _fails(run("train", tmp_path / "bad.svm", "--save", save), 1, "bad.svm:3001:5", "the 3,000 rows before", str(save))
    assert load(save).n_seen_ == 3000


def test_a_failed_run_leaves_a_model_as_it_was(run, data, tmp_path):
    good = (data / "events.svm").read_text()
    (tmp_path / "good.svm").write_text(good)
    (tmp_path / "bad.svm").write_text(good + "1 3:oops\n")
    save = tmp_path / "m.wms"
    assert run("train", tmp_path / "good.svm", "--save", save).exit_code == 0
    before = save.read_bytes()
    failed = run("train", tmp_path / "bad.svm", "--save", save)
    _fails(failed, 1, "the 3,000 rows before the error", f"saved to {save}.partial; {save} is unchanged")
    assert save.read_bytes() == before and load(f"{save}.partial").n_seen_ == 3000


def test_wrong_label_column_offers_near_ones(run, data):
    _fails(run("train", data / "sales.csv", "--label", "solt"), 1, "no column 'solt'", "did you mean 'sold'?")
    for command in ("train", "compare"):
        _fails(run(command, data / "sales.csv"), 1, "sales.csv: no labels to learn from", "--label", "the columns are ")
    _fails(run("explain", data / "sales.csv"), 2, "--outlier CONDITION or --label COLUMN", "the columns are ")


def test_a_file_without_a_header(run, tmp_path):
    path = tmp_path / "adult.data"
    path.write_text("39, Private, 77516, <=50K\n50, State-gov, 83311, >50K\n38, Private, 215646, <=50K\n" * 40)
    _fails(run("train", path, "--label", "3"), 1, "no column '3'", "'39', 'Private'", "no header", "--columns A,B")
    trained = run("train", path, "--label", "income", "--columns", "age,work,weight,income", "--json")
    assert trained.exit_code == 0 and {row["feature"] for row in json.loads(trained.stdout)["top"]} >= {"work=Private"}
    assert json.loads(trained.stdout)["positive"] == ">50K"  # a blank behind each delimiter is no part of a cell


def test_truncated_gzip(run, data, tmp_path):
    packed = gzip.compress((data / "events.svm").read_bytes())
    (tmp_path / "cut.svm.gz").write_bytes(packed[: len(packed) // 2])
    _fails(run("train", tmp_path / "cut.svm.gz"), 1, "cut.svm.gz", "truncated")
    (tmp_path / "fake.svm.gz").write_bytes(b"1 2:3\n")
    _fails(run("train", tmp_path / "fake.svm.gz"), 1, "expected gzip data")


def test_text_that_is_not_utf8(run, tmp_path):
    (tmp_path / "odd.csv").write_bytes(b"city,sold\nRoma,0\nM\xfcnchen,1\n")
    _fails(
        run("train", tmp_path / "odd.csv", "--label", "sold", "--bad-rows", "stop"),
        1,
        "odd.csv:3:2: expected text in UTF-8",
        "\\xfc",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--budget", "8KBB"], "budget must be a number of bytes"),
        (["--budget", "10"], "budget must be at least"),
        (["--l2", "-1"], "l2 must be at least 0"),
        (["--method", "hash", "--depth", "2"], "--depth cannot be used with --method hash"),
        (["--class-weight", "heavy"], "--class-weight"),
        (["--holdout", "-2"], "--holdout"),
        (["--passes", "0"], "--passes"),
        (["--checkpoint-every", "5"], "--checkpoint-every needs --save"),
        (["--label", "y"], "label cannot be used with libsvm input"),
        (["--bogus"], "--bogus"),
    ],
)
def test_bad_usage(run, data, options, words):
    _fails(run("train", data / "events.svm", *options), 2, words)


def test_words_as_labels_offer_the_option(run, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("city,sold\nRome,yes\nOslo,no\nBern,soon\n")
    result = run("compare", path, "--label", "sold")
    _fails(result, 1, "sales.csv:2:", "say which value is positive (--positive VALUE)")


def test_files_of_two_formats_are_not_read_as_one(run, data, tmp_path):
    (tmp_path / "sales.jsonl").write_text('{"city": "Rome", "sold": "yes"}\n')
    files = (data / "sales.csv", tmp_path / "sales.jsonl")
    result = run("train", *files, "--label", "sold", "--positive", "yes")
    _fails(result, 1, "sales.jsonl: expected csv, as before, found a name of jsonl")
    (tmp_path / "sales.txt").write_bytes((data / "sales.csv").read_bytes())
    same = run(
        "train", data / "sales.csv", tmp_path / "sales.txt", "--format", "csv", "--label", "sold", "--positive", "yes"
    )
    assert "3,000 examples" in same.stdout


def test_a_budget_too_small_for_names_is_bad_usage_and_no_row_is_blamed(run):
    result = run("train", "-", "--format", "csv", "--label", "sold", "--budget", "500", input="city,sold\nRome,1\n")
    _fails(result, 2, "wmsketch: --budget must be at least 752 bytes with names, got 500")


def test_a_holdout_of_all_rows_leaves_none_to_learn(run, data):
    result = run("train", data / "events.svm", "--holdout", "3000")
    _fails(result, 1, "--holdout 3000 holds out all 3,000 rows, so none is left to learn")


def test_standard_input_cannot_be_read_twice(run, data):
    _fails(run("train", "-", "--passes", 2, input="1 2:1\n"), 2, "give files, not a pipe")
    _fails(run("train", "-", "--holdout", 0.1, input="1 2:1\n"), 2, "give files, not a pipe")


def test_unknown_command_and_no_command(run):
    _fails(run("tran"), 2, "No such command 'tran'", "Did you mean train?")
    _fails(run("xyzzy"), 2, "No such command 'xyzzy'. (see")
    result = run()
    assert result.exit_code == 2 and result.stderr.startswith("Usage: wmsketch")


def test_where_nothing_can_be_saved(run, data, tmp_path):
    _fails(run("train", data / "events.svm", "--save", tmp_path / "none" / "m.wms"), 1, "does not exist")
    _fails(run("train", data / "events.svm", "--save", "/dev/null"), 1, "regular file")


def test_full_disk(data, tmp_path):
    save = tmp_path / "m.wms"
    command = [sys.executable, "-m", "wmsketch", "train", str(data / "events.svm"), "--save", str(save)]
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))}
    done = subprocess.run(command, capture_output=True, text=True, **limit)
    assert done.returncode == 1 and "m.wms: the model was not saved" in done.stderr and "Traceback" not in done.stderr
    assert "3,000 examples" in done.stdout  # the report is printed, because nothing can be saved
    assert list(tmp_path.iterdir()) == []
    save.write_text("what was there before")
    subprocess.run(command, capture_output=True, **limit)
    assert save.read_text() == "what was there before"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_full_disk_under_the_predictions(run, data, tmp_path):
    run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    result = run("predict", data / "events.svm", "--model", tmp_path / "m.wms", "--output", "/dev/full")
    _fails(result, 1, "/dev/full: no space left on device")


def test_damaged_and_newer_models(run, data, tmp_path):
    save = tmp_path / "m.wms"
    run("train", data / "events.svm", "--save", save)
    whole = save.read_bytes()
    for at in range(60, len(whole), 997):
        save.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        _fails(run("top", save), 1, "m.wms: ")
    save.write_bytes(whole[:-10])
    _fails(run("predict", data / "more.svm", "--model", save), 1, "m.wms: damaged or cut short")
    _fails(run("inspect", data / "events.svm"), 1, "not a wmsketch model")


def test_a_model_of_a_newer_version(run, data, tmp_path, monkeypatch):
    run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    model = load(tmp_path / "m.wms")
    with monkeypatch.context() as later:
        later.setattr("wmsketch.learners.saving.model_document.VERSION", 99)
        model.save(tmp_path / "new.wms")
    _fails(run("top", tmp_path / "new.wms"), 1, "new.wms: written by a newer wmsketch", "99")


def test_debug_shows_the_traceback(run, tmp_path):
    result = run("train", tmp_path / "nope.svm", "--debug")
    assert isinstance(result.exception, FileNotFoundError)
