"""How long does `explain --metric` take beside DuckDB's GROUP BY CUBE of the same columns?

    python -m experiments.metric_cube flights.csv --number dep_delay --side month --test 7 --control 9 \\
        --columns carrier,origin,dest,hour,day [--runs 3]

Both read the same CSV in a process of their own, DuckDB with one thread. `explain` answers with `--order` 1 and 2.
DuckDB computes the sum and the count on both sides for every combination of the columns (CUBE), and for the groupings
of one and two columns only (GROUPING SETS), which is what `explain --order 2` counts. It has no intervals and chooses
no rows. Times are of the processor, the best of the runs, which alternate; on a busy machine only their ratios mean
something. The last column is the largest memory of the process.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from pathlib import Path

from experiments.incident_log import seconds_of

_DUCKDB = """
import duckdb, resource, sys
path, columns, groups, number, side, test, control = sys.argv[1:]
duckdb.execute("set threads to 1")
sides = [f'filter (cast("{side}" as varchar) = ${name})' for name in ("test", "control")]
sums = ", ".join(f'{what}("{number}") {each}' for each in sides for what in ("sum", "count"))
asked = f'cast("{side}" as varchar) in ($test, $control)'
query = f"select {columns}, {sums} from read_csv('{path}') where {asked} group by {groups}"
rows = duckdb.execute(query, {"test": test, "control": control}).fetchall()
print(len(rows), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
_EXPLAIN = """
import resource, sys
from wmsketch.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def commands(given: argparse.Namespace) -> dict[str, list[str]]:
    """Return the commands to compare."""
    columns = [f'"{name}"' for name in given.columns.split(",")]
    sets = [f"({', '.join(each)})" for size in (1, 2) for each in combinations(columns, size)]
    named = {
        "DuckDB GROUP BY CUBE": f"cube({', '.join(columns)})",
        "DuckDB, one and two columns": f"grouping sets ({', '.join(sets)})",
    }
    rest = [given.number, given.side, given.test, given.control]
    made = {
        name: [sys.executable, "-c", _DUCKDB, str(given.file), ", ".join(columns), groups, *rest]
        for name, groups in named.items()
    }
    for order in (1, 2):
        made[f"explain --order {order}"] = [
            *(sys.executable, "-c", _EXPLAIN, "explain", str(given.file), "--metric", f'avg("{given.number}")'),
            *("--test", f'"{given.side}"=={given.test}', "--control", f'"{given.side}"=={given.control}'),
            *("--attributes", given.columns, "--categorical", given.columns, "--order", str(order), "--quiet"),
        ]
    return made


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    for name in ("number", "side", "test", "control", "columns"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    made = commands(given)
    times: dict[str, list[float]] = {name: [] for name in made}
    last: dict[str, list[str]] = {}
    for _ in range(given.runs):
        for name, command in made.items():
            seconds, out = seconds_of(command)
            times[name].append(seconds)
            last[name] = out.split()[-2:]
    base = min(times["DuckDB GROUP BY CUBE"])
    print("| | time / CUBE | groups | MB |\n|---|---|---|---|")
    for name, each in times.items():
        n_groups, size = last[name]
        print(f"| {name} | {min(each) / base:.2f} | {int(n_groups) or ''} | {size} |")
    print(f"\nCUBE took {base:.1f} s of the processor")


if __name__ == "__main__":
    main()
