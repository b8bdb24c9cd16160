"""diff of logs: lines are compared by their templates, and every template comes with an example."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest


def log_of(path: Path, day: int, *, seed: int, broken: bool = False) -> Path:
    """Write a day of requests and logins, in which every line has its own time; `broken` adds a new error."""
    random = Random(seed)
    lines = []
    for i in range(3000):
        at = f"2024-05-{day:02} {i // 3600:02}:{i // 60 % 60:02}:{i % 60:02},{random.randrange(1000):03}"
        ip = f"10.{random.randrange(9)}.{random.randrange(255)}.{random.randrange(255)}"
        lines.append(f"{at} INFO [worker-{random.randrange(8)}] request {random.randrange(10**6)} from {ip} took {i}ms")
        if i % 3 == 0:
            lines.append(f"{at} INFO session 0x{random.randrange(2**32):08x} opened for user{random.randrange(10**4)}")
        if broken and i % 50 == 0:
            lines.append(f"{at} ERROR cannot reach /10.0.0.7:{random.randrange(10**4)}: timed out after {i} ms")
            lines += ["Traceback (most recent call last):", '  File "a.py", line 12, in go', "    reach()"]
            lines.append(f"ConnectionError: {ip} refused")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def days(tmp_path: Path) -> tuple[Path, Path]:
    return log_of(tmp_path / "monday.log", 6, seed=1), log_of(tmp_path / "tuesday.log", 7, seed=2, broken=True)


def test_a_new_error_comes_first_with_its_exact_count_and_an_example(run, days):
    result = run("diff", *days, "--json")
    document = json.loads(result.stdout)
    rows = {row["feature"]: row for row in document["rows"]}
    new = rows["<time> ERROR cannot reach <ip>: timed out after <num> ms"]
    assert (new["count_a"], new["count_b"], new["only_in"], new["exact"]) == (0, 60, "b", True)
    assert new["example"].startswith("2024-05-07 00:00:00,") and "ERROR cannot reach /10.0.0.7:" in new["example"]
    assert rows["ConnectionError: <ip> refused"]["count_b"] == 60  # the frames of a trace are no rows of their own
    assert len(rows) == 2
    assert any("--lines" in note for note in document["notes"])


def test_the_table_shows_examples_and_says_what_was_assumed(run, days):
    shown = run("diff", *days).stdout
    assert "e.g. 2024-05-07" in shown and "templates" in shown and "--lines compares whole lines" in shown


def test_whole_lines_on_request(run, days):
    rows = {row["feature"]: row for row in json.loads(run("diff", *days, "--lines", "--json").stdout)["rows"]}
    assert rows["Traceback (most recent call last):"]["count_b"] == 60
    assert not any("example" in row for row in rows.values())


@pytest.mark.parametrize("line", ["10.0.0.{}", "item {}", "GET /cart/{}", "{}"])
def test_a_list_of_items_is_no_log(run, tmp_path, line):
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text("".join(line.format(i % 40) + "\n" for i in range(400)))
    b.write_text("".join(line.format(i % 40 if i % 2 else 7) + "\n" for i in range(400)))
    rows = json.loads(run("diff", a, b, "--json").stdout)["rows"]
    assert rows[0]["feature"] == line.format(7)


def test_templates_cannot_be_combined_with_columns(run, days):
    result = run("diff", *days, "--templates", "--items", "x")
    assert result.exit_code == 2 and "--items" in result.stderr and "--templates" in result.stderr
