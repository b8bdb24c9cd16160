"""A value that does not fit its column never ends a run: it is counted, named, and has its own feature."""

import json
import math

import pandas as pd
import pyarrow as pa
import pytest

from tests.readers.flight_table import ODD_ROW, write_flights
from tests.readers.rows import all_rows
from wmsketch import AWMSketch, load
from wmsketch.learners.models.introspection import reading_of
from wmsketch.readers import open_examples


def numbers(path, n, *more, name="price"):
    """A file of `n` numbers, then these values."""
    values = [*(f"{i % 97}.5" for i in range(n)), *more]
    path.write_text(f"{name},sold\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(values)))
    return path


def features_and_notes(source, **options):
    with open_examples(source, **options) as examples:
        rows = [row.features for row in all_rows(examples)]
    return rows, [note.told(known=()) for note in examples.doubts + examples.codes]


def test_a_late_text_among_numbers_is_a_category_of_its_own(tmp_path):
    rows, notes = features_and_notes(numbers(tmp_path / "a.csv", 700_000, "n/k", "3", "n/k", "?"), label="sold")
    assert rows[-4:] == [
        [("price=n/k", 1.0)],
        [("price", 3.0)],
        [("price=n/k", 1.0)],
        [("price=?", 1.0)],
    ]
    assert notes == [
        "the column 'price' has 3 values that are not numbers, like 'n/k' in row 700,001; each is a category of its own"
    ]


def test_the_first_megabytes_decide_and_a_few_texts_do_not_make_a_column_text(tmp_path):
    rows, notes = features_and_notes(numbers(tmp_path / "a.csv", 50_000, "n/k"), label="sold")
    assert rows[0] == [("price", 0.5)] and rows[-1] == [("price=n/k", 1.0)] and len(notes) == 1
    path = tmp_path / "b.csv"
    path.write_text("size,sold\n" + "".join(f"{i % 40 if i % 3 else 'XL' if i % 2 else 'S'},1\n" for i in range(300)))
    rows, notes = features_and_notes(path, label="sold")
    assert rows[1] == [("size=1", 1.0)]  # sizes are names, and some are numbers
    assert notes == ["the column 'size' is read as text: it has numbers, and texts like 'S'"]


def test_one_word_for_missing_leaves_a_column_of_numbers(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("power,sold\n" + "".join(f"{'?' if i % 3 == 0 else i},1\n" for i in range(90)))
    rows, notes = features_and_notes(path, label="sold")
    assert rows[:2] == [[("power=?", 1.0)], [("power", 1.0)]]
    assert "30 values that are not numbers, like '?' in row 1" in notes[0]


def test_a_column_that_is_mostly_text_later_is_told_of_with_its_row(tmp_path):
    path = numbers(tmp_path / "a.csv", 700_000, *(f"item {i % 9}" for i in range(1000)))
    rows, notes = features_and_notes(path, label="sold")
    assert rows[-1] == [("price=item 0", 1.0)]
    assert notes == [
        "the column 'price' is mostly text from row 700,001 on, like 'item 0': texts are categories, "
        "numbers stay numbers"
    ]


def test_a_code_among_numbers_is_the_number_it_is(tmp_path):
    rows, notes = features_and_notes(numbers(tmp_path / "a.csv", 700_000, "007", name="zip"), label="sold")
    assert rows[-1] == [("zip", 7.0)]
    assert notes == ["the column 'zip' is read as numbers, but has codes like '007', which is read as a number too"]


def test_numbers_in_quotes_are_text_where_others_are_not_quoted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('fips,price,sold\n"36",2,1\n"48",3,0\n')
    rows, notes = features_and_notes(path, label="sold")
    assert rows[0] == [("fips=36", 1.0), ("price", 2.0)]
    assert notes == ["the column 'fips' is read as text: its numbers are in quotes, those of other columns are not"]
    path.write_text('"fips","price","sold"\n"36","2","1"\n"48","3","0"\n')  # everything is quoted, which says nothing
    rows, notes = features_and_notes(path, label="sold")
    assert rows[0] == [("fips", 36.0), ("price", 2.0)] and notes == []


def test_a_column_declared_numeric_has_missing_values_instead(tmp_path):
    rows, notes = features_and_notes(numbers(tmp_path / "a.csv", 20, "n/k", "4"), label="sold", numeric=["price"])
    assert rows[-2:] == [[], [("price", 4.0)]]
    assert notes == [
        "the column 'price' has 1 value that is not a number, like 'n/k' in row 21, which are read as missing"
    ]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "frame", "table"])
def test_infinity_is_an_odd_value_in_every_input(tmp_path, kind):
    values = [*range(100), math.inf, -math.inf]
    frame = pd.DataFrame({"x": values, "y": [1, 0] * 51})
    source = {"frame": frame, "table": pa.Table.from_pandas(frame)}.get(kind, tmp_path / f"a.{kind}")
    if kind == "csv":
        frame.to_csv(source, index=False)
    elif kind == "jsonl":
        source.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")))  # as Infinity
    with pytest.warns(UserWarning, match="column 'x' has 2 values that are not numbers, like 'inf' in row 101"):
        model = AWMSketch("8KiB").learn_file(source, label="y")
    assert {row.feature for row in model.top(9)} == {"x", "x=inf", "x=-inf"}


def test_the_same_row_gets_the_same_answer_from_a_file_a_dict_and_a_frame(tmp_path):
    path = numbers(tmp_path / "a.csv", 200, *["n/k", "5.5"] * 4)
    with pytest.warns(UserWarning, match="4 values that are not numbers"):
        model = AWMSketch("8KiB").learn_file(path, label="sold")
    assert model.schema_["price"].kind == "mixed"
    model.save(tmp_path / "m.wms")
    for each in (model, load(tmp_path / "m.wms")):
        odd, plain = (each.predict_proba_one({"price": value}) for value in ("n/k", 5.5))
        assert odd != plain
        frame = pd.DataFrame({"price": ["n/k", 5.5]}, dtype=object)
        assert each.predict_proba(frame)[:, 1].tolist() == [odd[1], plain[1]]
        (tmp_path / "new.csv").write_text("price\nn/k\n5.5\n")
        with open_examples(tmp_path / "new.csv", require_labels=False, **reading_of(each, to_learn=False)) as examples:
            assert [row.features for row in all_rows(examples)] == [[("price=n/k", 1.0)], [("price", 5.5)]]


def test_a_model_of_numbers_predicts_a_row_with_a_text(tmp_path, run):
    path, model = numbers(tmp_path / "a.csv", 200), tmp_path / "m.wms"
    assert run("train", path, "--label", "sold", "--save", model).exit_code == 0
    (tmp_path / "new.csv").write_text("price\n3\ncheap\n")
    result = run("predict", tmp_path / "new.csv", "--model", model)
    assert result.exit_code == 0 and len(result.stdout.splitlines()) == 2
    assert "note: the column 'price' has 1 value that is not a number, like 'cheap' in row 2" in result.stderr


def test_rows_that_are_skipped_do_not_count(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("price,sold\n" + "1,1\n2,0\n" * 100 + "n/k,\n")
    rows, notes = features_and_notes(path, label="sold", missing_label="skip")
    assert len(rows) == 200 and notes == []


def test_the_flight_table_answers_at_once(tmp_path, run):
    path = write_flights(tmp_path / "flights.csv")
    result = run("explain", path, "--outlier", "DepDelay>60", "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["examples"] == 7000 and {"Reporting_Airline": "EV"} in [row["attributes"] for row in answer["rows"]]
    restating = ["DepDelayMinutes", "DepDel15", "DepartureDelayGroups"]
    assert all(answer["columns_not_used"][name] == "restates" for name in restating)
    assert any("restate the condition (--include" in note and restating[0] in note for note in answer["notes"])
    result = run("train", path, "--label", "ArrDel15", "--json")
    assert result.exit_code == 0, result.stderr
    learned = json.loads(result.stdout)
    assert learned["examples"] == 7000
    assert any("'ArrDelay'" in note and "each tell the label" in note for note in learned["notes"])
    assert f"'Distance' has 1 value that is not a number, like 'n/k' in row {ODD_ROW:,}" in result.stderr
    assert "'DestStateFips' is read as text: its numbers are in quotes" in result.stderr
