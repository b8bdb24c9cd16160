"""The first-try experiment: it finds tables, and notices right and wrong answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.first_try.__main__ import main
from experiments.first_try.asked import asked
from experiments.first_try.questions import Refused, Wrong, judge
from experiments.first_try.report import BEGIN, END, as_markdown, summary
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
    record = asked((folder, folder / "colours.csv"), ("predict", "explain", "fit", "Explainer", "Diff"))
    assert record is not None
    assert record["verdicts"] == dict.fromkeys(["predict", "explain", "fit", "Explainer", "Diff"], "right")
    assert "| explain | 1 | 1 | 0 | 0 | 100.0% |" in summary([record])


def test_results_are_saved_and_written_into_a_page(folder, capsys):
    page, saved = folder / "page.md", folder / "results.json"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for _ in range(2):  # the second time nothing is asked again
        main([str(folder), "--only", "diff", "--save", str(saved), "--document", str(page)])
    assert "| diff | 1 | 1 | 0 | 0 | 100.0% |" in capsys.readouterr().out
    text = page.read_text()
    assert "old" not in text and text.startswith("before") and text.endswith("after\n")
    assert "| `diff A B`, the two halves | 1 | 1 | 0 | 0 | 100.0% |" in text


def test_what_is_not_right_is_listed():
    record = {"file": "a.csv", "package": "p", "verdicts": {"diff": "wrong: rows: found 1, expected 2"}}
    assert "| a.csv | diff | wrong: rows: found 1, expected 2 |" in as_markdown([record])


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
