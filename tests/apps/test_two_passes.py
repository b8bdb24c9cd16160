"""Files that do not fit the budget are read again: candidates first, then their exact counts."""

import numpy as np
import pytest

from tests.apps.incident import incident
from wmsketch.apps import PMI, Diff, Explainer


def lines(seed: int, tilt: float, order: str) -> list[str]:
    draw = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 20_001)
    weights[100:2000:60] *= tilt
    items = draw.choice(20_000, 100_000, p=weights / weights.sum())
    return [f"item number {i}" for i in (np.sort(items) if order == "sorted" else items)]


@pytest.mark.parametrize(("order", "least"), [("given", 19), ("sorted", 15)])
def test_small_budgets_find_the_same_items_in_files(tmp_path, order, least):
    for name, seed, tilt in (("a", 1, 1.0), ("b", 2, 8.0)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines(seed, tilt, order)) + "\n")
    whole, small = Diff("16MiB"), Diff("32KiB")
    for each in (whole, small):
        each.learn_file(tmp_path / "a.txt", tmp_path / "b.txt", lines=True)
    wanted = {row.feature: (row.count_a, row.count_b) for row in whole.top(20)}
    found = {row.feature: (row.count_a, row.count_b) for row in small.top(20) if row.exact}
    assert len(wanted) == 20 and small.nbytes <= 32 * 1024
    assert sum(found.get(item) == counts for item, counts in wanted.items()) >= least
    assert (small.total_a, small.total_b) == (100_000, 100_000) and not small.held.all_exact


def test_many_more_items_than_fit_are_compared(tmp_path):
    """The interval of each candidate once took a look at every cell: many minutes for these files."""
    often = ["planted\n"] * 200
    for name, first, more in (("a", 0, often), ("b", 160_000, [])):
        (tmp_path / f"{name}.txt").write_text("".join([f"line {i}\n" for i in range(first, first + 240_000)] + more))
    diff = Diff("16MiB")
    diff.learn_file(tmp_path / "a.txt", tmp_path / "b.txt", lines=True)
    assert not diff.held.all_exact and [row.feature for row in diff.top(1)] == ["planted"]


def test_rows_after_a_second_pass_still_count(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines(seed, 1.0, "given")) + "\n")
    small = Diff("32KiB")
    small.learn_file(tmp_path / "a.txt", tmp_path / "b.txt", lines=True)
    small.learn_many(a=["quite new"] * 3000)
    [row] = [row for row in small.top(50) if row.feature == "quite new"]
    assert row.count_a_low <= 3000 <= row.count_a_high


@pytest.mark.parametrize("order", ["given", "sorted", "grouped"])
@pytest.mark.parametrize(("most", "budget"), [(1, "64KiB"), (2, "256KiB")])
def test_small_budgets_explain_as_large_ones_do(tmp_path, order, most, budget):
    frame = incident(30_000).drop(columns=["ts", "trace_id"])
    if order != "given":
        frame = frame.sort_values(list(frame.columns) if order == "sorted" else "ip")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    whole, small = Explainer("status>=500", order=most), Explainer("status>=500", order=most, budget=budget)
    for each in (whole, small):
        each.learn_file(tmp_path / "rows.csv")
    wanted = {row.label: (row.outliers, row.inliers) for row in whole.top(20)}
    found = {row.label: (row.outliers, row.inliers) for row in small.top(20) if row.exact}
    assert sum(found.get(label) == counts for label, counts in wanted.items()) >= 0.8 * len(wanted)
    assert (small.examples, small.outliers) == (whole.examples, whole.outliers)
    assert small.nbytes <= small.budget_bytes and not small.held.all_exact


def test_small_budgets_find_pairs_of_files(tmp_path):
    draw = np.random.default_rng(3)
    weights = 1 / np.arange(1, 20_001)
    words = [f"w{i}" for i in draw.choice(20_000, 200_000, p=weights / weights.sum())]
    for place, pair in zip(draw.integers(0, len(words), 500), range(500), strict=True):
        words[place] = f"left{pair % 20} right{pair % 20}"
    path = tmp_path / "words.txt"
    path.write_text("\n".join(" ".join(words[i : i + 20]) for i in range(0, len(words), 20)) + "\n")
    whole, small, once = PMI(budget="64MiB"), PMI(budget="256KiB"), PMI(budget="256KiB")
    for each in (whole, small):
        each.learn_file(path)
    once.learn_text(path.read_text())
    found = {row.pair: row for row in small.top(20, min_count=20, sort="pmi")}
    wanted = {row.pair: row.count for row in whole.top(20, min_count=20, sort="pmi")}
    assert whole.held.all_exact and not small.held.all_exact and small.nbytes <= 256 * 1024
    assert sum(found[pair].count == count for pair, count in wanted.items() if pair in found) >= 18
    assert small.held.exact == small.held.held
    assert (small.tokens, small.pairs) == (whole.tokens, whole.pairs)
    assert sum(row.pair in wanted for row in once.top(20, min_count=20, sort="pmi")) <= len(found)


def test_pairs_after_several_passes_still_count(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(
        "\n".join(" ".join(line.split()[2] for line in lines(seed, 1.0, "given")) for seed in (1, 2)) + "\n"
    )
    pmi = PMI(budget="64KiB").learn_file(path)
    for _ in range(300):
        pmi.learn_text("quite new")
    row = pmi.row("quite", "new")
    assert row.count <= 300 <= row.count_high
    again = PMI.load(pmi.save(tmp_path / "pairs.wms") or tmp_path / "pairs.wms")
    assert again.top(5) == pmi.top(5)
