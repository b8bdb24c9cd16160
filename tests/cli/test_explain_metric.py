"""explain --metric on the command line."""

import json
from random import Random

import numpy as np
import pandas as pd
import pytest

from tests.apps.sales import sales


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sales")
    frame = sales()
    frame.to_csv(folder / "sales.csv", index=False)
    for day in ("mon", "tue"):
        frame[frame.day == day].to_csv(folder / f"{day}.csv", index=False)
    return folder


SIDES = ("--test", "day==tue", "--control", "day==mon")


def test_the_table_has_the_cause_and_says_how_exact_it_is(run, folder):
    out = run("explain", folder / "sales.csv", "--metric", "sum(revenue)", *SIDES, "--order", 2).stdout
    lines = out.splitlines()
    assert lines[0].split()[:4] == ["attributes", "control", "test", "contribution"]
    assert lines[1].startswith("country=FR & device=phone")
    assert lines[2] == ""
    assert lines[3].startswith("sum(revenue): ")
    assert "differ no longer without the rows of these" in out
    assert lines[-1].startswith("all ")
    assert lines[-1].endswith("every count is exact")


def test_json_has_the_same_numbers_as_pandas(run, folder):
    out = run("explain", folder / "sales.csv", "--metric", "sum(revenue)", *SIDES, "--json", "--all", "--top", 1000)
    found = json.loads(out.stdout)
    frame = sales()
    sums = frame.groupby("day").revenue.sum()
    assert found["control"] == pytest.approx(sums.mon)
    assert found["test"] == pytest.approx(sums.tue)
    [german] = [row for row in found["rows"] if row["attributes"] == {"country": "DE"}]
    germany = frame[frame.country == "DE"].groupby("day").revenue.sum()
    assert german["contribution"] == pytest.approx(germany.tue - germany.mon)
    assert german["low"] < german["contribution"] < german["high"]


def test_two_files_are_two_sides(run, folder):
    two = json.loads(
        run("explain", folder / "tue.csv", "--against", folder / "mon.csv", "--metric", "avg(revenue)", "--json").stdout
    )
    one = json.loads(run("explain", folder / "sales.csv", "--metric", "avg(revenue)", *SIDES, "--json").stdout)
    assert two["change"] == pytest.approx(one["change"])
    assert [row["attributes"] for row in two["rows"]] == [row["attributes"] for row in one["rows"]]
    assert any("day has other values on each side" in note for note in two["notes"])


def test_a_pipe_is_answered_without_reading_twice(run, folder):
    text = (folder / "sales.csv").read_bytes()
    found = json.loads(run("explain", "-", "--metric", "p90(revenue)", *SIDES, "--json", input=text).stdout)
    assert found["small_set"] is False
    assert any("the percentile of the first rows" in note for note in found["notes"])


def test_a_report_and_a_plot_are_written(run, folder, tmp_path):
    pytest.importorskip("matplotlib")
    files = ("--report", tmp_path / "why.html", "--plot", tmp_path / "why.svg")
    run("explain", folder / "sales.csv", "--metric", "sum(revenue)/count()", *SIDES, *files)
    assert "Why did sum(revenue)/count()" in (tmp_path / "why.html").read_text()
    assert (tmp_path / "why.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metric", "sum(x"), "--metric must be like sum(revenue)"),
        (("--metric", "sum(x)", "--outlier", "x>1"), "--metric cannot be combined with --outlier"),
        (("--metric", "sum(revenu)", *SIDES), "--metric: there is no column 'revenu'"),
        (("--test", "day==tue"), "--test needs --metric"),
        (("--metric", "count()"), "needs two sides"),
        (("--metric", "sum(revenue)", "--scale", "days", *SIDES), "--scale must be a number or rows"),
    ],
)
def test_mistakes_are_named(run, folder, options, said):
    done = run("explain", folder / "sales.csv", *options)
    assert done.exit_code != 0
    assert said in done.stderr


def test_all_but_one_value_is_one_row(run, tmp_path):
    random = Random(5)
    lines = ["day,country,os,revenue"]
    for day in ("mon", "tue"):
        for _ in range(4000):
            country = random.choice(["DE", "DE", "DE", "FR", "IT", "ES", "US", "JP", "BR"])
            fell = 0.6 if day == "tue" and country != "DE" else 1.0
            lines.append(f"{day},{country},{random.choice(['ios', 'web'])},{fell * random.gauss(50, 5):.2f}")
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    asked = ("explain", path, "--metric", "sum(revenue)", "--test", "day==tue", "--control", "day==mon")
    document = json.loads(run(*asked, "--json").stdout)
    (row,) = document["rows"]
    assert row["not"] == {"country": "DE"} and row["attributes"] == {}
    table = pd.read_csv(path)
    others = table[table.country != "DE"].groupby("day").revenue
    assert [row["control"], row["test"]] == pytest.approx(list(others.sum()))
    assert [row["control_rows"], row["test_rows"]] == list(others.count())
    assert document["redundant"] == document["rows_beyond_noise"] - 1 > 0
    assert "not country=DE" in run(*asked).stdout


def test_an_empty_side_is_told_without_advice_on_its_size(run, tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text("day,shop,revenue\n" + "mon,a,3\ntue,b,4\n" * 100)
    options = ["--metric", "sum(revenue)", "--control", "day==mon"]
    shown = run("explain", path, *options, "--test", "day==wed").stdout
    assert "no row of 100 is on the test side" in shown and "--scale" not in shown
    same = run("explain", path, *options, "--test", "day==mon")
    assert same.exit_code == 2 and "--control must be another condition than --test" in same.stderr
    late = run("explain", path, "--metric", "sum(revenue)", "--after", "2024-05-17")
    assert late.exit_code == 2 and "--after needs --time" in late.stderr


def test_rows_that_another_one_hid_are_counted(run, tmp_path):
    draw = np.random.default_rng(1)
    n = 20_000
    frame = pd.DataFrame(
        {"day": draw.choice(["mon", "tue"], n), "release": draw.choice([f"r{i}" for i in range(5)], n)}
    )
    frame["ms"] = np.round(100 * draw.lognormal(0, 0.5, n), 1)
    for release, factor in (("r1", 4.0), ("r2", 1.75)):
        frame.loc[(frame.day == "tue") & (frame.release == release), "ms"] *= factor
    frame.to_csv(tmp_path / "rows.csv", index=False)
    options = ["--metric", "avg(ms)", "--test", "day==tue", "--control", "day==mon", "--json"]
    found = json.loads(run("explain", tmp_path / "rows.csv", *options).stdout)
    assert [row["attributes"] for row in found["rows"]] == [{"release": "r1"}, {"release": "r2"}]
    assert found["rows_beyond_noise"] >= found["redundant"] + 2
