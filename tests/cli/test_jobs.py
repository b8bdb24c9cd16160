"""train --jobs."""

import json

import pytest

from wmsketch.learners.shards import processes as sharded


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.setattr(sharded, "CHUNK_BYTES", 2048)
    path = tmp_path / "many.svm"
    path.write_text("".join(f"{'+1' if n % 3 else '-1'} {n % 3}:1 {n % 50 + 10}:1\n" for n in range(1200)))
    return path


def test_train_says_from_how_many_shards_the_model_is_merged(run, lines, tmp_path):
    saved = tmp_path / "many.wms"
    result = run("train", lines, "--jobs", 2, "--save", saved)
    assert result.exit_code == 0, result.stderr
    assert "1,200 examples" in result.stdout and "merged from 2 shards" in result.stdout
    document = json.loads(run("train", lines, "--jobs", 2, "--json").stdout)
    assert (document["jobs"], document["examples"]) == (2, 1200)
    assert document["error_rate"] < 0.1
    assert "features" not in document and "own weight" not in result.stdout  # the shards do not count them
    assert document["nbytes"] <= 32768 < 15 * 32768 < document["shard_bytes"]
    first = saved.read_bytes()
    assert run("train", lines, "--jobs", 2, "--save", saved).exit_code == 0
    assert saved.read_bytes() == first
    resumed = run("train", lines, "--resume", saved)
    assert resumed.exit_code == 1 and "this file has no training to resume" in resumed.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--holdout", "0.1"), "--jobs and --holdout cannot be combined"),
        (("--shuffle",), "--jobs and --shuffle cannot be combined"),
        (("--passes", 2), "--jobs and --passes cannot be combined"),
        (("--save", "x.wms", "--checkpoint-every", 10), "--jobs and --checkpoint-every cannot be combined"),
        (("--half-life", 100), "--jobs must be 1 with --half-life, because each process sees only some of the rows"),
        (("--bad-rows", "skip"), "--jobs must be 1 with --bad-rows"),
        (("--method", "truncation"), "--jobs must be 1 for a method that forgets features"),
    ],
)
def test_what_does_not_combine_is_an_error(run, lines, options, message):
    result = run("train", lines, "--jobs", 2, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_rows_that_several_processes_leave_out_are_counted(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sharded, "CHUNK_BYTES", 2048)
    rows = [f"{i % 7},{'' if i % 100 == 5 else ['no', 'yes'][i % 2]}" for i in range(1200)]
    rows[900] = "1,2,3,yes"
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(["price,sold", *rows]) + "\n")
    told = json.loads(run("train", path, "--label", "sold", "--jobs", 2, "--json").stdout)
    assert told["examples"] == 1187
    assert "12 rows without a label left out" in told["notes"]
    assert any(f"1 bad row left out; the first: {path}:902:" in note for note in told["notes"])
