"""PMI in small and large budgets and every order: counts are exact or within bounds, names are complete."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random

import pytest

import wmsketch
from wmsketch.apps import PMI
from wmsketch.apps.pmi.rows import Pair


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


def rare_pairs_in_noise() -> list[list[str]]:
    """Lines of common words and of words of a topic; each of 40 pairs of names is in 20 lines."""
    draw = Random(7)
    weights = [1 / (i + 3) for i in range(3000)]
    found = []
    for _ in range(10_000):
        topic = draw.randrange(100)
        common = draw.choices(range(3000), weights, k=6)
        found.append([f"w{i}" for i in common] + [f"t{6 * topic + draw.randrange(6)}" for _ in range(4)])
    for i in range(40):
        for line in draw.sample(range(len(found)), 20):
            found[line][3:3] = [f"first{i}", f"second{i}"]
    return found


def learned(sequences: list[list[str]], at_least: int | None) -> PMI:
    pmi = PMI(budget="160KiB", negatives=0, at_least=at_least)
    for words in sequences:
        pmi.learn_items(words)
    return pmi


def is_planted(row: Pair) -> bool:
    return row.pair[0].removeprefix("first") == row.pair[1].removeprefix("second")


def test_rare_pairs_are_found_if_the_count_asked_for_is_known() -> None:
    sequences = rare_pairs_in_noise()
    exact = exact_counts(sequences)
    found = {}
    for at_least in (None, 15):
        pmi = learned(sequences, at_least)
        assert not pmi.is_whole and pmi.nbytes <= 160 * 1024
        rows = pmi.top(10**6)
        assert all(row.count <= exact[row.pair] <= row.count_high for row in rows)
        found[at_least] = sum(map(is_planted, pmi.top(40, min_count=15, sort="pmi")))
    assert found[None] < 15 and found[15] >= 30


def test_rare_pairs_are_kept_when_saved_and_merged() -> None:
    sequences = rare_pairs_in_noise()
    exact = exact_counts(sequences)
    first, second = (learned(sequences[half::2], 5) for half in (0, 1))
    twin = PMI.from_bytes(first.to_bytes())
    for pmi in (first, twin):
        for words in sequences[:2000]:
            pmi.learn_items(words)
    assert twin.to_bytes() == first.to_bytes()
    merged = learned(sequences[0::2], 5).merge(second)
    assert sum(map(is_planted, merged.top(40, min_count=15, sort="pmi"))) >= 25
    named = [row for row in merged.top(10**6) if not row.shortened]  # those of the other part may find no room
    assert len(named) > 200 and all(row.count <= exact[row.pair] <= row.count_high for row in named)
    unseen = merged.row("w1", "w2")  # frequent words: a pair that was passed over
    assert unseen.count <= exact["w1", "w2"] <= unseen.count_high


def test_the_least_count_is_checked() -> None:
    with pytest.raises(ValueError, match="at_least must be at least 1, got 0"):
        PMI(at_least=0)
