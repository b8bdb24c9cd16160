"""Predict: order, formats, reasons."""

import json
import math

import pytest

from wmsketch import load


@pytest.fixture
def model(run, data, tmp_path):
    path = tmp_path / "events.wms"
    assert run("train", data / "events.svm", "--budget", "8KiB", "--save", path).exit_code == 0
    return path


def test_a_line_for_each_row_in_order(run, data, model):
    result = run("predict", data / "more.svm", "--model", model)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert len(lines) == 2000
    loaded = load(model)
    for line, row in zip(lines, (data / "more.svm").read_text().splitlines(), strict=True):
        features = {int(part.split(":")[0]): 1.0 for part in row.split()[1:]}
        chance = loaded.predict_proba_one(features)[1]
        assert float(line[1]) == pytest.approx(chance, rel=1e-4)
        assert line[0] == ("1" if chance >= 0.5 else "-1")
    assert "2,000 rows: error" in result.stderr


def test_proba_and_label_only(run, data, model):
    both = run("predict", data / "more.svm", "--model", model).stdout.splitlines()
    assert run("predict", data / "more.svm", "--model", model, "--proba").stdout.splitlines() == [
        line.split("\t")[1] for line in both
    ]
    assert set(run("predict", data / "more.svm", "--model", model, "--label-only").stdout.split()) == {"1", "-1"}
    assert run("predict", data / "more.svm", "--model", model, "--label-only", "--proba").exit_code == 2


def test_the_model_may_stand_among_the_files(run, data, model):
    expected = run("predict", data / "more.svm", "--model", model).stdout
    assert run("predict", model, data / "more.svm").stdout == expected
    assert run("predict", data / "more.svm", model).stdout == expected


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("more.svm",), "give the model's file by --model"),
        (("MODEL",), "give FILES with rows to predict"),
        (("MODEL", "MODEL", "more.svm"), "give one model, and files with rows"),
    ],
)
def test_a_missing_file_is_asked_for(run, data, model, files, message):
    result = run("predict", *(model if file == "MODEL" else data / file for file in files))
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_model_is_not_read_as_rows(run, model):
    result = run("train", model)
    assert result.exit_code == 1
    assert f"{model}: expected rows, found a model file" in result.stderr


def test_reasons_add_up_to_the_margin(run, data, model):
    result = run("predict", data / "more.svm", "--model", model, "--why", 100, "--json")
    intercept = load(model).intercept_
    for line in result.stdout.splitlines():
        record = json.loads(line)
        assert set(record) == {"label", "probability", "margin", "why"}
        assert set(record["why"][0]) == {"feature", "value", "weight", "contribution"}
        total = intercept + math.fsum(each["contribution"] for each in record["why"])
        assert total == pytest.approx(record["margin"], abs=1e-5)


def test_reasons_are_the_largest_and_have_names(run, data, tmp_path):
    options = ["--label", "sold", "--positive", "yes", "--ignore", "id"]
    run("train", data / "sales.csv", *options, "--save", tmp_path / "m.wms")
    (tmp_path / "new.csv").write_text("city,price,id\nRome,0.5,1\n")
    # the model remembers how columns were read, and the label may be missing
    result = run("predict", tmp_path / "new.csv", "--model", tmp_path / "m.wms", "--why", 1, "--json")
    assert json.loads(result.stdout)["why"][0]["feature"] == "city=Rome"
    assert json.loads(result.stdout)["label"] == "yes"
    text = run("predict", tmp_path / "new.csv", "--model", tmp_path / "m.wms", "--why", 1).stdout
    assert text.split("\t")[2].startswith("city=Rome:+")


def test_output_to_a_file(run, data, model, tmp_path):
    result = run("predict", data / "more.svm", "--model", model, "--output", tmp_path / "out.tsv", "--quiet")
    assert (result.stdout, result.stderr) == ("", "")
    assert len((tmp_path / "out.tsv").read_text().splitlines()) == 2000


def test_names_and_numbers_are_not_mixed_up(run, data, model):
    result = run("predict", data / "sales.csv", "--model", model, "--label", "sold", "--positive", "yes")
    assert result.exit_code == 1 and "come by name, but the model knows its own by number" in result.stderr
