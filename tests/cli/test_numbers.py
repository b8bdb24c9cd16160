"""Numeric columns are scaled by their running mean and standard deviation, however the stream is split."""

import json
import math
import random
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from wmsketch import AWMSketch, Schema, load
from wmsketch.cli.parts.training import Training
from wmsketch.learners.models.introspection import learn_block, reading_of, rows_as_seen
from wmsketch.readers import open_examples

LABEL = ("--label", "late", "--positive", "yes")


def flights(n: int = 6000, seed: int = 1, *, times: float = 1, plus: float = 0) -> list[dict[str, object]]:
    """The delay decides the label, the carrier matters a little, year and distance do not. A delay may be missing."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        delay, carrier = draw.gauss(40, 25), draw.choice("ABCD")
        late = delay + 15 * (carrier == "A") + draw.gauss(0, 10) > 55
        rows.append(
            {
                "delay": None if draw.random() < 0.05 else round(delay * times + plus, 3),
                "distance": draw.randrange(100, 3000),
                "year": 2013,
                "carrier": carrier,
                "late": "yes" if late else "no",
            }
        )
    return rows


def as_csv(rows: list[dict[str, object]]) -> str:
    lines = [",".join("" if value is None else str(value) for value in row.values()) for row in rows]
    return "\n".join([",".join(rows[0]), *lines, ""])


def as_json_lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "flights.csv"
    path.write_text(as_csv(flights()))
    return path


ONCE = ("--shuffle", 0, "--passes", 1)  # as a stream


def trained(run, file, save, *options):
    result = run("train", file, *LABEL, "--save", save, "--quiet", "--json", *ONCE, *options)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def scales(path):
    """Count, mean and standard deviation of each numeric column."""
    columns = load(path).schema_
    return {each.name: (each.count, each.mean, each.deviation) for each in columns if each.mean is not None}


def test_a_table_with_large_numbers_is_learned(run, csv, tmp_path):
    saying_no = sum(row["late"] == "yes" for row in flights()) / 6000
    scaled = trained(run, csv, tmp_path / "s.wms")
    raw = trained(run, csv, tmp_path / "r.wms", "--numbers", "raw")
    assert scaled["error_rate"] < 0.6 * saying_no
    assert scaled["error_rate"] < 0.6 * raw["error_rate"]
    assert scaled["log_loss"] < 0.7 * raw["log_loss"]
    assert scaled["top"][0]["feature"] == "delay"


def test_units_hardly_matter(run, csv, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(as_csv(flights(times=1000, plus=1e6)))
    one, two = trained(run, csv, tmp_path / "1.wms"), trained(run, other, tmp_path / "2.wms")
    assert one["error_rate"] == pytest.approx(two["error_rate"], abs=0.001)
    assert one["log_loss"] == pytest.approx(two["log_loss"], abs=0.001)


def test_the_schema_has_mean_and_deviation(run, csv, tmp_path):
    trained(run, csv, tmp_path / "m.wms")
    found = scales(tmp_path / "m.wms")
    assert set(found) == {"delay", "distance", "year"}
    for name, scale in found.items():
        values = [row[name] for row in flights() if row[name] is not None]
        assert scale == pytest.approx((len(values), np.mean(values), np.std(values)))
    shown = run("inspect", tmp_path / "m.wms").stdout
    assert "a table of 4 columns" in shown
    assert "delay     number   mean 39.4703, standard deviation 25.5377" in shown
    record = json.loads(run("inspect", tmp_path / "m.wms", "--json").stdout)["schema"]
    assert [column["kind"] for column in record["columns"]] == ["number", "number", "number", "text"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "tsv"])
def test_every_format_with_columns_learns_the_same(run, csv, tmp_path, kind):
    rows, file = flights(), tmp_path / f"flights.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), file, row_group_size=700)
    else:
        file.write_text(as_json_lines(rows) if kind == "jsonl" else as_csv(rows).replace(",", "\t"))
    trained(run, csv, tmp_path / "csv.wms")
    trained(run, file, tmp_path / "other.wms")
    assert scales(tmp_path / "csv.wms") == scales(tmp_path / "other.wms")
    assert load(tmp_path / "csv.wms").error_rate_ == load(tmp_path / "other.wms").error_rate_


def test_a_row_is_predicted_alone_as_it_is_among_others(run, csv, tmp_path):
    trained(run, csv, tmp_path / "m.wms")
    together = run("predict", csv, "--model", tmp_path / "m.wms", "--quiet").stdout.splitlines()
    header, *rows = csv.read_text().splitlines()
    for place in (0, 17, 5999):
        (tmp_path / "one.csv").write_text(f"{header}\n{rows[place]}\n")
        alone = run("predict", tmp_path / "one.csv", "--model", tmp_path / "m.wms", "--quiet").stdout
        assert alone.splitlines() == [together[place]]


def test_columns_that_were_never_learned_are_ignored(run, csv, tmp_path):
    trained(run, csv, tmp_path / "m.wms")
    answers = []
    for name in ("nothing", "new"):
        (tmp_path / f"{name}.csv").write_text(f"delay,{name}\n50,{'1e9' if name == 'new' else ''}\n")
        answers.append(run("predict", tmp_path / f"{name}.csv", "--model", tmp_path / "m.wms", "--quiet").stdout)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("more", [[], ["--passes", 2], ["--holdout", "0.2"], ["--holdout", 5000]], ids=str)
def test_every_checkpoint_resumes_to_the_same_bytes(run, tmp_path, monkeypatch, more):
    file, whole, save = tmp_path / "f.csv", tmp_path / "whole.wms", tmp_path / "m.wms"
    file.write_text(as_csv(flights(120_000)))  # several blocks
    trained(run, file, whole, *more)
    copies = []
    original = Training.save

    def save_and_copy(self, *path):
        done = original(self, *path)
        copies.append(shutil.copy(save, tmp_path / f"copy-{len(copies)}.wms"))
        return done

    with monkeypatch.context() as patched:
        patched.setattr(Training, "save", save_and_copy)
        trained(run, file, save, "--checkpoint-every", 1, *more)
    assert save.read_bytes() == whole.read_bytes()
    assert len(copies) > 3
    for copy in copies[:-1:2]:
        assert run("train", file, "--resume", copy, "--quiet").exit_code == 0
        assert copy.read_bytes() == whole.read_bytes()


def test_held_out_rows_are_measured_by_the_others(run, tmp_path):
    rows = flights(3000)
    for row in rows[2000:]:
        row["delay"] = 1e3
    (tmp_path / "all.csv").write_text(as_csv(rows))
    (tmp_path / "first.csv").write_text(as_csv(rows[:2000]))
    held = trained(run, tmp_path / "all.csv", tmp_path / "held.wms", "--holdout", 1000)
    trained(run, tmp_path / "first.csv", tmp_path / "first.wms")
    assert scales(tmp_path / "held.wms") == scales(tmp_path / "first.wms")
    late = sum(row["late"] == "yes" for row in rows[2000:]) / 1000
    assert held["holdout"]["error_rate"] == pytest.approx(1 - late)  # such a large delay is always predicted as late


def test_rows_of_weight_0_do_not_enter(run, tmp_path):
    rows = [{**row, "w": 1} for row in flights(500)]
    odd = [{**row, "distance": 1e9, "w": 0} for row in flights(500, seed=2)]
    mixed = [row for pair in zip(rows, odd, strict=True) for row in pair]
    for name, table in (("rows", rows), ("mixed", mixed)):
        (tmp_path / f"{name}.csv").write_text(as_csv(table))
        trained(run, tmp_path / f"{name}.csv", tmp_path / f"{name}.wms", "--weight", "w")
    assert scales(tmp_path / "rows.wms") == scales(tmp_path / "mixed.wms")


def test_rows_that_were_refused_do_not_enter(run, tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("x,y\n" + "".join(f"{i % 5},c{i % 3}\n" for i in range(300)))
    bad.write_text("x,y\n" + "".join(f"1000,d{i}\n" for i in range(50)))  # more labels than max_classes
    save = tmp_path / "m.wms"
    options = ("--label", "y", "--method", "multiclass", "--budget", "2KiB", "--save", save, "--quiet", *ONCE)
    assert run("train", good, bad, *options).exit_code == 1
    assert load(save).n_seen_ == 300
    assert scales(save) == {"x": pytest.approx((300, 2, math.sqrt(2)))}


def test_merge_joins_the_scales(run, tmp_path):
    parts = [flights(3000, seed=1), flights(1000, seed=2, plus=30)]
    for number, rows in enumerate([*parts, parts[0] + parts[1]]):
        (tmp_path / f"{number}.csv").write_text(as_csv(rows))
        trained(run, tmp_path / f"{number}.csv", tmp_path / f"{number}.wms")
    merged = run("merge", tmp_path / "0.wms", tmp_path / "1.wms", "--output", tmp_path / "both.wms")
    assert merged.exit_code == 0, merged.stderr
    both, whole = scales(tmp_path / "both.wms"), scales(tmp_path / "2.wms")
    assert both.keys() == whole.keys()
    for name in both:
        assert both[name] == pytest.approx(whole[name], rel=1e-9)


def test_scaled_and_raw_do_not_mix(run, csv, tmp_path):
    scaled, raw = tmp_path / "s.wms", tmp_path / "r.wms"
    trained(run, csv, scaled)
    trained(run, csv, raw, "--numbers", "raw")
    result = run("merge", scaled, raw, "--output", tmp_path / "m.wms")
    assert result.exit_code == 1
    assert (
        "cannot merge: the schema differs" in result.stderr
        and "Schema(label='late', positive='yes', numbers='raw')" in result.stderr
    )
    for arguments in (
        ["predict", csv, "--model", raw, "--numbers", "scaled"],
        ["train", csv, *LABEL, "--start-from", raw, "--numbers", "scaled"],
        ["train", csv, "--resume", raw, "--numbers", "scaled"],
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "--numbers" in result.stderr and "raw" in result.stderr


def test_raw_is_what_the_reader_gives(run, csv, tmp_path):
    raw = tmp_path / "r.wms"
    trained(run, csv, raw, "--numbers", "raw")
    assert scales(raw) == {}
    model = AWMSketch("32KiB", schema=Schema(label="late", positive="yes", numbers="raw"))
    model.learn_file(csv)
    rows = flights(50, seed=9)
    assert [model.predict_proba_one(row) for row in rows] == [load(raw).predict_proba_one(row) for row in rows]
    trained(run, csv, tmp_path / "on.wms", "--start-from", raw)  # a model without scales stays without them
    assert scales(tmp_path / "on.wms") == {}


def test_compare_scales_too(run, csv):
    options = ["compare", csv, *LABEL, "--methods", "awm,lr", "--budgets", "8KiB", "--seeds", 1, "--json", "--quiet"]
    scaled, raw = (json.loads(run(*options, "--numbers", how).stdout)["rows"] for how in ("scaled", "raw"))
    assert json.loads(run(*options).stdout)["rows"][0]["error_rate"] == scaled[0]["error_rate"]
    for with_scales, without in zip(scaled, raw, strict=True):
        assert with_scales["error_rate"] < 0.6 * without["error_rate"]


@pytest.mark.parametrize("command", ["train", "compare"])
def test_numbers_mean_nothing_where_there_are_no_columns(run, tmp_path, command):
    (tmp_path / "rows.vw").write_text("1 | a:2\n-1 | b\n")
    result = run(command, tmp_path / "rows.vw", "--numbers", "raw")
    assert result.exit_code == 2
    assert "numbers cannot be used with vw input" in result.stderr


def learned_in_pieces(source, interactions, **options):
    """A model that learned a file block by block, and the values it uses for the rows."""
    model = AWMSketch("32KiB", schema=Schema(label="late", positive="yes", interactions=interactions))
    for block in open_examples(source, **reading_of(model, to_learn=True), **options):
        learn_block(model, block)
    [block] = open_examples(source, **reading_of(model, to_learn=False))
    return model, block, rows_as_seen(model, block)[2]


def test_block_boundaries_do_not_matter(csv, tmp_path):
    (tmp_path / "f.jsonl").write_text(as_json_lines(flights()))
    pairs = ["delay:carrier", "delay:distance"]
    for file in (csv, tmp_path / "f.jsonl"):
        whole, _, values = learned_in_pieces(file, pairs)
        for depth, chunk_bytes in ((0, 100), (4, 5000), (1, 77_777)):
            again, _, others = learned_in_pieces(file, pairs, depth=depth, chunk_bytes=chunk_bytes)
            assert again.to_bytes() == whole.to_bytes()
            np.testing.assert_array_equal(values, others)


def test_products_are_of_the_scaled_values(tmp_path):
    rows = "10,100,x,yes\n30,300,y,no\n20,500,x,no\n" * 5
    (tmp_path / "p.csv").write_text(f"a,b,c,late\n{rows}")
    _, block, values = learned_in_pieces(tmp_path / "p.csv", ["a:b", "a:c"])
    by_name = [{block.name(i): values[i] for i in range(*block.starts[r : r + 2])} for r in range(3)]
    a, b = math.sqrt(1.5), 200 / np.std([100, 300, 500])
    assert by_name[0] == pytest.approx({"a": -a, "b": -b, "c=x": 1, "a&b": a * b, "a&c=x": -a})
    assert by_name[1] == pytest.approx({"a": a, "b": 0, "c=y": 1, "a&b": 0, "a&c=y": a})
    assert by_name[2] == pytest.approx({"a": 0, "b": b, "c=x": 1, "a&b": 0, "a&c=x": 0})


def test_as_the_scaler_of_river(tmp_path):
    from river.preprocessing import StandardScaler

    rows, theirs = flights(400), StandardScaler()
    (tmp_path / "f.jsonl").write_text(as_json_lines(rows))
    for row in rows:
        theirs.learn_one({name: row[name] for name in ("delay", "distance", "year") if row[name] is not None})
    _, block, values = learned_in_pieces(tmp_path / "f.jsonl", [])
    for number, row in enumerate(rows):
        numbers = {name: row[name] for name in ("delay", "distance", "year") if row[name] is not None}
        ours = {block.name(i): values[i] for i in range(*block.starts[number : number + 2])}
        for name, value in theirs.transform_one(numbers).items():
            assert ours[name] == pytest.approx(value, rel=1e-4, abs=1e-6)


def test_times_in_milliseconds_keep_their_differences(tmp_path):
    start = 1_700_000_000_000
    text = "".join(f"{start + 40 * i},{'yes' if i % 2 else 'no'}\n" for i in range(100))  # floats would be equal
    (tmp_path / "t.csv").write_text("at,late\n" + text)
    _, _, values = learned_in_pieces(tmp_path / "t.csv", [])
    np.testing.assert_allclose(values, (np.arange(100) - 49.5) / np.arange(100).std(), rtol=1e-5)
