"""`fit(path or frame, label=...)` learns as `wmsketch train` does: shuffled, without columns that number the rows."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wmsketch import AWMSketch, Schema, load
from wmsketch.learners.rows.inputs import as_rows


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The labels come sorted, and `id` numbers the rows; `price` tells the labels apart."""
    draw = np.random.default_rng(1)
    rows = [f"{i},{draw.normal() + 3 * (i >= 1000):.3f},{'yes' if i >= 1000 else 'no'}" for i in range(2000)]
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(["id,price,sold", *rows]) + "\n")
    return path


def error(model: AWMSketch, frame: pd.DataFrame) -> float:
    return float((model.predict(frame.drop(columns="sold")) != frame.sold).mean())


def test_sorted_labels_and_row_numbers_do_no_harm(table: Path) -> None:
    frame = pd.read_csv(table)
    for source in (table, frame):
        with pytest.warns(UserWarning, match="'id' numbers the rows, so it is left out"):
            model = AWMSketch("8KiB").fit(source, label="sold")
        assert error(model, frame) < 0.1
        assert [row.feature for row in model.top()] == ["price"]


def test_the_caller_can_say_otherwise(table: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_order = AWMSketch("8KiB", shuffle=False).fit(table, label="sold")
        assert {row.feature for row in in_order.top()} == {"id", "price"}
        chosen = AWMSketch("8KiB", schema=Schema(numeric=["id"])).fit(table, label="sold")
        assert {row.feature for row in chosen.top()} == {"id", "price"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_second_fit_knows_nothing_of_the_first(table: Path) -> None:
    frame = pd.read_csv(table)
    model = AWMSketch("8KiB").fit(frame, label="sold")
    mixed = frame.sample(frac=1, random_state=0).replace({"sold": {"yes": "Y", "no": "N"}})
    assert list(model.fit(mixed, label="sold").classes_) == ["N", "Y"]
    assert {row.feature for row in model.top()} == {"id", "price"}  # here `id` numbers nothing
    with pytest.raises(ValueError, match="there is no column 'bought'"):
        model.fit(mixed, label="bought")
    assert model.n_seen_ == 20_000 and list(model.classes_) == ["N", "Y"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_small_table_is_learned_several_times_unless_the_caller_says_how_often(table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table)
    model = AWMSketch("8KiB").fit(frame, label="sold")
    assert (model.n_iter_, model.n_seen_, model.passes) == (10, 20_000, None)
    model.save(tmp_path / "m.wms")
    again = load(tmp_path / "m.wms")
    assert again.n_iter_ == 10 and again.interval("price") == model.interval("price")
    assert AWMSketch("8KiB", passes=1).fit(frame, label="sold").n_seen_ == 2000
    assert AWMSketch("8KiB", shuffle=False).fit(frame, label="sold").n_iter_ == 1
    assert AWMSketch("8KiB").fit(iter([frame]), label="sold", positive="yes").n_seen_ == 2000
    few = frame.sample(100, random_state=0)
    assert error(AWMSketch("8KiB").fit(few, label="sold"), few) < 0.1


def test_wide_frames_and_arrow_tables_are_learned_like_files(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    draw = np.random.default_rng(2)
    frame = pd.DataFrame(draw.normal(size=(60, 150)).round(3), columns=[f"c{i}" for i in range(150)])
    frame.insert(3, "kind", draw.choice(["a", "b"], 60))
    frame["n"] = draw.integers(0, 9, 60)
    frame["sold"] = np.where(frame.c0 > 0, "yes", "no")
    frame.to_csv(tmp_path / "wide.csv", index=False)
    sources = (frame, pyarrow.Table.from_pandas(frame), tmp_path / "wide.csv")
    models = [AWMSketch().fit(source, label="sold") for source in sources]
    assert [model.n_iter_ for model in models] == [10] * 3
    assert models[0].to_bytes() == models[1].to_bytes()
    assert error(models[2], frame) == error(models[0], frame) < 0.1


def test_unreadable_lines_are_warned_of(table: Path) -> None:
    table.write_text(table.read_text() + "1,2,3,4,5\n")
    with pytest.warns(UserWarning, match=r"1 bad row left out; the first: .*orders.csv:2002:"):
        AWMSketch("8KiB").learn_file(table, label="sold")
    with pytest.warns(UserWarning, match="1 bad row left out"):
        AWMSketch("8KiB", schema=Schema(numeric=["id"])).fit(table, label="sold")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AWMSketch("8KiB").learn_file(table, label="sold", bad_rows="skip")


def test_rows_of_a_frame_in_another_order_are_those_of_the_frame_in_that_order() -> None:
    r = np.random.default_rng(3)
    n = 300
    frame = pd.DataFrame(
        {"minutes": r.normal(20, 5, n), "device": r.choice(["phone", "laptop"], n), "at": r.integers(0, 9, n)}
    )
    frame.loc[::7, "minutes"] = np.nan
    order = r.permutation(n)
    taken = as_rows(frame, dict).taken(order)
    read = as_rows(frame.iloc[order], dict)
    for one, other in zip(taken.blocks(), read.blocks(), strict=True):
        names = [[block.name(i) for i in range(block.n_features)] for block in (one, other)]
        assert (
            names[0] == names[1]
            and np.array_equal(one.starts, other.starts)
            and np.array_equal(one.values, other.values)
        )


def test_a_frame_of_many_columns_and_few_rows_is_learned() -> None:
    r = np.random.default_rng(5)
    frame = pd.DataFrame(r.normal(size=(60, 1200)), columns=[f"gene {i}" for i in range(1200)])
    tumour = np.where(frame["gene 3"] - frame["gene 7"] > 0, "yes", "no")
    with pytest.warns(UserWarning, match="so the budget is"):
        model = AWMSketch().fit(frame, tumour)
    assert model.score(frame, tumour) > 0.95
    assert {row.feature for row in model.top(20)} & {"gene 3", "gene 7"}


def test_a_frame_without_names_may_hold_texts() -> None:
    """As `pd.read_csv(path, header=None)` gives it."""
    frame = pd.DataFrame(
        [["phone", 12.0, "IT"], ["laptop", 3.5, "CH"], ["phone", None, "IT"], ["laptop", 8.0, None]] * 30
    )
    bought = ["yes", "no"] * 60
    model = AWMSketch("8KiB").fit(frame, bought)
    assert model.score(frame, bought) == 1.0 and "0=phone" in {row.feature for row in model.top(3)}
    assert model.predict(frame.iloc[:2]).tolist() == ["yes", "no"]
    numbers = pd.DataFrame({0: pd.array([1, 2, None, 4] * 30, "Int64"), 1: [True, False] * 60})
    assert AWMSketch("8KiB").fit(numbers, bought).score(numbers, bought) == 1.0


@pytest.mark.parametrize("texts", [["free money", "lunch at noon"], np.array(["free money", "lunch at noon"])])
def test_a_list_of_texts_is_refused_with_what_to_give(texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r'list of texts.*schema={"text": \["body"\]}'):
        AWMSketch("8KiB").fit(texts, ["spam", "ham"])
    with pytest.raises(ValueError, match="data frame may have columns of texts"):
        AWMSketch("8KiB").fit(np.array([["phone", 1.0], ["laptop", 2.0]], dtype=object), ["yes", "no"])


def test_shuffle_is_a_parameter_and_for_one_version_an_argument_of_fit():
    X, y = np.arange(200.0)[:, None], np.arange(200) > 100
    in_order = AWMSketch("2KiB", shuffle=False, passes=2).fit(X, y)
    with pytest.warns(DeprecationWarning, match="shuffle is a parameter of the constructor now"):
        as_before = AWMSketch("2KiB", passes=2).fit(X, y, shuffle=False)
    assert as_before.coef_.tolist() == in_order.coef_.tolist()
    assert AWMSketch("2KiB", passes=2).fit(X, y).coef_.tolist() != in_order.coef_.tolist()
    again = AWMSketch.from_bytes(in_order.to_bytes())
    assert again.shuffle is False and again.get_params() == in_order.get_params()
    with pytest.raises(ValueError, match="shuffle must be True or False"):
        AWMSketch(shuffle="yes").fit(X, y)
