"""One row gives one answer: the schema of a model applies in the same way to all sources of rows."""

from __future__ import annotations

import copy
import csv
import datetime
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import wmsketch
from tests.learners.named_rows import METHODS, Row, bags
from wmsketch import AWMSketch, MulticlassAWMSketch, Schema, load
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.saving.model_file import model_bytes

RULES = Schema(text=["note"])


def mixed_rows(n: int = 200, seed: int = 0) -> tuple[list[Row], list[int]]:
    """Rows with numbers, booleans, categories, text, dates, missing values, a long name and a non-ASCII name."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for i in range(n):
        row: Row = {
            "price": round(draw.gauss(300, 90), 2),
            "count": draw.randrange(5),
            "new": draw.random() < 0.5,
            "city": draw.choice(["Rome", "Oslo", "Zürich", "東京"]),
            "note": " ".join(draw.choice(["cheap", "late", "very", "good"]) for _ in range(4)),
            "day": datetime.date(2024, 1, 1) + datetime.timedelta(days=5 * draw.randrange(9)),
            "größe " + "x" * 60: draw.uniform(-1, 1),
        }
        for name in ("price", "new", "city"):
            if i != 0 and draw.random() < 0.1:
                row[name] = None
        rows.append(row)
    return rows, [int((row["price"] or 300) + 60 * (row["city"] == "Oslo") > 310) for row in rows]


def with_lists(rows: list[Row], seed: int = 1) -> list[Row]:
    draw = random.Random(seed)
    return [{**row, "tags": [draw.choice("abc") for _ in range(draw.randrange(3))]} for row in rows]


def arrow(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows)


def pandas_shuffled(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, index=np.random.default_rng(3).permutation(len(rows)))


def pandas_nullable(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows).convert_dtypes()


def pandas_categorical(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows).astype({"city": "category"})


def duckdb_relation(rows: list[Row]) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    return duckdb.arrow(arrow(rows))


FRAMES: dict[str, Callable[[list[Row]], Any]] = {
    "pandas, shuffled index": pandas_shuffled,
    "pandas, nullable": pandas_nullable,
    "pandas, categorical": pandas_categorical,
    "polars": lambda rows: pl.DataFrame(rows),
    "pyarrow": arrow,
    "duckdb": duckdb_relation,
}


def bytes_of(model: OnlineClassifier) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in model._native.state().items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("lists", [False, True])
def test_dicts_and_frames_are_the_same(method: str, frame: str, lists: bool) -> None:
    rows, labels = mixed_rows()
    rows = with_lists(rows) if lists else rows
    table = FRAMES[frame](rows)
    one, many, framed = (METHODS[method](schema=RULES) for _ in range(3))
    for row, label in zip(rows, labels, strict=True):
        one.learn_one(row, label)
    many.learn_many(rows, labels)
    framed.learn_many(table, labels)
    assert bytes_of(one) == bytes_of(many) == bytes_of(framed)
    assert one.schema_.table and "price" in [column.name for column in one.schema_]
    by_row = np.asarray([list(one.predict_proba_one(row).values()) for row in rows])
    assert np.array_equal(by_row, np.asarray(many.predict_proba_many(rows)))
    assert np.array_equal(by_row, np.asarray(framed.predict_proba_many(table)))


def written(rows: list[Row], labels: list[int], path: Path) -> Path:
    records = [{**row, "y": label} for row, label in zip(rows, labels, strict=True)]
    if path.suffix == ".parquet":
        parquet.write_table(arrow(records), path, row_group_size=70)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record, default=str) + "\n" for record in records))
    else:
        plain = {None: "", True: "true", False: "false"}
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(records[0])
            for record in records:
                writer.writerow([plain[v] if v is None or isinstance(v, bool) else v for v in record.values()])
    return path


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_files_and_dicts_are_the_same(method: str, suffix: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from wmsketch.cli.main import main

    rows, labels = mixed_rows()
    rows = rows if suffix == "csv" else with_lists(rows)
    file, save = written(rows, labels, tmp_path / f"rows.{suffix}"), tmp_path / "m.wms"
    options = ["--label", "y", "--text", "note", "--method", method, "--quiet", "--shuffle", "0", "--passes", "1"]
    if method != "lr":
        options += ["--budget", "8KiB"]
    result = CliRunner().invoke(main, ["train", str(file), *options, "--save", str(save)])
    assert result.exit_code == 0, result.output
    trained, learned = load(save), METHODS[method](schema=RULES.with_rules(label="y"))
    learned.learn_many(rows, labels)
    assert bytes_of(trained) == bytes_of(learned)
    positive = [learned.predict_proba_one(row)[1] for row in rows]
    assert [trained.predict_proba_one(row)[1] for row in rows] == positive
    result = CliRunner().invoke(main, ["predict", str(file), "--model", str(save), "--json", "--quiet"])
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["label"] for record in records] == [learned.predict_one(row) for row in rows]
    if method != "multiclass":
        assert [record["probability"] for record in records] == positive


# --- bags of words ---


@pytest.mark.parametrize("method", METHODS)
def test_a_bag_of_words_is_learned_as_it_is(method: str) -> None:
    rows, labels = bags(300)
    automatic, raw = METHODS[method](), METHODS[method](schema=Schema(numbers="raw"))
    automatic.learn_many(rows, labels)
    raw.learn_many(rows, labels)
    assert bytes_of(automatic) == bytes_of(raw)
    of_schema = {name: array for name, array in bytes_of(automatic).items() if name.startswith(("schema", "held"))}
    assert of_schema == {"schema_state": b"\1"}  # decided, and not a table
    assert (automatic.schema_.table, automatic.schema_.nbytes, len(automatic.schema_)) == (False, 0, 0)


def test_a_raw_frame_needs_no_scaler() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    from sklearn.model_selection import train_test_split

    X, y = datasets.load_breast_cancer(return_X_y=True, as_frame=True)
    for seed in range(5):
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed)
        assert AWMSketch("8KiB").fit(X_train, y_train).score(X_test, y_test) >= 0.95


# --- columns ---


def test_the_index_of_pandas_is_no_feature() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0] * 20}, index=pd.Index([5.0, 900.0] * 20, name="when"))
    model = AWMSketch("8KiB").fit(frame, [0, 1] * 20)
    assert list(model.feature_names_in_) == ["a"] and model.n_features_in_ == 1
    assert [column.name for column in model.schema_] == ["a"]
    assert [row.feature for row in model.top()] == ["a"]
    assert np.array_equal(model.predict_proba(frame), model.predict_proba(frame.reset_index(drop=True)))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["a"], "seen at fit time, yet now missing:\n- b"),
        (["a", "c"], "unseen at fit time:\n- c\n.*yet now missing:\n- b"),
        (["a", "b", "c"], "unseen at fit time:\n- c"),
        (["b", "a"], "must be in the same order"),
    ],
)
def test_other_columns_than_in_fit_are_refused(columns: list[str], words: str) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0] * 20, "b": ["x", "y"] * 20})
    model = AWMSketch("8KiB").fit(frame, [0, 1] * 20)
    before = model_bytes(model)
    other = pd.DataFrame({name: ["x", "y"] if name == "b" else [1.0, 2.0] for name in columns})
    for call in (lambda: model.predict(other), lambda: model.partial_fit(other, [0, 1])):
        with pytest.raises(ValueError, match=f"(?s){words}"):
            call()
    assert model_bytes(model) == before


@pytest.mark.parametrize("as_frame", [False, True])
def test_an_array_is_refused_by_a_model_of_columns(as_frame: bool) -> None:
    rows: Any = [{"a": float(i % 3), "b": float(i % 2)} for i in range(20)]
    model = AWMSketch("8KiB").partial_fit(pd.DataFrame(rows) if as_frame else rows, [0, 1] * 10)
    before = model_bytes(model)
    for call in (model.predict, model.predict_many, lambda X: model.learn_many(X, [0, 1])):
        with pytest.raises(ValueError, match=r"data frame or dicts.*, not an array"):
            call(np.ones((2, 2)))
    assert model_bytes(model) == before


def test_missing_values_give_no_feature() -> None:
    for missing in (None, float("nan"), "", pd.NA, pd.NaT, np.float32("nan")):
        rows: list[Row] = [{"a": float(i % 3), "b": missing} for i in range(20)]
        model, without = AWMSketch("8KiB"), AWMSketch("8KiB")
        model.learn_many(rows, [True, False] * 10)
        without.learn_many([{**row, "b": None} for row in rows], [True, False] * 10)
        assert [row.feature for row in model.top()] == ["a"]
        assert model.weight("a") == without.weight("a") != 0
    counted = AWMSketch("8KiB", schema={"missing": "count"})
    counted.learn_many([{"a": float(i % 3), "b": None} for i in range(20)], [True, False] * 10)
    assert {row.feature for row in counted.top()} == {"a", "b=(missing)"}


def test_a_column_that_became_mixed_is_read_as_it_is() -> None:
    model = AWMSketch("8KiB")
    model.learn_many([{"a": float(i), "b": float(i % 2)} for i in range(20)], [True, False] * 10)
    assert model.predict_proba_one({"a": "x", "b": 1.0}) == model.predict_proba_one({"b": 1.0})  # never learned
    model.learn_one({"a": "x", "b": 1.0}, True)
    assert model.schema_["a"].kind == "mixed"
    assert model.decision_function_one({"a": "x", "b": 1.0}) == copy.copy(model).decision_function_one(
        {"a": "x", "b": 1.0}
    )


# --- scales ---


def test_mean_and_deviation_are_those_of_the_column() -> None:
    draw = np.random.default_rng(0)
    values = draw.normal(50, 20, 500)
    model = AWMSketch("8KiB", shuffle=False).fit(pd.DataFrame({"a": values}), values > 60)
    column = model.schema_["a"]
    assert (column.count, column.mean, column.deviation) == pytest.approx((500, values.mean(), values.std()))
    halves = values[:100], values[100:]
    parts = [AWMSketch("8KiB", passes=1).fit(pd.DataFrame({"a": part}), part > 60) for part in halves]
    merged = parts[0].merge(parts[1]).schema_["a"]
    assert (merged.count, merged.mean, merged.deviation) == pytest.approx((500, values.mean(), values.std()))


def test_a_half_life_fades_the_scales() -> None:
    values = [0.0, 1.0] * 200 + [1000.0, 1001.0] * 200
    labels = [value % 2 == 1 for value in values]
    for half_life, times in ((20, None), ("20s", np.arange(800.0))):
        model = AWMSketch("8KiB", half_life=half_life)
        model.learn_many([{"a": value} for value in values], labels, times=times)
        assert model.schema_["a"].mean == pytest.approx(1000.5, abs=2)
        assert model.schema_["a"].count < 100


def test_a_refused_batch_leaves_the_scales() -> None:
    model = MulticlassAWMSketch("2KiB")
    model.learn_many([{"x": float(i % 5), "z": 1.0 * (i % 3)} for i in range(60)], [f"c{i % 3}" for i in range(60)])
    before = model_bytes(model)
    with pytest.raises(ValueError, match="classes"):
        model.learn_many([{"x": 1000.0, "z": 2.0}] * 50, [f"d{i}" for i in range(50)])
    assert model_bytes(model) == before


def test_rows_of_weight_zero_do_not_enter_the_scales() -> None:
    model, without = AWMSketch("8KiB"), AWMSketch("8KiB")
    rows = [{"a": float(i % 7)} for i in range(40)]
    odd = [{"a": 1e6}] * 40
    model.learn_many([*rows, *odd], [True, False] * 40, sample_weight=[1.0] * 40 + [0.0] * 40)
    without.learn_many(rows, [True, False] * 20)
    assert model_bytes(model) == model_bytes(without)


@pytest.mark.parametrize("numbers", ["automatic", "raw"])
def test_text_and_numbers_of_one_column_do_not_merge(numbers: Any) -> None:
    a, b = AWMSketch("8KiB", schema={"numbers": numbers}), AWMSketch("8KiB", schema={"numbers": numbers})
    a.learn_many([{"zip": str(i % 3), "n": 1.0 * (i % 2)} for i in range(20)], [True, False] * 10)
    b.learn_many([{"zip": i % 3, "n": 1.0 * (i % 2)} for i in range(20)], [True, False] * 10)
    before = model_bytes(a)
    with pytest.raises(ValueError, match="cannot merge: one model took the column 'zip' as text, the other as number"):
        a.merge(b)
    assert model_bytes(a) == before


# --- any table or bag of words, split anywhere ---

NUMBERS = st.floats(-1e6, 1e6, width=32)
VALUES = (
    st.none()
    | st.booleans()
    | NUMBERS
    | st.integers(-1000, 1000)
    | st.text(max_size=4)
    | st.lists(st.sampled_from("ab"), max_size=2)
)
TABLES = st.lists(st.fixed_dictionaries({"a": NUMBERS, "b": VALUES, "é": VALUES}), min_size=1, max_size=25)
BAGS = st.lists(
    st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), NUMBERS, max_size=6), min_size=1, max_size=25
)


@settings(max_examples=100, deadline=None)
@given(
    rows=TABLES | BAGS,
    cuts=st.lists(st.integers(0, 25), max_size=4),
    method=st.sampled_from(["awm", "hash", "multiclass"]),
)
def test_batches_may_be_split_anywhere(rows: list[Row], cuts: list[int], method: str) -> None:
    labels = [i % 3 == 0 for i in range(len(rows))]
    one, many, pieces = (METHODS[method]() for _ in range(3))
    for row, label in zip(rows, labels, strict=True):
        one.learn_one(row, label)
    many.learn_many(rows, labels)
    ends = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for begin, end in itertools.pairwise(ends):
        pieces.learn_many(rows[begin:end], labels[begin:end])
    assert model_bytes(one) == model_bytes(many) == model_bytes(pieces)
    assert np.array_equal(
        one.predict_proba_many(rows), np.asarray([list(one.predict_proba_one(row).values()) for row in rows])
    )


def test_the_schema_is_a_parameter_like_others() -> None:
    model = AWMSketch("8KiB", schema={"numbers": "raw", "ignore": ["id"]})
    model.learn_many([{"id": i, "x": float(i % 2)} for i in range(20)], [True, False] * 10)
    assert [column.name for column in model.schema_] == ["x"] and model.schema_["x"].mean is None
    with pytest.raises(ValueError, match="schema has no rule 'nubmers'"):
        AWMSketch("8KiB", schema={"nubmers": "raw"}).fit([{"a": 1.0}, {"a": 2.0}], [0, 1])
    assert wmsketch.Schema.of(None) == Schema()


def test_a_rule_whose_name_is_no_text_is_unknown() -> None:
    with pytest.raises(ValueError, match="schema has no rule 1"):
        AWMSketch("4KiB", schema={1: "price", "label": "sold"}).learn_one({"price": 1.0}, True)
