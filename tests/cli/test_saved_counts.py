"""--save of explain, diff and pmi; show prints the same answer again, also of merged files; predict --resume."""

import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Two tables of requests, of which one host is slow in the second."""
    paths = []
    for day in (0, 1):
        draw = np.random.default_rng(day)
        rows = [f"{h},{'up' if draw.random() < 0.5 else 'down'},{draw.integers(0, 200) + 300 * (h == 'c' and day)}"
                for h in draw.choice(list("abc" if day else "aab"), 600)]  # fmt: skip
        paths.append(tmp_path / f"day{day}.csv")
        paths[-1].write_text("host,way,ms\n" + "\n".join(rows) + "\n")
    return paths


def questions(a: Path, b: Path) -> dict[str, list[str]]:
    return {
        "explain": ["explain", str(b), "--outlier", "ms>150"],
        "diff": ["diff", str(a), str(b), "--items", "host,way"],
        "pmi": ["pmi", str(a), "--items", "host", "--min-count", "1"],
    }


@pytest.mark.parametrize("command", ["explain", "diff", "pmi"])
def test_show_prints_the_answer_of_the_command(run, tables, tmp_path, command):
    saved = tmp_path / "counts.wms"
    asked = questions(*tables)[command]
    done = run(*asked, "--save", str(saved))
    assert done.exit_code == 0, done.stderr
    assert f"saved to {saved}" in done.stderr
    shown = run("show", str(saved))
    assert shown.exit_code == 0 and shown.stdout == done.stdout
    again = json.loads(run("show", str(saved), "--json").stdout)
    wanted = json.loads(run(*asked, "--json").stdout)
    assert len(again["rows"]) > 0 and again["rows"] == wanted["rows"]
    different = {name for name in wanted if again.get(name) != wanted[name]}
    assert different <= {"seconds", "rejected_rows"}
    merged, part = tmp_path / "both.wms", tmp_path / "part.wms"
    for table in tables:
        table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    run(*asked, "--save", str(part))
    run("merge", str(saved), str(part), "--output", str(merged))
    assert run("show", str(merged), "--top", "1").exit_code == 0


def test_merged_parts_of_a_comparison_keep_the_names_of_its_sides(run, tables, tmp_path):
    parts = [tmp_path / "1.wms", tmp_path / "2.wms"]
    for table, part in zip(tables, parts, strict=True):
        run("diff", str(table), "--split", "way", "--a", "up", "--b", "down", "--save", str(part))
    run("merge", *map(str, parts), "--output", str(tmp_path / "both.wms"))
    assert "way=up: " in run("show", str(tmp_path / "both.wms")).stdout


def test_a_saved_file_never_replaces_anything_else(run, tables, tmp_path):
    asked = questions(*tables)["explain"]
    other = tmp_path / "letter.txt"
    other.write_text("dear")
    for path in (other, tables[1]):
        refused = run(*asked, "--save", str(path))
        assert refused.exit_code != 0
    assert other.read_text() == "dear" and tables[1].read_text().startswith("host,way")
    assert (
        "--exact cannot be combined" in run(*questions(*tables)["pmi"], "--exact", "--save", str(tmp_path / "x")).stderr
    )


def test_commands_for_models_name_the_command_for_counts(run, tables, tmp_path):
    saved = tmp_path / "counts.wms"
    run(*questions(*tables)["diff"], "--save", str(saved))
    for command in (["inspect", saved], ["top", saved], ["predict", saved, tables[0]]):
        failed = run(*map(str, command))
        assert failed.exit_code == 1
        assert f"the file holds counts, not a model; type: wmsketch show {saved}" in failed.stderr


def test_show_of_a_model_names_the_command_for_it(run, tables, tmp_path):
    model = tmp_path / "m.wms"
    run("train", str(tables[0]), "--label", "way", "--save", str(model))
    shown = run("show", str(model))
    assert shown.exit_code == 1 and f"wmsketch top {model}" in shown.stderr


@pytest.mark.parametrize("extra", [[], ["--json"], ["--proba"]])
def test_predict_resumes_after_its_last_whole_line(run, tables, tmp_path, extra):
    model, whole, part = tmp_path / "m.wms", tmp_path / "whole.txt", tmp_path / "part.txt"
    run("train", str(tables[0]), "--label", "way", "--save", str(model))
    asked = ["predict", str(tables[1]), str(tables[0]), "--model", str(model), *extra]
    assert run(*asked, "--output", str(whole)).exit_code == 0
    data = whole.read_bytes()
    for cut in (0, 1, len(data) // 3, len(data) - 1, len(data)):
        part.write_bytes(data[:cut])
        assert run(*asked, "--output", str(part), "--resume").exit_code == 0
        assert part.read_bytes() == data
    part.write_bytes(data + data)
    refused = run(*asked, "--output", str(part), "--resume")
    assert refused.exit_code == 1 and "it is not of this input" in refused.stderr
    assert part.read_bytes() == data + data
    assert "--resume needs --output FILE" in run(*asked, "--resume").stderr


def test_predict_resumes_only_its_own_lines(run, data, tmp_path):
    model, save = tmp_path / "m.wms", tmp_path / "out.txt"
    run("train", data / "sales.csv", "--label", "sold", "--save", model)
    predict = ["predict", data / "sales.csv", "--model", model, "--output", save]
    run(*predict)
    whole = save.read_bytes()
    lines = whole.splitlines(keepends=True)
    for left in (b"", lines[0][:2], lines[0], whole[:5000], b"".join(lines[:1024]), whole[:-1], whole):
        save.write_bytes(left)
        result = run(*predict, "--resume")
        assert result.exit_code == 0 and save.read_bytes() == whole, result.output
    for other in (
        b"precious",
        b"precious\n",
        lines[0] + b"precious",
        whole[:5000] + b"\xff\n",
        lines[0] + lines[0][:-2] + b"x\n",
    ):
        save.write_bytes(other)
        result = run(*predict, "--resume")
        assert result.exit_code == 1 and "is not what this model predicts for row" in result.stderr, result.output
        assert save.read_bytes() == other
    for more in (whole + whole, whole + lines[0][:3]):
        save.write_bytes(more)
        result = run(*predict, "--resume")
        assert result.exit_code == 1 and "it is not of this input" in result.stderr, result.output
        assert save.read_bytes() == more
    save.write_bytes(whole[:5000])
    assert run(*predict, "--resume", "--proba").exit_code == 1 and save.read_bytes() == whole[:5000]
