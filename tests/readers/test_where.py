"""Rows that do not satisfy a condition are left out, in every format alike."""

import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from wmsketch import AWMSketch
from wmsketch.readers import open_examples
from wmsketch.readers.bad_input import BadInput

ROWS = [
    {"month": 1, "carrier": "AA", "late": True, "note": "x"},
    {"month": 2, "carrier": "UA", "late": False, "note": None},
    {"month": 12, "carrier": "AA", "late": True, "note": "y"},
    {"month": 3, "carrier": None, "late": False, "note": "z"},
    {"month": None, "carrier": "DL", "late": True, "note": None},
]


def as_csv(path):
    names = list(ROWS[0])
    cells = ["" if row[name] is None else str(row[name]) for row in ROWS for name in names]
    lines = [",".join(cells[i : i + len(names)]) for i in range(0, len(cells), len(names))]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


def as_jsonl(path):
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


WRITERS = {
    "csv": as_csv,
    "jsonl": as_jsonl,
    "parquet": lambda path: pyarrow.parquet.write_table(pa.Table.from_pylist(ROWS), path),
    "arrow": lambda path: pyarrow.feather.write_feather(pa.Table.from_pylist(ROWS), path),
}
# indices of the rows that meet it: a missing value makes a comparison neither true nor false
CONDITIONS = {
    "month<12": [0, 1, 3],
    "not month<12": [2],
    "carrier==AA": [0, 2],
    "carrier!=AA": [1, 4],
    "carrier in (AA, DL)": [0, 2, 4],
    "carrier not in (AA, DL)": [1],
    "carrier is missing or month==12": [2, 3],
    "note is not missing and not carrier is missing": [0, 2],
    "late==true and (month==1 or month>=12)": [0, 2],
}


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("where", CONDITIONS)
def test_rows_that_do_not_fulfil_it_are_left_out(tmp_path, format, where):
    path = tmp_path / f"rows.{format}"
    WRITERS[format](path)
    with open_examples(path, label="late", ignore=["note"], where=where) as examples:
        labels = [label for block in examples for label in block.labels.tolist()]
    assert labels == [1 if ROWS[i]["late"] else -1 for i in CONDITIONS[where]]
    assert examples.rejects.left_out == len(ROWS) - len(labels)
    assert examples.rejects.rows == 0
    assert "left out" in examples.rejects.notes()[0]


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_row_that_is_left_out_may_have_any_label_and_any_value(tmp_path, format):
    rows = [{"kind": kind, "size": size} for kind, size in (("a", 1), ("b", 2), ("c", "large"), ("a", 3), ("", 4))]
    path = tmp_path / f"rows.{format}"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if format == "csv":
        text = "kind,size\n" + "".join(f"{row['kind']},{row['size']}\n" for row in rows)
    path.write_text(text)
    with open_examples(path, label="kind", positive="a", numeric=["size"], where="kind in (a, b)") as examples:
        [block] = examples
    assert block.labels.tolist() == [1, -1, 1] and block.values.tolist() == [1.0, 2.0, 3.0]
    assert examples.labels.negative == "b" and not examples.labels.several_negatives


def test_a_condition_on_a_column_that_is_no_feature(tmp_path):
    as_csv(tmp_path / "rows.csv")
    with open_examples(tmp_path / "rows.csv", label="late", features=["carrier"], where="month==2") as examples:
        [block] = examples
    assert [block.name(i) for i in range(len(block.keys))] == ["carrier=UA"]


@pytest.mark.parametrize("format", WRITERS)
def test_a_column_that_is_not_there_is_named(tmp_path, format):
    path = tmp_path / f"rows.{format}"
    WRITERS[format](path)
    with pytest.raises(BadInput, match=r"where: .*'mnth'"):
        list(open_examples(path, label="late", where="mnth<12"))


@pytest.mark.parametrize("format", WRITERS)
def test_only_words_where_numbers_are_needed_are_an_error_with_its_place(tmp_path, format):
    path = tmp_path / f"rows.{format}"
    WRITERS[format](path)
    with open_examples(path, label="late", where="carrier>3") as examples:  # a few words may stand among numbers
        assert list(examples) == []
    with pytest.raises(BadInput, match="expected a number in column 'carrier', found 'AA'"):
        list(open_examples([path] * 9, label="late", where="carrier>3"))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("month=>1", "where: expected one of .* at position 6 of .month=>1."),
        ("month>", "where: expected a number, a word"),
        ("month>p80", "where must compare month with a number"),
        ("", "where: expected a column"),
    ],
)
def test_a_condition_that_cannot_be_read(where, message):
    with pytest.raises(ValueError, match=message):
        open_examples("rows.csv", where=where)


def test_formats_without_columns_have_no_conditions(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 2:1\n")
    with pytest.raises(ValueError, match="where"):
        list(open_examples(path, where="a==1"))


def test_learn_file_takes_one(tmp_path):
    as_csv(tmp_path / "rows.csv")
    model = AWMSketch("8KiB").learn_file(tmp_path / "rows.csv", label="late", where="month<12")
    assert model.n_seen_ == 3


@pytest.mark.parametrize("chunk_bytes", [1, 7, 1 << 20])
def test_where_the_input_is_cut_makes_no_difference(tmp_path, chunk_bytes):
    as_jsonl(tmp_path / "rows.jsonl")
    with open_examples(tmp_path / "rows.jsonl", label="late", where="month<12", chunk_bytes=chunk_bytes) as examples:
        names = [block.name(i) for block in examples for i in range(len(block.keys))]
    assert names == ["month", "carrier=AA", "note=x", "month", "carrier=UA", "month", "note=z"]
