"""Amounts like $1,234.50 and 12 % are numbers, and columns of numbers and texts are told of."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from wmsketch import AWMSketch
from wmsketch.apps import Explainer
from wmsketch.readers import open_examples
from wmsketch.readers.text_numbers import text_numbers


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """Prices from 10 to 4,000 dollars: the dear ones are sold."""
    rows = "".join(
        f'"${10 * i:,.2f}",{i % 40}%,{i if i % 4 else f"none {i % 7}"},{"yes" if i > 200 else "no"}\n'
        for i in (137 * n % 401 for n in range(1, 401))
    )
    path = tmp_path / "sales.csv"
    path.write_text("price,share,mixed,sold\n" + rows)
    return path


def test_a_column_of_amounts_is_read_as_numbers_and_told_of(run: Any, sales: Path, tmp_path: Path) -> None:
    learned = run("train", sales, "--label", "sold", "--save", tmp_path / "m.wms")
    assert learned.exit_code == 0, learned.stderr
    assert "the column 'price' has amounts like '$1,370.00', which are read as numbers" in learned.stderr
    assert "the column 'share' has amounts like '17%'" in learned.stderr
    assert learned.stdout.split("\n")[1].split()[0] == "price"
    predicted = run("predict", sales, "--model", tmp_path / "m.wms", "--json")
    assert predicted.exit_code == 0 and len(predicted.stdout.splitlines()) >= 400
    as_text = run("train", sales, "--label", "sold", "--categorical", "price,share")
    assert "amounts" not in as_text.stderr and "price=$" in as_text.stdout


def test_conditions_compare_amounts(run: Any, sales: Path) -> None:
    for condition, n_outliers in (("price>p90", 40), ("price>=1000", 301), ("price=='$1,000.00'", 1)):
        document = json.loads(run("explain", sales, "--outlier", condition, "--json").stdout)
        assert (document["examples"], document["outliers"]) == (400, n_outliers)
    where = json.loads(run("train", sales, "--label", "sold", "--where", "price>1000", "--json").stdout)
    assert where["examples"] == 300


def test_amounts_of_other_countries(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "preise.csv"
    rows = (f"{i}.{i % 10}00,50 €;{'ja' if i > 30 else 'nein'}\n" for i in range(1, 61))
    path.write_text("preis;verkauft\n" + "".join(rows))
    document = json.loads(run("explain", path, "--outlier", "preis>50000", "--json").stdout)
    assert document["outliers"] == 11
    assert "has amounts like" in run("train", path, "--label", "verkauft").stderr


@pytest.mark.parametrize(
    ("cells", "is_number"),
    [
        (["$5", "-$1,000.25", "$ 7"], True),
        (["5 %", "-7%", ""], True),
        (["£5", "£6", "£7.5"], True),
        (["$5", "€6", "$7"], False),  # two currencies
        (["5%", "6", "7%"], False),  # 6 may be 600 %
        (["$5", "$12,34", "$7"], False),  # no thousands
        (["$5", "$x", "$"], False),
    ],
)
def test_only_whole_columns_of_one_sign_are_amounts(cells: list[str], is_number: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f'"{cell}",1\n' for cell in cells * 10))
    with open_examples([str(path)], label="y") as examples:
        names = {block.name(i) for block in examples for i in range(block.n_features)}
    assert (names == {"x"}) == is_number, names


def test_numbers_with_many_texts_are_told_of(run: Any, sales: Path) -> None:
    learned = run("train", sales, "--label", "sold")
    assert "the column 'mixed' is read as text: it has numbers, and texts like 'none " in learned.stderr
    numbers = run("train", sales, "--label", "sold", "--numeric", "mixed")
    assert "mixed" in numbers.stdout and "mixed=" not in numbers.stdout


def test_jobs_recognise_decimal_commas(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "bills.csv"
    rows = (f"{i}.{i % 10}00,5;{'yes' if i % 100 > 50 else 'no'}\n" for i in range(1, 1000))
    path.write_text("price;paid\n" + "".join(rows))
    learned = run("train", path, "--label", "paid", "--jobs", 2)
    assert learned.exit_code == 0, learned.stderr
    assert learned.stdout.split("\n")[1].split()[0] == "price"
    quoted = tmp_path / "quoted.csv"
    quoted.write_text("price,n,paid\n" + "".join(f'"{i * 7:,}.5",1,{i % 2}\n' for i in range(300)))
    assert "price=" not in run("train", quoted, "--label", "paid", "--jobs", 2).stdout


def typed(sales: Path, end: str) -> Path:
    """The sales in a format whose values have types: prices and shares are texts."""
    frame = pd.read_csv(sales)
    path = sales.with_suffix(f".{end}")
    if end == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=end == "jsonl")
    return path


@pytest.mark.parametrize("end", ["json", "jsonl", "parquet"])
def test_amounts_in_json_and_parquet_are_those_of_csv(run: Any, sales: Path, tmp_path: Path, end: str) -> None:
    path = typed(sales, end)
    learned = run("train", path, "--label", "sold", "--ignore", "mixed", "--save", tmp_path / "m.wms")
    assert "the column 'price' has amounts like '$1,370.00', which are read as numbers" in learned.stderr
    of_csv = run("train", sales, "--label", "sold", "--ignore", "mixed")
    assert learned.stdout.split("\n")[:3] == of_csv.stdout.split("\n")[:3]
    predicted = [run("predict", other, "--model", tmp_path / "m.wms") for other in (path, sales)]
    assert predicted[0].stdout == predicted[1].stdout and "error 0.25%" in predicted[0].stderr
    answer = json.loads(run("explain", path, "--outlier", "price>=1000", "--json").stdout)
    assert (answer["examples"], answer["outliers"]) == (400, 301)


@pytest.mark.parametrize("as_dicts", [False, True])
def test_amounts_in_frames_and_dicts(sales: Path, as_dicts: bool) -> None:
    frame = pd.read_csv(sales)
    explainer = Explainer(label="sold", attributes=["price"])
    explainer.learn_many(frame.to_dict("records") if as_dicts else frame)
    first = explainer.top(1)[0].attributes["price"]
    assert first.startswith("from ") or " to " in first  # a bin of numbers
    if not as_dicts:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = AWMSketch().fit(frame, label="sold")
        assert any("'price' has amounts like" in str(each.message) for each in caught)
        assert (model.predict(frame.drop(columns="sold")) == frame["sold"]).mean() > 0.98


def test_decimal_commas_in_json(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "preise.json"
    path.write_text(json.dumps([{"preis": f"{i}.{i % 10}00,50", "menge": f"{i},5"} for i in range(1, 61)]))
    answer = json.loads(run("explain", path, "--outlier", "preis>50000", "--json").stdout)
    assert answer["outliers"] == 11
    assert answer["columns_not_used"] == {"menge": "restates"}  # as numbers in the same order


def test_texts_that_are_no_amounts_stay_texts() -> None:
    whole = [str(10_000 + i) for i in range(50)]  # codes
    few = ["1.0", "1.1", "2.0"] * 20  # versions
    two = ["$5", "€6", "$7"] * 10
    assert text_numbers({"zip": whole, "version": few, "paid": two, "list": ["1,2", "3,4"] * 9}) == {}
    assert set(text_numbers({"ms": [f"{i}.25" for i in range(50)], "share": ["5 %", "6 %", "7 %"]})) == {"ms", "share"}
