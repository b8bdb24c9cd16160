"""PMI in small and large budgets and every order: counts are exact or within bounds, names are complete."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random

import pytest

import wmsketch
from wmsketch.apps import PMI


def lines(n: int, n_words: int, seed: int = 1) -> list[list[str]]:
    """Lines with a few words of one of many topics, so that pairs come in bursts when lines are sorted."""
    draw = Random(seed)
    found = []
    for _ in range(n):
        topic = draw.randrange(n_words // 10)
        found.append([f"w{10 * topic + draw.randrange(10)}" for _ in range(6)])
    return found


def exact_counts(sequences: list[list[str]]) -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    for words in sequences:
        for ahead in range(1, 6):
            pairs.update(zip(words, words[ahead:], strict=False))
    return pairs


@pytest.mark.parametrize("budget", ["24KiB", "64KiB", "16MiB"])
@pytest.mark.parametrize("order", ["given", "sorted", "backwards"])
def test_counts_are_exact_or_between_their_bounds(budget: str, order: str) -> None:
    sequences = lines(3000, 400)
    ordered = sequences if order == "given" else sorted(sequences, reverse=order == "backwards")
    exact = exact_counts(sequences)
    pmi = PMI(budget=budget)
    for words in ordered:
        pmi.learn_items(words)
    rows = pmi.top(10**6)
    assert len(rows) > 50
    for row in rows:
        assert row.count <= exact[row.pair] <= row.count_high
        assert row.exact == (row.count == row.count_high)
    held = pmi.held
    assert held.held == len(rows) and held.exact == sum(row.exact for row in rows)
    assert held.all_exact == (budget == "16MiB")
    if not held.all_exact:
        assert 0.8 * len(exact) < held.distinct < 1.25 * len(exact)
        large = PMI(budget=held.budget_for_all)
        for words in ordered:
            large.learn_items(words)
        assert large.held.all_exact


@pytest.mark.parametrize("budget", ["1MiB", "16MiB"])
def test_both_names_of_a_pair_of_long_lines_are_there(budget: str) -> None:
    first = "2024-05-17 08:30:00 ERROR disk /dev/sda1 is full, and the log that says so cannot be written: " + "x" * 60
    pmi = PMI(budget=budget, token="lines", window=1)
    for i in range(400):
        pmi.learn_text(f"{first}\nretry {i % 7} of the service that writes\nnothing else {i % 30}\n")
    rows = [row for row in pmi.top(50) if row.pair[0].startswith("2024")]
    assert rows and all(row.pair[1].startswith("retry ") and not row.shortened for row in rows)
    assert rows[0].pair[0] == first.lower()


def test_cut_names_are_marked_and_no_two_rows_look_alike() -> None:
    pmi = PMI(budget="24KiB", token="lines", window=1, name_bytes=16)
    for i in range(3000):
        pmi.learn_items([f"{'the same long beginning of a line, ' * 8}{i % 40}", f"{'its end ' * 20}{i % 40}"])
    rows = pmi.top(60)
    assert len({row.pair for row in rows}) == len(rows) > 10
    cut = [row for row in rows if row.shortened]
    assert cut and all(row.as_record()["shortened"] and "…" in "".join(row.pair) for row in cut)
    assert pmi.held.cut > 0


def test_half_life_forgets_pairs() -> None:
    kept, faded = PMI(budget="1MiB"), PMI(budget="1MiB", half_life=500)
    for pmi in (kept, faded):
        for _ in range(1000):
            pmi.learn_items(["old", "pair"])
        for i in range(3000):
            pmi.learn_items([f"w{i % 17}", f"w{i % 13}"])
    assert kept.row("old", "pair").count == 1000
    assert faded.row("old", "pair").count < 5
    assert not any(row.exact for row in faded.top(10))
    with pytest.raises(ValueError, match="half_life must be at least 1, got 0"):
        PMI(half_life=0)


def test_saved_copied_pickled_and_merged(tmp_path) -> None:
    sequences = lines(800, 200)
    whole, first, second = (PMI(budget="256KiB", seed=3) for _ in range(3))
    for i, words in enumerate(sequences):
        whole.learn_items(words)
        (first if i % 2 else second).learn_items(words)
    whole.save(tmp_path / "pairs.wms")
    twins = [wmsketch.load(tmp_path / "pairs.wms"), pickle.loads(pickle.dumps(whole)), whole.copy()]
    for twin in twins:
        assert repr(twin) == repr(whole) and twin.top(1000) == whole.top(1000) and twin.to_bytes() == whole.to_bytes()
        twin.learn_items(["one", "more"])
    whole.learn_items(["one", "more"])
    assert all(twin.to_bytes() == whole.to_bytes() for twin in twins)
    exact = exact_counts(sequences)
    merged = first.merge(second)
    assert merged.tokens == whole.tokens - 2
    for row in merged.top(10**6):
        assert row.count <= exact[row.pair] <= row.count_high
    with pytest.raises(ValueError, match="cannot merge: seed differs"):
        first.merge(PMI(budget="256KiB", seed=4))
    with pytest.raises(ValueError, match="exact counts cannot be saved"):
        PMI(exact=True).to_bytes()


def test_pairs_whose_keys_collide_are_counted_apart() -> None:
    """Among 700,000 pairs, about fifty share a 32-bit key."""
    pmi = PMI(budget="64MiB")
    words = [f"w{i}" for i in range(140_000)]
    pmi.learn_items(words)
    assert pmi.held.distinct == 5 * len(words) - 15 and {row.count for row in pmi.top(10**7)} == {1}
