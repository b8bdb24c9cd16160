"""`pmi` from files and from pipes, against exact counts: pairs of words that occur at least 20 times, by PMI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from experiments.datasets import data_folder
from experiments.trust import pmi

TEXTS = {"reuters": ("reuters21578.tsv.xz", "body"), "newsgroups": ("newsgroups20.tsv.xz", "text")}


def compare(
    name: str, orders: Sequence[str], budgets: Sequence[str], methods: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield a record for each order, budget and method; a file has its own order only."""
    file, text = TEXTS[name]
    for method in ("file", "pipe"):
        if method not in methods:
            continue
        path = data_folder() / file
        for found in pmi.compare(path, text=text, budgets=budgets, orders=orders, files=method == "file", known=True):
            shares = {"top 20": found["recall_20"], "top 100": found["recall_100"]}
            ranges = found["hold_the_truth_by_pmi"]
            yield {"order": found["order"], "budget": found["budget"], "method": method, **shares, "ranges": ranges}
