"""Names, labels, values and file names from elsewhere control no terminal, no plot and no page."""

import re
from pathlib import Path
from xml.dom.minidom import parseString

import pytest

import wmsketch
from wmsketch import load
from wmsketch.learners.saving.model_file import read_note

EVIL = "\x1b[2J\u202e\x9b\x7f"
DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A table whose column names, values, labels and file name have escape sequences."""
    path = tmp_path / f"sales{EVIL}.csv"
    rows = [
        f'"{"Rome" + EVIL if i % 3 else "Oslo"}",{i % 7},"{"yes" if (i % 3 > 0) ^ (i % 7 == 0) else "no"}{EVIL}"'
        for i in range(300)
    ]
    path.write_text("\n".join([f'"city{EVIL}","price{EVIL}","sold{EVIL}"', *rows]) + "\n", newline="")
    return path


def test_no_command_lets_them_through(run, evil, tmp_path):
    save, label, positive = tmp_path / f"m{EVIL}.wms", f"sold{EVIL}", f"yes{EVIL}"
    bad = tmp_path / f"bad{EVIL}.csv"
    bad.write_text(evil.read_text() + "x\n")
    commands = [
        ("train", evil, "--label", label, "--positive", positive, "--shuffle", 0, "--passes", 1, "--save", save),
        ("train", evil, "--label", label, "--method", "multiclass"),
        ("train", bad, "--label", label, "--positive", positive),
        ("train", bad, "--label", label, "--positive", positive, "--bad-rows", "skip"),
        ("train", evil, "--label", f"none{EVIL}"),
        ("train", evil, "--label", label, "--positive", f"none{EVIL}"),
        ("train", tmp_path / f"none{EVIL}", "--label", label),
        ("train", bad, "--resume", save),
        ("train", evil, "--resume", save, "--passes", 2),
        ("top", save),
        ("inspect", save),
        ("inspect", evil),
        ("predict", evil, "--model", save, "--why", 3),
        ("predict", evil, "--model", save, "--json"),
        ("merge", save, evil, "--output", tmp_path / "x.wms"),
        ("explain", evil, "--outlier", f"'price{EVIL}'>3"),
        ("explain", evil, "--outlier", f"'price{EVIL}'>p90"),
        ("explain", evil, "--label", label, "--positive", positive),
        ("explain", evil, "--label", label),
        ("explain", evil, "--metric", f"sum('price{EVIL}')", "--test", f"'city{EVIL}'==Oslo"),
        ("diff", evil, evil, "--every", "1s"),
        ("pmi", evil),
        (f"none{EVIL}",),
    ]
    for command in commands:
        result = run(*command)
        assert not DANGEROUS.search(result.output), (command, result.output)
        assert result.output, command
    assert load(save).n_seen_ == 300


def test_a_note_of_a_model_file_controls_no_terminal(run, evil, tmp_path):
    save = tmp_path / "m.wms"
    run("train", evil, "--label", f"sold{EVIL}", "--positive", f"yes{EVIL}", "--save", save)
    note = read_note(save)
    note["training"]["inputs"][0]["name"] = f"other{EVIL}"
    load(save).save(save, note=note)
    result = run("train", evil, "--resume", save)
    assert result.exit_code == 1 and "other" in result.stderr and not DANGEROUS.search(result.output)


def test_json_stays_json(run, evil):
    import json

    result = run("explain", evil, "--label", f"sold{EVIL}", "--positive", f"yes{EVIL}", "--json")
    assert result.exit_code == 0, result.output
    assert any(f"city{EVIL}" in row["attributes"] for row in json.loads(result.stdout)["rows"])


def test_pages_and_plots_are_valid(run, tmp_path):
    table, page, plot = tmp_path / "t.csv", tmp_path / "page.html", tmp_path / "plot.svg"
    rows = [f"{'Rome' if i % 3 else 'Oslo'}\x1b,{(i % 3 > 0) ^ (i % 7 == 0)}" for i in range(300)]
    table.write_text("\n".join(["city\u202e,sold", *rows]) + "\n")
    result = run("explain", table, "--label", "sold", "--report", page, "--plot", plot)
    assert result.exit_code == 0, result.output
    assert not DANGEROUS.search(page.read_text()) and not DANGEROUS.search(plot.read_text())
    parseString(plot.read_text())


def test_drawing_is_the_only_other_way_to_a_terminal():
    for path in Path(wmsketch.__file__).parent.rglob("*.py"):
        for made in re.findall(r"\bConsole\(.*", path.read_text()):
            assert ">>>" in path.read_text() or "file=" in made, f"{path}: {made}"
        if path.name not in ("answer_table.py", "watch.py"):  # these escape what they draw
            assert not re.search(r"\bText\(", path.read_text()), path
