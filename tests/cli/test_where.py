"""`--where`: rows that do not satisfy a condition are neither learned nor predicted, and counted."""

import json
import random
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def flights(tmp_path_factory) -> Path:
    draw = random.Random(5)
    rows = ["month,carrier,late"]
    for i in range(60_000):
        carrier = draw.choice(["AA", "UA", "DL"])
        rows.append(f"{1 + i // 5000},{carrier},{int(draw.random() < (0.7 if carrier == 'DL' else 0.2))}")
    path = tmp_path_factory.mktemp("where") / "flights.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_only_rows_that_fulfil_it_are_learned_and_the_rest_is_said(run, flights):
    found = run("train", flights, "--label", "late", "--where", "month<12 and not carrier==UA", "--json")
    report = json.loads(found.stdout)
    lines = flights.read_text().splitlines()[1:]
    wanted = sum(int(month) < 12 and carrier != "UA" for month, carrier, _ in (line.split(",") for line in lines))
    assert report["examples"] == wanted and report["left_out_rows"] == len(lines) - wanted
    assert not any("UA" in str(row["feature"]) for row in report["top"])
    assert f"{len(lines) - wanted:,} rows were left out" in found.stderr


def test_the_same_model_as_of_a_file_with_only_these_rows(run, flights, tmp_path):
    header, *lines = flights.read_text().splitlines()
    part = tmp_path / "part.csv"
    part.write_text("\n".join([header, *(line for line in lines if not line.startswith("12,"))]) + "\n")
    tops = [
        json.loads(run("train", *of, "--label", "late", "--json").stdout)["top"]
        for of in ([flights, "--where", "month<12"], [part])
    ]
    assert tops[0] == tops[1]


def test_resume_goes_on_to_the_same_bytes(run, flights, tmp_path):
    whole, parts = tmp_path / "whole.wms", tmp_path / "parts.wms"
    options = ["--label", "late", "--where", "carrier!=UA", "--shuffle", 0, "--passes", 1]
    assert run("train", flights, *options, "--save", whole).exit_code == 0
    stopping = [*options, "--format", "csv", "--bad-rows", "stop"]
    stopped = run("train", "-", *stopping, "--save", parts, input=_with_a_bad_end(flights))
    assert stopped.exit_code == 1
    resumed = run("train", "-", "--resume", parts, "--json", input=flights.read_text())
    assert resumed.exit_code == 0, resumed.output
    again = json.loads(run("train", "-", *options, "--format", "csv", "--json", input=flights.read_text()).stdout)
    report = json.loads(resumed.stdout)
    for name in ("examples", "mistakes", "log_loss", "left_out_rows", "features", "top"):
        assert report[name] == again[name], name
    other = run("train", "-", "--resume", parts, "--where", "carrier!=DL", input=flights.read_text())
    assert other.exit_code == 2 and "--where was 'carrier!=UA'" in other.output


def _with_a_bad_end(path: Path) -> str:
    lines = path.read_text().splitlines()
    return "\n".join([*lines[:50_000], "1,AA"]) + "\n"


def test_predict_asks_its_own_condition_and_not_that_of_the_training(run, flights, tmp_path):
    save = tmp_path / "m.wms"
    run("train", flights, "--label", "late", "--where", "month<12", "--save", save)
    everything = run("predict", flights, "--model", save)
    assert len(everything.stdout.splitlines()) == 60_000
    december = run("predict", flights, "--model", save, "--where", "month==12")
    assert len(december.stdout.splitlines()) == 5000
    assert "55,000 rows were left out" in december.stderr
    assert december.stdout.splitlines() == everything.stdout.splitlines()[-5000:]


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mnth<12", "'mnth'"),
        ("month<twelve", "after <"),
        ("carrier<3", "column 'carrier'"),
        ("month<p50", "percentile"),
    ],
)
def test_a_bad_condition_is_said(run, flights, where, says):
    found = run("train", flights, "--label", "late", "--where", where)
    assert found.exit_code in (1, 2) and says in found.output and "Traceback" not in found.output


def test_no_row_satisfies_it(run, flights):
    found = run("train", flights, "--label", "late", "--where", "month>12")
    assert found.exit_code == 1 and "no examples found; 60,000 rows were left out" in found.output
