"""Whole numbers that are names: 02139 is not 2139, and ids of 17 digits are not measured."""

import json
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from wmsketch import AWMSketch, MulticlassAWMSketch, Schema, load

ZIPS = ["02139", "2139", "90210", "00501"]
IDS = [12345678901234567, 12345678901234568, -9876543210987654]


@pytest.fixture
def shops(tmp_path):
    """Only 02139 sells."""
    path = tmp_path / "shops.csv"
    path.write_text("zip,sold\n" + "".join(f"{zip},{int(zip == '02139')}\n" for zip in ZIPS * 50))
    return path


def test_zeros_in_front_make_a_column_text_and_that_is_told(shops):
    with pytest.warns(
        UserWarning, match=r"column 'zip' is read as text: it has codes like '02139' \(schema=Schema\(numeric="
    ):
        model = AWMSketch("8KiB").learn_file(shops, label="sold")
    assert {row.feature for row in model.top(9)} == {f"zip={zip}" for zip in ZIPS}
    assert [model.predict_one({"zip": zip}) for zip in ZIPS] == [1, 0, 0, 0]
    for rows in (pd.DataFrame({"zip": ZIPS}), pl.DataFrame({"zip": ZIPS}), pa.table({"zip": ZIPS})):
        assert model.predict(rows).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("rule, features", [("categorical", 4), ("numeric", 1)])
def test_a_rule_is_followed_without_a_word(shops, rule, features):
    model = AWMSketch("8KiB").learn_file(shops, label="sold", **{rule: ["zip"]})
    assert len(model.top(9)) == features


def test_a_column_of_numbers_and_texts_is_text_and_told_of_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("code,sold\n" + "02139,1\nN7,0\n" * 20)
    with pytest.warns(UserWarning) as told:
        AWMSketch("8KiB").learn_file(path, label="sold")
    assert [str(each.message).partition(" (")[0] for each in told] == [
        "the column 'code' is read as text: it has numbers, and texts like 'N7'"
    ]


def late_code(path):
    rows = "".join(f"{i * 7919 % 90000 + 10000},{i % 2}\n" for i in range(700_000))
    path.write_text("zip,sold\n" + rows + "02139,1\n")
    return path


def test_a_code_after_the_first_rows_is_a_number_and_that_is_told(tmp_path, run):
    path = late_code(tmp_path / "late.csv")
    with pytest.warns(UserWarning, match="column 'zip' is read as numbers, but has codes like '02139'"):
        model = AWMSketch("8KiB").learn_file(path, label="sold")
    assert [row.feature for row in model.top(9)] == ["zip"]
    result = run("train", path, "--label", "sold")
    assert result.exit_code == 0
    assert "codes like '02139', which is read as a number too (--categorical zip reads the column as" in result.stderr
    assert "codes like" not in run("train", path, "--label", "sold", "--numeric", "zip").stderr


def test_a_model_of_numbers_predicts_by_a_code_as_a_number_and_says_so(tmp_path, run):
    (tmp_path / "a.csv").write_text("zip,sold\n" + "".join(f"{i * 7 % 900 + 100},{i % 2}\n" for i in range(300)))
    assert run("train", tmp_path / "a.csv", "--label", "sold", "--save", tmp_path / "a.wms").exit_code == 0
    (tmp_path / "b.csv").write_text("zip\n00150\n150\n")
    result = run("predict", tmp_path / "b.csv", "--model", tmp_path / "a.wms")
    first, second = result.stdout.splitlines()
    assert first == second
    told = "note: the column 'zip' is read as numbers, but has codes like '00150', which is read as a number too"
    assert told in result.stderr
    model = load(tmp_path / "a.wms")
    assert model.predict_proba_one({"zip": "00150"}) == model.predict_proba_one({"zip": 150})


def long_ids(folder):
    frame = pd.DataFrame({"id": IDS * 50, "sold": [id == IDS[0] for id in IDS] * 50})
    frame.to_csv(folder / "ids.csv", index=False)
    frame.to_json(folder / "ids.jsonl", orient="records", lines=True)
    parquet.write_table(pa.Table.from_pandas(frame), folder / "ids.parquet")
    return frame


@pytest.mark.parametrize("name", ["ids.csv", "ids.jsonl", "ids.parquet"])
def test_ids_with_more_digits_than_a_double_keeps_are_names_in_every_file(tmp_path, name):
    frame = long_ids(tmp_path)
    with pytest.warns(UserWarning, match="column 'id' is read as text: it has codes like '12345678901234567'"):
        model = AWMSketch("8KiB").learn_file(tmp_path / name, label="sold")
    assert {row.feature for row in model.top(9)} == {f"id={id}" for id in IDS}
    assert model.predict(frame[["id"]][:3]).tolist() == [1, 0, 0]
    assert [model.predict_one({"id": id}) for id in IDS] == [1, 0, 0]
    assert [model.predict_one({"id": str(id)}) for id in IDS] == [1, 0, 0]


def test_ids_with_more_digits_than_a_double_keeps_are_names_in_frames_and_dicts(tmp_path):
    frame = long_ids(tmp_path)
    with pytest.warns(UserWarning, match="column 'id' is read as text"):
        whole = AWMSketch("8KiB").fit(frame[["id"]], frame["sold"])
    one_by_one = AWMSketch("8KiB")
    for row in frame.to_dict("records"):
        one_by_one.learn_one({"id": row["id"]}, row["sold"])
    for model in (whole, one_by_one):
        assert {row.feature for row in model.top(9)} == {f"id={id}" for id in IDS}
        assert model.predict_one({"id": IDS[0]}) and not model.predict_one({"id": IDS[1]})


def test_an_id_that_comes_late_in_a_column_of_numbers_is_a_category_and_that_is_told():
    table = pa.Table.from_batches([pa.record_batch({"id": [1, 2] * 20}), pa.record_batch({"id": [IDS[0], 1]})])
    with pytest.warns(UserWarning, match="'id' has 1 value that is not a number, like '12345678901234567' in row 41"):
        AWMSketch("8KiB", shuffle=False).fit(table, [0, 1] * 21)


@pytest.mark.parametrize("text", ["0", "0.5", "00.5", "-05", "1e15", "123456789012345", "0e3"])
def test_numbers_are_no_codes(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + f"{text},1\n7,0\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert AWMSketch("8KiB", schema=Schema(numbers="scaled")).learn_file(path, label="y").schema_["x"].mean


@pytest.mark.parametrize("condition", ["zip == 02139", "zip in (02139)", "not zip != 02139"])
def test_conditions_tell_codes_apart(shops, condition, run):
    document = json.loads(run("explain", shops, "--outlier", condition, "--json").stdout)
    assert document["outliers"] == 50
    document = json.loads(run("train", shops, "--label", "sold", "--where", condition, "--json").stdout)
    assert document["examples"] == 50


def test_explain_counts_codes_apart(shops, run):
    result = run("explain", shops, "--label", "sold", "--json")
    counts = [(row["attributes"], row["outliers"], row["inliers"]) for row in json.loads(result.stdout)["rows"]]
    assert counts == [({"zip": "02139"}, 50, 0)]
    assert "note: the column 'zip' is read as text: it has codes like '02139'" in result.stderr


def test_labels_that_are_codes_are_classes_of_their_own(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "a,01\nb,1\nc,2\n" * 30)
    model = MulticlassAWMSketch("32KiB").learn_file(path, label="y")
    assert [model.predict_one({"x": x}) for x in "abc"] == ["01", 1, 2]


def test_a_frame_that_has_lost_the_zeros_is_told_of(shops):
    model = AWMSketch("8KiB").learn_file(shops, label="sold", categorical=["zip"])
    assert model.predict(pd.DataFrame({"zip": [2139, 90210]})).tolist() == [0, 0]  # a rule says that they are names
    with pytest.warns(UserWarning, match="codes like"):
        model = AWMSketch("8KiB").learn_file(shops, label="sold")
    with pytest.warns(UserWarning, match="column 'zip' was text in the data learned from and has numbers here"):
        model.predict(pd.read_csv(shops)[["zip"]])


def test_blanks_around_codes_change_nothing(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_text("zip, sold\n" + "".join(f" {zip} ,{int(zip == '02139')}\n" for zip in ZIPS * 50))
    result = run("train", path, "--label", " sold", "--json")
    assert len(json.loads(result.stdout)["top"]) == 4
    assert "it has codes like ' 02139 '" in result.stderr
