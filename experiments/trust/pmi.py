"""Compare pmi with exact counts, in orders that real files have.

    python -m experiments.trust.pmi corpus.txt [--min-count 20]
    python -m experiments.trust.pmi news.tsv --text body
    python -m experiments.trust.pmi events.csv --items code
    python -m experiments.trust.pmi news.tsv --text body --files --budgets 1400KiB

With --files the file is read as often as `pmi` reads it, in its own order; otherwise it is a stream. With --known `pmi`
knows --min-count before it reads, as the command does.

Recall is relative to the pairs with the highest exact PMI among those that occur at least `--min-count` times. An
interval is correct if it contains the exact PMI and the exact count is within its bounds.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wmsketch.apps import PMI
from wmsketch.apps.pmi.pmi import DEFAULT_BUDGET
from wmsketch.readers import open_stream

ORDERS = ("given", "grouped", "sorted")
BUDGETS = (DEFAULT_BUDGET, "32KiB")
TOPS = (20, 50, 100)
WINDOW = 5
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def compare(
    path: str | Path,
    *,
    text: str | None = None,
    items: str | None = None,
    min_count: int = 20,
    budgets: Iterable[str] = BUDGETS,
    orders: Iterable[str] = ORDERS,
    rows: int | None = None,
    files: bool = False,
    known: bool = False,
) -> list[dict[str, Any]]:
    """Compare pmi with exact counts on a text, a column of text, or a column of items; return a record for each run."""
    sequences = _sequences(path, text, items, rows)
    exact = _Exact(sequences, min_count)
    records = []
    for budget in budgets:
        for order in ("given",) if files else orders:
            pmi = PMI(budget=budget, negatives=0, at_least=min_count) if known else PMI(budget=budget)
            if files:
                pmi.learn_file(path, **({"text": text} if text else {"items": items} if items else {}))
            else:
                for sequence in _ordered(sequences, order):
                    pmi.learn_items(sequence)
            records.append({"budget": budget, "order": order, **_score(pmi, exact, min_count)})
    return records


def _sequences(path: str | Path, text: str | None, items: str | None, rows: int | None) -> list[list[str]]:
    if text is None and items is None:
        with open_stream(str(path)) as stream:
            lines = b"".join(stream.chunks()).decode(errors="replace").splitlines()[:rows]
        return [found for line in lines if (found := _WORD.findall(line.lower()))]
    separator = "\t" if ".tsv" in str(path) else ","
    column = text or items
    assert column is not None
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    table = pd.read_csv(path, dtype=str, sep=separator, nrows=rows, usecols=[column], quoting=quoting)
    values = table[column].dropna().tolist()
    return [list(values)] if items else [found for value in values if (found := _WORD.findall(value.lower()))]


def _ordered(sequences: list[list[str]], order: str) -> list[list[str]]:
    """Return the lines in several orders. A long sequence of items has only one order."""
    if order == "sorted":
        return sorted(sequences)
    return sorted(sequences, key=lambda words: words[-1]) if order == "grouped" else sequences


class _Exact:
    def __init__(self, sequences: list[list[str]], min_count: int) -> None:
        self.items: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        for words in sequences:
            self.items.update(words)
            for ahead in range(1, WINDOW + 1):
                self.pairs.update(zip(words, words[ahead:], strict=False))
        self.n_items, self.n_pairs = sum(self.items.values()), sum(self.pairs.values())
        frequent = [pair for pair, count in self.pairs.items() if count >= min_count]
        self.top = sorted(frequent, key=self.pmi, reverse=True)

    def pmi(self, pair: tuple[str, str]) -> float:
        count = self.pairs[pair]
        if count == 0:
            return -math.inf
        return math.log(count / self.n_pairs * self.n_items**2 / self.items[pair[0]] / self.items[pair[1]])


def _score(pmi: PMI, exact: _Exact, min_count: int) -> dict[str, Any]:
    shown = pmi.top(max(TOPS), min_count=min_count, sort="pmi")
    record: dict[str, Any] = {"pairs": len(exact.pairs), "held": pmi.held.held, "exact": pmi.held.exact}
    for k in TOPS:
        wanted = exact.top[:k]
        last = exact.pmi(wanted[-1]) - 1e-9 if wanted else 0.0
        found = sum(exact.pairs[row.pair] >= min_count and exact.pmi(row.pair) >= last for row in shown[:k])
        record[f"recall_{k}"] = found / len(wanted) if wanted else None
    by_weight = pmi.top(max(TOPS), min_count=1)
    for name, rows in (("by_pmi", shown), ("by_weight", by_weight)):
        whole = [row for row in rows if not row.shortened]
        inside = [
            row.count <= exact.pairs[row.pair] <= row.count_high and row.low <= exact.pmi(row.pair) <= row.high
            for row in whole
        ]
        record[f"hold_the_truth_{name}"] = sum(inside) / len(inside) if inside else None
    return record


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the records of `compare` as a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path")
    parser.add_argument("--text")
    parser.add_argument("--items")
    parser.add_argument("--min-count", type=int, default=20)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--budgets", default=",".join(BUDGETS))
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--orders", default=",".join(ORDERS))
    options = parser.parse_args(arguments)
    given = {name: getattr(options, name) for name in ("text", "items", "min_count", "rows", "files", "known")}
    records = compare(options.path, budgets=options.budgets.split(","), orders=options.orders.split(","), **given)
    sys.stdout.write(pd.DataFrame(records).to_string(index=False) + "\n")


if __name__ == "__main__":
    main()
