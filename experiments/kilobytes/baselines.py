"""What the paper compares with, on streams of integer items that each have one of two labels, without names.

Each returns its first k items from at most so many bytes. Counts are scored as exact ones are, by `score(a, b)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from wmsketch import AWMSketch, PairedCountMin, SpaceSaving

Numbers = NDArray[np.float64]
Score = Callable[[Numbers, Numbers], Numbers]


@dataclass(frozen=True)
class Stream:
    """Items in the order in which they come, and whether each is of stream a (an outlier)."""

    items: NDArray[np.uint32]
    of_a: NDArray[np.bool_]

    def counts(self) -> tuple[Numbers, Numbers]:
        """Return the exact counts of all items."""
        n = int(self.items.max()) + 1
        a, b = (np.bincount(self.items[self.of_a == side], minlength=n) for side in (True, False))
        return a.astype(float), b.astype(float)


def best_first(items: NDArray[np.int64], scores: Numbers, k: int) -> list[int]:
    """Return the first k items whose score is positive."""
    order = np.lexsort((items, -scores))
    return [int(item) for item in items[order[scores[order] > 0]][:k]]


def by_paper(stream: Stream, budget: int, k: int, score: Score, both_ways: bool) -> list[int]:
    """Rank by the weights of the paper's AWM-Sketch on rows of one item; both streams weigh the same."""
    n = len(stream.items)
    rows = csr_matrix((np.ones(n, np.float32), stream.items.astype(np.int64), np.arange(n + 1)))
    share = stream.of_a.mean()
    weights = np.where(stream.of_a, 0.5 / share, 0.5 / (1 - share))
    model = AWMSketch.paper(budget, fit_intercept=False, name_bytes=0)
    model.partial_fit(rows, stream.of_a, classes=[False, True], sample_weight=weights)
    top = model.top(10**9)
    found = np.array([int(row.feature) for row in top])
    values = np.array([row.weight for row in top])
    return best_first(found, np.abs(values) if both_ways else values, k)


def by_paired_count_min(stream: Stream, budget: int, k: int, score: Score, both_ways: bool) -> list[int]:
    """Rank all items by the counts of a pair of Count-Min sketches that uses all bytes for cells; items are given."""
    pair = PairedCountMin(budget, depth=2, top_size=0)
    pair.learn_many(stream.items, a=stream.of_a.astype(int), b=(~stream.of_a).astype(int))
    items = np.unique(stream.items)
    found = [pair.estimate(int(item)) for item in items]
    counts = np.array([(row.count_a, row.count_b) for row in found], float)
    return best_first(items, score(counts[:, 0], counts[:, 1]), k)


def by_two_space_saving(stream: Stream, budget: int, k: int, score: Score, both_ways: bool) -> list[int]:
    """Rank by the counts of one Space Saving counter for each stream, half of the bytes each."""
    counts = []
    for side in (True, False):
        counter = SpaceSaving(budget // 2, name_bytes=0)
        counter.learn_many(stream.items[stream.of_a == side])
        counts.append({int(row.feature): float(row.count) for row in counter.top(10**9)})
    found = np.array(sorted(counts[0].keys() | counts[1].keys()))
    a, b = (np.array([each.get(int(item), 0.0) for item in found]) for each in counts)
    return best_first(found, score(a, b), k)


METHODS = ("file", "pipe", "paper's AWM", "two Space Saving", "paired Count-Min")


def baselines_for(
    order: str, methods: Sequence[str]
) -> dict[str, Callable[[Stream, int, int, Score, bool], list[int]]]:
    """Return those of the methods by name; the counts of Count-Min sketches do not depend on the order."""
    known = {"paper's AWM": by_paper, "two Space Saving": by_two_space_saving}
    known |= {"paired Count-Min": by_paired_count_min} if order == "given" else {}
    return {name: known[name] for name in methods if name in known}
