"""`wmsketch explain`: table, JSON, files, live input, and errors."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import shown_of_endless_pipe

KEYS = {"attributes", "weight", "low", "high", "risk_ratio", "support", "outliers", "inliers"}


def lines(n: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        version, city = draw.choice(["1.0", "1.1", "2.0"]), draw.choice(["Rome", "Oslo", "[red]"])
        slow = draw.random() < (0.6 if version == "2.0" else 0.05)
        rows.append(f"v{version},{city},{draw.randint(500, 900) if slow else draw.randint(1, 99)},{slow}")
    return rows


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "requests.csv"
    path.write_text("\n".join(["version,city,ms,slow", *lines(5000)]) + "\n")
    return path


def test_the_table_names_the_cause(run, csv: Path) -> None:
    result = run("explain", csv, "--outlier", "ms>=500", "--ignore", "slow")
    assert result.exit_code == 0, result.stderr
    assert "version=v2.0" in result.stdout
    assert "city" not in result.stdout.replace("attributes", "")
    assert "5,000 rows" in result.stdout
    assert result.stderr == ""


def test_json_is_one_document_with_the_promised_keys(run, csv: Path) -> None:
    result = run("explain", csv, "--outlier", "ms>p75", "--ignore", "slow", "--json", "--min-ratio", "0", "--all")
    document = json.loads(result.stdout)
    assert {"rows", "examples", "outliers", "nbytes"} <= set(document)
    assert all(set(row) >= KEYS for row in document["rows"])
    assert document["examples"] == 5000
    assert document["nbytes"] <= document["budget_bytes"] == 16 * 2**20
    assert set(document["thresholds"]) == {"ms>p75"}
    best = document["rows"][0]
    assert best["attributes"] == {"version": "v2.0"}
    assert isinstance(best["outliers"], int)


def test_a_label_in_place_of_a_condition(run, csv: Path) -> None:
    arguments = ("--label", "slow", "--positive", "True", "--attributes", "version", "--json")
    document = json.loads(run("explain", csv, *arguments).stdout)
    assert [row["attributes"] for row in document["rows"]] == [{"version": "v2.0"}]


@pytest.mark.parametrize("missing", ["", "NaN", "NA", "null"])
def test_rows_whose_number_is_missing_are_left_out(run, missing: str) -> None:
    result = run("explain", "-", "--format", "csv", "--outlier", "ms>=500", input=f"ms,host\n5,a\n{missing},b\n900,a\n")
    assert "2 rows, 1 outlier;" in result.stdout
    assert "1 row left out: no number in a column of the condition" in result.stdout


def test_more_columns_than_there_is_room_for_stay_within_the_budget(run) -> None:
    names = ",".join(f"c{i}" for i in range(2000))
    rows = "\n".join(",".join([value] * 2000) for value in "ab")
    document = json.loads(
        run(
            "explain",
            "-",
            "--format",
            "csv",
            "--outlier",
            "c0==a and c1==a",
            "--json",
            "--budget",
            "128KiB",
            input=f"{names}\n{rows}\n",
        ).stdout
    )
    assert "their columns do not fit the budget" in " ".join(document["notes"])
    assert document["nbytes"] <= document["budget_bytes"]


def test_picture_and_report_are_written(run, csv: Path, tmp_path: Path) -> None:
    plot, report = tmp_path / "out.png", tmp_path / "out.html"
    result = run("explain", csv, "--outlier", "ms>=500", "--plot", plot, "--report", report)
    assert result.exit_code == 0, result.stderr
    assert plot.read_bytes().startswith(b"\x89PNG")
    page = report.read_text(encoding="utf-8")
    assert "version=v2.0" in page
    assert "<svg" in page
    assert f"written to {plot}" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("--outlier", "ms >> 5"),
            2,
            "--outlier: expected one of != < <= == > >=, 'in' or 'is' at position 4 of 'ms >> 5', found '>>'",
        ),
        (
            ("--outlier", "ms"),
            2,
            "position 3 of 'ms', found the end (in a shell, a condition with > or < needs quotes)",
        ),
        (("--outlier", "latency>5"), 1, "outlier: there is no column 'latency'"),
        (("--outlier", "ms>5", "--where", "citi==Rome"), 1, "where: there is no column 'citi'"),
        (("--outlier", "ms>5", "--where", "city="), 2, "where: expected a number, a word"),
        (("--outlier", "ms>5", "--half-life", "1h"), 2, "needs the column time"),
        (("--outlier", "ms>5", "--plot", "x.foo"), 2, "--plot must end in"),
        ((), 2, "give either"),
        (("--outlier", "ms>5", "--label", "slow"), 2, "give either"),
        (("--outlier", "city>5"), 1, "row 21: expected a number in column 'city'"),
        (("--outlier", "ms>5", "--budget", "2KiB"), 2, "budget must be at least"),
        (("--outlier", "ms>5", "--every", "soon"), 2, "like 10s"),
        (("--outlier", "ms>5", "--attributes", "vresion"), 1, "did you mean 'version'"),
    ],
)
def test_errors_say_what_is_wrong(run, csv: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    result = run("explain", csv, *arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1


def test_nothing_to_compare_is_a_statement_and_not_a_ranking(run, csv: Path, tmp_path: Path) -> None:
    result = run("explain", csv, "--outlier", "ms>100000")
    assert result.exit_code == 0
    assert "no row of 5,000 is an outlier" in result.stdout
    assert json.loads(run("explain", csv, "--outlier", "ms>100000", "--json").stdout)["rows"] == []
    empty = tmp_path / "empty.csv"
    empty.write_text("version,ms\n")
    result = run("explain", empty, "--outlier", "ms>1")
    assert result.exit_code == 1
    assert "no rows found" in result.stderr


def test_input_without_columns_is_refused(run, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("1 3:1\n-1 4:1\n")
    result = run("explain", path, "--outlier", "ms>1")
    assert result.exit_code != 0
    assert "libsvm" in result.stderr


def test_an_endless_pipe_gets_a_table_again_and_again_and_a_last_one(spawn) -> None:
    process = spawn("explain", "-", "--format", "csv", "--outlier", "ms>=500", "--ignore", "slow", "--every", "50ms")
    header = "version,city,ms,slow\n"
    parts = (header * (seed == 0) + "\n".join(lines(500, seed)) + "\n" for seed in range(40))
    assert shown_of_endless_pipe(process, parts).count("version=v2.0") >= 2


@pytest.mark.parametrize("command", [("explain", "--outlier", "ms>1"), ("pmi", "--items", "city"), ("compare",)])
def test_a_picture_that_cannot_be_written_is_refused_before_the_work(run, tmp_path: Path, command) -> None:
    result = run(*command, "never-read.csv", "--plot", tmp_path / "missing" / "a.png")
    assert result.exit_code == 1
    assert "the folder to save to does not exist" in result.stderr


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_names_fit_every_terminal(csv: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    from wmsketch.apps import Explainer
    from wmsketch.cli.parts.explain_output import Output

    explainer = Explainer("ms>=500", ignore=["slow"])
    explainer.learn_file(csv)
    options = {"top": 20, "sort": "ratio", "min_support": 0.0, "min_ratio": 0.0, "show_all": True}
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(Output(explainer, ("requests.csv",), options).table())
    shown = console.export_text().splitlines()
    assert all(len(line) <= width for line in shown)
    for name in ("version=v1.0", "version=v2.0", "city=[red]"):
        assert sum(name in line for line in shown) == 1
    assert "ratio" in shown[0]


def test_every_answer_ends_with_what_it_holds(run, csv: Path) -> None:
    result = run("explain", csv, "--outlier", "ms>=500")
    assert result.stdout.splitlines()[-1] == "all 6 attribute values are held: every count is exact"
    document = json.loads(run("explain", csv, "--outlier", "ms>=500", "--json").stdout)
    assert document["attribute_values"] == {
        "held": 6,
        "distinct": 6,
        "exact": 6,
        "shortened": 0,
        "budget_for_all": None,
        "surely_held_above": 0,
    }
    assert all(row["exact"] for row in document["rows"])


def test_a_page_carries_command_date_and_legend(run, csv: Path, tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    table = run("explain", csv, "--outlier", "ms>=500", "--report", report).stdout
    page = report.read_text(encoding="utf-8")
    assert "--outlier &#x27;ms&gt;=500&#x27;" in page
    assert "how many times as likely" in page
    assert "all 6 attribute values are held" in page
    [line] = [line for line in table.splitlines() if "version=v2.0" in line]
    for cell in line.split()[1:]:
        assert cell in page  # numbers as in the terminal


def test_a_reader_that_has_enough_is_no_error(spawn, csv: Path) -> None:
    arguments = ("explain", csv, "--outlier", "ms>=500", "--all", "--min-ratio", "0", "--json")
    with spawn(*arguments, stdin=None) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, b"")


def test_a_hint_can_be_typed_as_it_stands(run, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "unit price,city\n" + "".join(f"{i if i % 5 else ''},{'Rome' if i % 2 else 'Oslo'}\n" for i in range(200))
    )
    result = run("explain", path, "--outlier", "'unit price'>p80")
    hint = 'the condition "unit price" is missing selects rows without a value'
    assert hint in result.stdout + result.stderr
    assert run("explain", path, "--outlier", '"unit price" is missing').exit_code == 0


def test_outliers_must_be_said_in_the_words_of_the_command_line(run, csv: Path) -> None:
    result = run("explain", csv)
    assert result.exit_code == 2 and "give either --outlier CONDITION or --label COLUMN" in result.stderr
