"""diff of logs: lines are compared by their templates, and every template comes with an example."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from wmsketch.apps import Diff
from wmsketch.errors import MergeError


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


def test_errors_come_before_other_news_and_news_before_known_templates(run, tmp_path):
    paths = [tmp_path / "monday.log", tmp_path / "tuesday.log"]
    counts = {  # lines on both days
        "INFO started worker": (20, 300),
        "WARN retrying": (0, 500),
        "INFO cache warmed": (1220, 0),
        "ERROR disk full": (20, 120),
        "ERROR lost a peer": (1000, 1300),
        "ERROR no such bucket": (0, 40),
        "INFO served": (5000, 5000),
    }
    for day, path in enumerate(paths):
        lines = [text for text, of_days in counts.items() for _ in range(of_days[day])]
        Random(day).shuffle(lines)
        path.write_text("".join(f"2024-05-1{day} 10:11:{i % 60:02} {text} {i}\n" for i, text in enumerate(lines)))
    rows = json.loads(run("diff", *paths, "--json").stdout)["rows"]
    assert [row["feature"].removeprefix("<time> ").removesuffix(" <num>") for row in rows] == [
        "ERROR no such bucket",  # new errors
        "ERROR disk full",  # errors that at least doubled
        "INFO cache warmed",  # other templates that one day alone has
        "WARN retrying",
        "INFO started worker",
        "ERROR lost a peer",
    ]


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


def test_the_value_that_moved_inside_a_template_is_named(run, tmp_path):
    paths = [tmp_path / "monday.log", tmp_path / "tuesday.log"]
    for day, path in enumerate(paths, 6):
        random = Random(day)
        lines = []
        for i in range(2000):
            ip = "10.0.0.7" if day == 7 and i % 5 == 0 else f"10.0.0.{random.randrange(20, 40)}"
            at = f"2024-05-{day:02} {i // 60 % 60:02}:{i % 60:02}:00"
            lines.append(f"{at} INFO request {random.randrange(10**6)} from {ip} took {random.randrange(9)}ms\n")
        path.write_text("".join(lines))
    document = json.loads(run("diff", *paths, "--json").stdout)
    assert document["rows"] == []  # the template itself is as frequent as before
    (moved,) = document["moved"]
    assert (moved["variable"], moved["value"], moved["count_a"], moved["count_b"]) == ("3 <ip>", "10.0.0.7", 0, 400)
    assert (
        "<ip> is 10.0.0.7 in 0.0 % of the lines of monday.log and in 20.0 % of tuesday.log"
        in run("diff", *paths).stdout
    )
    assert "moved" not in json.loads(run("diff", *paths, "--lines", "--json").stdout)


def test_a_pod_is_known_by_the_name_of_its_deployment(run, tmp_path):
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for path, hashes in zip(paths, (("7d9f8b6c5", "x2x9z"), ("5c689d88bb", "qz7bd")), strict=True):
        path.write_text(
            "".join(f"2024-05-17T12:00:{i:02}Z stdout F pod web-{'-'.join(hashes)} up {i}\n" for i in range(50))
        )
    assert json.loads(run("diff", *paths, "--json").stdout)["rows"] == []


def test_the_commands_read_templates(run, tmp_path) -> None:
    rows = [
        {"ms": 900, "note": f"cannot reach 10.0.0.{i % 250} after {i} ms"}
        if i % 10 == 0
        else {"ms": i % 7, "note": f"request {i} served"}
        for i in range(2000)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({**row, "slow": row["ms"] > 100}) + "\n" for row in rows))
    found = run("explain", path, "--outlier", "ms>100", "--ignore", "slow", "--templates", "note", "--json")
    assert json.loads(found.stdout)["rows"][0]["attributes"] == {"note": "cannot reach <ip> after <num> ms"}
    learned = run("train", path, "--label", "slow", "--ignore", "ms", "--text", "note", "--templates")
    assert "note=cannot reach <ip> after <num> ms" in learned.stdout


def logins(path: Path, day: int, *, failed: int) -> Path:
    """Write a day of logins by 300 users, of which `failed` fail; no user alone fails often."""
    random = Random(day)
    lines = []
    for i in range(4000):
        user = "".join(random.choice(part) for part in (["an", "be", "ko"], list("dklmnrst"), ["a", "el", "i", "on"]))
        what = "failed for" if i < failed else "accepted for"
        lines.append(f"2024-05-{day:02} {i // 60 % 60:02}:{i % 60:02}:00 sshd: password {what} user {user} at port {i}")
    random.shuffle(lines)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_names_that_vary_are_one_template(run, tmp_path):
    paths = logins(tmp_path / "a.log", 6, failed=100), logins(tmp_path / "b.log", 7, failed=400)
    first, *_ = json.loads(run("diff", *paths, "--json").stdout)["rows"]
    assert first["feature"] == "<time> sshd: password failed for user <word> at port <num>"
    assert (first["count_a"], first["count_b"]) == (100, 400)
    assert "password failed for user" in first["example"]


def test_the_word_that_moved_is_named(run, tmp_path):
    paths = logins(tmp_path / "a.log", 6, failed=0), logins(tmp_path / "b.log", 7, failed=0)
    lines = paths[1].read_text().splitlines()
    paths[1].write_text("\n".join(f"{line.rpartition(' user ')[0]} user eve at port 7" for line in lines[:600]) + "\n")
    with paths[1].open("a") as out:
        out.write("\n".join(lines[600:]) + "\n")
    (moved, *_) = json.loads(run("diff", *paths, "--json").stdout)["moved"]
    assert (moved["variable"], moved["value"], moved["count_b"]) == ("2 <word>", "eve", 600)


def test_words_that_vary_are_kept_with_the_counts(tmp_path):
    a, b = logins(tmp_path / "a.log", 6, failed=100), logins(tmp_path / "b.log", 7, failed=400)
    whole = Diff("1MiB").learn_file(a, b)
    assert "<time> sshd: password failed for user <word> at port <num>" in whole.variable_words
    whole.save(tmp_path / "counts.wms")
    loaded = Diff.load(tmp_path / "counts.wms")
    assert loaded.variable_words == whole.variable_words and loaded.top() == whole.top()
    other = Diff("1MiB").learn_file(a, b, variable_words=())
    with pytest.raises(MergeError, match="variable_words"):
        whole.merge(other)
    same = Diff("1MiB").learn_file(a, b, variable_words=whole.variable_words)
    assert same.merge(whole).top(1)[0].count_b == 800


def test_messages_of_json_lines_are_compared_by_template(run, tmp_path):
    paths = [tmp_path / "monday.jsonl", tmp_path / "tuesday.jsonl"]
    for day, path in enumerate(paths):
        random = Random(day)
        rows = []
        for i in range(3000):
            message, level = f"request {random.randrange(10**6)} served in {random.randrange(900)} ms", "info"
            if i % 40 == 0 and day == 1:
                message, level = f"cannot reach 10.0.0.{random.randrange(250)} after {i} tries", "error"
            at = f"2024-05-1{day}T10:{i // 60 % 60:02}:{i % 60:02}.{i:04}Z"
            rows.append({"at": at, "level": level, "host": f"h{random.randrange(5)}", "message": message})
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = json.loads(run("diff", *paths, "--json").stdout)
    first, second = document["rows"][:2]
    assert {first["feature"], second["feature"]} == {"level=error", "message=cannot reach <ip> after <num> tries"}
    assert (first["count_a"], first["count_b"]) == (second["count_a"], second["count_b"]) == (0, 75)
    assert "message is compared by its templates (--items message compares its values)" in document["notes"]
    assert any(note.startswith("not compared: at ") for note in document["notes"])
