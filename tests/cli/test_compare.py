"""Compare: every method on the user's file."""

import json
import sys

import numpy as np
import pytest


def test_json_has_the_promised_rows(run, data):
    result = run("compare", data / "events.svm", "--budgets", "2KiB,8KiB", "--seeds", 2, "--json")
    rows = json.loads(result.stdout)["rows"]
    assert len(rows) == 2 * 9 + 2  # and both unlimited references
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
    assert lines[1].startswith("baseline error (commonest label) ")
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


def test_the_optimum_of_all_rows(run, data):
    pytest.importorskip("sklearn")
    result = run("compare", data / "events.svm", "--budgets", "8KiB", "--methods", "awm,hash,lr", "--optimum", "--json")
    document = json.loads(result.stdout)
    assert document["optimum"]["C"] > 0 and 0 <= document["optimum"]["held_out_error"] < 0.5
    ours = next(row for row in document["rows"] if row["method"] == "awm")
    for measure in ("recall", "sign_errors", "rank_correlation"):
        assert set(ours[measure]) == set(ours["rel_err"])
    assert ours["recall"]["32"] > 0.5 and ours["sign_errors"]["32"] == 0
    shown = run(
        "compare", data / "events.svm", "--budgets", "8KiB", "--methods", "awm", "--seeds", 1, "--optimum"
    ).stdout
    assert "batch optimum: C " in shown and "recall 128" in shown and "wrong sign 128" in shown


def test_numbers_of_a_table_are_scaled_for_the_optimum_too(run, tmp_path):
    """Unscaled, the weight of a salary would be tiny, and its rank the last."""
    pytest.importorskip("sklearn")
    draw = np.random.default_rng(5)
    salary, city = draw.normal(50_000, 10_000, 800), draw.integers(0, 40, 800)
    bought = (salary - 50_000) / 5_000 + (city == 3) + draw.logistic(size=800) > 0
    rows = [f"{s:.2f},c{c},{int(b)}" for s, c, b in zip(salary, city, bought, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["salary,city,bought", *rows]) + "\n")
    result = run("compare", tmp_path / "t.csv", "--label", "bought", "--methods", "awm", "--optimum", "--json")
    rows = json.loads(result.stdout)["rows"]
    assert all(row["recall"]["8"] >= 0.5 for row in rows)
    assert json.loads(result.stdout)["optimum"]["held_out_error"] < 0.25


def test_without_scikit_learn_the_optimum_is_refused_before_rows_are_read(run, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    result = run("compare", data / "no-such-file.svm", "--optimum")
    assert result.exit_code == 2
    assert "scikit-learn is not installed" in result.stderr and "pip install scikit-learn" in result.stderr
