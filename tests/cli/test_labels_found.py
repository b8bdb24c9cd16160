"""Labels that `train` finds by itself: two values are two classes, more are many; rows without one are left out."""

import json

import pandas as pd
import pytest

from wmsketch import load
from wmsketch.apps import Explainer


def table(path, labels, odd=""):
    rows = [f"{'Rome' if i % 2 else 'Oslo'},{i * 7 % 13},{labels[i % len(labels)]}" for i in range(240)]
    path.write_text("\n".join(["city,price,kind", *rows, *([odd] if odd else [])]) + "\n")
    return path


@pytest.mark.parametrize(
    "labels, positive",
    [("no yes", "yes"), ("1 2", "2"), ("9 10", "10"), ("-2 -1", "-1"), ("0 1", "1"), ("b a", "b"), ("F T", "T"),
     ("false true", "true"), ("0.5 1.5", "1.5")],
)  # fmt: skip
def test_two_values_are_two_classes_in_the_order_of_scikit_learn(run, tmp_path, labels, positive):
    file = table(tmp_path / "a.csv", labels.split())
    result = run("train", file, "--label", "kind", "--json", "--save", tmp_path / "m.wms")
    report = json.loads(result.stdout)
    assert report["positive"] == positive and {report["positive"], report["negative"]} == set(labels.split())
    predicted = run("predict", file, "--model", tmp_path / "m.wms", "--label-only").stdout.splitlines()
    assert predicted == [labels.split()[i % 2] for i in range(240)]  # the city decides
    other = report["negative"]
    turned = json.loads(run("train", file, "--label", "kind", "--positive", other, "--json").stdout)
    assert (turned["positive"], turned["negative"]) == (other, positive)


def test_the_answer_says_which_label_is_positive(run, tmp_path):
    result = run("train", table(tmp_path / "a.csv", ["no", "yes"]), "--label", "kind")
    assert "positive label yes in 120 rows, negative label no in 120" in result.stdout
    assert "'yes' is the positive label, 'no' the negative one (--positive no reverses them)" in result.stderr


def test_more_values_are_many_classes(run, tmp_path):
    file = table(tmp_path / "a.csv", ["a", "b", "c"])
    result = run("train", file, "--label", "kind", "--json", "--save", tmp_path / "m.wms")
    report = json.loads(result.stdout)
    assert report["method"] == "multiclass" and report["classes"] == 3
    assert any("the label has 3 values" in note for note in report["notes"])
    assert set(load(tmp_path / "m.wms").classes_) == {"a", "b", "c"}


def test_a_measured_number_is_no_label(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("city,price\n" + "".join(f"Rome,{i}.5\n" for i in range(300)))
    result = run("train", path, "--label", "price")
    assert result.exit_code == 1
    assert "more than 100 different values" in result.stderr
    assert result.stderr.endswith(f"wmsketch explain {path} --outlier 'price>p90'\n")


@pytest.mark.parametrize("word", ["", "NA", "NaN", "null", "None", "#N/A"])
def test_rows_without_a_label_are_left_out_and_predicted_all_the_same(run, tmp_path, word):
    file = table(tmp_path / "a.csv", ["no", "yes"], f"Rome,3,{word}")
    result = run("train", file, "--label", "kind", "--json", "--save", tmp_path / "m.wms")
    report = json.loads(result.stdout)
    assert report["examples"] == 240 and report["rejected_rows"] == 1
    assert "1 row without a label was skipped" in result.stderr
    predicted = run("predict", file, "--model", tmp_path / "m.wms")
    assert len(predicted.stdout.splitlines()) == 241 and "241 rows, 240 with a label: error 0.00%" in predicted.stderr


def test_sorted_labels_are_shuffled(run, tmp_path):
    rows = [f"{i * 37 % 10},{i * 11 % 7},{'no' if i < 300 else 'yes'}" for i in range(600)]
    (tmp_path / "a.csv").write_text("\n".join(["x,y,kind", *rows]) + "\n")
    run("train", tmp_path / "a.csv", "--label", "kind", "--save", tmp_path / "m.wms")
    told = run("predict", tmp_path / "a.csv", "--model", tmp_path / "m.wms").stderr
    error = float(told.split("error ")[1].split("%")[0])
    assert error <= 53  # nothing is to be learned, but the last label is not always predicted
    stream = run("train", tmp_path / "a.csv", "--label", "kind", "--shuffle", 0, "--passes", 1)
    assert "labels are sorted or come in long runs" in stream.stderr


def test_a_list_may_be_given_in_parts(run, tmp_path):
    file = table(tmp_path / "a.csv", ["no", "yes"])
    options = ["--ignore", "city", "--ignore", "price"]
    result = run("train", file, "--label", "kind", *options, "--json", "--save", tmp_path / "m.wms")
    assert json.loads(result.stdout)["params"]["schema"]["ignore"] == ["city", "price"]


def test_one_label_is_nothing_to_tell_apart(run, tmp_path):
    result = run("train", table(tmp_path / "a.csv", ["yes"]), "--label", "kind")
    assert result.exit_code == 1
    assert "the label 'kind' is 'yes' in every row that has one" in result.stderr and "--positive yes" in result.stderr
    assert run("train", table(tmp_path / "a.csv", ["yes"]), "--label", "kind", "--positive", "yes").exit_code == 0


def test_labels_of_windows_text_behind_a_title_are_found(run, tmp_path):
    path = tmp_path / "verkauf.csv"
    rows = "".join(f"{i * 7 % 90},{'schön' if i % 3 else 'übel'},{i % 5}\n" for i in range(200))
    path.write_bytes(f"Verkäufe für Müller\n\npreis,güte,menge\n{rows}".encode("cp1252"))
    result = run("train", path, "--label", "güte", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["examples"], told["positive"], told["negative"]) == (200, "übel", "schön")


@pytest.mark.parametrize("end", ["csv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize("labels, positive", [("no yes", "yes"), ("1 2", "2"), ("F T", "T")])
def test_explain_chooses_outliers_as_train_chooses_the_positive_label(run, tmp_path, end, labels, positive):
    frame = pd.read_csv(table(tmp_path / "a.csv", labels.split(), "Rome,3,"))
    path = tmp_path / f"b.{end}"
    write = {"csv": frame.to_csv, "parquet": frame.to_parquet}.get(end)
    write(path, index=False) if write else frame.to_json(path, orient="records", lines=end == "jsonl")
    result = run("explain", path, "--label", "kind", "--json")
    answer = json.loads(result.stdout)
    assert (answer["examples"], answer["outliers"]) == (240, 120)
    assert answer["rows"][0]["attributes"] == {"city": "Rome"}
    other = labels.split()[0]
    assert any(f"marks the outliers, '{other}" in note and f"--positive {other}" in note for note in answer["notes"])
    assert "1 row without a label was skipped" in result.stderr
    turned = json.loads(run("explain", path, "--label", "kind", "--positive", other, "--json").stdout)
    assert turned["rows"][0]["attributes"] == {"city": "Oslo"}


def test_the_rarer_label_marks_outliers(run, tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("host,end\n" + "a,ok\nb,ok\nc,ok\n" * 60 + "a,failed\n" * 30)
    result = run("explain", path, "--label", "end", "--json")
    answer = json.loads(result.stdout)
    assert (answer["outliers"], answer["rows"][0]["attributes"]) == (30, {"host": "a"})
    assert any("--positive ok reverses" in note for note in answer["notes"])
    assert "the rarer label 'failed'" in result.stdout


def test_of_two_labels_as_frequent_none_is_called_rarer(run, tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("host,end\n" + "a,no\nb,yes\n" * 60)
    notes = json.loads(run("explain", path, "--label", "end", "--json").stdout)["notes"]
    assert any(note.startswith("the label 'yes' marks the outliers") for note in notes)


def test_compare_chooses_the_positive_label_as_train_does(run, tmp_path):
    path = table(tmp_path / "a.csv", ["no", "yes"], "Rome,3,")
    result = run("compare", path, "--label", "kind", "--methods", "awm,lr", "--budgets", "2KiB", "--seeds", 1, "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["examples"], answer["positives"]) == (240, 120)
    assert any("'yes' is the positive label" in note for note in answer["notes"])


def test_explain_cannot_choose_from_three_labels_or_one(run, tmp_path):
    result = run("explain", table(tmp_path / "a.csv", ["a", "b", "c"]), "--label", "kind")
    assert result.exit_code == 1 and "has more than two values, like a, b, c" in result.stderr
    assert "--positive VALUE" in result.stderr
    result = run("explain", table(tmp_path / "a.csv", ["yes"]), "--label", "kind")
    assert result.exit_code == 1 and "the label 'kind' is 'yes' in every row that has one" in result.stderr


@pytest.mark.parametrize("as_dicts", [False, True])
def test_explainers_choose_the_positive_label_of_frames_and_dicts(tmp_path, as_dicts):
    frame = pd.read_csv(table(tmp_path / "a.csv", ["no", "yes"], "Rome,3,"))
    explainer = Explainer(label="kind")
    with pytest.warns(UserWarning, match="1 row without a label left out"):
        explainer.learn_many(frame.to_dict("records") if as_dicts else frame)
    assert (explainer.positive, explainer.examples, explainer.outliers) == ("yes", 240, 120)
    assert explainer.top(1)[0].attributes == {"city": "Rome"}
