"""Number formats of other countries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wmsketch import load
from wmsketch.errors import ParameterError
from wmsketch.readers import open_examples
from wmsketch.readers.number_style import NumberStyle, number_style_of
from wmsketch.readers.recognise import Layout


def german(value: float) -> str:
    whole, _, part = f"{value:,.2f}".partition(".")
    return whole.replace(",", ".") + "," + part


@pytest.fixture
def bills(tmp_path: Path) -> tuple[Path, Path]:
    """The same rows in the number formats of two countries."""
    rows = [(37.5 * i + 0.25, i % 3, "yes" if i % 97 > 40 else "no") for i in range(400)]
    usual, other = tmp_path / "usual.csv", tmp_path / "german.csv"
    usual.write_text("price,n,paid\n" + "".join(f"{price},{n},{paid}\n" for price, n, paid in rows))
    other.write_text("price;n;paid\n" + "".join(f"{german(price)};{n};{paid}\n" for price, n, paid in rows))
    return usual, other


def test_one_odd_cell_does_not_hide_how_numbers_are_written(run: Any, bills: tuple[Path, Path], tmp_path: Path) -> None:
    _, other = bills
    lines = other.read_text().splitlines()
    lines[5] = "unknown;1;no"
    odd = tmp_path / "odd.csv"
    odd.write_text("\n".join(lines) + "\n")
    learned = json.loads(run("train", odd, "--label", "paid", "--json").stdout)
    assert "price" in {row["feature"] for row in learned["top"]}
    assert any("numbers with a comma" in note for note in learned["notes"])
    assert any("1 value that is not a number, like 'unknown'" in note for note in learned["notes"])
    result = run("explain", odd, "--outlier", "price>p90", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["outliers"] == 40

    half = ["unknown" if i % 2 else f"{i},5" for i in range(20)]
    text = "price;n\n" + "".join(f"{price};1\n" for price in half)
    assert number_style_of(text.encode(), Layout(";")) == NumberStyle()  # a column of texts


def test_the_same_numbers_give_the_same_model(run: Any, bills: tuple[Path, Path], tmp_path: Path) -> None:
    usual, other = bills
    a, b = tmp_path / "a.wms", tmp_path / "b.wms"
    learn = ("--label", "paid", "--positive", "yes", "--budget", "8KiB", "--quiet", "--save")
    assert run("train", usual, *learn, a).exit_code == 0
    style = ("--decimal", ",", "--thousands", ".")
    assert run("train", other, *style, *learn, b).exit_code == 0
    assert load(a).to_bytes() == load(b).to_bytes()
    predicted = [run("predict", file, "--model", model).stdout for file, model in ((usual, a), (other, b))]
    assert predicted[0] == predicted[1] and len(predicted[0].splitlines()) == 400
    explained = [
        json.loads(run("explain", file, "--outlier", "price>10000", *options, "--ignore", "paid", "--json").stdout)
        for file, options in ((usual, ()), (other, style))
    ]
    assert explained[0]["outliers"] == explained[1]["outliers"] == sum(37.5 * i + 0.25 > 10_000 for i in range(400))
    where = ("train", other, *style, *learn, b, "--where", "price > 10000", "--json")
    assert json.loads(run(*where).stdout)["examples"] == explained[0]["outliers"]
    other.write_text(other.read_text() + "3.5;1;yes\n")
    result = run(*where)
    assert result.exit_code == 1 and "german.csv:402:1: expected a number in the style of the file" in result.stderr


def test_the_style_is_recognised_and_told_of(run: Any, bills: tuple[Path, Path], tmp_path: Path) -> None:
    usual, other = bills
    learn = ("--label", "paid", "--quiet", "--save")
    result = run("train", other, "--label", "paid", "--save", tmp_path / "b.wms")
    assert run("train", usual, *learn, tmp_path / "a.wms").exit_code == 0
    assert load(tmp_path / "a.wms").to_bytes() == load(tmp_path / "b.wms").to_bytes()
    one = tmp_path / "one.csv"
    one.write_text("\n".join(other.read_text().splitlines()[:2]) + "\n")
    predicted = [run("predict", file, "--model", tmp_path / "b.wms").stdout.splitlines() for file in (usual, one)]
    assert predicted[0][:1] == predicted[1]  # one row is enough for a model that knows the column
    american = tmp_path / "american.csv"
    american.write_text("price,paid\n" + "".join(f'"{1000 + i:,}.5",{i % 2}\n' for i in range(50)))
    result = run("train", american, "--label", "paid", "--numeric", "price")
    assert "like '1,000.5'" in result.stderr and "price " in result.stdout
    assert "50 rows, 5 outliers" in run("explain", american, "--outlier", "price>p90").stdout
    assert "price=" in run("train", american, "--label", "paid", "--categorical", "price").stdout


@pytest.mark.parametrize(
    "cells",
    [
        ["1,2", "3,4", "5,x"],  # not all are numbers
        ["1,5", "2", ""],  # too few
        ["1,234", "2,345", "3,456"],  # thousands, or three digits
    ],
)
def test_what_is_doubtful_stays_text(cells: list[str], tmp_path: Path) -> None:
    head = "a;b\n" + "".join(f"x;{cell}\n" for cell in cells)
    assert number_style_of(head.encode(), Layout(";")) == NumberStyle()


def test_a_table_with_decimal_points_has_no_decimal_commas() -> None:
    head = b"size;pair\n" + b"1.5;1,2\n" * 5
    assert number_style_of(head, Layout(";")) == NumberStyle()


@pytest.mark.parametrize(
    ("written", "value"),
    [("1.234,50", 1234.5), ("-12,5", -12.5), ("1.234.567", 1234567.0), ("7", 7.0), (",5", 0.5), ("1,5e3", 1500.0)],
)
def test_a_number_in_the_style(written: str, value: float, tmp_path: Path) -> None:
    assert read(written, tmp_path) == ["x", value]


@pytest.mark.parametrize("written", ["3.5", "1.23", "1234.567", "1.2345,6", "1,234.5", "1,5,5", ".234", "1..234"])
def test_what_does_not_fit_the_style_is_no_number(written: str, tmp_path: Path) -> None:
    """A careless parser would read 3.5 as 35."""
    assert read(written, tmp_path) == [f"x={written}", 1.0]


def read(written: str, folder: Path) -> list[Any]:
    path = folder / "one.csv"
    path.write_text(f"x;y\n{written};1\n")
    with open_examples([str(path)], label="y", decimal=",", thousands=".") as examples:
        block = next(iter(examples))
        return [block.name(0), float(block.values[0])]


@pytest.mark.parametrize("bad", [{"decimal": ";"}, {"thousands": "x"}, {"decimal": ",", "thousands": ","}])
def test_bad_styles_are_refused(bad: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="must be"):
        open_examples([str(tmp_path / "none.csv")], **bad)


def test_quoted_decimal_commas_between_commas_are_numbers(run: Any, bills: tuple[Path, Path], tmp_path: Path) -> None:
    usual, other = bills
    quoted = tmp_path / "quoted.csv"
    rows = [line.split(";") for line in other.read_text().splitlines()]
    quoted.write_text("".join(f'"{price}",{n},{paid}\n' for price, n, paid in rows))
    answers = [json.loads(run("explain", path, "--outlier", "price>9000", "--json").stdout) for path in (usual, quoted)]
    assert answers[0]["outliers"] == answers[1]["outliers"] > 0


def test_quoted_pairs_of_codes_are_no_numbers() -> None:
    lines = "".join(f'Rome,"{i},{3 * i}"\n' for i in range(1, 30))
    assert number_style_of(f"city,codes\n{lines}".encode(), Layout(",")) == NumberStyle()


def test_notes_on_numbers_in_windows_text_name_the_column_as_it_is_written(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "bills.csv"
    rows = "".join(f"{german(37.5 * i)};{'yes' if i % 3 else 'no'}\n" for i in range(60))
    path.write_bytes(f"Preis (€);paid\n{rows}".encode("cp1252"))
    result = run("explain", path, "--label", "paid")
    assert result.exit_code == 0
    assert "the column 'Preis (€)' has numbers with a comma" in result.stderr
