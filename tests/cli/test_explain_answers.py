"""Explain on the command line: the cause of most outliers first, percentiles of pipes, names of labels."""

import json

import pandas as pd
import pytest

from tests.apps.incident import incident


@pytest.mark.parametrize("order", ["given", "grouped"])
def test_the_cause_of_most_outliers_comes_first(tmp_path, run, order):
    frame = incident()
    if order == "grouped":
        frame = frame.sort_values(["region", "ip"])
    frame.to_json(tmp_path / "log.jsonl", orient="records", lines=True)
    found = json.loads(run("explain", tmp_path / "log.jsonl", "--outlier", "status>=500", "--json").stdout)
    first = [row["attributes"] for row in found["rows"][:3]]
    assert {"release": "4.2.0"} in first and {"os": "android"} in first and {"region": "eu-west"} in first
    assert found["columns_not_used"] == {"trace_id": "unique"}
    assert any("--include trace_id" in note for note in found["notes"])
    pairs = json.loads(
        run("explain", tmp_path / "log.jsonl", "--outlier", "status>=500", "--order", "3", "--json").stdout
    )
    assert {"os": "android", "region": "eu-west", "release": "4.2.0"} in [
        row["attributes"] for row in pairs["rows"][:3]
    ]


def test_a_pipe_says_that_its_percentiles_are_so_far(run):
    rows = "".join(f"{i},{'x' if i % 3 else 'y'}\n" for i in range(20_000))
    found = json.loads(run("explain", "-", "--outlier", "ms>p90", "--json", input=("ms,host\n" + rows).encode()).stdout)
    assert found["thresholds_so_far"] and any("rows so far" in note for note in found["notes"])
    assert "exact" not in found["held"]


def test_a_label_is_named_in_the_answer(tmp_path, run):
    (tmp_path / "f.csv").write_text("late,host\n" + "1,a\n0,b\n" * 60)
    found = json.loads(run("explain", tmp_path / "f.csv", "--label", "late", "--json").stdout)
    assert found["outlier"] == "late is true or above 0"


def test_bins_begin_at_numbers_of_the_data(run, tmp_path):
    """A cell has its least number in single precision, rounded down: 72.01 would be shown as 72.00999."""
    path = tmp_path / "loads.csv"
    cents = [(i * 7919) % 20011 for i in range(4000)]
    rows = "".join(f"{cent / 100},{int(cent > 15000 or i % 50 == 0)}\n" for i, cent in enumerate(cents))
    path.write_text("load,slow\n" + rows)
    result = run("explain", path, "--label", "slow", "--json", "--all", "--min-ratio", 0, "--min-support", 0)
    labels = [row["attributes"]["load"] for row in json.loads(result.stdout)["rows"]]
    edges = [word for label in labels for word in label.split() if word[0].isdigit()]
    assert len(labels) == 10 and all(len(edge.partition(".")[2]) <= 2 for edge in edges), labels
    table = pd.read_csv(path)
    for row in json.loads(result.stdout)["rows"]:
        words = row["attributes"]["load"].split()
        low = -1.0 if words[0] == "below" else float(words[1] if words[0] == "from" else words[0])
        high = float(words[-1]) if words[0] != "from" else 1e9
        inside = table[(table.load >= low) & (table.load < high)]
        assert row["outliers"] + row["inliers"] == len(inside), row


def test_texts_among_numbers_are_not_called_missing(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "price,city\n" + "".join(f"{'ask' if i % 40 == 0 else i},{'Rome' if i % 2 else 'Oslo'}\n" for i in range(400))
    )
    result = run("explain", path, "--outlier", "price>p90")
    assert "10 rows left out: no number in a column of the condition (price)" in result.stdout
    assert "price is missing selects rows without a value, price==TEXT those with a text" in result.stdout
    for condition, outliers in (("price is missing", 0), ("price==ask", 10)):
        assert json.loads(run("explain", path, "--outlier", condition, "--json").stdout)["outliers"] == outliers


def test_bins_need_no_slots(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("ms,load\n" + "".join(f"{i * 37 % 401},{i * 11 % 401 / 4}\n" for i in range(400)))
    out = run("explain", path, "--outlier", "ms>p90").stdout
    assert "0 of" in out and "slots of 16 MiB used (bins of numbers need none)" in out
