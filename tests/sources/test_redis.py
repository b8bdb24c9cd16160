"""redis://: entries of a stream are learned exactly once, in order, whatever happens."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.sources.conftest import (
    PLAIN,
    TRAIN,
    Run,
    every_resume_ends_the_same,
    json_lines,
    refuses_any_note,
    sales,
    same_model,
)
from wmsketch import AWMSketch, load
from wmsketch.readers.sources.address import Address


@pytest.fixture
def stream(redis_port: int, request: pytest.FixtureRequest) -> Any:
    return Stream(redis_port, request.node.name.replace("[", "-").replace("]", ""))


class Stream:
    """A stream of a server that requires a password."""

    def __init__(self, port: int, name: str) -> None:
        import redis

        self.server = redis.Redis(port=port, password="s3cret")
        self.name = name
        self.address = f"redis://:s3cret@127.0.0.1:{port}/{name}"
        self.shown = self.address.replace("s3cret", "***")

    def add(self, rows: list[dict[str, Any]], whole: bool = False) -> None:
        pipeline = self.server.pipeline(transaction=False)
        for row in rows:
            fields = {name: str(value) for name, value in row.items() if value is not None}
            pipeline.xadd(self.name, {"event": json_lines([row])[0]} if whole else fields)
        pipeline.execute()


def test_entries_are_the_rows_of_json_lines(stream: Stream, run: Run, tmp_path: Path) -> None:
    rows = sales(3000)
    (tmp_path / "sales.jsonl").write_text("\n".join(json_lines(rows)) + "\n")
    run("train", tmp_path / "sales.jsonl", *TRAIN, *PLAIN, "--save", tmp_path / "file.wms")
    stream.add(rows[:1500])
    stream.add(rows[1500:], whole=True)  # a field with a JSON object is the row
    assert run("train", stream.address, *TRAIN, "--save", tmp_path / "redis.wms").exit_code == 0
    assert same_model(tmp_path / "file.wms", tmp_path / "redis.wms")


@pytest.mark.parametrize("options", ["", "--passes 2", "--holdout 1500", "--shuffle 1500", "--holdout 0.1"])
def test_every_resume_ends_the_same(stream: Stream, run: Run, tmp_path: Path, options: str) -> None:
    stream.add(sales(4000))
    every_resume_ends_the_same(run, stream.address, tmp_path, *TRAIN, *options.split())


def test_a_row_that_cannot_be_read_loses_no_other(stream: Stream, run: Run, tmp_path: Path) -> None:
    rows = sales(3000)
    stream.add(rows[:1500])
    bad = stream.server.xadd(stream.name, {"event": '{"sold": 1, "city": }'}).decode()
    stream.add(rows[1500:])
    stopped = run("train", stream.address, *TRAIN, "--bad-rows", "stop", "--save", tmp_path / "m.wms")
    assert stopped.exit_code == 1
    assert f"{stream.shown} entry {bad}" in stopped.stderr and "1,500 rows before" in stopped.stderr
    assert load(tmp_path / "m.wms").n_seen_ == 1500
    stream.server.xdel(stream.name, bad)
    assert run("train", stream.address, "--resume", tmp_path / "m.wms").exit_code == 0
    assert run("train", stream.address, *TRAIN, "--bad-rows", "stop", "--save", tmp_path / "whole.wms").exit_code == 0
    assert (tmp_path / "m.wms").read_bytes() == (tmp_path / "whole.wms").read_bytes()


def test_bad_rows_that_are_passed_over_stay_so(stream: Stream, run: Run, tmp_path: Path) -> None:
    rows = sales(3000)
    for start in range(0, 3000, 500):
        stream.add(rows[start : start + 500])
        stream.server.xadd(stream.name, {"event": "{"})
    rejects = tmp_path / "rejects.tsv"
    options = (*TRAIN, "--bad-rows", "skip", "--rejects", str(rejects))
    every_resume_ends_the_same(run, stream.address, tmp_path, *options)
    assert len(rejects.read_text().splitlines()) == 6


def test_rows_that_are_left_out_are_counted_once_whenever_it_stopped(stream: Stream, run: Run, tmp_path: Path) -> None:
    """A reader that resumes in the middle does not see the rows of the beginning again."""
    stream.add(sales(4000))
    options = (*TRAIN, "--where", "price>0.3")
    every_resume_ends_the_same(run, stream.address, tmp_path, *options)
    whole = run("train", stream.address, *options, "--save", tmp_path / "whole.wms", "--json")
    told = [json.loads(whole.stdout)]
    stream.add(sales(2000))
    told.append(json.loads(run("train", stream.address, "--resume", tmp_path / "whole.wms", "--json").stdout))
    assert [each["examples"] + each["left_out_rows"] for each in told] == [4000, 6000]


def test_a_finished_training_goes_on_with_what_came_since(stream: Stream, run: Run, tmp_path: Path) -> None:
    rows = sales(5000)
    stream.add(rows[:2000])
    run("train", stream.address, *TRAIN, "--save", tmp_path / "m.wms")
    before = (tmp_path / "m.wms").read_bytes()
    run("train", stream.address, "--resume", tmp_path / "m.wms")
    assert (tmp_path / "m.wms").read_bytes() == before
    stream.add(rows[2000:])
    assert run("train", stream.address, "--resume", tmp_path / "m.wms").exit_code == 0
    run("train", stream.address, *TRAIN, "--save", tmp_path / "whole.wms")
    assert load(tmp_path / "m.wms").n_seen_ == 5000
    assert same_model(tmp_path / "m.wms", tmp_path / "whole.wms")


def test_lost_entries_are_an_error(stream: Stream, run: Run, tmp_path: Path) -> None:
    stream.add(sales(3000))
    run("train", stream.address, *TRAIN, "--save", tmp_path / "m.wms")
    stream.add(sales(3000))
    stream.server.xtrim(stream.name, maxlen=10, approximate=False)
    result = run("train", stream.address, "--resume", tmp_path / "m.wms")
    assert result.exit_code == 1 and "may be lost" in result.stderr


def test_endless_reading_ends_with_a_signal_and_saves(stream: Stream, run: Run, tmp_path: Path) -> None:
    rows = sales(4000)
    stream.add(rows[:2000])
    save = tmp_path / "m.wms"
    command = [sys.executable, "-m", "wmsketch", "train", stream.address + "?endless=yes", *TRAIN]
    process = subprocess.Popen([*command, "--save", str(save), "--checkpoint-every", "1"], stderr=subprocess.PIPE)
    for part in (rows[2000:3000], rows[3000:]):
        stream.add(part)
        time.sleep(0.3)
    deadline = time.monotonic() + 60
    while not save.exists() or load(save).n_seen_ < 4000:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM and b"saved to" in said and b"s3cret" not in said
    run("train", stream.address, *TRAIN, "--save", tmp_path / "whole.wms")
    assert same_model(save, tmp_path / "whole.wms")
    stream.add(sales(100, seed=2))
    assert run("train", stream.address, "--resume", save).exit_code == 0
    assert load(save).n_seen_ == 4100


def test_a_password_is_never_shown_or_stored(stream: Stream, run: Run, tmp_path: Path) -> None:
    stream.add(sales(50))
    save, page = tmp_path / "m.wms", tmp_path / "page.html"
    shown = [
        run("train", stream.address, *TRAIN, "--save", save),
        run("train", stream.address, "--label", "nothing"),
        run("train", stream.address + "-not-there", *TRAIN),
        run("train", stream.address.replace("s3cret", "s3cret-wrong"), *TRAIN),
        run("predict", stream.address, "--model", save),
        run("explain", stream.address, "--label", "sold", "--report", page),
    ]
    assert [result.exit_code for result in shown] == [0, 1, 1, 1, 0, 0]
    assert not any("s3cret" in result.output for result in shown)
    assert b"s3cret" not in save.read_bytes() and "s3cret" not in page.read_text()
    assert stream.shown in page.read_text()


def test_python_takes_addresses(stream: Stream) -> None:
    stream.add(sales(500))
    model = AWMSketch("4KiB").learn_file(stream.address, label="sold", ignore=["id"])
    assert model.n_seen_ == 500 and model.weight("city=Rome") > 0 > model.weight("city=Paris")
    assert AWMSketch("4KiB").fit(stream.address, label="sold").n_seen_ == 500


def test_a_server_that_is_not_there_is_an_error(run: Run) -> None:
    pytest.importorskip("redis")
    result = run("train", "redis://127.0.0.1:1/clicks", *TRAIN)
    assert (
        result.exit_code == 1
        and "redis://127.0.0.1:1/clicks: " in result.stderr
        and os.linesep not in result.stderr[:-1]
    )


def test_notes_are_validated(stream: Stream, run: Run, tmp_path: Path) -> None:
    stream.add(sales(10))
    places = [{"id": "1-1"}, {"id": 7}, {}, {"id": "x"}, {"id": None}, {"id": "1-x"}]
    extents = [{"first": "1-0", "last": "9-9"}, {"first": [], "last": 3}, {"last": "x-1"}, {"first": "1-0"}]
    refuses_any_note(run, stream.address, stream.shown, tmp_path, places, extents)


def test_values_of_fields(stream: Stream, run: Run, tmp_path: Path) -> None:
    for fields in ({"sold": 1, "size": "-Infinity", "zip": "007"}, {"sold": 0, "size": "1e999", "zip": "nil"}):
        stream.server.xadd(stream.name, fields)
    assert run("train", stream.address, "--label", "sold", "--save", tmp_path / "m.wms").exit_code == 0
    names = {row.feature for row in load(tmp_path / "m.wms").top(10)}
    assert names == {"size=-Infinity", "zip=007", "size=1e999", "zip=nil"}
    bad = stream.server.xadd(stream.name, {"sold": "1", "size": b"\xff"}).decode()
    result = run("train", stream.address, "--label", "sold", "--bad-rows", "stop")
    assert result.exit_code == 1 and f"entry {bad}" in result.stderr and "UTF-8" in result.stderr


def messy(n: int) -> list[dict[str, Any]]:
    """Rows whose columns appear late, change their type, contain lists and objects, or are rare."""
    draw = random.Random(9)
    rows: list[dict[str, Any]] = []
    for number in range(n):
        row: dict[str, Any] = {"y": draw.choice(["no", "yes", "maybe"]), "size": draw.random()}
        row["mixed"] = draw.choice([1, 2.5, "three", True]) if number > 1100 else draw.random()
        row["tags"] = draw.sample(["a", "b", "c", "d"], draw.randrange(3))
        row["in"] = {"city": draw.choice(["Rome", "Oslo"]), "deep": {"x": draw.random()}}
        if number > 2000 or draw.random() < 0.01:
            row[f"late{draw.randrange(40)}"] = draw.choice([draw.random(), "text", None])
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    "options",
    [
        "--label y --positive yes",
        "--label y --positive yes --missing count --interactions size:mixed",
        "--label y --method multiclass",
        "--label y --positive yes --half-life 1000 --categorical mixed",
    ],
)
def test_rows_that_change_their_look_resume_the_same(stream: Stream, run: Run, tmp_path: Path, options: str) -> None:
    for row in messy(4000):
        stream.server.xadd(stream.name, {"event": json.dumps(row)})
    every_resume_ends_the_same(run, stream.address, tmp_path, *options.split(), "--budget", "8KiB", "--top", "0")


def test_a_third_label_is_refused_behind_a_resume_too(stream: Stream, run: Run, tmp_path: Path) -> None:
    stream.add(sales(1500))
    run("train", stream.address, *TRAIN, "--save", tmp_path / "m.wms")
    stream.add([{**row, "sold": 2 * row["sold"]} for row in sales(500)])
    before = load(tmp_path / "m.wms").n_seen_
    result = run("train", stream.address, "--resume", tmp_path / "m.wms")
    assert result.exit_code == 1 and "expected the label 1" in result.stderr, result.output
    assert load(tmp_path / "m.wms").n_seen_ == before == 1500
    assert run("train", stream.address, *TRAIN).exit_code == 1


def test_every_command_reads_a_stream(stream: Stream, run: Run, tmp_path: Path) -> None:
    stream.add(sales(2000))
    address = stream.address
    explained = run("explain", address, "--label", "sold", "--ignore", "id")
    assert explained.exit_code == 0 and "city=Rome" in explained.stdout and "2,000 rows" in explained.stdout
    split = run("diff", address, "--split", "sold", "--a", "0", "--b", "1", "--items", "city")
    assert split.exit_code == 0 and "city=Paris" in split.stdout, split.output
    both = run("diff", address, address, "--items", "city")
    assert both.exit_code == 0 and "2,000 rows" in both.stdout
    pairs = run("pmi", address, "--items", "city", "--window", "1")
    assert pairs.exit_code == 0 and "2,000 items" in pairs.stdout
    contest = run("compare", address, *TRAIN[:4], "--methods", "awm", "--budgets", "2KiB", "--seeds", "1")
    assert contest.exit_code == 0 and "2,000 examples" in contest.stdout
    assert stream.shown in both.stdout.replace("\n", "") or "***" in both.stdout


def test_the_lag_of_an_endless_stream(stream: Stream) -> None:
    stream.add(sales(3000))
    stream.server.xtrim(stream.name, maxlen=2500, approximate=False)  # 500 are gone
    source, reading = Address(f"{stream.address}?endless=yes").source, SimpleNamespace(stopped=False)
    assert source.lag() is None  # nothing was read yet
    pieces = source.pieces(None, reading)  # type: ignore[attr-defined]
    places = [next(pieces).place for _ in range(2)]
    assert source.lag() == 2500 - 2 * 1024
    stream.server.xtrim(stream.name, maxlen=2000, approximate=False)  # of those that were read
    next(pieces)
    assert source.lag() == 0
    stream.add(sales(7))
    assert source.lag() == 7
    pieces.close()
    resumed = Address(f"{stream.address}?endless=yes").source
    pieces = resumed.pieces(places[-1], reading)  # type: ignore[attr-defined]
    next(pieces)
    assert resumed.lag() is None  # how many of the entries were read before is not known ...
    stream.add(sales(1))
    next(pieces)
    assert resumed.lag() == 0  # ... until nothing waits
    stream.add(sales(3))
    assert resumed.lag() == 3
    pieces.close()
