"""Words that vary in messages become <word>, in every input that can be looked into, and in the budget."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

from wmsketch import AWMSketch
from wmsketch.apps import PMI, Diff, Explainer, MetricExplainer
from wmsketch.errors import MergeError

NAMES = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kim", "leo", "mia", "ned", "oli", "pam"]
LOGIN, TIMEOUT = "user <word> logged in from <ip>", "user <word> timed out from <ip>"


def messages(n: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return rows of which each seventh is slow, because somebody timed out; nobody alone is often slow."""
    random = Random(seed)
    rows = []
    for i in range(n):
        what = "timed out" if i % 7 == 0 else "logged in"
        message = f"user {random.choice(NAMES)} {what} from 10.0.0.{random.randrange(250)}"
        rows.append({"ms": 900 if i % 7 == 0 else 3, "message": message})
    return rows


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        pd.DataFrame(rows).to_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "frame", "list"])
def test_explain_finds_them_in_every_table(tmp_path, kind):
    rows = messages(1500)
    explainer = Explainer("ms>100", templates=["message"], budget="128KiB")
    if kind in ("frame", "list"):
        explainer.learn_many(pd.DataFrame(rows) if kind == "frame" else rows)
    else:
        explainer.learn_file(write(tmp_path / f"rows.{kind}", rows))
    assert set(explainer.variable_words or ()) == {LOGIN, TIMEOUT}
    assert [row.attributes for row in explainer.top()] == [{"message": TIMEOUT}]
    assert explainer.nbytes <= 128 * 1024


def test_parts_of_explainers_merge_with_the_same_words(tmp_path):
    first, plain = (Explainer("ms>100", templates=["message"]) for _ in range(2))
    first.learn_file(write(tmp_path / "rows.jsonl", messages(1500)))
    plain.learn_many(iter(messages(700)))  # which cannot be looked into before it is read
    assert plain.variable_words == ()
    with pytest.raises(MergeError, match="variable_words"):
        plain.merge(first)
    second = Explainer("ms>100", templates=["message"], variable_words=first.variable_words)
    second.learn_many(iter(messages(700, seed=2)))
    merged = Explainer("ms>100", templates=["message"]).merge(second).merge(first.copy())
    (row,) = merged.top()
    assert row.attributes == {"message": TIMEOUT} and merged.outliers == 215 + 100


def test_a_metric_is_explained_by_messages_with_words(tmp_path):
    explainer = MetricExplainer("avg(ms)", templates=["message"])
    explainer.learn_file(write(tmp_path / "rows.jsonl", messages(1500)))
    assert explainer.top()[0].attributes == {"message": TIMEOUT}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_model_learns_and_predicts_with_the_words_of_its_first_rows(run, tmp_path, jobs):
    rows = [{**row, "slow": row["ms"] > 100} for row in messages(3000)]
    path, model = write(tmp_path / "rows.jsonl", rows), tmp_path / "slow.wms"
    options = ["--label", "slow", "--ignore", "ms", "--text", "message", "--templates", "--save", model]
    assert f"message={TIMEOUT}" in run("train", path, *options, "--jobs", jobs).stdout
    loaded = AWMSketch.load(model)
    assert set(loaded.schema_.rules.variable_words) == {LOGIN, TIMEOUT} and loaded.nbytes <= 32 * 1024
    new = {"message": "user zoe timed out from 10.9.9.9"}
    assert loaded.predict_proba_one(new)[True] > 0.9
    assert loaded.predict_proba_one({"message": "user zoe logged in from 10.9.9.9"})[True] < 0.1


def test_a_model_that_began_with_dicts_has_no_words(tmp_path):
    rows = [{**row, "slow": row["ms"] > 100} for row in messages(1500)]
    model = AWMSketch(schema={"text": ["message"], "templates": True, "label": "slow", "ignore": ["ms"]})
    model.learn_one({"message": "user ann logged in from 10.0.0.1"}, False)
    model.learn_file(write(tmp_path / "rows.jsonl", rows))
    assert model.schema_.rules.variable_words == ()


def test_a_model_of_a_pipe_or_a_frame_has_them_too(tmp_path):
    rows = [{**row, "slow": row["ms"] > 100} for row in messages(3000)]
    path, model = write(tmp_path / "rows.jsonl", rows), str(tmp_path / "slow.wms")
    options = ["--label", "slow", "--ignore", "ms", "--text", "message", "--templates", "--save", model, "--json"]
    _piped(["train", "-", *options], path.read_bytes())
    of_frame = AWMSketch(schema={"text": ["message"], "templates": True, "label": "slow", "ignore": ["ms"]})
    of_frame.learn_file(pd.DataFrame(rows))
    fitted = AWMSketch(schema={"text": ["message"], "templates": True, "ignore": ["ms"]})
    fitted.fit(path, label="slow")
    for each in (AWMSketch.load(model), of_frame, fitted):
        assert set(each.schema_.rules.variable_words) == {LOGIN, TIMEOUT}
        assert each.predict_proba_one({"message": "user zoe timed out from 10.9.9.9"})[True] > 0.9
    fitted.fit(path, label="slow")  # what an earlier call found is no rule
    assert set(fitted.schema_.rules.variable_words) == {LOGIN, TIMEOUT}


def test_pmi_of_templates(tmp_path):
    path = tmp_path / "app.log"
    lines = []
    for row in messages(1400):
        lines.append(row["message"])
        if "timed out" in row["message"]:
            lines.append("connection pool is empty")
    path.write_text("\n".join(lines) + "\n")
    pmi = PMI(token="templates", window=1, budget="1MiB").learn_file(path)
    assert set(pmi.variable_words or ()) == {LOGIN, TIMEOUT}
    assert pmi.row(TIMEOUT, "connection pool is empty").count == 200 and pmi.nbytes <= 2**20
    again = PMI(token="templates", window=1, budget="1MiB").learn_file(
        write(tmp_path / "r.csv", messages(1400)), items="message"
    )
    assert set(again.variable_words or ()) == {LOGIN, TIMEOUT}
    copy = pmi.copy()
    assert copy.merge(pmi).row(TIMEOUT, "connection pool is empty").count == 400
    with pytest.raises(MergeError, match="variable_words"):
        copy.merge(PMI(token="templates", window=1, budget="1MiB", variable_words=["a <word>"]))


def _piped(command: list[str], data: bytes) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-m", "wmsketch", *command], input=data, capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def day(n_failed: int, *, seed: int) -> list[str]:
    random = Random(seed)
    lines = []
    for i in range(3000):
        what = "password failed for" if i < n_failed else "session opened for"
        lines.append(f"2024-05-{seed:02} {i // 60 % 60:02}:{i % 60:02}:00 sshd: {what} user {random.choice(NAMES)} {i}")
    random.shuffle(lines)
    return lines


def test_diff_of_a_pipe_is_that_of_a_file(tmp_path):
    paths = tmp_path / "a.log", tmp_path / "b.log"
    for path, failed, seed in zip(paths, (30, 400), (6, 7), strict=True):
        path.write_text("\n".join(day(failed, seed=seed)) + "\n")
    command = ["diff", str(paths[0]), "--json"]
    document = _piped([*command[:2], "-", *command[2:]], paths[1].read_bytes())
    first = document["rows"][0]
    assert first["feature"] == "<time> sshd: password failed for user <word> <num>"
    assert (first["count_a"], first["count_b"]) == (30, 400)
    of_files = _piped([*command[:2], str(paths[1]), *command[2:]], b"")
    assert [row["feature"] for row in of_files["rows"]] == [row["feature"] for row in document["rows"]]
    assert any("compared by their templates" in note for note in document["notes"])


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_diff_of_messages_of_tables(tmp_path, kind, piped):
    paths = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    for path, failed, seed in zip(paths, (30, 400), (6, 7), strict=True):
        write(path, [{"host": f"h{i % 3}", "message": line} for i, line in enumerate(day(failed, seed=seed))])
    second = "-" if piped else str(paths[1])
    document = _piped(["diff", str(paths[0]), second, "--json"], paths[1].read_bytes() if piped else b"")
    first = document["rows"][0]
    assert first["feature"] == "message=<time> sshd: password failed for user <word> <num>"
    assert (first["count_a"], first["count_b"]) == (30, 400)


def test_words_are_in_the_budget(tmp_path):
    paths = tmp_path / "a.log", tmp_path / "b.log"
    for path, failed, seed in zip(paths, (30, 400), (6, 7), strict=True):
        path.write_text("\n".join(day(failed, seed=seed)) + "\n")
    diff = Diff("64KiB").learn_file(*paths)
    assert diff.variable_words
    assert diff._native.nbytes < diff.nbytes <= 64 * 1024
    loaded = diff.copy()
    assert loaded.nbytes == diff.nbytes and loaded.top() == diff.top()
    assert not Diff("8KiB").learn_file(*paths).variable_words  # no room


def test_variable_words_of_a_reader_are_cut_to_their_bytes():
    from wmsketch import _core

    lines = [f"user {name} logged in".encode() for name in NAMES]
    assert _core.variable_words(lines) == ["user <word> logged in"]
    assert _core.variable_words(lines, 20) == []
