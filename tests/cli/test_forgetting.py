"""Half-lives on the command line, in examples and in time, and changes since an older model."""

import json
import random

import pytest

from wmsketch import AWMSketch, load


def write_clicks(path, n=2000, seed=0, start=1_700_000_000, good="Rome", iso=False):
    """Ten rows per minute; clicks depend on the city."""
    from datetime import UTC, datetime

    draw = random.Random(seed)
    rows = ["at,city,browser,clicked"]
    for i in range(n):
        city, browser, at = draw.choice(["Rome", "Oslo", "Paris"]), draw.choice("abcdef"), start + 6 * i
        clicked = draw.random() < (0.8 if city == good else 0.3)
        when = datetime.fromtimestamp(at, UTC).isoformat() if iso else str(at)
        rows.append(f"{when},{city},{browser},{str(clicked).lower()}")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_half_life_in_examples(run, data, tmp_path):
    result = run("train", data / "events.svm", "--half-life", 500, "--json", "--save", tmp_path / "m.wms")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["params"]["half_life"] == 500
    assert load(tmp_path / "m.wms").half_life == 500
    assert "half_life" in run("inspect", tmp_path / "m.wms").stdout


@pytest.mark.parametrize("iso", [False, True])
def test_a_half_life_in_time_reads_a_column(run, tmp_path, iso):
    clicks = write_clicks(tmp_path / "clicks.csv", iso=iso)
    options = ["--label", "clicked", "--half-life", "1h", "--time", "at"]
    result = run("train", clicks, *options, "--save", tmp_path / "m.wms")
    assert result.exit_code == 0, result.output
    expected = AWMSketch("32KiB", half_life="1h")
    for line in clicks.read_text().splitlines()[1:]:
        at, city, browser, clicked = line.split(",")
        if iso:
            from datetime import datetime

            at = datetime.fromisoformat(at).timestamp()
        expected.learn_one({"city": city, "browser": browser}, clicked == "true", time=float(at))
    model = load(tmp_path / "m.wms")
    assert {row.feature: row.weight for row in model.top(99)} == {row.feature: row.weight for row in expected.top(99)}
    assert "at" not in " ".join(row.feature for row in model.top(99)).split("=")[0]  # a time is no feature
    predicted = run("predict", "--model", tmp_path / "m.wms", clicks, "--label-only")
    assert predicted.exit_code == 0 and len(predicted.stdout.splitlines()) == 2000
    (tmp_path / "untimed.csv").write_text("city,browser\nRome,a\n")
    assert run("predict", "--model", tmp_path / "m.wms", tmp_path / "untimed.csv").exit_code == 0


def test_training_in_time_is_gone_on_with_to_the_same_bytes(run, tmp_path):
    clicks = write_clicks(tmp_path / "clicks.csv")
    lines = clicks.read_text().splitlines(keepends=True)
    options = ["--format", "csv", "--label", "clicked", "--half-life", "10min", "--time", "at"]
    whole, cut = tmp_path / "whole.wms", tmp_path / "cut.wms"
    assert run("train", "-", *options, "--save", whole, input="".join(lines)).exit_code == 0
    broken = "".join(lines[:1200]) + "not a time,Rome,a,true\n"
    stopped = run("train", "-", *options, "--save", cut, input=broken)
    assert stopped.exit_code == 1
    assert "stdin:1201:1: " in stopped.stderr and "expected a time in column" in stopped.stderr
    resumed = run("train", "-", "--resume", cut, input="".join(lines))
    assert resumed.exit_code == 0, resumed.output
    assert cut.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_times_of_other_formats(run, tmp_path, format):
    import pandas as pd

    frame = pd.read_csv(write_clicks(tmp_path / "clicks.csv"))
    options = ["--label", "clicked", "--half-life", "1h", "--time", "at"]
    run("train", tmp_path / "clicks.csv", *options, "--save", tmp_path / "csv.wms")
    path = tmp_path / f"clicks.{format}"
    if format == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame["at"] = pd.to_datetime(frame["at"], unit="s")
        frame.to_parquet(path)
    result = run("train", path, *options, "--save", tmp_path / "other.wms")
    assert result.exit_code == 0, result.output
    one, other = load(tmp_path / "csv.wms"), load(tmp_path / "other.wms")
    assert one.weight("city=Rome") == other.weight("city=Rome")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("at,y,x\n1,1,a\n,0,b\n", "stdin:3:1: expected a time in column"),
        ("at,y,x\n1,1,a\nsoon,0,b\n", 'expected a time in column "at", in seconds or like 2024-05-17 08:30:00'),
        ("when,y,x\n1,1,a\n", "time: there is no column 'at'"),
    ],
)
def test_bad_times_are_told_with_their_place(run, text, problem):
    result = run("train", "-", "--format", "csv", "--label", "y", "--half-life", "1h", "--time", "at", input=text)
    assert result.exit_code == 1 and problem in result.stderr


def test_the_time_of_reading(run, data, tmp_path):
    result = run("train", data / "events.svm", "--half-life", "10min", "--time", "now", "--save", tmp_path / "m.wms")
    assert result.exit_code == 0, result.output
    import time

    assert 0 <= time.time() - load(tmp_path / "m.wms")._native.state()["time"][0] < 600
    assert run("predict", "--model", tmp_path / "m.wms", data / "events.svm").exit_code == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--half-life", "10min"], "--half-life 10min needs --time COLUMN, or --time now"),
        (["--time", "at"], "--time needs a --half-life that is a time"),
        (["--half-life", "100", "--time", "now"], "--time needs a --half-life that is a time"),
        (["--half-life", "soon"], "--half-life must be a number of rows, or a text like 10min with a unit"),
        (["--half-life", "-3"], "--half-life must be above 0"),
    ],
)
def test_bad_usage(run, data, options, problem):
    result = run("train", data / "events.svm", *options)
    assert result.exit_code == 2 and problem in result.stderr


def test_compare_takes_a_half_life(run, data, tmp_path):
    options = ["--methods", "awm,hash", "--budgets", "2KiB", "--seeds", 1, "--json"]
    result = run("compare", data / "events.svm", *options, "--half-life", 1000)
    assert result.exit_code == 0 and json.loads(result.stdout)["rows"][0]["params"]["half_life"] == 1000
    clicks = write_clicks(tmp_path / "clicks.csv")
    assert run("compare", clicks, *options, "--label", "clicked", "--half-life", "1h", "--time", "at").exit_code == 0
    refused = run("compare", clicks, *options, "--label", "clicked", "--half-life", "1h", "--time", "now")
    assert refused.exit_code == 2 and "--time now cannot be used here" in refused.stderr


def test_what_changed_since(run, tmp_path):
    old, new = tmp_path / "monday.wms", tmp_path / "tuesday.wms"
    first = write_clicks(tmp_path / "monday.csv")
    second = write_clicks(tmp_path / "tuesday.csv", seed=1, good="Oslo")
    run("train", first, "--label", "clicked", "--ignore", "at", "--save", old)
    run("train", second, "--label", "clicked", "--ignore", "at", "--start-from", old, "--save", new)
    rows = json.loads(run("top", new, "--since", old, "-k", 2, "--json").stdout)
    assert {row["feature"] for row in rows} == {"city=Rome", "city=Oslo"}
    assert list(rows[0]) == ["feature", "before", "after", "change", "low", "high"]
    assert all(row["low"] <= row["change"] <= row["high"] for row in rows)
    table = run("top", new, "--since", old, "-k", 2).stdout.splitlines()
    assert table[0].split() == ["feature", "before", "after", "change", "low", "high"] and len(table) == 3
    refused = run("top", new, "--since", old, "--sort", "low")
    assert refused.exit_code == 2 and "--sort cannot be combined with --since" in refused.stderr
    other = tmp_path / "other.wms"
    run("train", second, "--label", "clicked", "--ignore", "at", "--positive", "false", "--save", other)
    refused = run("top", new, "--since", other)
    assert refused.exit_code == 1 and "the positive label is 'true'" in refused.stderr
