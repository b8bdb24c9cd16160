"""How much to run: the data sets, seeds and budgets of one reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wmsketch.evaluation.budget_shapes import BUDGETS
from wmsketch.evaluation.streams import Library
from wmsketch.methods import KIB

# The paper's own first, then substitutes: newswire, newsgroups, students' answers, payments, reviews, URLs.
FULL = ("rcv1", "url", "kdda", "reuters", "newsgroups", "assist2009", "spending2015", "imdb", "assist2017", "urls")
QUICK = ("reuters", "newsgroups", "assist2009")
MAIN = ("rcv1", "reuters")  # for the questions that the paper answers on RCV1 only


@dataclass(frozen=True)
class Plan:
    """The options from which questions choose their runs; `streams` are ids like `reuters-v1`."""

    streams: tuple[str, ...]
    main: str
    seeds: int = 10
    search_seeds: int = 3
    budgets: tuple[int, ...] = BUDGETS
    l2s: tuple[float, ...] = (1e-3, 1e-4, 1e-5, 1e-6)
    quick: bool = False


def make_plan(library: Library, names: Sequence[str], *, quick: bool, seeds: int | None = None) -> Plan:
    """Return the plan for the requested data sets, or for all available ones.

    >>> make_plan(Library(None), [], quick=True).streams
    ('generated-v1',)
    """
    found = {name: library.find(name) for name in (names or (QUICK if quick else FULL))}
    for name, stream_id in found.items():
        if names and stream_id is None:
            raise ValueError(f"dataset must be in the data folder, got {name!r}")
    streams = tuple(stream_id for stream_id in found.values() if stream_id) or ("generated-v1",)
    main = next((found[name] for name in MAIN if found.get(name)), None) or streams[0]
    if quick:
        return Plan(streams, main, seeds or 3, 1, (2 * KIB, 8 * KIB, 32 * KIB), quick=True)
    return Plan(streams, main, seeds or 10)
