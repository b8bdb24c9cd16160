"""Train: its output, and the JSON that other programs rely on."""

import bz2
import gzip
import json
import lzma
from pathlib import Path
from random import Random

import pytest
import zstandard

from wmsketch import load

TRAIN_KEYS = {
    "examples", "features_seen", "mistakes", "error_rate", "log_loss", "nbytes", "paper_bytes", "budget_bytes",
    "seconds", "method", "params", "top", "majority_error_rate", "report_bytes", "rejected_rows", "notes",
}  # fmt: skip
OF_TWO_CLASSES = {
    "negative",
    "positive",
    "negatives",
    "positives",
    "auc",
    "predicted_rate",
    "observed_rate",
    "features",
}


def test_prints_the_heaviest_features_with_error_bars(run, data):
    result = run("train", data / "events.svm", "--budget", "8KiB", "--top", "2")
    assert result.exit_code == 0
    header, first, second = result.stdout.splitlines()[:3]
    assert header.split() == ["feature", "weight", "low", "high", "95", "%"]
    assert {first.split()[0], second.split()[0]} == {"7", "13"}
    assert "3,000 examples" in result.stdout and "of 8,192 bytes" in result.stdout


def test_json_is_one_document_with_the_promised_keys(run, data):
    result = run("train", data / "events.svm", "--budget", "8KiB", "--json", "--top", "3")
    report = json.loads(result.stdout)
    assert set(report) == TRAIN_KEYS | OF_TWO_CLASSES
    assert report["error_rate"] < report["majority_error_rate"] < 0.5 and report["auc"] > 0.7
    assert report["negatives"] + report["positives"] == 3000
    assert report["observed_rate"] == report["positives"] / 3000
    assert report["predicted_rate"] == pytest.approx(report["observed_rate"], abs=0.03)
    assert report["examples"] == 3000 and report["method"] == "awm"
    assert report["error_rate"] == report["mistakes"] / 3000
    assert report["nbytes"] <= report["budget_bytes"] == 8192
    assert [set(row) for row in report["top"]] == [
        {"feature", "weight", "low", "high", "rows_error", "bytes_error"}
    ] * 3
    assert [abs(row["weight"]) for row in report["top"]] == sorted(abs(row["weight"]) for row in report["top"])[::-1]
    assert all(row["low"] <= row["weight"] <= row["high"] for row in report["top"])
    assert result.stderr == ""


@pytest.mark.parametrize(
    "method", ["awm", "wm", "hash", "lr", "truncation", "ptruncation", "space-saving", "count-min"]
)
def test_every_method_learns_and_is_valid_json(run, data, method):
    result = run("train", data / "events.svm", "--method", method, "--json", "--quiet")
    report = json.loads(result.stdout, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert report["method"] == method and report["error_rate"] < 0.45
    assert (report["budget_bytes"] is None) == (method == "lr")
    assert (report["top"] == []) == (method == "hash")


def test_options_reach_the_learner(run, data):
    options = [
        "--step",
        "plain",
        "--depth",
        2,
        "--width",
        64,
        "--active-set-size",
        32,
    ]
    rule = ["--l2", 1e-4, "--l1", 1e-6, "--eta0", 0.2, "--loss", "smoothed_hinge"]
    more = ["--class-weight", "1:3", "--seed", 5, "--passes", 2]
    params = json.loads(run("train", data / "events.svm", "--json", *options, *rule, *more).stdout)["params"]
    expected = {"step": "plain", "depth": 2, "width": 64, "active_set_size": 32,
                "l2": 1e-4, "l1": 1e-6, "eta0": 0.2,
                "loss": "smoothed_hinge", "seed": 5, "class_weight": {"-1": 1.0, "1": 3.0}, "passes": 2}  # fmt: skip
    assert {name: params[name] for name in expected} == expected


def test_the_online_error_is_that_of_the_first_of_several_passes(run, data):
    report = json.loads(run("train", data / "events.svm", data / "more.svm", "--passes", 3, "--json").stdout)
    assert report["examples"] == 5_000 and report["params"]["passes"] == 3  # the error is of the first pass


def test_columns_by_name(run, data, tmp_path):
    options = ["--label", "sold", "--positive", "yes", "--ignore", "id", "--interactions", "city:price"]
    result = run("train", data / "sales.csv", *options, "--json", "--save", tmp_path / "m.wms")
    names = [row["feature"] for row in json.loads(result.stdout)["top"]]
    assert {"city=Rome", "city=Paris"} <= set(names)
    assert load(tmp_path / "m.wms").weight("city=Rome") > 0


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", zstandard.compress)],
)
def test_compressed_input_gives_the_same(run, data, tmp_path, suffix, compress):
    packed = tmp_path / f"events.svm{suffix}"
    packed.write_bytes(compress((data / "events.svm").read_bytes()))
    assert _model(run, packed) == _model(run, data / "events.svm")


def test_standard_input_and_globs_give_the_same(run, data, tmp_path):
    text = (data / "events.svm").read_text()
    (tmp_path / "part-1.svm").write_text(text[: text.index("\n", len(text) // 2) + 1])
    (tmp_path / "part-2.svm").write_text(text[text.index("\n", len(text) // 2) + 1 :])
    plain = _model(run, data / "events.svm")
    assert _model(run, tmp_path / "part-*.svm") == plain
    assert _model(run, "-", input=text) == plain


def _model(run, path: Path | str, **options) -> list:
    report = json.loads(run("train", path, "--budget", "4KiB", "--json", **options).stdout)
    return [report["examples"], report["log_loss"], report["top"]]


def test_a_share_is_held_out_and_scored_by_the_finished_model(run, data, tmp_path):
    save = ["--save", tmp_path / "m.wms"]
    report = json.loads(run("train", data / "large.svm", "--holdout", 0.1, "--json", *save).stdout)
    assert report["examples"] == 54_000 and report["holdout"]["examples"] == 6000
    # the same rows, chosen by hand
    lines = (data / "large.svm").read_text().splitlines(keepends=True)
    held = "".join(line for i, line in enumerate(lines) if i % 10 == 9)
    again = run("predict", "-", "--model", tmp_path / "m.wms", "--format", "libsvm", input=held)
    assert f"error {report['holdout']['error_rate']:.2%}" in again.stderr


@pytest.mark.parametrize("file", ["events.svm", "large.svm"])
def test_the_last_rows_are_held_out(run, data, tmp_path, file):
    lines = (data / file).read_text().splitlines(keepends=True)
    (tmp_path / "first.svm").write_text("".join(lines[:-700]))
    report = json.loads(run("train", data / file, "--holdout", 700, "--json").stdout)
    alone = json.loads(run("train", tmp_path / "first.svm", "--json").stdout)
    assert report["top"] == alone["top"] and report["examples"] == alone["examples"] == len(lines) - 700
    assert report["holdout"]["examples"] == 700 and report["holdout"]["error_rate"] < 0.45


def test_start_from_learns_on_top(run, data, tmp_path):
    run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    more = run("train", data / "more.svm", "--start-from", tmp_path / "m.wms", "--json")
    both = run("train", data / "events.svm", data / "more.svm", "--json")
    assert json.loads(more.stdout)["top"] == json.loads(both.stdout)["top"]
    assert json.loads(more.stdout)["examples"] == 5000
    assert "features" not in json.loads(more.stdout)  # those of the first rows were not counted here


def test_start_from_reads_as_the_model_was_read(run, data, tmp_path):
    options = ["--label", "sold", "--positive", "yes", "--ignore", "id"]
    run("train", data / "sales.csv", *options, "--passes", 1, "--save", tmp_path / "m.wms")
    more = run("train", data / "sales.csv", "--start-from", tmp_path / "m.wms", "--json")
    assert json.loads(more.stdout)["examples"] == 3000


def test_same_input_same_bytes(run, data, tmp_path):
    for name in ("a.wms", "b.wms"):
        run("train", data / "events.svm", "--save", tmp_path / name)
    assert (tmp_path / "a.wms").read_bytes() == (tmp_path / "b.wms").read_bytes()


def test_labels_in_runs_are_noted_and_mixed_ones_are_not(run, tmp_path):
    labels = {"sorted": [1] * 3000 + [0] * 3000, "mixed": [1, 0, 0, 1, 1, 0] * 1000}
    for name, values in labels.items():
        rows = (f"{label} {1 + i * 7919 % 50}:1 {60 + label * (i % 3)}:1" for i, label in enumerate(values))
        (tmp_path / f"{name}.svm").write_text("\n".join(rows) + "\n")
    note = "labels are sorted or come in long runs, so the online error is too low"
    assert note in run("train", tmp_path / "sorted.svm").stderr
    assert note not in run("train", tmp_path / "sorted.svm", "--quiet").stderr
    assert note not in run("train", tmp_path / "mixed.svm").stderr
    assert note not in run("train", tmp_path / "sorted.svm", "--method", "lr").stderr


def test_one_class_only_is_noted(run, tmp_path):
    (tmp_path / "one.svm").write_text("1 1:1\n1 2:1\n")
    assert (
        "there is no negative example, so the model knows only one class" in run("train", tmp_path / "one.svm").stderr
    )


def test_rows_without_features_take_no_more_than_the_budget(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("bought\n" + "yes\nno\n" * 2000)
    document = json.loads(run("train", path, "--label", "bought", "--json").stdout)
    assert document["examples"] == 4000
    assert document["nbytes"] <= document["budget_bytes"]


def test_rows_without_features_are_said_to_have_none(run):
    assert "no feature has a weight yet" in run("train", "-", input="1\n0\n").stdout
    assert "--method hash stores no features" in run("train", "-", "--method", "hash", input="1\n0\n").stdout


def test_numbers_that_were_not_scaled_leave_a_table_that_can_be_read(run):
    rows = "".join(f"{i % 2} 1:{9e14 + i * 1e11:.0f}\n" for i in range(50))
    result = run("train", "-", "--numbers", "raw", input=rows)
    assert "e-" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 100


def test_says_how_many_features_have_a_weight_of_their_own_and_what_would_do(run, data):
    small = json.loads(run("train", data / "events.svm", "--budget", "4KiB", "--json").stdout)["features"]
    assert small["held"] < small["distinct"] and abs(small["distinct"] - 1982) < 300
    text = run("train", data / "events.svm", "--budget", "4KiB").stdout
    assert f"{small['held']:,} of about {small['distinct']:,} features have their own weight" in text
    assert f"--budget {small['budget_for_all']} would hold all" in text
    large = json.loads(run("train", data / "events.svm", "--budget", small["budget_for_all"], "--json").stdout)
    assert large["features"]["held"] >= 0.97 * 1982 and large["features"]["budget_for_all"] is None
    assert "features" not in json.loads(run("train", data / "events.svm", "--method", "lr", "--json").stdout)


def test_interactions_that_pay_are_found_and_noted(run, tmp_path):
    random = Random(3)
    lines = ["city,device,late,bought"]
    for _ in range(6000):
        city, device = random.randrange(6), random.randrange(5)
        bought = "yes" if random.random() < 0.2 + 0.6 * ((city + device) % 2) else "no"
        lines.append(f"c{city},d{device},{random.choice('ab')},{bought}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    asked = ("train", path, "--label", "bought", "--holdout", "0.2", "--json")
    plain, found = (json.loads(run(*asked, *more).stdout) for more in ((), ("--interactions", "auto")))
    assert found["holdout"]["error_rate"] < 0.6 * plain["holdout"]["error_rate"]
    assert any("city:device saves" in note and "--interactions city:device" in note for note in found["notes"])
    piped = run("train", "-", "--label", "bought", "--interactions", "auto", input=path.read_text())
    assert piped.exit_code == 1 and "read twice" in piped.stderr
