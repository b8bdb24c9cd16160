"""Diff: its output, the JSON that other programs rely on, and bad or equal input."""

import json
import os
import random
import signal
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROW_KEYS = {"feature", "weight", "low", "high", "log_ratio", "count_a", "count_b", "ratio", "ratio_low", "ratio_high"}
MARKS = {"only_in", "exact", "shortened"}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs, where /new occurs only in b and /old four times as often in a; a table; two captures."""
    folder = tmp_path_factory.mktemp("logs")
    draw = random.Random(1)
    common = [f"GET /page{i}" for i in range(40)]
    (folder / "a.log").write_text("".join(draw.choice([*common, *["GET /old"] * 8]) + "\n" for _ in range(6000)))
    (folder / "b.log").write_text(
        "".join(draw.choice([*common, *["GET /old"] * 2, *["GET /new"] * 6]) + "\n" for _ in range(9000))
    )
    rows = [
        f"{year},{draw.choice('XXYZ' if year == 2013 else 'XYZZ')},{draw.random()},7" for year in (2013, 2014) * 2000
    ]
    (folder / "sales.csv").write_text("year,city,price,number\n" + "\n".join(rows) + "\n")
    (folder / "a.pcap").write_bytes(capture(["10.0.0.1"] * 300 + ["10.0.0.2"] * 300, draw))
    (folder / "b.pcap").write_bytes(capture(["10.0.0.1"] * 300 + ["10.9.0.3"] * 300, draw))
    return folder


def capture(sources: list[str], draw: random.Random) -> bytes:
    draw.shuffle(sources)
    records = []
    for source in sources:
        address = bytes(int(part) for part in source.split("."))
        packet = (
            bytes.fromhex("4500001c0000000040110000") + address + bytes([8, 8, 8, 8]) + struct.pack(">HHI", 999, 53, 0)
        )
        size = 5000 if source == "10.0.0.1" else 100
        records.append(struct.pack("<IIII", 0, 0, len(packet), size) + packet)
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(records)


def report(run, *arguments, status: int = 0, **more):
    result = run("diff", *arguments, "--json", **more)
    assert result.exit_code == status, result.stderr
    return json.loads(result.stdout, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))


def test_prints_what_differs_and_how_sure_that_is(run, logs):
    result = run("diff", logs / "a.log", logs / "b.log")
    assert result.exit_code == 0 and result.stderr == ""
    assert "GET /new" in result.stdout and "GET /old" in result.stdout and "/page" not in result.stdout
    assert "2 of 42 items held differ beyond noise" in result.stdout
    assert "1 more frequent in a.log, 1 in b.log" in result.stdout
    assert "a.log: 6,000 rows, b.log: 9,000 rows" in result.stdout
    assert result.stdout.rstrip().endswith("all 42 items are held: every count is exact")
    new = next(line.split() for line in result.stdout.splitlines() if line.startswith("GET /new"))
    assert new[2:4] == ["b.log", "only"]


def test_json_is_one_document_with_the_promised_keys(run, logs):
    document = report(run, logs / "a.log", logs / "b.log", "--budget", "16KiB")
    assert {"rows", "total_a", "total_b", "nbytes"} <= document.keys()
    assert [set(row) for row in document["rows"]] == [ROW_KEYS | MARKS] * 2
    assert (document["total_a"], document["total_b"]) == (6000, 9000)
    assert document["nbytes"] <= document["budget_bytes"] == 16384
    new, old = document["rows"]
    assert new["feature"] == "GET /new" and new["log_ratio"] < -3 and new["count_a"] == 0
    assert old["feature"] == "GET /old" and old["low"] <= old["weight"] <= old["high"]
    in_a, in_b = ((logs / name).read_text().count("/old") for name in ("a.log", "b.log"))
    assert (old["count_a"], old["count_b"]) == (in_a, in_b)


@pytest.mark.parametrize("method", ["count-table", "lr", "paired-count-min"])
def test_every_method_finds_them(run, logs, method):
    document = report(run, logs / "a.log", logs / "b.log", "--method", method)
    assert {row["feature"] for row in document["rows"]} == {"GET /new", "GET /old"}
    assert document["method"] == method and (document["budget_bytes"] is None) == (method == "lr")


def test_the_former_word_for_the_table_of_counts_still_works(run, logs):
    assert report(run, logs / "a.log", logs / "b.log", "--method", "awm")["method"] == "count-table"


def test_equal_streams_get_a_statement_and_no_ranking(run, logs):
    result = run("diff", logs / "a.log", logs / "a.log")
    assert result.exit_code == 0
    assert "no difference beyond noise" in result.stdout and "/page" not in result.stdout
    assert report(run, logs / "a.log", logs / "a.log")["rows"] == []
    assert len(report(run, logs / "a.log", logs / "a.log", "--all", "--top", 5)["rows"]) == 5


def test_stdin_is_one_of_the_streams(run, logs):
    text = (logs / "a.log").read_text()
    document = report(run, "-", logs / "b.log", input=text)
    assert (document["total_a"], document["total_b"]) == (6000, 9000)
    assert {row["feature"] for row in document["rows"]} == {"GET /new", "GET /old"}
    assert "only one of the two streams" in run("diff", "-", "-", input=text).stderr


def test_globs_columns_and_pairs(run, logs, tmp_path):
    for i in range(3):
        (tmp_path / f"b{i}.csv").write_text("city,tea\n" + "Rome,green\n" * 200)
    (tmp_path / "a.csv").write_text("city,tea\n" + "Rome,black\nOslo,green\n" * 300)
    document = report(run, tmp_path / "a.csv", tmp_path / "b*.csv", "--items", "city", "--pairs", "city:tea")
    assert (document["total_a"], document["total_b"]) == (600, 600)
    features = {row["feature"] for row in document["rows"]}
    assert {"city=Oslo", "city=Rome&tea=black", "city=Rome&tea=green"} <= features


@pytest.mark.parametrize("piped", [False, True])
def test_split_by_a_column(run, logs, piped):
    more = ["--split", "year", "--a", "2013", "--b", "2014", "--items", "city,number"]
    text = (logs / "sales.csv").read_text()
    document = (
        report(run, "-", *more, "--format", "csv", input=text) if piped else report(run, logs / "sales.csv", *more)
    )
    assert (document["total_a"], document["total_b"]) == (2000, 2000)
    assert {row["feature"]: row["log_ratio"] > 0 for row in document["rows"]} == {"city=X": True, "city=Z": False}


def test_tokens_and_ngrams(run, tmp_path):
    (tmp_path / "a.txt").write_text("The red house.\n" * 100)
    (tmp_path / "b.txt").write_text("the blue house\n" * 100)
    document = report(run, tmp_path / "a.txt", tmp_path / "b.txt", "--tokens", "--lowercase", "--ngrams", 2)
    assert document["total_a"] == 500  # three words and two pairs of words per line
    features = {row["feature"] for row in document["rows"]}
    assert features == {"red", "blue", "the red", "the blue", "red house", "blue house"}


def test_captures_by_packets_and_by_bytes(run, logs):
    items = ["--items", "src,src_net"]
    document = report(run, logs / "a.pcap", logs / "b.pcap", *items)
    features = {row["feature"]: row for row in document["rows"]}
    assert features.keys() == {"src=10.0.0.2", "src=10.9.0.3", "src_net=10.9.0.0/16", "src_net=10.9.0.0/24",
                               "src_net=10.0.0.0/16", "src_net=10.0.0.0/24"}  # fmt: skip
    assert features["src=10.0.0.2"]["count_a"] == 300
    by_bytes = report(run, logs / "a.pcap", logs / "b.pcap", *items, "--weight", "bytes")
    assert by_bytes["total_a"] == 300 * 5000 + 300 * 100
    [row] = [row for row in by_bytes["rows"] if row["feature"] == "src=10.9.0.3"]
    assert row["count_b"] == 300 * 100


def test_min_count_leaves_rare_items_out(run, logs):
    rows = report(run, logs / "a.log", logs / "b.log", "--min-count", 1200)["rows"]
    assert [row["feature"] for row in rows] == ["GET /old"]


def test_a_damaged_capture_is_told_with_its_place_and_the_rest_counts(run, logs, tmp_path):
    bad = tmp_path / "bad.pcap"
    bad.write_bytes((logs / "b.pcap").read_bytes()[:-10])
    result = run("diff", logs / "a.pcap", bad, "--items", "src", "--json")
    assert result.exit_code == 1
    at = len((logs / "b.pcap").read_bytes()) - 44
    assert f"bad.pcap: byte {at}: the capture ends in the middle of a record" in result.stderr
    assert "the result covers the first 600 and 599 packets" in result.stderr
    assert json.loads(result.stdout)["total_b"] == 599


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["a.log"], 2, "expected two streams A and B"),
        (["a.log", "b.log", "a.log"], 2, "got 3"),
        (["a.log", "b.log", "--a", "1"], 2, "--a and --b need --split"),
        (["sales.csv", "--split", "year", "--a", "2013"], 2, "--split takes one input and the two values"),
        (["sales.csv", "--split", "year", "--a", "2013", "--b", "2013", "--items", "city"], 2, "two values of 'year'"),
        (
            ["sales.csv", "--split", "yaer", "--a", "1", "--b", "2", "--items", "city"],
            1,
            "--split: there is no column 'yaer'",
        ),
        (["sales.csv", "--split", "year", "--a", "2013", "--b", "2019", "--items", "city"], 1, "year=2019: no rows"),
        (["sales.csv", "sales.csv", "--items", "town"], 1, "--items: there is no column 'town'"),
        (
            ["sales.csv", "sales.csv", "--items", "city", "--pairs", "city:town"],
            1,
            "--pairs: there is no column 'town'",
        ),
        (["a.log", "none.log"], 1, "none.log: no such file"),
        (["a.log", "empty.log"], 1, "empty.log: no rows found, so there is nothing to compare"),
        (["a.log", "b.log", "--budget", "300"], 2, "--budget must be at least"),
        (["a.log", "b.log", "--every", "soon"], 2, "--every must be a time like 10s"),
        (["a.log", "b.log", "--plot", "x.foo"], 2, "--plot must end in .png, .svg, .pdf, got"),
        (["a.log", "b.log", "--names", "x"], 2, "--names must be two names like before,after, got 'x'"),
        (["a.log", "b.log", "--half-life", "5", "--method", "lr"], 2, "--half-life needs --method count-table"),
        (["a.log", "b.log", "--ngrams", "2"], 2, "--ngrams needs --tokens"),
        (["a.pcap", "b.pcap", "--items", "port"], 2, "packets have no column 'port'"),
        (["a.log", "b.log", "--lines", "--tokens"], 2, "--lines and --tokens cannot be combined"),
    ],
)
def test_bad_usage_and_bad_data_are_one_line(run, logs, arguments, status, message):
    (logs / "empty.log").touch()
    paths = [logs / word if "." in word and not word.startswith("-") else word for word in arguments]
    result = run("diff", *paths)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_column_that_is_all_missing_has_no_items(run, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("city,tea\n" + ",green\n" * 50)
    document = report(run, tmp_path / "a.csv", tmp_path / "b.csv", "--items", "city")
    assert document["rows"] == [] and document["total_a"] == 50
    assert document["statement"] == "no items were found in either stream"


def test_a_misspelt_column_of_json_is_told_at_the_end(run, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"city": "Rome"}\n' * 50)
    result = run("diff", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--items", "town", "--json")
    assert result.exit_code == 1 and "no row has the column 'town'" in result.stderr


def test_pictures_and_pages(run, logs, tmp_path):
    picture, page = tmp_path / "diff.png", tmp_path / "diff.html"
    result = run("diff", logs / "a.log", logs / "b.log", "--plot", picture, "--report", page)
    assert result.exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    assert "GET /new" in text and "<svg" in text and "http://" not in text.replace("http://www.w3.org", "")
    equal = run("diff", logs / "a.log", logs / "a.log", "--report", page)
    assert equal.exit_code == 0 and "no difference beyond noise" in page.read_text()


def test_follows_an_endless_pipe_and_sums_up_when_it_is_stopped(spawn, logs):
    process = spawn("diff", "-", logs / "b.log", "--every", "100ms")
    stop = threading.Event()

    def write() -> None:
        lines = (logs / "a.log").read_bytes().splitlines(keepends=True)
        with suppress(BrokenPipeError):
            while not stop.is_set():
                process.stdin.write(b"".join(lines[:600]))
                process.stdin.flush()
                time.sleep(0.05)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    seen = b""
    while seen.count(b"more often in") < 2:
        more = os.read(process.stdout.fileno(), 1 << 16)
        assert more, process.stderr.read().decode()
        seen += more
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    stop.set()
    writer.join()
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"GET /new" in seen + rest
    assert b"wmsketch: stopped; the result covers the first" in errors


def test_two_pipes_are_taken_as_they_arrive(spawn, logs, tmp_path):
    pipes = [tmp_path / "a", tmp_path / "b"]
    for pipe in pipes:
        os.mkfifo(pipe)
    process = spawn("diff", *pipes, "--lines", "--every", "10s", "--json")

    def write(pipe: Path, source: Path) -> None:
        with pipe.open("wb") as file:
            file.write(source.read_bytes())

    for pipe, name in zip(pipes, ("a.log", "b.log"), strict=True):
        threading.Thread(target=write, args=(pipe, logs / name), daemon=True).start()
    output, errors = process.communicate(timeout=30)
    document = json.loads(output)
    assert (document["total_a"], document["total_b"]) == (6000, 9000), errors


def test_the_streams_have_names(run, logs):
    result = run("diff", logs / "a.log", logs / "b.log", "--names", "before,after")
    assert "1 more frequent in before, 1 in after" in result.stdout and "in after" in result.stdout.splitlines()[0]
    assert report(run, logs / "a.log", logs / "b.log")["names"] == {"a": "a.log", "b": "b.log"}
    split = run("diff", logs / "sales.csv", "--split", "year", "--a", "2013", "--b", "2014", "--items", "city")
    assert "year=2013: 2,000 rows, year=2014: 2,000 rows" in split.stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_names_are_whole_in_every_terminal(run, logs, columns, monkeypatch):
    from rich.console import Console

    from wmsketch.apps import Diff
    from wmsketch.cli.parts.diff_output import Streams, table_of

    diff = Diff().read(logs / "a.log", logs / "b.log")
    console = Console(width=columns)
    with console.capture() as capture:
        console.print(table_of(diff, diff.top(), Streams(["a.log", "b.log"], "rows")))
    lines = capture.get().splitlines()
    assert max(map(len, lines)) <= columns
    assert [line[:8] for line in lines[1:3]] == ["GET /new", "GET /old"]
    assert ("95 %" in lines[0]) == (columns > 60)


def test_small_budgets_mark_what_is_not_exact_and_say_which_would_do(run, tmp_path):
    for name, order in (("a.csv", "ABCD"), ("b.csv", "DCBA")):
        rows = [f"{carrier},{(7 * i + ord(carrier)) % 3000}" for carrier in order for i in range(5000)]
        (tmp_path / name).write_text("carrier,tail\n" + "\n".join(rows) + "\n")
    files = (tmp_path / "a.csv", tmp_path / "b.csv", "--items", "carrier,tail")
    counted = report(run, *files, "--budget", "32KiB", "--all", "--top", 1000)  # in a second pass over the files
    assert counted["rows"] and all(row["exact"] for row in counted["rows"])
    assert counted["items"]["held"] < counted["items"]["distinct"]
    piped = ("-", *files[1:], "--format", "csv", "--budget", "32KiB", "--all", "--top", 1000)
    small = report(run, *piped, input=files[0].read_bytes())
    assert not [row for row in report(run, *files, "--budget", "32KiB")["rows"] if "carrier" in row["feature"]]
    items = small["items"]
    assert items["held"] < items["distinct"] and items["exact"] <= items["held"]
    late = [row for row in small["rows"] if not row["exact"]]
    assert late and all(row["count_a_low"] <= row["count_a"] <= row["count_a_high"] for row in late)
    text = run("diff", *files, "--budget", "32KiB").stdout
    assert f"--budget {items['budget_for_all']} would hold all" in text
    large = report(run, *files, "--budget", items["budget_for_all"])
    assert large["rows"] == [] and large["items"]["exact"] == large["items"]["distinct"] == 3004


def test_half_life_compares_what_came_last(run, tmp_path):
    (tmp_path / "a.log").write_text("old\n" * 3000 + "new\n" * 3000)
    (tmp_path / "b.log").write_text("new\n" * 3000 + "old\n" * 3000)
    assert report(run, tmp_path / "a.log", tmp_path / "b.log")["rows"] == []
    rows = report(run, tmp_path / "a.log", tmp_path / "b.log", "--half-life", 500)["rows"]
    assert {row["feature"]: row["log_ratio"] > 0 for row in rows} == {"new": True, "old": False}


def test_ephemeral_ports_are_one_item(run, tmp_path):
    def packets(first: int) -> bytes:
        records = []
        for i in range(200):
            ports = struct.pack(">HHI", 40_000 + first + i, 443, 0)
            packet = bytes.fromhex("4500001c0000000040110000") + bytes([10, 0, 0, 1, 8, 8, 8, 8]) + ports
            records.append(struct.pack("<IIII", 0, 0, len(packet), 100) + packet)
        return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(records)

    (tmp_path / "a.pcap").write_bytes(packets(0))
    (tmp_path / "b.pcap").write_bytes(packets(5000))
    files = (tmp_path / "a.pcap", tmp_path / "b.pcap", "--items", "sport,dport", "--all")
    assert {row["feature"] for row in report(run, *files)["rows"]} == {"sport=ephemeral", "dport=443"}
    assert len(report(run, *files, "--all-ports", "--top", 1000)["rows"]) == 401


def test_a_page_says_how_it_was_made_and_has_the_numbers_of_the_table(run, logs, tmp_path):
    page = tmp_path / "diff.html"
    result = run("diff", logs / "a.log", logs / "b.log", "--report", page)
    text = page.read_text()
    assert "wmsketch diff" in text and "times as often in b.log (left) or in a.log (right)" in text
    assert "range of the true ratio" in text
    old = next(line for line in result.stdout.splitlines() if line.startswith("GET /old"))
    times, low, high = old.split()[3], old.split()[4], old.split()[6]
    assert f">{times}</td>" in text and f">{low} to {high}</td>" in text


def test_whoever_has_read_enough_ends_it_well(spawn, logs):
    process = spawn("diff", logs / "a.log", logs / "b.log", "--json")
    process.stdout.close()
    with process, process.stderr as errors:
        assert (process.wait(30), errors.read()) == (0, b"")


def test_where_chooses_the_rows_that_count(run, tmp_path):
    for name, fruit in (("a", "pear"), ("b", "fig")):
        rows = [f"{fruit},{i % 2}" for i in range(200)] + [f"plum,{i % 2}" for i in range(100)]
        (tmp_path / f"{name}.csv").write_text("fruit,ripe\n" + "\n".join(rows) + "\n")
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    document = json.loads(run("diff", a, b, "--items", "fruit", "--where", "ripe == 1", "--json").stdout)
    assert (document["total_a"], document["total_b"]) == (150, 150)
    assert {row["feature"]: (row["count_a"], row["count_b"]) for row in document["rows"]} == {
        "fruit=pear": (100, 0),
        "fruit=fig": (0, 100),
    }
    assert run("diff", a, b, "--lines", "--where", "ripe == 1").exit_code == 2
    bad = run("diff", a, b, "--items", "fruit", "--where", "raw == 1")
    assert bad.exit_code == 1 and "raw" in bad.stderr
