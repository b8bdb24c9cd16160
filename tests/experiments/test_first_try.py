"""The first-try experiment: it finds tables, and notices right and wrong answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.first_try.__main__ import summary
from experiments.first_try.asked import asked
from experiments.first_try.questions import Refused, Wrong, judge
from experiments.first_try.tables import files_in, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{i},{'red' if i % 3 else 'blue'},{i * 7 % 101},{int(i % 3 == 0)}" for i in range(200)]
    (tmp_path / "colours.csv").write_text("\n".join(["row,colour,price,sold", *rows]) + "\n")
    (tmp_path / "again.csv").write_text("\n".join(["row,colour,price,sold", *rows]) + "\n")
    (tmp_path / "tiny.csv").write_text("a,b\n1,2\n")
    return tmp_path


def test_tables_are_found_once_and_questions_follow_a_rule(folder):
    paths = list(files_in([folder]))
    assert [path.name for path in paths] == ["again.csv", "tiny.csv"]
    table = read(paths[0])
    assert table is not None
    assert (table.label(), table.outlier(), len(table)) == ("sold", "row", 200)
    assert read(paths[1]) is None  # too small


def test_answers_are_judged(folder):
    record = asked((folder, folder / "colours.csv"), ("predict", "explain"))
    assert record is not None
    assert {each["question"]: each["verdict"] for each in record["verdicts"]} == {
        "predict": "right",
        "explain": "right",
    }
    assert "| explain | 1 | 1 | 0 | 0 | 100.0% |" in summary([record])


def test_wrong_and_refused_answers_are_told_apart():
    def wrong():
        raise Wrong("rows: found 1, expected 2")

    def refused():
        raise Refused("no such file")

    assert [judge("train", each).verdict for each in (wrong, refused, lambda: None, dict)] == [
        "wrong",
        "refused",
        None,
        "right",
    ]
