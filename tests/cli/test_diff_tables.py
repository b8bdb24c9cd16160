"""Diff of tables: every column by default, narrowed by --items, in all formats."""

import json
import random
from pathlib import Path

import pytest

from tests.cli.test_diff import report


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same two tables in every format: bb is three times as frequent in b; ids are unique."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("tables")
    draw = random.Random(3)
    for name, words in (("a", ["aa", "aa", "aa", "bb"]), ("b", ["aa", "bb", "bb", "bb"])):
        rows = [
            {"id": f"{name}{i}", "kind": draw.choice(words), "n": draw.randrange(5), "price": draw.random()}
            for i in range(2000)
        ]
        frame = pandas.DataFrame(rows)
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_csv(folder / f"{name}.tsv", index=False, sep="\t")
        frame.to_json(folder / f"{name}.jsonl", orient="records", lines=True)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_is_compared_by_all_its_columns(run, tables, format):
    found = report(run, tables / f"a.{format}", tables / f"b.{format}")
    assert {row["feature"] for row in found["rows"]} == {"kind=aa", "kind=bb"}
    assert all(row["exact"] for row in found["rows"])
    assert found["items"]["distinct"] == 2 + 5
    assert found["notes"] == [
        "not compared: id, price have their own values in nearly every row (--items id compares it)"
    ]
    shown = run("diff", tables / f"a.{format}", tables / f"b.{format}").stdout
    assert "note: not compared: id, price" in shown.replace("\n", " ")


def test_items_narrows_what_is_compared(run, tables):
    found = report(run, tables / "a.csv", tables / "b.csv", "--items", "n")
    assert found["rows"] == [] and found["items"]["distinct"] == 5 and found["notes"] == []


def test_one_table_split_by_a_column_is_compared_by_the_others(run, tables):
    found = report(run, tables / "a.csv", "--split", "kind", "--a", "aa", "--b", "bb")
    assert found["rows"] == [] and found["items"]["distinct"] == 5


def test_columns_that_appear_late_are_compared_too(run, tmp_path):
    for name, late in (("a", 7), ("b", 8)):
        lines = [json.dumps({"n": 1.5} if i < 500 else {"n": 1.5, "late": late}) for i in range(900)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    found = report(run, tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert {row["feature"] for row in found["rows"]} == {"late=7", "late=8"}


def test_a_piped_table_is_read_like_the_other(run, tables):
    found = report(run, "-", tables / "b.csv", input=(tables / "a.csv").read_bytes())
    assert {row["feature"] for row in found["rows"]} >= {"kind=aa", "kind=bb"}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("special", ["id", "message"])
def test_one_table_may_lack_a_column_that_is_left_out_or_compared_by_template(run, tmp_path, form, special):
    value = {"id": "k{i}x", "message": "2024-05-17 10:11:12 ERROR worker {i} of pool stopped after {i} ms"}[special]
    rows = {name: [{"city": city, "day": "mon"} for _ in range(300)] for name, city in (("a", "Oslo"), ("b", "Rome"))}
    for i, row in enumerate(rows["a"]):
        row[special] = value.format(i=i)
    paths = [tmp_path / f"{name}.{form}" for name in rows]
    for path, (_, table) in zip(paths, rows.items(), strict=True):
        lines = [json.dumps(row) for row in table]
        if form == "csv":
            lines = [",".join(table[0]), *(",".join(row.values()) for row in table)]
        path.write_text("\n".join(lines) + "\n")
    for pair in (paths, paths[::-1]):
        result = run("diff", *pair, "--json")
        assert result.exit_code == 0, result.stderr
        found = {row["feature"] for row in json.loads(result.stdout)["rows"]}
        assert {"city=Oslo", "city=Rome"} <= found and len(found) <= 3
