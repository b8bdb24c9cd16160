"""Many labels on the command line: train, predict, top, inspect, merge and resume."""

import json
import random
from pathlib import Path

import pandas
import pytest

from tests.cli.test_train import TRAIN_KEYS
from wmsketch import load

TOPICS = {"sport": "goal team win", "politics": "vote party win", "culture": "film art stage"}


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows as CSV, LIBSVM, VW and JSON Lines."""
    folder, draw = tmp_path_factory.mktemp("news"), random.Random(1)
    words = sorted({word for text in TOPICS.values() for word in text.split()} | {"the", "a", "of"})
    files: dict[str, list[str]] = {"csv": ["topic,body"], "svm": [], "vw": [], "jsonl": []}
    for _ in range(1200):
        topic = draw.choice(list(TOPICS))
        row = sorted(
            {draw.choice(TOPICS[topic].split() if draw.random() < 0.6 else ["the", "a", "of"]) for _ in "12345"}
        )
        number = list(TOPICS).index(topic) + 1
        files["csv"].append(f"{topic},{' '.join(row)}")
        files["svm"].append(f"{number} " + " ".join(f"{words.index(word)}:1" for word in row))
        files["vw"].append(f"{number} | " + " ".join(row))
        files["jsonl"].append(json.dumps({"topic": topic, "body": " ".join(row)}))
    for ending, lines in files.items():
        (folder / f"news.{ending}").write_text("\n".join(lines) + "\n")
    return folder


COLUMNS = ("--label", "topic", "--text", "body")


@pytest.mark.parametrize(
    ("ending", "options", "labels"),
    [("csv", COLUMNS, set(TOPICS)), ("jsonl", COLUMNS, set(TOPICS)), ("svm", (), {1, 2, 3}), ("vw", (), {1, 2, 3})],
)
def test_every_format_carries_many_labels(run, news, ending, options, labels):
    result = run("train", news / f"news.{ending}", *options, "--method", "multiclass", "--budget", "8KiB", "--json")
    report = json.loads(result.stdout)
    assert set(report) == TRAIN_KEYS | {"classes"}
    assert report["classes"] == 3 and report["examples"] == 1200 and report["method"] == "multiclass"
    assert report["error_rate"] < 0.15 and report["nbytes"] <= 8192
    assert {row["label"] for row in report["top"]} == labels
    assert set(report["top"][0]) == {"label", "feature", "weight", "low", "high"}


@pytest.fixture
def model(run, news, tmp_path) -> Path:
    path = tmp_path / "news.wms"
    result = run("train", news / "news.csv", *COLUMNS, "--method", "multiclass", "--budget", "8KiB", "--holdout", "0.2",
                 "--passes", 1, "--save", path)  # fmt: skip
    assert result.exit_code == 0 and "of 3 classes" in result.stdout and "held out 240 rows" in result.stdout
    return path


def test_predict_gives_the_likeliest_label_and_its_probability(run, news, model):
    result = run("predict", news / "news.csv", "--model", model)
    truth = [line.split(",")[0] for line in (news / "news.csv").read_text().splitlines()[1:]]
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert sum(label == right for (label, _), right in zip(rows, truth, strict=True)) > 1080
    assert all(1 / 3 <= float(chance) <= 1 for _, chance in rows)
    assert "1,200 rows: error" in result.stderr
    record = json.loads(run("predict", news / "news.csv", "--model", model, "--json").stdout.splitlines()[0])
    assert record["label"] in TOPICS and set(record) == {"label", "probability", "margin"}


def test_why_tells_what_spoke_for_the_label(run, news, model):
    lines = run("predict", news / "news.csv", "--model", model, "--why", "3", "--json").stdout.splitlines()
    learned = load(model)
    for line in lines[:50]:
        record = json.loads(line)
        assert set(record) == {"label", "probability", "margin", "why"} and len(record["why"]) <= 3
        for each in record["why"]:
            assert set(each) == {"feature", "value", "weight", "contribution"}
            assert each["weight"] == learned.weight(each["feature"], record["label"])
            assert each["contribution"] == each["value"] * each["weight"]
    whole = json.loads(
        run("predict", news / "news.csv", "--model", model, "--why", "99", "--json").stdout.split("\n")[0]
    )
    intercept = learned.intercept_[learned.classes_.tolist().index(whole["label"])]
    assert whole["margin"] == pytest.approx(intercept + sum(each["contribution"] for each in whole["why"]), abs=1e-6)
    label, _, first = (
        run("predict", news / "news.csv", "--model", model, "--why", "1").stdout.splitlines()[0].split("\t")
    )
    word, _, contribution = first.rpartition(":")
    assert word.removeprefix("body^").split("=")[-1] in TOPICS[label].split() and float(contribution) > 0


def test_a_half_life_in_examples_and_in_time(run, news, tmp_path):
    rows = (news / "news.csv").read_text().splitlines()
    timed = tmp_path / "timed.csv"
    timed.write_text("\n".join(["at," + rows[0], *(f"{60 * n},{row}" for n, row in enumerate(rows[1:]))]) + "\n")
    options = (*COLUMNS, "--method", "multiclass", "--budget", "8KiB", "--quiet", "--shuffle", 0, "--passes", 1)
    by_count, by_time, part = (tmp_path / f"{name}.wms" for name in ("count", "time", "part"))
    assert run("train", news / "news.csv", *options, "--half-life", "100", "--save", by_count).exit_code == 0
    hours = (*options, "--half-life", "1h", "--time", "at")
    assert run("train", timed, *hours, "--save", by_time).exit_code == 0
    assert load(by_time).half_life == "1h" and load(by_count).half_life == 100
    assert load(by_time).top(1)[0].weight != load(by_count).top(1)[0].weight
    first = tmp_path / "first.csv"
    first.write_text("\n".join(timed.read_text().splitlines()[:500]) + "\n")
    assert run("train", first, *hours, "--save", part).exit_code == 0
    again = run("merge", part, by_time, "--output", tmp_path / "merged.wms")
    assert again.exit_code == 0 and load(tmp_path / "merged.wms").n_seen_ == 1699


def test_top_has_a_column_for_the_label_and_can_ask_for_one(run, model):
    header, *rows, note = run("top", model).stdout.split("\n\n")[0].splitlines()
    assert note == "low to high: 95 % range, covers hash collisions only"
    assert header.split()[:3] == ["label", "feature", "weight"]
    assert {row.split()[0] for row in rows} == set(TOPICS)
    culture = json.loads(run("top", model, "--label", "culture", "-k", "2", "--json").stdout)
    assert [row["label"] for row in culture] == ["culture"] * 2
    refused = run("top", model, "--label", "weather")
    assert refused.exit_code == 2 and "must be one of" in refused.stderr


def test_inspect_counts_the_labels(run, model):
    shown = run("inspect", model).stdout
    assert "MulticlassAWMSketch" in shown and "sport (" in shown
    document = json.loads(run("inspect", model, "--json").stdout)
    assert sum(document["class_counts"].values()) == document["examples"] == 960
    assert document["params"]["max_classes"] == 32


def test_resume_and_merge(run, news, model, tmp_path):
    cut = tmp_path / "cut.csv"
    lines = (news / "news.csv").read_text().splitlines()
    cut.write_text("\n".join([*lines[:600], "sport,goal,broken"]) + "\n")
    options = (*COLUMNS, "--method", "multiclass", "--budget", "8KiB", "--quiet", "--shuffle", 0, "--passes", 1)
    whole, parted = tmp_path / "whole.wms", tmp_path / "parted.wms"
    assert run("train", news / "news.csv", *options, "--save", whole).exit_code == 0
    stopped = run("train", cut, *options, "--bad-rows", "stop", "--save", parted)
    assert stopped.exit_code == 1  # a bad line; the rows before it are saved
    assert load(parted).n_seen_ == 599
    merged = tmp_path / "merged.wms"
    assert run("merge", whole, parted, "--output", merged).exit_code == 0
    assert load(merged).n_seen_ == 1799


def test_more_than_two_labels_are_learned_as_classes(run, news):
    for path, options in ((news / "news.csv", COLUMNS), (news / "news.svm", ())):
        result = run("train", path, *options, "--json")
        assert result.exit_code == 0 and json.loads(result.stdout)["method"] == "multiclass"
        assert "the label has 3 values, so a model of 3 classes is learned (--positive VALUE" in result.stderr
        result = run("train", path, *options, "--method", "awm")
        assert result.exit_code == 1 and "--method multiclass learns any number of labels" in result.stderr


def test_what_makes_no_sense_is_refused(run, news, model):
    svm = news / "news.svm"
    for options in (("--positive", "1"), ("--loss", "squared_hinge"), ("--class-weight", "3"), ("--max-classes", "1")):
        assert run("train", svm, "--method", "multiclass", *options).exit_code == 2
    assert run("train", svm, "--method", "awm", "--negatives", "3").exit_code == 2  # belongs to another method
    result = run("train", svm, "--method", "multiclass", "--max-classes", "2")
    assert result.exit_code == 1 and "max_classes is 2, got 3 different labels" in result.stderr


def test_a_row_with_its_label_gets_the_same_answer_from_python(run, tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "m.wms"
    path.write_text("the word,topic\n" + "goal,sport\nvote,politics\nfilm,culture\n" * 40)
    assert run("train", path, "--label", "topic", "--method", "multiclass", "--save", model).exit_code == 0
    label, share = run("predict", path, "--model", model).stdout.splitlines()[2].split("\t")
    loaded, row = load(model), {"the word": "film", "topic": "culture"}
    assert label == loaded.predict_one(row) == "culture"
    assert float(share) == pytest.approx(loaded.predict_proba_one(row)["culture"], rel=1e-5)
    frame = pandas.DataFrame([row])
    assert loaded.predict(frame).tolist() == ["culture"]
    assert loaded.predict_proba(frame)[0].max() == loaded.predict_proba_one(row)["culture"]
