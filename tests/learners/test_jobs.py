"""Learning in several processes: every row counts once, one schema, reproducible bytes, errors with their line."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from wmsketch import AWMSketch, SimpleTruncation
from wmsketch.learners.models.introspection import learn_block, reading_of
from wmsketch.learners.saving.model_file import model_bytes
from wmsketch.learners.shards import processes as sharded
from wmsketch.readers import chunks
from wmsketch.readers.bad_input import BadInput


@pytest.fixture
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """4,000 rows in about twenty chunks."""
    monkeypatch.setattr(sharded, "CHUNK_BYTES", 4096)
    draw = np.random.default_rng(0)
    city, size = draw.choice(["Rome", "Oslo", "Par, is", "Ki\nev"], 4000), draw.normal(10, 3, 4000)
    sold = draw.random(4000) < 1 / (1 + np.exp(-(size - 10 + 2.0 * (city == "Rome"))))
    lines = [
        f'"{where}",{number:.2f},{"yes" if label else "no"}'
        for where, number, label in zip(city, size, sold, strict=True)
    ]
    path = tmp_path / "sales.csv"
    path.write_text("city,size,sold\n" + "\n".join(lines) + "\n")
    return path


def test_every_row_counts_once_and_the_bytes_are_reproducible(sales: Path) -> None:
    one = AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes")
    two, again = (AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes", jobs=2) for _ in range(2))
    assert two.n_seen_ == one.n_seen_ == 4000
    assert two.record_.features_seen == one.record_.features_seen
    assert list(two.record_.label_counts.values()) == list(one.record_.label_counts.values())
    assert model_bytes(two) == model_bytes(again)
    assert two.schema_["size"].mean == pytest.approx(one.schema_["size"].mean)
    assert two.schema_["size"].deviation == pytest.approx(one.schema_["size"].deviation)
    assert abs(two.error_rate_ - one.error_rate_) < 0.02
    assert two.predict_one({"city": "Rome", "size": 14.0}) == "yes"
    assert {row.feature for row in two.top(3)} == {row.feature for row in one.top(3)}
    assert two.nbytes <= 8192


def test_the_first_process_keeps_rows_that_the_merged_model_learns_again(sales: Path) -> None:
    model = AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes")
    keeps = sharded._ShardLearner(copy.copy(model), reading_of(model, to_learn=True), samples=True)
    for chunk in chunks.chunks_of([str(sales)], chunk_bytes=4096):
        keeps.learn(chunk)
    assert keeps.problem is None and keeps.sample is not None and len(keeps.sample) == 4000
    rows = [block for _, block in keeps.sample._pieces]
    assert {rows[0].name(feature) for feature in range(2)} == {"city=Ki\nev", "size"}
    half = AWMSketch("8KiB", schema=model.schema)
    learn_block(half, rows[0])
    before = model_bytes(half)
    assert keeps.sample.teach(half) > 0
    assert half.n_seen_ == len(rows[0]) and model_bytes(half) != before
    assert half.predict_one({"city": "Rome", "size": 14.0}) == "yes"


def test_a_bad_row_is_reported_with_its_line_and_changes_nothing(sales: Path) -> None:
    lines = sales.read_text().split("\n")  # names of cities contain line ends
    lines[4500] = '"Rome",12,yes,and more' if lines[4500].count(",") == 2 else 'ev",12,yes,and more'
    sales.write_text("\n".join(lines))
    messages = []
    for jobs in (1, 2):
        model = AWMSketch("8KiB")
        with pytest.raises(BadInput) as problem:
            model.learn_file(sales, label="sold", positive="yes", jobs=jobs, bad_rows="stop")
        messages.append(str(problem.value))
        assert not model._started
    assert messages[0] == messages[1]
    assert ":4501:" in messages[1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_lines_that_are_no_rows_are_left_out(sales: Path, jobs: int) -> None:
    lines = sales.read_text().split("\n")
    at = lines.index(next(line for line in lines[4500:] if line.startswith('"Rome",')))
    lines.insert(at, '"Rome",12,yes,and more')
    sales.write_text("\n".join(lines))
    with pytest.warns(UserWarning, match="1 bad row left out; the first: .*sales.csv:4501:"):
        model = AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes", jobs=jobs)
    assert model.n_seen_ == 4000 and model.schema_["size"].mean == pytest.approx(10, abs=0.2)


@pytest.mark.filterwarnings("ignore:.*before the header:UserWarning")
def test_lines_before_the_header_and_cells_of_many_lines_are_read_alike(sales: Path) -> None:
    header, rows = sales.read_text().split("\n", 1)
    titled, headless = sales.with_name("titled.csv"), sales.with_name("headless.csv")
    titled.write_text(f"All sales\nprinted, today\n\n{header}\n{rows}")
    headless.write_text('"Ki\nev",10.00,yes\n' + rows)
    for jobs in (1, 2):
        of_titled = AWMSketch("8KiB").learn_file(titled, label="sold", positive="yes", jobs=jobs)
        assert (of_titled.n_seen_, of_titled.record_.features_seen) == (4000, 8000)
        columns = header.split(",")
        without = AWMSketch("8KiB").learn_file(headless, label="sold", positive="yes", columns=columns, jobs=jobs)
        assert (without.n_seen_, without.record_.features_seen) == (4001, 8002)


def test_invalid_combinations_are_rejected(sales: Path) -> None:
    with pytest.raises(ValueError, match="jobs must be 1 for a method that forgets features, as SimpleTruncation does"):
        SimpleTruncation("8KiB").learn_file(sales, label="sold", positive="yes", jobs=2)
    with pytest.raises(ValueError, match="jobs must be 1 with half_life"):
        AWMSketch("8KiB", half_life=100).learn_file(sales, label="sold", positive="yes", jobs=2)
    with pytest.raises(ValueError, match="jobs must be 1 with bad_rows"):
        AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes", bad_rows="skip", jobs=2)
    with pytest.raises(ValueError, match="jobs must be at least 1, got 0"):
        AWMSketch("8KiB").learn_file(sales, label="sold", positive="yes", jobs=0)
    with pytest.raises(ValueError, match="jobs needs files, got list"):
        AWMSketch("8KiB").learn_file([{"a": 1}], label="a", jobs=2)


def test_an_input_of_one_chunk_needs_no_processes(tmp_path: Path) -> None:
    path = tmp_path / "few.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 20)
    one, two = (AWMSketch("8KiB").learn_file(path, jobs=jobs) for jobs in (1, 2))
    assert model_bytes(one) == model_bytes(two)
    assert chunks.CHUNK_BYTES > 100
