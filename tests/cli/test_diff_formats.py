"""diff of logs as programs write them: JSON rows under any name, syslog of several hosts, chains of exceptions."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from wmsketch.apps import Diff


def json_log(path: Path, *, broken: bool, n: int = 1500) -> Path:
    random = Random(3)
    rows = []
    for i in range(n):
        row = {
            "ts": f"2024-05-17T10:00:00.{i:06}Z",
            "level": "info",
            "msg": f"request {random.randrange(10**6)} served",
        }
        if broken and i % 30 == 0:
            row |= {"level": "error", "msg": f"cannot reach db-{random.randrange(4)} after {i} tries"}
        rows.append(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_json_rows_in_a_log_are_a_table_whatever_its_name(run, tmp_path):
    paths = json_log(tmp_path / "a.log", broken=False), json_log(tmp_path / "b.log", broken=True)
    document = json.loads(run("diff", *paths, "--json").stdout)
    found = {row["feature"]: row["count_b"] for row in document["rows"]}
    assert found == {"level=error": 50, "msg=cannot reach db-<num> after <num> tries": 50}
    piped = json.loads(run("diff", paths[0], "-", "--json", input=paths[1].read_text()).stdout)
    assert {row["feature"]: row["count_b"] for row in piped["rows"]} == found
    lines = json.loads(run("diff", *paths, "--lines", "--json").stdout)
    assert lines["rows"] == []  # each line is unique


def test_lines_and_columns_have_nothing_in_common(run, tmp_path):
    text = tmp_path / "a.log"
    text.write_text("".join(f"2024-05-17 10:00:00 request {i} served\n" for i in range(100)))
    table = json_log(tmp_path / "b.jsonl", broken=False)
    result = run("diff", text, table)
    assert result.exit_code == 2 or result.exit_code == 1
    assert (
        "--lines" in result.stderr and "a.log (as text) and" in result.stderr and "b.jsonl (as jsonl)" in result.stderr
    )
    assert run("diff", text, table, "--lines").exit_code == 0


def test_an_error_on_several_hosts_is_one_row(run, tmp_path):
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for day, path in enumerate(paths, 6):
        random = Random(day)
        lines = []
        for i in range(1500):
            at = f"May {day:2} {i // 60 % 24:02}:{i % 60:02}:00 web{random.randrange(3)}"
            lines.append(f"{at} sshd[{random.randrange(9999)}]: session {i} opened")
            if day == 7 and i % 30 == 0:
                lines.append(f"{at} kernel: Out of memory: Killed process {random.randrange(9999)}")
        path.write_text("\n".join(lines) + "\n")
    (row,) = json.loads(run("diff", *paths, "--json").stdout)["rows"]
    assert row["feature"] == "<time> <host> kernel: Out of memory: Killed process <num>" and row["count_b"] == 50


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_pipes_of_the_shell_are_called_a_and_b(run, tmp_path):
    paths = json_log(tmp_path / "a.log", broken=False), json_log(tmp_path / "b.log", broken=True)
    opened = [os.open(path, os.O_RDONLY) for path in paths]
    shown = run("diff", *(f"/dev/fd/{number}" for number in opened), "--format", "jsonl").stdout
    for number in opened:
        os.close(number)
    assert "in A  in B" in shown and f"A (/dev/fd/{opened[0]})" in shown


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_two_pipes_that_are_read_as_they_arrive_are_recognised_as_logs():
    ends = [os.pipe(), os.pipe()]

    def fill(day: int, into: int) -> None:
        with os.fdopen(into, "w") as pipe:
            for i in range(600):
                what = "disk full" if day == 7 and i % 10 == 0 else "request served"
                pipe.write(f"2024-05-{day:02} {i // 60:02}:{i % 60:02}:00 INFO {what} {i}\n")

    threads = [Thread(target=fill, args=(day, into)) for day, (_, into) in zip((6, 7), ends, strict=True)]
    for thread in threads:
        thread.start()
    diff = Diff("1MiB").learn_file(*(f"/dev/fd/{number}" for number, _ in ends), live=True)
    for thread, (number, _) in zip(threads, ends, strict=True):
        thread.join()
        os.close(number)
    assert diff.by_template
    assert diff.top(1)[0].feature == "<time> INFO disk full <num>" and diff.top(1)[0].count_b == 60
