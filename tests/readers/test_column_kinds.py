"""The kinds of columns are determined once, and apply to every file for the same model."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.readers.rows import all_rows
from wmsketch import AWMSketch
from wmsketch.readers import open_examples

TRAINING = "zip,price,new,y\n01234,2.5,true,1\nN7,3,false,0\n"
KINDS = {"zip": "text", "price": "number", "new": "boolean"}


def features(path, text, **options):
    path.write_text(text)
    return [row.features for row in all_rows(open_examples(path, label="y", require_labels=False, **options))]


def kinds_of(source, **rules):
    """The kinds of columns in a model that learns from this input."""
    return AWMSketch("32KiB").learn_file(source, **rules).schema_.kinds()


def test_the_kinds_that_were_chosen_are_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TRAINING)
    with pytest.warns(UserWarning, match="'zip' is read as text: it has numbers, and texts like 'N7'"):
        assert kinds_of(path, label="y") == KINDS
    some = {name: KINDS[name] for name in ("zip", "new")}
    assert kinds_of(path, label="y", ignore=["price"], categorical=["zip"]) == some


@pytest.mark.parametrize(
    ("other", "first"),
    [("n/k", "x"), ("-", "x"), ("90+", "x"), ("2.0-rc", "x=1.0"), ("1.1.1", "x=1.0")],
)
def test_one_word_among_numbers_marks_missing_values_unless_it_is_a_version(tmp_path, other, first):
    values = ["1.0", "1.1", "1.0", "1.1", other] * 20
    rows = features(tmp_path / "a.csv", "x,y\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(values)))
    assert (rows[0], rows[4]) == ([(first, 1.0)], [(f"x={other}", 1.0)])


def test_a_column_keeps_the_kind_it_had_in_training(tmp_path):
    text = "zip,price,new\n12345,7,true\n"
    assert features(tmp_path / "a.csv", text)[0][0] == ("zip", 12345.0)
    assert features(tmp_path / "a.csv", text, column_kinds=KINDS) == [
        [("zip=12345", 1.0), ("price", 7.0), ("new=true", 1.0)]
    ]


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("zip,price\n1,2\n1,cheap\n", [("zip=1", 1.0), ("price=cheap", 1.0)]),
        ("new,zip\nTRUE,1\n1,1\n", [("new=1", 1.0), ("zip=1", 1.0)]),
    ],
)
def test_a_value_that_contradicts_is_a_category_of_its_own(tmp_path, text, odd):
    assert features(tmp_path / "a.csv", text, column_kinds=KINDS)[1] == odd


def test_other_formats_agree_with_it_too(tmp_path):
    expected = [[("zip=12345", 1.0), ("price", 7.0), ("new=true", 1.0)]]
    row = {"zip": 12345, "price": 7, "new": True}
    assert features(tmp_path / "a.jsonl", json.dumps(row) + "\n", column_kinds=KINDS) == expected
    row["price"] = "7"  # a number, if one is required
    assert features(tmp_path / "a.jsonl", json.dumps(row) + "\n", column_kinds=KINDS) == expected
    table = pa.table({"zip": [12345], "price": [7], "new": [True]})
    assert all_rows(open_examples(table, column_kinds=KINDS))[0].features == expected[0]
    for odd in ({"price": "cheap"}, {"price": True}, {"new": 1}, {"new": "maybe"}):
        [(name, value)] = odd.items()
        expected = [[(f"{name}={str(value).lower()}", 1.0)]]
        assert features(tmp_path / "a.jsonl", json.dumps(odd) + "\n", column_kinds=KINDS) == expected
        table = pa.table({name: [value]})
        assert [row.features for row in all_rows(open_examples(table, column_kinds=KINDS))] == expected


def test_declared_types_are_kinds(tmp_path):
    zips = pa.array(["a", None]).dictionary_encode()
    table = pa.table({"zip": zips, "price": [1, 2], "new": [True, False], "at": [{"x": 1.5}] * 2, "y": [1, 0]})
    assert kinds_of(table, label="y") == {**KINDS, "at.x": "number"}
    # two files of one input must also agree
    for name, value in (("0", "a"), ("1", 5)):
        parquet.write_table(pa.table({"zip": [value]}), tmp_path / f"{name}.parquet")
    rows = all_rows(open_examples(str(tmp_path / "*.parquet")))
    assert [row.features for row in rows] == [[("zip=a", 1.0)], [("zip=5", 1.0)]]


JSON_ROWS = [
    {"zip": "01234", "price": 7, "new": True, "code": 5, "y": 1},
    {"zip": "777", "price": None, "new": False, "code": "n/x", "y": 0},
]
SEEN = {**KINDS, "code": "mixed"}


def test_values_of_json_are_what_they_are_and_other_formats_follow(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in JSON_ROWS))
    assert kinds_of(path, label="y") == SEEN
    text = "zip,price,new,code\n777,7,TRUE,5\n777,,false,n/x\n"
    assert features(tmp_path / "a.csv", text, seen_kinds=SEEN) == [
        [("zip=777", 1.0), ("price", 7.0), ("new=true", 1.0), ("code", 5.0)],
        [("zip=777", 1.0), ("new=false", 1.0), ("code=n/x", 1.0)],
    ]
    assert features(tmp_path / "a.csv", "price\ncheap\n", seen_kinds=SEEN) == [[("price=cheap", 1.0)]]
    # kinds from JSON are not a rule for JSON, whose values keep their own type
    path.write_text(json.dumps({"price": "cheap", "zip": 5}) + "\n")
    with open_examples(path, seen_kinds=SEEN) as examples:
        assert all_rows(examples)[0].features == [("price=cheap", 1.0), ("zip", 5.0)]


def test_keys_that_are_data_are_not_remembered(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": i, f"user {i}": True, "y": i % 2}) + "\n" for i in range(5000)))
    model = AWMSketch("32KiB").learn_file(path, label="y")
    assert (model.schema_.table, model.schema_.nbytes) == (False, 0)


def test_kinds_are_words(tmp_path):
    with pytest.raises(ValueError, match=r"column_kinds must be one of unknown, number, .*, got 'float'"):
        features(tmp_path / "a.csv", "zip\n1\n", column_kinds={"zip": "float"})
