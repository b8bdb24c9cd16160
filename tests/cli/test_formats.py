"""Every format on the command line: the same rows give the same result."""

import json
import os
import random
import subprocess
import sys

import pytest

ROWS = [
    (
        random.Random(i).choice(["Rome", "Oslo"] if i % 2 else ["Paris", "Oslo"]),
        round(random.Random(i).random(), 2),
        i % 2,
    )
    for i in range(400)
]


def _write(folder, name: str):
    path = folder / name
    if name == "rows.csv":
        path.write_text("city;price;sold\n" + "".join(f"{city};{price};{sold}\n" for city, price, sold in ROWS))
    elif name == "rows.tsv":
        path.write_text("city\tprice\tsold\n" + "".join(f"{city}\t{price}\t{sold}\n" for city, price, sold in ROWS))
    elif name == "rows.jsonl":
        rows = ({"city": city, "price": price, "sold": bool(sold)} for city, price, sold in ROWS)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif name == "rows.vw":
        lines = (f"{sold or -1} | city={city} price:{price}\n" for city, price, sold in ROWS)
        path.write_text("".join(lines))
    else:
        arrow = pytest.importorskip("pyarrow")
        city, price, sold = zip(*ROWS, strict=True)
        table = arrow.table({"city": city, "price": price, "sold": [bool(each) for each in sold]})
        if name == "rows.parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            with pytest.importorskip("pyarrow.ipc").new_file(path, table.schema) as file:
                file.write_table(table)
    return path


@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv", "rows.jsonl", "rows.vw", "rows.parquet", "rows.arrow"])
def test_names_come_out(run, tmp_path, name):
    label = [] if name == "rows.vw" else ["--label", "sold"]
    save = ["--save", tmp_path / "m.wms"]
    result = run("train", _write(tmp_path, name), *label, "--json", "--passes", 2, *save)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    weights = {row["feature"]: row["weight"] for row in report["top"]}
    assert report["examples"] == 400  # each is counted once
    assert weights["city=Rome"] > 1 and weights["city=Paris"] < -1 and "price" in weights
    why = run("predict", tmp_path / name, "--model", tmp_path / "m.wms", "--why", 1, "--json").stdout.splitlines()
    assert len(why) == 400 and isinstance(json.loads(why[0])["why"][0]["feature"], str)


def test_running_text_with_ngrams(run, tmp_path):
    rows = ["very good,1", "not good,0"] * 100
    (tmp_path / "reviews.csv").write_text("review,liked\n" + "\n".join(rows) + "\n")
    options = ["--label", "liked", "--text", "review", "--ngrams", 2]
    result = run("train", tmp_path / "reviews.csv", *options, "--json")
    weights = {row["feature"]: row["weight"] for row in json.loads(result.stdout)["top"]}
    assert weights["review=very"] > 0 > weights["review=not"]
    assert any("not" in name and "good" in name for name in weights)


def test_names_from_data_cannot_play_with_the_terminal(run, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"city": "\\u001b[31mRed\\n", "y": true}\n{"city": "Köln", "y": false}\n')
    table = run("train", tmp_path / "rows.jsonl", "--label", "y", "--save", tmp_path / "m.wms").stdout
    assert "\x1b" not in table and "city=\\x1b[31mRed\\n" in table and "city=Köln" in table
    why = run("predict", tmp_path / "rows.jsonl", "--model", tmp_path / "m.wms", "--why", 1).stdout
    assert len(why.splitlines()) == 2


def test_a_terminal_without_unicode(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"city": "Köln", "y": true}\n{"city": "Rom", "y": false}\n')
    command = [sys.executable, "-m", "wmsketch", "train", str(tmp_path / "rows.jsonl"), "--label", "y"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, check=False)
    assert done.returncode == 0 and "city=Köln".encode("latin-1") in done.stdout  # the bars of the table are escaped


@pytest.mark.parametrize("command", ["train", "predict"])
def test_an_input_is_never_written_over(run, data, tmp_path, command):
    file, model = tmp_path / "events.svm", tmp_path / "m.wms"
    file.write_bytes((data / "events.svm").read_bytes())
    run("train", file, "--save", model)
    options = ["--save", file] if command == "train" else ["--model", model, "--output", file]
    result = run(command, file, *options)
    assert result.exit_code == 2 and "would be overwritten" in result.stderr
    assert file.read_bytes() == (data / "events.svm").read_bytes()
