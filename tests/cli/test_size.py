"""Size: from bytes to shapes and back, and theory."""

import json

import pytest

from wmsketch import AWMSketch, size_for
from wmsketch.methods import LIMITED, METHODS


def test_what_fits_into_a_budget(run):
    rows = json.loads(run("size", "--budget", "8KiB", "--json").stdout)["rows"]
    assert {row["method"] for row in rows} >= {"awm", "wm", "hash", "truncation", "space-saving", "count-min"}
    assert all(row["nbytes"] <= 8192 for row in rows)
    [awm] = [row for row in rows if row["method"] == "awm"]
    model = AWMSketch("8KiB")
    model.learn_many([{1: 1.0}] * 10, [True] * 10)
    assert (awm["nbytes"], awm["paper_bytes"]) == (model.nbytes, model.paper_bytes)


@pytest.mark.parametrize("names", [False, True])
def test_sizes_are_those_of_built_models(run, names):
    options = ["--names"] if names else []
    rows = json.loads(run("size", "--budget", "16KiB", *options, "--json").stdout)["rows"]
    assert len(rows) == len(LIMITED)
    for row in rows:
        model = METHODS[row["method"]].load_class()("16KiB")
        model.learn_many([{f"a{i}" if names else i: 1.0} for i in range(10)], [True] * 10)
        assert (row["nbytes"], row["paper_bytes"]) == (model.nbytes, model.paper_bytes), row["method"]


def test_a_size_is_told_without_taking_it(run):
    rows = json.loads(run("size", "--budget", "64GiB", "--json").stdout)["rows"]
    assert any(row["nbytes"] > 2**33 for row in rows)


def test_the_shape_of_a_budget_costs_no_more_than_it(run):
    [row] = json.loads(run("size", "--budget", "8KiB", "--method", "awm", "--json").stdout)["rows"]
    shape = ["--depth", row["depth"], "--width", row["width"], "--active-set-size", row["active_set_size"]]
    [back] = json.loads(run("size", "--method", "awm", *shape, "--json").stdout)["rows"]
    assert back["nbytes"] == row["nbytes"] and back["budget_bytes"] is None


def test_names_take_bytes(run):
    [plain] = json.loads(run("size", "--budget", "8KiB", "--method", "awm", "--json").stdout)["rows"]
    [named] = json.loads(run("size", "--budget", "8KiB", "--method", "awm", "--names", "--json").stdout)["rows"]
    assert named["active_set_size"] < plain["active_set_size"] and named["name_bytes"] > 0


def test_what_theory_asks_for(run):
    options = ["--epsilon", 0.1, "--delta", 0.05, "--n-features", "1e6", "--l2", 1e-3]
    document = json.loads(run("size", *options, "--json").stdout)
    size = size_for(0.1, 0.05, n_features=10**6, l2=1e-3)
    assert (document["k"], document["depth"], document["examples"]) == (size.k, size.depth, size.examples)
    assert f"{size.k:,}" in run("size", *options).stdout


def test_what_theory_promises_for_a_size(run):
    theory = ["--n-features", 10, "--l2", 1, "--delta", 0.5]
    [row] = json.loads(
        run("size", "--method", "wm", "--depth", 64, "--width", 4096, "--active-set-size", 64, *theory, "--json").stdout
    )["rows"]
    enough, too_small = (size_for(row["epsilon"] * part, 0.5, n_features=10, l2=1) for part in (1, 0.99))
    assert enough.k <= 64 * 4096 and enough.rows_asked <= 64 < too_small.rows_asked


@pytest.mark.parametrize("shape", [["--method", "awm", "--depth", 1], ["--method", "wm", "--depth", 1]])
def test_no_bound_for_shapes_that_the_theorem_does_not_cover(run, shape):
    result = run("size", *shape, "--width", 4096, "--active-set-size", 64, "--n-features", 10, "--l2", 1)
    assert "Theorem 1 covers none of these shapes" in result.stdout


@pytest.mark.parametrize(("epsilon", "can_be_built"), [(0.5, True), (0.1, False)])
def test_a_size_of_theory_that_no_sketch_has_is_told_of(run, epsilon, can_be_built):
    shown = run("size", "--epsilon", epsilon, "--n-features", 1000, "--l2", 0.01 if epsilon < 0.5 else 0.1).stdout
    assert ("this one cannot be built" not in shown) == can_be_built


@pytest.mark.parametrize("wrong", ["0", "1.5", "-3", "nan", "many"])
def test_a_number_of_features_is_whole(run, wrong):
    result = run("size", "--n-features", wrong)
    assert result.exit_code == 2 and "--n-features" in result.stderr
