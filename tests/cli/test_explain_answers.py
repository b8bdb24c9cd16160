"""Explain on the command line: the cause of most outliers first, percentiles of pipes, names of labels."""

import json

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
    assert found["columns_not_used"] == {"ts": "unique", "trace_id": "unique"}
    assert any("--include ts,trace_id" in note for note in found["notes"])
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
