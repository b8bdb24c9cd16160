"""`wmsketch pmi`: table, JSON, files, live input, and errors."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import shown_of_endless_pipe

KEYS = {"pair", "pmi", "low", "high", "count"}


def text(n: int, seed: int = 1) -> str:
    draw = random.Random(seed)
    words = [f"word{i}" for i in range(60)]
    return "\n".join(
        " ".join([*draw.choices(words, k=4), *(["New York"] if draw.random() < 0.3 else [])]) for _ in range(n)
    )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pmi") / "corpus.txt.gz"
    path.write_bytes(gzip.compress(text(4000).encode()))
    return path


def test_the_table_names_the_pair(run, corpus: Path) -> None:
    result = run("pmi", corpus, "--top", "1")
    assert result.exit_code == 0, result.stderr
    assert "new  york" in result.stdout
    assert "word" not in result.stdout
    assert "slots of 32 MiB used" in result.stdout
    assert result.stderr == ""


def test_pairs_that_hardly_occur_are_left_out_unless_few_others_remain(run, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    once = [f"left{i} right{i}" for i in range(30)]
    path.write_text("\n".join([*once, *["new york"] * 5, *["san jose"] * 4]))
    result = run("pmi", path, "--top", "1")
    assert "new  york" in result.stdout
    assert "note: pairs that occur fewer than 5 times are left out (--min-count 1 shows them)" in result.stdout
    result = run("pmi", path, "--top", "2")
    assert "new  york" in result.stdout and "san  jose" in result.stdout
    assert "note: pairs that occur fewer than 4 times are left out" in result.stdout
    for options in (["--top", "1", "--min-count", "1"], ["--top", "30"]):
        result = run("pmi", path, *options)
        assert "right" in result.stdout
        assert "left out" not in result.stdout


def test_json_is_one_document_with_the_promised_keys(run, corpus: Path) -> None:
    document = json.loads(run("pmi", corpus, "--json", "--exact", "--budget", "64KiB").stdout)
    assert {"rows", "tokens", "pairs", "nbytes"} <= set(document)
    assert all(set(row) >= KEYS for row in document["rows"])
    assert document["nbytes"] <= 64 * 1024
    best = document["rows"][0]
    assert best["pair"] == ["new", "york"]
    assert best["low"] < best["pmi"]
    assert best["count"] <= best["exact_count"]
    assert abs(best["pmi"] - best["exact_pmi"]) < 0.8


def test_the_classifier_learns_only_if_its_weight_is_asked_for(run, corpus: Path) -> None:
    options = {"": (), "sorted": ("--sort", "weight"), "learned": ("--negatives", "5")}
    rows = {name: json.loads(run("pmi", corpus, "--json", *given).stdout)["rows"] for name, given in options.items()}
    assert all(row["weight"] is None for row in rows[""])
    weights = [row["weight"] for row in rows["sorted"]]
    assert weights == sorted(weights, reverse=True) and weights[0] > 0
    assert [{**row, "weight": None} for row in rows["learned"]] == rows[""]
    failed = run("pmi", corpus, "--sort", "weight", "--negatives", "0")
    assert failed.exit_code == 2 and "--negatives" in failed.stderr


def test_the_same_seed_gives_the_same_document(run, corpus: Path) -> None:
    documents = [json.loads(run("pmi", corpus, "--json", "--seed", seed).stdout) for seed in ("1", "1", "2")]
    assert documents[0]["rows"] == documents[1]["rows"] != documents[2]["rows"]


def test_items_of_a_log_by_group(run, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    draw = random.Random(3)
    rows = []
    for second in range(3000):
        host = draw.randrange(5)
        rows.append({"host": host, "at": second, "code": f"c{draw.randrange(20)}"})
        if draw.random() < 0.1:
            rows += [{"host": host, "at": second, "code": code} for code in ("full", "failed")]
    path.write_text("\n".join(map(json.dumps, rows)))
    columns = ("--items", "code", "--group", "host", "--time", "at", "--window-seconds", "2")
    document = json.loads(run("pmi", path, *columns, "--json").stdout)
    assert document["rows"][0]["pair"] == ["full", "failed"]


def test_files_are_written(run, corpus: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "pairs.html", tmp_path / "pairs.png"
    result = run("pmi", corpus, "--report", page, "--plot", picture)
    assert result.exit_code == 0, result.stderr
    assert "york" in page.read_text()
    assert "http" not in page.read_text().replace("http://www.w3.org", "")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        ("", 1, "no items found"),
        ("...\n", 1, "no items found"),
        ("once\n", 0, "1 item, but never two in one window: there are no pairs"),
        ("la la la la\n", 0, "all 4 items are the same"),
        ("a b\n", 0, "no pair held occurred 9 times or more"),
    ],
)
def test_too_little_is_said_so(run, tmp_path: Path, content: str, status: int, message: str) -> None:
    path = tmp_path / "small.txt"
    path.write_text(content)
    result = run("pmi", path, "--min-count", "9")
    assert result.exit_code == status
    assert message in result.stdout + result.stderr


@pytest.mark.parametrize("option", ["--items", "--text"])
def test_a_column_that_is_not_there_is_named_by_its_option(run, tmp_path: Path, option: str) -> None:
    (tmp_path / "events.csv").write_text("code,host\nE1,a\n")
    result = run("pmi", tmp_path / "events.csv", option, "cdoe")
    assert result.exit_code == 1
    assert f"events.csv: {option}: there is no column 'cdoe'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--window-seconds", "3"), "--window-seconds needs --time"),
        (("--group", "host"), "--group needs --items"),
        (("--items", "a", "--text", "b"), "cannot be combined"),
        (("--token", "("), "token must be"),
        (("--budget", "1KiB"), "budget must be at least"),
        (("--format", "csv"), "set --items or --text"),
    ],
)
def test_bad_usage(run, corpus: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run("pmi", corpus, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_endless_pipe_gets_a_table_again_and_again_and_a_last_one(spawn) -> None:
    process = spawn("pmi", "-", "--every", "50ms", "--top", "1")
    assert shown_of_endless_pipe(process, (text(200, seed) + "\n" for seed in range(40))).count("new  york") >= 2


def test_where_chooses_the_rows_that_count(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("level,code\n" + "error,a\ninfo,x\nerror,b\n" * 50)
    document = json.loads(
        run("pmi", path, "--items", "code", "--window", "1", "--where", "level == error", "--json").stdout
    )
    assert document["tokens"] == 100
    assert {tuple(row["pair"]) for row in document["rows"]} == {("a", "b"), ("b", "a")}
    plain = tmp_path / "plain.txt"
    plain.write_text("a b c")
    refused = run("pmi", plain, "--where", "level == error")
    assert refused.exit_code == 2 and "--where" in refused.stderr


def test_templates_of_a_log_are_items(run, tmp_path):
    log = tmp_path / "app.log"
    lines = []
    for i in range(400):
        lines.append(f"2024-05-17 10:{i // 60 % 60:02}:{i % 60:02} request {i} served in {i % 90}ms")
        if i % 20 == 0:
            lines += [f"2024-05-17 10:11:12 disk {i} is full", f"2024-05-17 10:11:12 write of {i * 7} failed"]
    log.write_text("\n".join(lines) + "\n")
    first = json.loads(run("pmi", log, "--templates", "--window", "1", "--json").stdout)["rows"][0]
    assert first["pair"] == ["<time> disk <num> is full", "<time> write of <num> failed"]
    assert first["count"] == 20
    table = tmp_path / "app.jsonl"
    table.write_text("".join(json.dumps({"host": "a", "message": line[20:]}) + "\n" for line in lines))
    asked = ("--items", "message", "--group", "host", "--templates", "--window", "1", "--json")
    first = json.loads(run("pmi", table, *asked).stdout)["rows"][0]
    assert (first["pair"], first["count"]) == (["disk <num> is full", "write of <num> failed"], 20)
    wrong = run("pmi", table, "--text", "message", "--templates")
    assert wrong.exit_code == 2 and "--text" in wrong.stderr


def test_a_pipe_finds_rare_pairs_of_the_count_asked_for(run) -> None:
    from tests.apps.test_pmi_trust import rare_pairs_in_noise

    lines = "".join(" ".join(words) + "\n" for words in rare_pairs_in_noise())
    options = ("--budget", "160KiB", "--min-count", "15", "--sort", "pmi", "--top", "40", "--json")
    result = run("pmi", "-", *options, input=lines)
    pairs = [row["pair"] for row in json.loads(result.stdout)["rows"]]
    assert sum(first.replace("first", "second") == second for first, second in pairs) >= 30
