"""Dates and times give their hour, weekday and month, the same from every source."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import wmsketch
from wmsketch import AWMSketch, Schema
from wmsketch.readers import open_examples

START = datetime(2024, 5, 17, 0, 30)  # a Friday
TIMES = [START + timedelta(hours=7 * i) for i in range(400)]


def features_of(source: Any, **options: Any) -> list[set[str]]:
    rows: list[set[str]] = []
    with open_examples(source, require_labels=False, **options) as examples:
        for block in examples:
            starts = block.starts.tolist()
            rows += [{block.name(i) for i in range(a, b)} for a, b in itertools.pairwise(starts)]
    return rows


def csv_of(path: Path, values: list[str], name: str = "at") -> Path:
    cells = [f'"{value}"' if "," in value else value for value in values]
    path.write_text(f"{name},n\n" + "".join(f"{cell},{i % 7}\n" for i, cell in enumerate(cells)))
    return path


EXPECTED = [{f"at.hour={at.hour}", f"at.weekday={at:%a}", f"at.month={at:%b}", "n"} for at in TIMES]


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d %H:%M:%S.000", "%d/%b/%Y:%H:%M:%S +0000", "%m/%d/%Y %I:%M %p",
        "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M", "%a, %d %b %Y %H:%M:%S GMT", "%B %d, %Y %H:%M",
    ],
)  # fmt: skip
def test_a_table_may_write_its_times_in_any_clear_way(tmp_path: Path, form: str) -> None:
    assert features_of(csv_of(tmp_path / "a.csv", [f"{at:{form}}" for at in TIMES])) == EXPECTED


def test_json_and_frames_give_the_same_features(tmp_path: Path) -> None:
    pd, pa, pl = pytest.importorskip("pandas"), pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"at": at.isoformat(), "n": 1}) + "\n" for at in TIMES))
    assert features_of(path) == EXPECTED
    columns = {"at": TIMES, "n": [i % 7 for i in range(len(TIMES))]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert features_of(frame) == EXPECTED
    as_words = pd.DataFrame({"at": [f"{at:%m/%d/%Y %H:%M}" for at in TIMES], "n": columns["n"]})
    assert features_of(as_words) == EXPECTED


@pytest.mark.parametrize("unit", [1, 1000])
def test_numbers_are_times_only_if_their_column_is_named_so(tmp_path: Path, unit: int) -> None:
    seconds = [int(at.replace(tzinfo=UTC).timestamp()) * unit for at in TIMES]
    named = [{name.replace("at.", "timestamp.") for name in row} for row in EXPECTED]
    assert features_of(csv_of(tmp_path / "a.csv", list(map(str, seconds)), "timestamp")) == named
    rows = [{"timestamp": at, "n": 1} for at in seconds]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert features_of(path) == named
    assert features_of(csv_of(tmp_path / "b.csv", list(map(str, seconds)), "size")) == [{"size", "n"}] * len(TIMES)


def test_dates_have_no_hour_and_unclear_ones_stay_words(tmp_path: Path, run: Any) -> None:
    days = csv_of(tmp_path / "days.csv", [f"{at:%Y-%m-%d}" for at in TIMES])
    assert features_of(days)[0] == {"at.weekday=Fri", "at.month=May", "n"}
    unclear = csv_of(tmp_path / "unclear.csv", [f"{1 + i % 9}/{1 + i % 7}/2024" for i in range(400)])
    assert "at=1/1/2024" in features_of(unclear)[0]
    told = run("explain", unclear, "--outlier", "n>5").stderr
    assert "dates like '1/1/2024', which are read as words: none shows which number is the month" in told


def test_words_on_request_and_parts_left_out(tmp_path: Path) -> None:
    path = csv_of(tmp_path / "a.csv", [f"{at:%Y-%m-%d %H:%M}" for at in TIMES])
    assert features_of(path, categorical=["at"])[0] == {"at=2024-05-17 00:30:00", "n"}
    assert features_of(path, ignore=["at.month", "at.hour"])[0] == {"at.weekday=Fri", "n"}
    assert "at.hour=0&n" in features_of(path, interactions=["at.hour:n"])[0]


def test_a_word_among_times_is_odd_and_told_of(tmp_path: Path, run: Any) -> None:
    values = [f"{at:%Y-%m-%d %H:%M}" for at in TIMES]
    values[50] = "unknown"
    path = csv_of(tmp_path / "a.csv", values)
    assert features_of(path)[50] == {"at=unknown", "n"}
    told = run("explain", path, "--outlier", "n>5").stderr
    assert "the column 'at' has times like '2024-05-17 00:30': their hour, weekday and month are features" in told
    assert "1 value that is not a time, like 'unknown' in row 51" in told


def nights(n: int = 2000) -> tuple[list[dict[str, Any]], list[bool]]:
    times = [START + timedelta(minutes=97 * i) for i in range(n)]
    return [{"at": f"{at:%Y-%m-%d %H:%M:%S}", "n": i % 7} for i, at in enumerate(times)], [at.hour > 20 for at in times]


def test_a_model_learns_the_hour_and_keeps_it_in_its_file(tmp_path: Path, run: Any) -> None:
    rows, labels = nights()
    path = tmp_path / "nights.csv"
    path.write_text(
        "at,n,y\n" + "".join(f"{row['at']},{row['n']},{int(y)}\n" for row, y in zip(rows, labels, strict=True))
    )
    learned = run("train", path, "--label", "y", "--save", tmp_path / "m.wms", "--json")
    assert json.loads(learned.stdout)["notes"] and "numbers the rows" not in learned.stderr
    model = wmsketch.load(tmp_path / "m.wms")
    assert {row.feature for row in model.top(3)} == {"at.hour=21", "at.hour=22", "at.hour=23"}
    assert model.schema_["at"].kind == "time"
    assert "  at          time\n" in run("inspect", tmp_path / "m.wms").stdout
    probabilities = [model.predict_proba_one(row)[True] for row in rows[:50]]
    assert [p > 0.5 for p in probabilities] == labels[:50]
    typed = [{**row, "at": datetime.fromisoformat(row["at"])} for row in rows[:50]]
    assert [model.predict_proba_one(row)[True] for row in typed] == probabilities
    predicted = [
        json.loads(line) for line in run("predict", path, "--model", tmp_path / "m.wms", "--json").stdout.splitlines()
    ]
    assert [row["probability"] for row in predicted[:50]] == pytest.approx(probabilities)


def test_dicts_and_frames_learn_the_same_model() -> None:
    pd = pytest.importorskip("pandas")
    rows, labels = nights()
    one, many = AWMSketch("8KiB"), AWMSketch("8KiB")
    for row, label in zip(rows, labels, strict=True):
        one.learn_one(row, label)
    many.learn_many(pd.DataFrame(rows).assign(at=lambda frame: pd.to_datetime(frame["at"])), labels)
    assert [(row.feature, row.weight) for row in one.top(5)] == [(row.feature, row.weight) for row in many.top(5)]
    words = AWMSketch("8KiB", schema=Schema(categorical=["at"]))
    words.learn_many(rows, labels)
    assert all(row.feature == "n" or row.feature.startswith("at=2024-") for row in words.top(5))


def test_a_model_that_learned_dates_as_words_goes_on_so() -> None:
    rows, labels = nights(40)
    old = AWMSketch("8KiB")
    old.learn_many([{**row, "at": f"on {row['at']}"} for row in rows], labels)  # as files of earlier versions have it
    old.learn_many(rows, labels)
    assert "at=2024-05-17 00:30:00" in {row.feature for row in old.top(500)}
    assert not any("at.hour" in str(row.feature) for row in old.top(500))


def test_explain_offers_the_parts(tmp_path: Path, run: Any) -> None:
    rows, labels = nights()
    path = tmp_path / "nights.csv"
    path.write_text(
        "at,n,bad\n" + "".join(f"{row['at']},{row['n']},{int(y)}\n" for row, y in zip(rows, labels, strict=True))
    )
    document = json.loads(run("explain", path, "--outlier", "bad==1", "--json").stdout)
    assert {tuple(row["attributes"].items()) for row in document["rows"][:3]} == {
        (("at.hour", hour),) for hour in ("21", "22", "23")
    }
