"""Small faults that were found by attack, each mended."""

import json
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.fuzz.model_files import _joined, _parts, _tensors, sealed
from wmsketch import PMI, AWMSketch, Diff
from wmsketch.readers.sources.address import Address


@pytest.mark.parametrize("option", ["--save", "--rejects", "--resume", "--start-from"])
def test_an_empty_file_name_is_refused(run, data, option):
    result = run("train", data / "events.svm", option, "")
    assert result.exit_code == 2 and "must be a file, got an empty name" in result.stderr


def test_inspect_makes_no_huge_model(tmp_path):
    model, path = AWMSketch("4KiB"), tmp_path / "m.wms"
    model.learn_one({"city": "Rome"}, True)
    model.save(path)
    header, document, arrays = _parts(path.read_bytes())
    document["config"]["width"] = 1 << 31
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    path.write_bytes(sealed(_joined({"__metadata__": {"wmsketch": text}, **_tensors(header)}, arrays)))
    most = 4 << 30
    shown = subprocess.run(
        [sys.executable, "-m", "wmsketch", "inspect", str(path), "--json"],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["examples"] == 1


def test_inspect_shows_a_model_that_waits_for_rows(run, tmp_path):
    model, path = AWMSketch("4KiB"), tmp_path / "m.wms"
    model.learn_one({"city": "Rome"}, True)
    model.save(path)
    result = run("inspect", path)
    assert result.exit_code == 0 and "takes its memory" in result.stdout


def test_an_interrupt_while_a_row_is_read_stays_one():
    class Interrupted:
        def __float__(self):
            raise KeyboardInterrupt

    for row in ({"a": Interrupted()}, {7: Interrupted()}):
        with pytest.raises(KeyboardInterrupt):
            AWMSketch("4KiB").learn_one(row, True)


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be", "utf-16"])
def test_utf_32_is_not_taken_for_utf_16(run, tmp_path, encoding):
    path: Path = tmp_path / "a.csv"
    path.write_bytes(("\ufeff" * encoding.endswith("be") + "a,b\n" + "1,0\n2,1\n" * 20).encode(encoding))
    result = run("train", path, "--label", "b")
    assert result.exit_code == 0 and "40 examples" in result.stdout, result.output


def test_a_database_of_redis_is_a_number():
    with pytest.raises(ValueError, match="db must be a number in an address, got 'x'"):
        _ = Address("redis://h/s?db=x").source


@pytest.mark.parametrize(
    "command", [("train", "--label", "y"), ("explain", "--label", "y"), ("diff", "a.csv"), ("pmi", "--text", "x")]
)
def test_an_unknown_encoding_is_named(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("y,x\n1,2\n0,3\n")
    result = run(*command, "a.csv", "--encoding", "nope")
    assert result.exit_code == 2 and "--encoding must be a name like cp1252 or utf-16, got nope" in result.stderr


def test_a_zip_archive_with_a_damaged_list_of_files_is_named(run, tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a,y\n1,0\n2,1\n")
    path.write_bytes(path.read_bytes().replace(b"PK\x01\x02", b"PK\x01\x03"))
    result = run("train", path, "--label", "y")
    assert result.exit_code == 1 and f"{path}: damaged zip archive" in result.stderr


def test_methods_are_compared_on_a_few_rows(run, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("y,x\n1,2\n0,3\n1,4\n")
    result = run("compare", path, "--label", "y", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["examples"] == 3 and len(document["rows"]) > 3


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"])
def test_an_encoding_without_a_mark_is_recognised(run, tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(("city,sold\n" + "Rome,0\nOslo,1\n" * 20).encode(encoding))
    result = run("train", path, "--label", "sold")
    assert result.exit_code == 0 and "40 examples" in result.stdout, result.output
    assert f"read as {encoding}" in result.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda model: model.save(""), "path must be a file, got an empty name"),
        (lambda model: model.save(None), "path must be a path or an open binary file, got None"),
        (lambda model: AWMSketch.load(3), "path must be a path or an open binary file, got 3"),
        (lambda model: AWMSketch.from_bytes(None), "data must be bytes, got NoneType"),
        (lambda model: model.to_bytes(1), "note must be a dict of JSON values, got 1"),
        (lambda model: PMI(seed="x"), "seed must be an integer, got 'x'"),
        (lambda model: PMI(seed=-1), "seed must be at least 0, got -1"),
        (lambda model: model.learn_file("a.csv", delimiter=5), "delimiter must be one ASCII character, got 5"),
    ],
)
def test_a_wrong_argument_is_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call(AWMSketch("4KiB"))


@pytest.mark.parametrize("counts", [Diff, PMI])
def test_a_budget_beyond_all_memory_is_refused(counts):
    with pytest.raises(ValueError, match="budget must be at most 68719476736 bytes"):
        counts(budget="9999999TiB")


@pytest.mark.parametrize("command", [("explain", "--label", "sold"), ("pmi", "--text", "city")])
def test_what_was_counted_before_a_bad_row_is_answered_and_saved(run, tmp_path, command):
    """As diff does: a file that ends in the middle loses the rest, not the answer."""
    rows = "city,sold\n" + "Rome big,1\nOslo big,0\nRome big,1\n" * 20_000
    save = tmp_path / "counts.wms"
    options = [*command[1:], "--format", "csv", "--bad-rows", "stop", "--save", save]
    result = run(command[0], "-", *options, input=(rows + "Rome\n").encode())
    assert result.exit_code == 1 and "the result covers the first" in result.stderr, result.output
    assert "rome" in result.stdout.lower() and run("show", save).stdout
