"""Rows that can be read but not learned: an error that names them, or skipped and counted."""

import random
import re

import pytest

from wmsketch import AWMSketch, MulticlassAWMSketch, load
from wmsketch.errors import RowError
from wmsketch.learners.models.introspection import learn_block
from wmsketch.learners.rows.unlearnable import all_but_refused
from wmsketch.readers import BadInput, open_examples

EXTREME = {"value": "1e30,x,1,1700000500,1", "weight": "1,x,1e30,1700000500,1", "time": "1,x,1,1e300,1"}
OPTIONS = {
    "value": ["--ignore", "w,t"],
    "weight": ["--weight", "w", "--ignore", "t"],
    "time": ["--time", "t", "--half-life", "1h", "--ignore", "w"],
}
PLAIN = ["--shuffle", "0", "--passes", "1"]


@pytest.fixture(params=EXTREME)
def kind(request):
    return request.param


def _write(path, kind, at, n_rows=1000):
    draw, lines = random.Random(1), ["a,b,w,t,y"]
    for i in range(n_rows):
        if i in at:
            lines.append(EXTREME[kind])
        sold = draw.random() < 0.5
        lines.append(f"{draw.gauss(0, 1) + sold:.3f},{draw.choice('xyz')},1,{1700000000 + i},{int(sold)}")
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("at", [{0}, {5}, {500, 501, 777}, {999}])
@pytest.mark.parametrize(
    "more", [PLAIN, [], ["--shuffle", "300"], ["--holdout", "0.1"], ["--holdout", "100"], ["--passes", "2"]]
)
def test_they_are_skipped_and_counted(run, tmp_path, kind, at, more):
    bad, good, dead = tmp_path / "bad.csv", tmp_path / "good.csv", tmp_path / "dead.tsv"
    _write(bad, kind, at)
    _write(good, kind, set())
    options = ["--label", "y", *OPTIONS[kind], *more, "--budget", "8KiB"]
    result = run("train", bad, *options, "--bad-rows", "skip", "--save", tmp_path / "m.wms", "--rejects", dead)
    assert result.exit_code == 0, result.output
    model = load(tmp_path / "m.wms")
    held_extreme = "--holdout" in more  # an extreme row may be held out
    assert f"{len(at):,} bad row" in result.stderr or held_extreme, result.stderr
    if more == PLAIN:
        run("train", good, *options, "--save", tmp_path / "good.wms")
        # no trace of them: a model that had met extreme values would be copied before each call that learns
        assert model.n_seen_ == 1000 and model.to_bytes() == load(tmp_path / "good.wms").to_bytes()
    if not held_extreme:
        told = [re.search(r"row ([\d,]+): ", line)[1] for line in dead.read_text().splitlines()]
        before = sorted(at)  # each extreme row is one more row before the next
        assert sorted(int(row.replace(",", "")) for row in told) == [row + i + 1 for i, row in enumerate(before)]
    assert abs(model.predict_proba_one({"a": 1.0, "b": "x"})[1] - 0.5) < 0.5


def test_the_count_is_that_of_an_uninterrupted_run(run, tmp_path, kind):
    bad, save = tmp_path / "bad.csv", tmp_path / "m.wms"
    _write(bad, kind, {3, 500, 900})
    options = ["--label", "y", *OPTIONS[kind], "--bad-rows", "skip", "--save", save, "--checkpoint-every", "1"]
    options += PLAIN
    assert "3 bad rows were skipped" in run("train", bad, *options).stderr
    assert "3 bad rows were skipped" in run("train", bad, "--resume", save).stderr


def test_without_skip_the_file_and_the_row_are_named(run, tmp_path, kind):
    bad = tmp_path / "bad.csv"
    _write(bad, kind, {500})
    result = run("train", bad, "--label", "y", *OPTIONS[kind])
    assert result.exit_code == 1 and f"{bad}: row 501: " in result.stderr, result.output


def test_learn_file_names_or_skips_them_too(tmp_path):
    bad = tmp_path / "bad.csv"
    _write(bad, "value", {500, 600})
    model = AWMSketch("8KiB")
    with pytest.raises(BadInput, match=r"bad\.csv: row 501: "):
        model.learn_file(bad, label="y", ignore=["w", "t"])
    assert model.learn_file(bad, label="y", ignore=["w", "t"], bad_rows="skip").n_seen_ == 1000


def test_rows_with_several_problems_are_all_skipped(run, tmp_path):
    rows = [f"{i % 2},{i % 7},1,{1700000000 + i}" for i in range(3000)]
    rows[500], rows[900], rows[1000] = "1,1,1e30,1700000500", "1,1,1,1e300", "1,1e30,1,1700001000"
    path, dead = tmp_path / "bad.csv", tmp_path / "dead.tsv"
    path.write_text("\n".join(["y,x,w,t", *rows]) + "\n")
    options = ["--label", "y", "--weight", "w", "--time", "t", "--half-life", "1h", *PLAIN]
    result = run("train", path, *options, "--bad-rows", "skip", "--rejects", dead)
    assert result.exit_code == 0, result.output
    assert [re.search(r"row ([\d,]+): ", line)[1] for line in dead.read_text().splitlines()] == ["501", "901", "1,001"]


def test_many_refused_rows_take_linear_time():
    """Work on each row is counted: the parts that are tried are small where many rows are refused."""
    rows = RowsOf(range(4000))
    bad, tried, learned = {*range(0, 4000, 2), 1, 3999}, [], []

    def work(part, place):
        tried.append(len(part))
        for row, value in enumerate(part):
            assert value == place.start + row
            if value in bad:
                raise RowError(row, "bad")
        learned.extend(part)

    refused = []
    all_but_refused(work, rows, lambda row, _: refused.append(row))
    assert refused == sorted(bad)
    assert learned == [row for row in range(4000) if row not in bad]
    assert sum(tried) < 10 * 4000


@pytest.mark.parametrize("model", [AWMSketch, MulticlassAWMSketch])
def test_a_block_that_is_learned_in_parts_gives_the_same_model(tmp_path, model):
    draw, path = random.Random(3), tmp_path / "parts.csv"
    lines = [
        f"{draw.gauss(0, 9)!r},{draw.choice('uvw')},{draw.choice('xyz')},{draw.random() + 0.1:.2f}" for _ in range(500)
    ]
    path.write_text("a,b,c,w,y\n" + "".join(f"{line},{draw.choice(['no', 'yes'])}\n" for line in lines))
    whole, parts = model("8KiB"), model("8KiB")
    options = {"label": "y", "weight": "w", "interactions": ["a:b", "b:c"]}
    options |= {"many_classes": True} if model is MulticlassAWMSketch else {"positive": "yes"}
    with open_examples(path, **options) as examples:
        for block in examples:
            learn_block(whole, block, label_names=examples.labels)
            for first in range(0, len(block), 7):
                part = block.part(first, min(first + 7, len(block)))
                learn_block(parts, part, label_names=examples.labels)
    assert parts.n_seen_ == 500 and parts.to_bytes() == whole.to_bytes()
    assert "b=u&c=x" in {row.feature for row in parts.top(100)}


class RowsOf(list):
    """A block of rows, of which parts can be taken."""

    def part(self, first, end):
        return RowsOf(self[first:end])
