"""open_examples: the same data in every format, errors in order, resume, options."""

import bz2
import gzip
import json
import lzma
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, ipc, parquet

from tests.readers.rows import all_rows, libsvm_files, rows_of
from wmsketch.readers import BadInput, Position, open_examples

N_ROWS = 3000


@pytest.fixture(scope="module")
def table():
    """A table with every kind of column and missing values."""
    random = np.random.default_rng(5)

    def some(values):
        return [None if random.random() < 0.1 else value for value in values]

    return pa.table(
        {
            "sold": pa.array(random.random(N_ROWS) < 0.3),
            "city": some(random.choice(["Rome", "Oslo", "São Paulo", 'the "Hague", NL', "東京の長い名前です"], N_ROWS)),
            "rooms": pa.array(some(random.integers(1, 9, N_ROWS).tolist())),
            "price": pa.array(some(np.round(random.normal(size=N_ROWS), 3).tolist())),
            "garden": pa.array(some((random.random(N_ROWS) < 0.5).tolist())),
            "note": some(random.choice(["Big and bright", "small, but quiet!", "near the sea"], N_ROWS)),
        }
    )


OPTIONS = {
    "label": "sold",
    "text": ["note"],
    "ngrams": 2,
    "lowercase": True,
    "interactions": ["city:garden", "city:rooms"],
}


@pytest.fixture(scope="module")
def expected(table):
    return all_rows(open_examples(table, **OPTIONS))


def write_csv(table, path, delimiter=","):
    table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get).to_csv(path, index=False, sep=delimiter)


def write_jsonl(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_ipc_stream(table, path):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)


def write_dictionary_parquet(table, path):
    column = table["city"].combine_chunks().dictionary_encode()
    parquet.write_table(table.set_column(1, "city", column), path)


WRITERS = {
    "a.csv": write_csv,
    "a.tsv": lambda table, path: write_csv(table, path, "\t"),
    "semicolons.csv": lambda table, path: write_csv(table, path, ";"),
    "a.jsonl": write_jsonl,
    "a.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=999),
    "dictionary.parquet": write_dictionary_parquet,
    "a.arrows": write_ipc_stream,
    "a.feather": lambda table, path: feather.write_feather(table, path, compression="uncompressed"),
}
COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


def test_the_fixture_has_every_kind_of_feature(expected):
    names = {name for row in expected for name, _ in row.features}
    wanted = {"city=Rome", "rooms", "price", "garden=true", "note=big and", "city=Oslo&garden=false", "city=Rome&rooms"}
    assert wanted <= names


@pytest.mark.parametrize("name", WRITERS)
def test_same_rows_from_every_format(tmp_path, table, expected, name):
    path = tmp_path / name
    WRITERS[name](table, path)
    assert all_rows(open_examples(path, **OPTIONS)) == expected


@pytest.mark.parametrize("name", WRITERS)
def test_same_keys_from_every_format(tmp_path, table, name):
    path = tmp_path / name
    WRITERS[name](table, path)
    keys = np.concatenate([block.keys for block in open_examples(path, **OPTIONS)])
    assert (keys == np.concatenate([block.keys for block in open_examples(table, **OPTIONS)])).all()


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.arrows", "a.feather"])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_same_rows_compressed(tmp_path, table, expected, name, suffix):
    plain, packed = tmp_path / name, tmp_path / (name + suffix)
    WRITERS[name](table, plain)
    packed.write_bytes(COMPRESS[suffix](plain.read_bytes()))
    assert all_rows(open_examples(packed, **OPTIONS)) == expected


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("chunk_bytes", [997, 1 << 20])
def test_format_is_guessed_from_content(tmp_path, table, expected, name, chunk_bytes):
    path = tmp_path / "data"
    WRITERS[name](table, path)
    # with a small first chunk, kinds would be guessed from few rows
    told = {"numeric": ["rooms", "price"]} if chunk_bytes == 997 else {}
    assert all_rows(open_examples(path, chunk_bytes=chunk_bytes, **OPTIONS, **told)) == expected


@pytest.mark.parametrize("make", [pl.from_arrow, pa.Table.to_pandas, lambda t: t.to_reader(100)])
def test_data_frames_are_inputs(table, make):
    columns = table.select(["sold", "city", "price"])
    expected = all_rows(open_examples(columns, label="sold"))
    assert all_rows(open_examples(make(columns), label="sold")) == expected


def test_stdin(tmp_path, table, expected, monkeypatch):
    path = tmp_path / "a"
    write_csv(table, path)
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert all_rows(open_examples("-", **OPTIONS)) == expected


@pytest.mark.parametrize("depth", [0, 4])
def test_resume_goes_on_behind_any_block(tmp_path, depth):
    paths = libsvm_files(tmp_path)
    blocks = list(open_examples(paths, chunk_bytes=1000, depth=depth))
    everything = all_rows(blocks)
    assert len(everything) == 1500
    for block in blocks[:: len(blocks) // 7]:
        position = pickle.loads(pickle.dumps(block.position))
        rest = open_examples(paths, chunk_bytes=333, resume=position, depth=depth)
        assert all_rows(rest) == everything[position.rows :]
        assert rest.position == blocks[-1].position == Position(2, 500, 1500)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.arrows"])
def test_resume_in_columns(tmp_path, table, expected, name):
    path = tmp_path / name
    WRITERS[name](table, path)
    assert all_rows(open_examples(path, resume=Position(0, 1234, 1234), **OPTIONS)) == expected[1234:]


def test_resume_in_a_later_csv_keeps_what_the_first_said_of_columns(tmp_path):
    (tmp_path / "0.csv").write_text("x,y\nfour,1\n")
    (tmp_path / "1.csv").write_text("x,y\n4,1\n5,0\n")
    paths = str(tmp_path / "*.csv")
    everything = all_rows(open_examples(paths, label="y"))
    assert everything[1].features == [("x=4", 1.0)]
    assert all_rows(open_examples(paths, label="y", resume=Position(1, 1, 2))) == everything[2:]


@pytest.mark.parametrize("depth", [0, 4])
def test_rows_before_a_bad_line_come_first(tmp_path, depth):
    path = tmp_path / "train.svm"
    path.write_text("1 1:1\n" * 16 + "1 2:2 3x x7\n" + "1 1:1\n" * 5)
    seen = 0
    with pytest.raises(BadInput) as error:
        for block in open_examples(path, depth=depth, chunk_bytes=50):
            seen += len(block)
    assert seen == 16
    assert str(error.value) == f'{path}:17:7: expected a feature like 12:0.5, found "3x"'
    assert (error.value.file, error.value.line, error.value.column) == (str(path), 17, 7)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrows", "a.jsonl", "a.csv"])
def test_rows_before_a_bad_value_come_first(tmp_path, name):
    path = tmp_path / name
    values = [float(i) for i in range(100)]
    values[57] = -7.0
    WRITERS[name](pa.table({"x": values, "c": ["a"] * 100}), path)
    seen = []
    with pytest.raises(BadInput, match='expected a weight of at least 0 in column "x", found -7') as error:
        for block in open_examples(path, weight="x"):
            seen += rows_of(block)
    assert len(seen) == 57
    assert error.value.line in (None, 58, 59)
    assert error.value.line or "row 58" in str(error.value)


def test_truncated_input_gives_its_rows_and_then_the_error(tmp_path):
    path = tmp_path / "a.svm.gz"
    path.write_bytes(gzip.compress(b"".join(b"1 %d:1\n" % (i * i) for i in range(100_000)))[:-1000])
    seen = 0
    with pytest.raises(BadInput, match="truncated"):
        for block in open_examples(path):
            seen += len(block)
    assert 0 < seen < 100_000


def test_truncated_compressed_arrow_is_named(tmp_path, table):
    path = tmp_path / "a.arrows"
    write_ipc_stream(table, path)
    path.with_suffix(".arrows.gz").write_bytes(gzip.compress(path.read_bytes())[:-100])
    with pytest.raises(BadInput, match=r"arrows.gz: the gzip data ends too early"):
        list(open_examples(path.with_suffix(".arrows.gz"), **OPTIONS))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrows", "a.feather"])
def test_damaged_arrow_files_are_bad_input(tmp_path, table, name):
    path = tmp_path / name
    WRITERS[name](table, path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(BadInput, match="damaged"):
        list(open_examples(path, **OPTIONS))


def test_parquet_in_a_pipe_is_refused(tmp_path):
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress(b"PAR1"))
    with pytest.raises(BadInput, match="Parquet must be a plain file"):
        list(open_examples(path))


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_unknown_columns_offer_near_names(tmp_path, table, name):
    path = tmp_path / name
    WRITERS[name](table, path)
    with pytest.raises(ValueError, match=r"label: there is no column 'sould'; did you mean 'sold'\?"):
        next(open_examples(path, label="sould"))
    if name != "a.jsonl":
        for option in ("features", "ignore", "numeric", "categorical", "text"):
            with pytest.raises(ValueError, match=rf"{option}: there is no column 'town'; its columns are sold, city"):
                next(open_examples(path, **{option: ["town"]}))
        with pytest.raises(ValueError, match=r"interactions: there is no column 'citi'; did you mean 'city'"):
            next(open_examples(path, interactions=["citi:rooms"]))


def test_features_and_ignore_choose_columns(table):
    first = next(open_examples(table, label="sold", features=["city", "price"]))
    assert {first.name(i).partition("=")[0] for i in range(len(first.keys))} == {"city", "price"}
    first = next(open_examples(table, label="sold", ignore=["city", "price", "note"]))
    assert {first.name(i).partition("=")[0] for i in range(len(first.keys))} == {"rooms", "garden"}


def test_predicting_needs_no_label(tmp_path, table):
    path = tmp_path / "a.csv"
    write_csv(table.drop_columns(["sold"]), path)
    block = next(open_examples(path, label="sold", require_labels=False))
    assert len(block.labels) == 0
    assert len(block) > 0


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_predicting_needs_only_the_columns_of_features(tmp_path, table, name):
    path = tmp_path / name
    WRITERS[name](table.drop_columns(["sold", "rooms", "note"]), path)
    options = {"label": "sold", "weight": "rooms", "ignore": ["note"]}
    with open_examples(path, **options, require_labels=False) as examples:
        block = next(examples)
    assert len(block.labels) == 0
    assert set(block.weights.tolist()) == {1.0}
    with pytest.raises(BadInput, match="there is no column 'sold'"):
        next(open_examples(path, **options))
    if name != "a.jsonl":
        with pytest.raises(BadInput, match="features: there is no column 'town'"):
            next(open_examples(path, **options, features=["city", "town"], require_labels=False))


@pytest.mark.parametrize("option", ["features", "ignore", "numeric", "categorical", "text", "interactions"])
def test_json_names_that_never_come_are_an_error_at_the_end(tmp_path, option):
    path = tmp_path / "a.jsonl"
    rows = ['{"city": 5, "y": 1}\n'] * 2 + ['{"rare": {"deep": [1]}, "none": null, "y": 0}\n']
    path.write_text("".join(rows))

    def read(*names, **more):
        names = [f"{name}:city" for name in names] if option == "interactions" else names
        examples = open_examples(path, label="y", **{option: names}, **more)
        return sum(len(block) for block in examples), examples.unseen

    assert read("city", "rare", "rare.deep", "none") == (3, [])
    with pytest.raises(BadInput, match=rf"a.jsonl: {option}: no row has a column 'citi'"):
        read("city", "citi")
    unseen = [] if option == "ignore" else [f"{option}: no row has a column 'citi'; did you mean 'city'?"]
    assert read("city", "citi", require_labels=False) == (3, unseen)


def test_a_header_of_very_many_columns_is_read_in_linear_time(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(300_000)) + "\n" + ",".join("1" * 300_000) + "\n")
    assert [len(row.features) for row in all_rows(open_examples(str(path)))] == [300_000]


def test_a_line_of_more_columns_than_any_table_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.xz"
    path.write_bytes(lzma.compress(b"," * 2**21 + b"\n"))
    with pytest.raises(BadInput, match=r"bomb.csv.xz:1:1048577: expected at most 1,048,576 columns"):
        all_rows(open_examples(str(path)))


def test_lines_that_end_in_a_lone_carriage_return_are_lines(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"a,b\r1,2\r3,4\r")
    assert [row.features for row in all_rows(open_examples(str(path)))][1] == [("a", 3.0), ("b", 4.0)]


def test_numbers_of_very_many_digits_are_numbers(tmp_path):
    digits = "0." + "1" * 80
    path = tmp_path / "long.csv"
    path.write_text(f'n,m\n{digits}, {digits}\n"{digits}",2\n')
    rows = [dict(row.features) for row in all_rows(open_examples(str(path)))]
    assert rows == [{"n": pytest.approx(1 / 9), "m": pytest.approx(1 / 9)}, {"n": pytest.approx(1 / 9), "m": 2.0}]
    jsonl = tmp_path / "long.jsonl"
    jsonl.write_text('{"n": "' + digits + '"}\n')
    assert [dict(row.features) for row in all_rows(open_examples(str(jsonl), numeric=["n"]))] == [
        {"n": pytest.approx(1 / 9)}
    ]
