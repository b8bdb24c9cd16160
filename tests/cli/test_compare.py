"""Compare: every method on the user's file."""

import json

import pytest


def test_json_has_the_promised_rows(run, data):
    result = run("compare", data / "events.svm", "--budgets", "2KiB,8KiB", "--seeds", 2, "--json")
    rows = json.loads(result.stdout)["rows"]
    assert len(rows) == 2 * 8 + 2  # and both unlimited references
    for row in rows:
        expected = {"method", "budget_bytes", "nbytes", "error_rate", "rel_err", "ns_per_feature", "params"}
        assert expected <= set(row)
        assert set(row["rel_err"]) == {"8", "16", "32", "64", "128", "256", "512"}
        assert all(ratio >= 1 for ratio in row["rel_err"].values())
        assert row["ns_per_feature"] > 0
        assert row["budget_bytes"] is None or row["nbytes"] <= row["budget_bytes"]
    [reference] = [row for row in rows if row["method"] == "lr"]
    assert set(reference["rel_err"].values()) == {1.0}


def test_more_bytes_recover_more(run, data):
    result = run("compare", data / "large.svm", "--budgets", "1KiB,64KiB", "--methods", "awm", "--json")
    small, large = json.loads(result.stdout)["rows"]
    assert large["rel_err"]["128"] < small["rel_err"]["128"]
    assert large["rel_err"]["128"] < 1.05  # all 1980 features fit


def test_rows_are_those_of_train(run, data):
    compared = run("compare", data / "events.svm", "--budgets", "4KiB", "--methods", "awm", "--seeds", 1, "--json")
    trained = run("train", data / "events.svm", "--budget", "4KiB", "--json")
    assert json.loads(compared.stdout)["rows"][0]["error_rate"] == json.loads(trained.stdout)["error_rate"]


def test_table_and_plot_in_the_terminal(run, data):
    result = run("compare", data / "events.svm", "--methods", "awm,hash,lr", "--seeds", 1)
    lines = result.stdout.splitlines()
    assert lines[1].startswith("always the commoner label: error ")
    assert lines[3].split()[:5] == ["method", "budget", "bytes", "error", "AUC"]
    assert sum(line.startswith("awm ") for line in lines) == 3
    assert "online error (a 2 KiB, b 8 KiB, c 32 KiB, │ no limit" in result.stdout


def test_picture(run, data, tmp_path):
    pytest.importorskip("matplotlib")
    run("compare", data / "events.svm", "--methods", "awm,lr", "--seeds", 1, "--plot", tmp_path / "p.png", "--json")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_unknown_method(run, data):
    result = run("compare", data / "events.svm", "--methods", "awm,magic")
    assert result.exit_code == 2 and "'magic' is not one of awm" in result.stderr


def test_globs_are_the_files_they_match(run, data):
    globbed = run("compare", data / "[em]*.svm", "--budgets", "4KiB", "--methods", "awm", "--seeds", 1, "--json")
    assert json.loads(globbed.stdout)["examples"] == 5000
