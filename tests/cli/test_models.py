"""Top, inspect and merge of saved models."""

import json
import os
import re
import stat

import pytest

from wmsketch import AWMSketch, load


@pytest.fixture
def model(run, data, tmp_path):
    path = tmp_path / "events.wms"
    assert run("train", data / "events.svm", "--budget", "8KiB", "--save", path).exit_code == 0
    return path


def test_top_is_the_models_own(run, model):
    rows = json.loads(run("top", model, "-k", 5, "--json").stdout)
    assert rows == [
        {
            "feature": row.feature,
            "weight": row.weight,
            "low": row.low,
            "high": row.high,
            "rows_error": row.rows_error,
            "bytes_error": row.bytes_error,
        }
        for row in load(model).top(5)
    ]
    assert len(run("top", model, "-k", 5).stdout.splitlines()) == 10  # five features, a header and three notes


def test_top_in_other_orders(run, model):
    by_weight = json.loads(run("top", model, "--sort", "weight", "-k", 1000, "--json").stdout)
    weights = [row["weight"] for row in by_weight]
    assert by_weight[0]["feature"] == 7 and by_weight[-1]["feature"] == 13 and weights == sorted(weights)[::-1]
    surest = json.loads(run("top", model, "--sort", "low", "-k", 2, "--json").stdout)
    assert {row["feature"] for row in surest} == {7, 13}


def test_top_of_a_method_without_features_says_so(run, data, tmp_path):
    run("train", data / "events.svm", "--method", "hash", "--save", tmp_path / "h.wms")
    result = run("top", tmp_path / "h.wms")
    assert result.exit_code == 2 and "keeps no features" in result.stderr


def test_inspect_tells_everything(run, data, model):
    document = json.loads(run("inspect", model, "--json").stdout)
    assert document["examples"] == 3000 and document["method"] == "awm"
    assert document["nbytes"] <= document["budget_bytes"] == 8192
    assert document["file_bytes"] == model.stat().st_size
    assert document["params"]["width"] > 0 and document["names_shortened"] == 0
    assert document["note"]["training"]["inputs"][0]["name"] == str(data / "events.svm")
    text = run("inspect", model).stdout
    assert re.search(r"^examples +3,000$", text, re.MULTILINE) and "learned from" in text


def test_only_regular_files_are_saved_to(tmp_path):
    model = AWMSketch("4KiB")
    model.learn_one({1: 1.0}, True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name, reason in (("pipe", "regular file"), ("link", "regular file"), ("folder", "directory")):
        with pytest.raises(OSError, match=f"the model was not saved: .*{reason}"):
            model.save(tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "folder", "link"}
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_merge_averages(run, data, model, tmp_path):
    run("train", data / "more.svm", "--budget", "8KiB", "--save", tmp_path / "more.wms")
    result = run("merge", model, tmp_path / "more.wms", "--output", tmp_path / "both.wms", "--json")
    assert json.loads(result.stdout)["examples"] == 5000
    assert {row["feature"] for row in json.loads(run("top", tmp_path / "both.wms", "-k", 2, "--json").stdout)} == {
        7,
        13,
    }


def test_merge_makes_the_result_small(run, data, model, tmp_path):
    run("train", data / "more.svm", "--budget", "8KiB", "--save", tmp_path / "more.wms")
    small = tmp_path / "small.wms"
    result = run("merge", model, tmp_path / "more.wms", "--output", small, "--budget", "2KiB", "--json")
    document = json.loads(result.stdout)
    assert document["examples"] == 5000 and document["nbytes"] <= document["budget_bytes"] == 2048
    assert {row["feature"] for row in json.loads(run("top", small, "-k", 2, "--json").stdout)} == {7, 13}
    refused = run("merge", model, "--output", small, "--budget", "8 apples")
    assert refused.exit_code == 1 and "budget" in refused.stderr


def test_merge_learns_rows_again(run, data, model, tmp_path):
    files, both = (data / "events.svm", data / "more.svm"), tmp_path / "both.wms"
    run("train", files[1], "--budget", "8KiB", "--save", tmp_path / "more.wms")
    merge = ("merge", model, tmp_path / "more.wms", "--output", both)
    plain = json.loads(run(*merge, "--json").stdout)
    told = json.loads(run(*merge, "--relearn", files[0], "--relearn", files[1], "--json").stdout)
    passes = told.pop("relearned").pop("passes")
    assert told == plain and told["examples"] == 5000
    said = run(*merge, "--relearn", files[0], "--relearn", files[1]).stderr
    assert (f"5,000 rows learned again, {passes} time" if passes else "learning 5,000 rows again did not help") in said
    empty = tmp_path / "empty.svm"
    empty.write_text("")
    refused = run(*merge, "--relearn", empty)
    assert refused.exit_code == 1 and "empty.svm" in refused.stderr
    over = run("merge", model, tmp_path / "more.wms", "--output", files[0], "--relearn", files[0])
    assert over.exit_code != 0 and files[0].read_text().startswith(("1", "-1", "+1"))


def test_merge_refuses_one_model_given_twice_under_any_name(run, data, model, tmp_path):
    (tmp_path / "link.wms").symlink_to(model)
    (tmp_path / "copy.wms").write_bytes(model.read_bytes())
    run("train", data / "more.svm", "--budget", "8KiB", "--save", tmp_path / "more.wms")
    same = f"has the same bytes as {model}"
    for name, told in ((model, "is given twice"), (tmp_path / "link.wms", same), (tmp_path / "copy.wms", same)):
        result = run("merge", model, tmp_path / "more.wms", name, "--output", tmp_path / "both.wms")
        assert result.exit_code == 1 and f"{name}: this model {told}, so that its rows would count" in result.stderr
    assert not (tmp_path / "both.wms").exists()


def test_merge_refuses_what_differs(run, data, model, tmp_path):
    run("train", data / "more.svm", "--budget", "4KiB", "--save", tmp_path / "small.wms")
    result = run("merge", model, tmp_path / "small.wms", "--output", tmp_path / "both.wms")
    assert result.exit_code == 1 and "cannot merge" in result.stderr
    assert not (tmp_path / "both.wms").exists()
