"""Special cases of JSON Lines: repeated names, and times with a T."""

import datetime
import json

import pyarrow as pa
import pytest

from wmsketch import AWMSketch
from wmsketch.readers import open_examples
from wmsketch.readers.bad_input import BadInput


def names_of(source, **options):
    with open_examples(source, **options) as examples:
        return [block.name(i) for block in examples for i in range(len(block.keys))]


@pytest.mark.parametrize(
    ("line", "column", "name"),
    [
        ('{"a": 1, "b": 2, "a": 3}', 18, "a"),
        ('{"a": {"b": 1, "b": 2}}', 16, "a.b"),
        ('{"a": {"b": 1}, "a": {"c": 2}}', 17, "a"),
        ('{"a": [1, 2], "a": 3}', 15, "a"),
        ('{"a": null, "a": 3}', 13, "a"),
        ('{"a": [{"b": 1.5, "b": 2.5}]}', 19, "a.0.b"),
        ('{"\\u0061": 1, "a": 2}', 15, "a"),
    ],
)
def test_a_name_that_stands_twice_is_an_error_with_its_place(tmp_path, line, column, name):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 0}\n' + line + "\n")
    with pytest.raises(BadInput, match=f':2:{column}: expected each name once, found "{name}" twice'):
        names_of(path, require_labels=False)
    with open_examples(path, require_labels=False, bad_rows="skip") as examples:
        assert sum(map(len, examples)) == 1
    assert examples.rejects.bad_rows == 1


def test_names_are_counted_by_row_and_elements_of_a_list_may_share_them(tmp_path):
    path = tmp_path / "rows.jsonl"
    many = {f"n{i}": 1 for i in range(500)}
    path.write_text(json.dumps(many) + "\n" + json.dumps(many) + "\n" + '{"a": [{"b": "x"}, {"b": "y"}]}\n')
    assert len(names_of(path, require_labels=False)) == 1002
    path.write_text('{"a": [{"b": "x"}, {"b": "y"}]}\n')
    assert names_of(path, require_labels=False, categorical=["a"]) == ["a.b=x", "a.b=y"]


def test_names_in_any_order_give_the_same_features_as_alone(tmp_path):
    rows = [
        {"a": 1, "b": "x", "c": True},
        {"a": 2, "b": "y", "c": False},
        {"a": 3, "c": True},
        {"c": True, "a": 4},
        {"a": {"d": 5}, "b": "z"},
        {"b": ["x", "y"], "a": 6, "new": 1},
        {"a.d": 7, "": {"a": 1}},
        {'\u00e4"': 1, "a": 2},
        {},
        {"a": 8, "b": "x", "c": True},
        {f"n{i}": i for i in range(30)},
        {f"n{i}": i for i in range(0, 30, 11)},
        {"a": 9, "b": "x", "c": None},
    ]
    path = tmp_path / "rows.jsonl"
    alone = []
    for row in rows:
        path.write_text(json.dumps(row) + "\n")
        alone += names_of(path, require_labels=False)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert names_of(path, require_labels=False) == alone


@pytest.mark.parametrize(
    "line", ['{"a.b": 1, "a": {"b": 2}}', '{"": {"a": 1}, "a": 2}', '{"a": 1, "b": 2, "c": 3, "b": 4}']
)
def test_a_name_that_stands_twice_is_found_where_names_were_expected(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1, "b": 2, "c": 3}\n{"a.b": 1, "a": 2}\n' + line + "\n")
    with pytest.raises(BadInput, match=r":3:.*expected each name once"):
        names_of(path, require_labels=False)


def _written(moment):
    """The same time as files of other programs have it; without a zone it is UTC."""
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    abroad = moment.replace(tzinfo=datetime.UTC).astimezone(zone)
    plain = str(moment)
    return [moment.isoformat(), plain, f"{plain}+00:00", f"{moment.isoformat()}Z", abroad.isoformat(), str(abroad)]


@pytest.mark.parametrize(
    "moment",
    [
        datetime.datetime(2024, 5, 17, 8, 30),
        datetime.datetime(2024, 5, 17, 8, 30, 12, 250_000),
        datetime.datetime(2024, 5, 17),
    ],
)
@pytest.mark.parametrize("words", [[], ["at"]], ids=["parts", "words"])
def test_a_time_is_the_same_feature_in_json_csv_arrow_and_dicts(tmp_path, moment, words):
    paths = [tmp_path / "rows.jsonl", tmp_path / "rows.csv"]
    paths[0].write_text(json.dumps({"at": moment.isoformat()}) + "\n")
    found = []
    for path, text in ((paths[0], ""), *((paths[1], text) for text in _written(moment))):
        if text:
            path.write_text(f"at\n{text}\n")
        found.append(names_of(path, require_labels=False, categorical=words))
    table = pa.table({"at": pa.array([moment], pa.timestamp("ms"))})
    found.append(names_of(table, require_labels=False, categorical=words))
    model = AWMSketch("8KiB", schema={"categorical": words})
    model.learn_one({"at": moment}, True)
    found.append([row.feature for row in model.top(9)])
    assert list(map(sorted, found)) == [sorted(found[0])] * len(found), found
    assert "T" not in found[0][0]


def test_zeros_that_pandas_adds_and_texts_that_are_no_times(tmp_path):
    path = tmp_path / "rows.jsonl"
    texts = ["2024-05-17T08:30:00.000", "2024-05-17 99:30:00", "2024-05-17T99:30:00", "2024-05-17Tea", "T"]
    path.write_text("".join(json.dumps({"at": text}) + "\n" for text in texts))
    assert names_of(path, require_labels=False, categorical=["at"]) == [
        "at=2024-05-17 08:30:00",
        "at=2024-05-17 99:30:00",
        "at=2024-05-17T99:30:00",
        "at=2024-05-17Tea",
        "at=T",
    ]


@pytest.mark.parametrize(
    "row",
    ["{" + ",".join(f'"{i}":1' for i in range(2**20 + 1)) + "}", '{"a":[' + "1," * 2**20 + "1]}"],
    ids=["keys", "list"],
)
def test_a_row_of_more_values_than_any_table_is_refused(tmp_path, row):
    path = tmp_path / "bomb.jsonl"
    path.write_text(row + "\n")
    with pytest.raises(BadInput, match=r"bomb.jsonl:1:\d+: expected at most 1,048,576 values in a row"):
        list(open_examples(str(path)))


def test_commas_in_texts_are_no_values(tmp_path):
    path, text = tmp_path / "a.jsonl", ',"' * 2**20 + "\\" * 3 + '",'
    path.write_text("".join(json.dumps({text[:1000]: n, "a": text, "b": [text, 1]}) + "\n" for n in range(2)))
    assert sum(map(len, open_examples(str(path), require_labels=False))) == 2
