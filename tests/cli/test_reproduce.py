"""Reproduce: from the command to the tables, with generated data only."""

import json
from pathlib import Path

import pytest

from wmsketch.evaluation import generated


@pytest.fixture(autouse=True)
def small_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def small():
        X, y, _ = generated.weighted_stream(1500, 2000, per_row=20, n_heavy=60, strength=60.0, seed=2)
        return X, y

    monkeypatch.setitem(generated.STREAMS, "generated", small)
    monkeypatch.delenv("WMSKETCH_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_data_a_generated_stream_answers(run, tmp_path):
    result = run("reproduce", "recovery", "claims", "--quick", "--seeds", 2, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.stderr
    answers = json.loads(result.stdout)
    assert {row["method"] for row in answers["recovery"]} >= {"awm", "wm", "hash", "space-saving"}
    awm = answers["recovery"][0]
    assert awm["data"] == "generated-v1" and awm["paper_bytes"] == 8192 and awm["nbytes"] > 8192
    assert 1 <= awm["rel_err"]["8"]["low"] <= awm["rel_err"]["8"]["median"] <= awm["rel_err"]["8"]["high"]
    assert (tmp_path / "out" / "recovery.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_and_the_second_time_without_running(run, tmp_path):
    first = run("reproduce", "online-error", "--quick", "--seeds", 1)
    assert first.exit_code == 0 and "unlimited" in first.stdout and "reproduced" in first.stdout
    again = run("reproduce", "online-error", "--quick", "--seeds", 1, "--tables-only")
    assert again.stdout == first.stdout
    assert json.loads((tmp_path / "reproduced" / "online-error.json").read_text())["seeds"] == 1


def test_unknown_names(run):
    result = run("reproduce", "magic")
    assert result.exit_code == 2 and "'magic' is not one of recovery, budgets" in result.stderr
    result = run("reproduce", "recovery", "--dataset", "absent")
    assert result.exit_code == 2 and "got 'absent'" in result.stderr
