"""Diff compared with exact counts: ratios, both directions, unequal lengths, noise, bytes."""

import math
import runpy
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from wmsketch import _core
from wmsketch.apps import Diff
from wmsketch.readers import BadInput


def streams(n_a: int, n_b: int, n_items: int = 2000, n_special: int = 20, seed: int = 1) -> tuple[list[str], list[str]]:
    """Streams with equal rates, except for special items that are five times as frequent in one stream."""
    draw = Random(seed)
    names = [f"item{i}" for i in range(n_items)] + [f"more{i}" for i in range(n_special)]
    base = [1.0 / (1 + i) for i in range(n_items)]
    in_a = [*base, *(0.01 * (5 if i % 2 == 0 else 1) for i in range(n_special))]
    in_b = [*base, *(0.01 * (1 if i % 2 == 0 else 5) for i in range(n_special))]
    return draw.choices(names, in_a, k=n_a), draw.choices(names, in_b, k=n_b)


def exact_log_ratio(a: list[str], b: list[str]) -> dict[str, float]:
    in_a, in_b = Counter(a), Counter(b)
    offset = math.log(len(a) / len(b))
    return {item: math.log((in_a[item] + 0.5) / (in_b[item] + 0.5)) - offset for item in {*in_a, *in_b}}


@pytest.mark.parametrize(("n_a", "n_b"), [(60_000, 60_000), (90_000, 9_000), (10_000, 80_000)])
def test_finds_differences_in_both_directions_for_unequal_lengths(n_a, n_b):
    a, b = streams(n_a, n_b)
    diff = Diff("16KiB")
    diff.update(a, b)
    rows = diff.top(20)
    special = [row for row in rows if str(row.feature).startswith("more")]
    assert len(special) >= 0.9 * len(rows) > 10
    for row in special:
        assert (row.log_ratio > 0) == (int(str(row.feature)[4:]) % 2 == 0)
    inside = [row.low <= math.copysign(math.log(5), row.log_ratio) <= row.high for row in special]
    assert sum(inside) >= 0.85 * len(inside)  # below 95 %, because rows with the largest ratios are selected
    assert np.median([abs(row.log_ratio) for row in special]) == pytest.approx(math.log(5), abs=0.35)
    assert np.median([abs(row.weight) for row in special]) == pytest.approx(math.log(5), abs=0.35)
    assert (diff.total_a, diff.total_b) == (n_a, n_b)
    assert diff.nbytes <= 16 * 1024


def test_without_a_limit_counts_are_exact_and_weights_near_the_log_ratio():
    a, b = streams(30_000, 20_000)
    diff = Diff(method="lr")
    diff.update(a, b)
    exact, in_a, in_b = exact_log_ratio(a, b), Counter(a), Counter(b)
    rows = diff.rows()
    assert {row.feature for row in rows} == exact.keys()
    assert all((row.count_a, row.count_b) == (in_a[row.feature], in_b[row.feature]) for row in rows)
    frequent = [row for row in rows if row.count_a > 200 and row.count_b > 200]
    assert len(frequent) > 5
    for row in frequent:
        assert row.log_ratio == pytest.approx(exact[row.feature], abs=0.02)
        assert row.weight == pytest.approx(exact[row.feature], abs=0.25)


def test_the_range_holds_the_true_log_ratio():
    a, b = streams(60_000, 60_000)
    diff = Diff("16KiB")
    diff.update(a, b)
    truth = {f"more{i}": math.log(5) * (1 if i % 2 == 0 else -1) for i in range(20)}
    rows = [row for row in diff.rows() if row.count_a is not None]
    inside = [row.low <= truth.get(str(row.feature), 0.0) <= row.high for row in rows]
    assert sum(inside) >= 0.9 * len(inside)


def test_counts_never_exceed_the_truth_and_are_exact_for_items_held_from_the_start():
    a, b = streams(40_000, 40_000)
    in_a, in_b = Counter(a), Counter(b)
    small, large = Diff("4KiB"), Diff("1MiB")
    small.update(a, b)
    large.update(a, b)
    counted = [row for row in small.rows() if row.count_a is not None]
    assert counted and all(
        row.count_a <= in_a[row.feature] and row.count_b <= in_b[row.feature] for row in counted if not row.shortened
    )
    assert all((row.count_a, row.count_b) == (in_a[row.feature], in_b[row.feature]) for row in large.rows())


@pytest.mark.parametrize("method", ["count-table", "lr", "paired-count-min"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_streams_have_no_difference_beyond_noise(method, seed):
    a, b = streams(30_000, 20_000, n_special=0, seed=seed)
    for other in (b, a):
        diff = Diff("16KiB", method=method)
        diff.update(a, other)
        assert diff.top() == []
        assert diff.statement().startswith("no difference beyond noise")
        assert len(diff.top(5, within_noise=True)) == 5


@pytest.mark.parametrize("seed", range(3))
def test_approximate_counts_do_not_make_frequent_items_uneven(seed):
    draw = np.random.default_rng(seed)
    a, b = draw.integers(0, 20, 400_000), draw.integers(0, 20, 400_000)
    diff = Diff("4KiB", seed=seed)
    diff.update(a, b)
    assert diff.top() == []
    counts = np.array([[row.count_a, row.count_b] for row in diff.rows()])
    assert counts == pytest.approx(np.full((20, 2), 20_000), rel=0.15)
    diff.update(np.repeat(draw.integers(0, 20, 50_000), 2), np.full(100_000, 7))
    assert diff.top(1)[0].feature == 7


def test_a_few_items_are_no_evidence_and_many_are():
    few, many = Diff("16KiB"), Diff("16KiB")
    few.update(["x"] * 3 + ["z"] * 50, ["y"] * 3 + ["z"] * 50)
    many.update(["x"] * 30 + ["z"] * 50, ["y"] * 30 + ["z"] * 50)
    assert few.top() == []
    assert {row.feature for row in many.top()} == {"x", "y"}


def test_amounts_weigh_rows():
    draw = Random(1)
    a = draw.choices(["small", "large"], k=4000)
    b = draw.choices(["small", "large"], k=4000)
    in_a = [1000.0 if item == "large" else 100.0 for item in a]
    in_b = [100.0] * len(b)
    diff = Diff("16KiB", weighted=True)
    diff.update(a, b, amounts_a=in_a, amounts_b=in_b)
    rows = {row.feature: row for row in diff.top()}
    counts = {item: sum(w for i, w in zip(a, in_a, strict=True) if i == item) for item in ("small", "large")}
    expected = {item: math.log(counts[item] / sum(in_a)) - math.log(b.count(item) / len(b)) for item in counts}
    assert rows.keys() == {"small", "large"}
    for item, row in rows.items():
        assert row.count_a == counts[item]
        assert row.log_ratio == pytest.approx(expected[item], abs=0.01)
        assert row.weight == pytest.approx(expected[item], abs=0.4)
    with pytest.raises(ValueError, match=r"amounts\[1\] must be finite and not negative, got nan"):
        diff.update(["x", "y"], [], amounts_a=[1, float("nan")])
    with pytest.raises(ValueError, match="as many amounts as items, got 1 and 2"):
        diff.update(["x", "y"], [], amounts_a=[1])


def test_better_than_a_pair_of_count_mins_at_equal_bytes():
    draw = np.random.default_rng(1)
    n = 20_000
    popularity = 1.0 / np.arange(1, n + 1)
    share = 1.0 / (1.0 + np.exp(-draw.normal(0, 1.5, n)))
    rates = [popularity * share, popularity * (1 - share)]
    a, b = (draw.choice(n, 300_000, p=rate / rate.sum()) for rate in rates)
    keys = draw.choice(2**32, n, replace=False).astype(np.uint32)
    truth = np.log((np.bincount(a, minlength=n) + 1) / (np.bincount(b, minlength=n) + 1))
    wanted = np.abs(truth) >= np.log(16)

    def recall(method: str, budget: str) -> float:
        diff = Diff(budget, method=method)
        for first in range(0, len(a), 50_000):
            diff.update(keys[a[first : first + 50_000]], keys[b[first : first + 50_000]])
        assert diff.nbytes <= int(budget[:-3]) * 1024
        found = np.argsort(-np.abs(diff.weights(keys)))[:512]
        return float(np.isin(np.flatnonzero(wanted), found).mean())

    table = recall("count-table", "8KiB")
    assert table >= 4 * recall("paired-count-min", "8KiB")
    assert table >= recall("paired-count-min", "64KiB")


def test_the_same_input_gives_the_same_rows():
    a, b = streams(5000, 5000)
    once, again = Diff("8KiB", seed=3), Diff("8KiB", seed=3)
    once.update(a, b)
    again.update(a, b)
    assert once.rows() == again.rows()
    assert once.weight("item0") == again.weight("item0")


def test_a_budget_is_kept_however_many_items_come_and_however_long_they_are():
    for method in ("count-table", "paired-count-min"):
        diff = Diff("8KiB", method=method, weighted=True)
        for part in range(5):
            a, b = ([f"{side}{part}-{i}" * (1 + i % 30) for i in range(3000)] for side in "ab")
            diff.update(a, b)
        assert diff.nbytes <= 8192
    with pytest.raises(ValueError, match="budget must be at least about"):
        Diff("500")


def test_bad_items_and_methods_are_refused():
    with pytest.raises(ValueError, match="method must be one of count-table, paired-count-min, lr, got 'cm'"):
        Diff(method="cm")
    with pytest.raises(ValueError, match=r"items\[1\] is 7"):
        Diff().update(["x", 7], [])
    with pytest.raises(ValueError, match="from 0 to 2\\^32 - 1"):
        Diff().update(np.array([-1]), np.array([1]))


def test_empty_streams_are_accepted():
    diff = Diff()
    assert diff.statement() == "both streams are empty: there is nothing to compare"
    diff.update(["x"] * 100, [])
    assert diff.statement() == "stream b is empty: there is nothing to compare"
    assert diff.top() == []


def test_counts_cover_both_streams_if_one_ends_first():
    diff = Diff("16KiB")
    diff.update(["x"] * 1000, ["x"] * 1000)
    diff.update(["late"] * 1000, [])
    late = next(row for row in diff.rows() if row.feature == "late")
    assert (late.count_a, late.count_b, late.exact, late.only_in) == (1000, 0, True, "a")


def test_the_example_runs(capsys, monkeypatch):
    example = Path(__file__).parents[2] / "examples" / "diff_flights.py"
    monkeypatch.syspath_prepend(example.parent)  # as for a script
    runpy.run_path(str(example), run_name="__main__")
    output = capsys.readouterr().out
    assert "dest=ACK" in output  # Nantucket, by the sea
    assert "differ beyond noise" in output


# --- files ---


def test_files_of_unequal_length_are_mixed_to_the_end(tmp_path):
    draw = Random(2)
    words = [f"word{i}" for i in range(50)]
    for name, n in (("a.txt", 200_000), ("b.txt", 20_000)):
        (tmp_path / name).write_text("".join(f"{draw.choice(words)} in a line of some length\n" for _ in range(n)))
    diff = Diff("32KiB").read(tmp_path / "a.txt", tmp_path / "b.txt")
    assert (diff.total_a, diff.total_b) == (200_000, 20_000)
    assert diff._alone < 0.02 * 220_000
    assert diff.top() == []
    assert max(abs(row.weight) for row in diff.rows()) < 1.0


def test_split_mixes_a_sorted_file(tmp_path):
    draw = Random(3)
    lines = ["year,city,size"]
    for year, cities in (("2013", "ABBC"), ("2014", "ABCC"), ("2015", "D")):
        lines += [f"{year},{draw.choice(cities)},{i}" for i in range(4000)]
    path = tmp_path / "sorted.csv"
    path.write_text("\n".join(lines) + "\n")
    diff = Diff("16KiB").read_split(path, "year", "2013", "2014", items=["city"])
    assert (diff.total_a, diff.total_b) == (4000, 4000)
    rows = {row.feature: row.log_ratio for row in diff.top()}
    assert rows.keys() == {"city=B", "city=C"}
    assert rows["city=B"] == pytest.approx(math.log(2), abs=0.15)
    assert rows["city=C"] == pytest.approx(-math.log(2), abs=0.15)


def test_bad_rows_end_their_stream_and_what_came_before_counts(tmp_path):
    (tmp_path / "a.csv").write_text("city\n" + "Rome\n" * 300 + "Ro,me\n" + "Rome\n" * 9)
    (tmp_path / "b.csv").write_text("city\n" + "Oslo\n" * 300)
    diff = Diff("16KiB")
    with pytest.raises(BadInput, match=r"a.csv:302"):
        diff.read(tmp_path / "a.csv", tmp_path / "b.csv", items=["city"], bad_rows="stop")
    assert (diff.total_a, diff.total_b) == (300, 300)
    assert {row.feature for row in diff.top()} == {"city=Rome", "city=Oslo"}


def test_whole_lines_keep_quotes_and_invalid_bytes():
    rows = _core.WholeLineParser().feed(b'he said "x", y\n\ncaf\xe9\n', True)
    assert [rows.name(i) for i in range(len(rows))] == ['he said "x", y', "caf\\xe9"]


@pytest.mark.parametrize("rows", [500, 5000, 50_000])
def test_equal_streams_in_sequence_do_not_differ(rows: int) -> None:
    """Pipes may deliver one after the other; an item must be compared over the time since it is held."""
    draw = np.random.default_rng(rows)
    rates = 1 / np.arange(1, 3001)
    diff = Diff("16KiB")
    for _ in range(0, 100_000, rows):
        for side in ("a", "b"):
            items = draw.choice(3000, rows, p=rates / rates.sum())
            diff.update(**{side: [f"item {item}" for item in items]})
    assert diff.top(10) == []


def test_a_second_stream_of_another_kind_leaves_no_trace():
    diff = Diff("64KiB")
    for _ in range(2):
        before = diff.to_bytes()
        with pytest.raises(ValueError, match="items must be names, like the items before"):
            diff.learn_many(["tea", "milk"], [3, 4])
        assert diff.to_bytes() == before
        diff.learn_many(["tea"], ["milk"])
