"""`explain`, `diff` and `pmi` from end to end, beside an exact group-by of the same columns by polars and by DuckDB.

    python -m benchmarks.bench_answers [megabytes]

Times are wall-clock seconds of whole processes, which take turns. Where they are installed, polars is the peer of
`explain` and of `diff`, and DuckDB of `explain`: they count every value of the same columns, of both sides, and keep
all of them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.bench_train import ENVIRONMENT
from benchmarks.quiet import Times

BYTES_A_ROW, BYTES_A_LINE = 56, 155  # of the table; of the words
COLUMNS = {"country": 50, "device": 5, "version": 300, "host": 2000, "path": 20_000, "user": 200_000}
EXPLAIN = (sys.executable, "-m", "wmsketch", "explain", "--outlier", "ms>900", "--json")
DIFF = (sys.executable, "-m", "wmsketch", "diff", "--json")
PMI = (sys.executable, "-m", "wmsketch", "pmi", "--json")
POLARS = """
import sys, polars
table = polars.concat([polars.scan_csv(path).with_columns(side=polars.lit(i)) for i, path in enumerate(sys.argv[1:])])
side = polars.col("ms") > 900 if len(sys.argv) == 2 else polars.col("side") == 1
columns = [name for name in table.collect_schema().names() if name not in ("ms", "side")]
counts = [table.group_by(name).agg(polars.len().alias("all"), side.sum().alias("part")) for name in columns]
for found in polars.collect_all(counts):
    print(found.sort(polars.col("part") / polars.col("all"), descending=True).head(10))
"""
DUCKDB = """
import sys, duckdb
table = duckdb.connect()
table.execute("CREATE TABLE rows AS SELECT * FROM read_csv(?)", [sys.argv[1]])
names = [name for name, *_ in table.execute("DESCRIBE rows").fetchall() if name != "ms"]
sets = ", ".join(f"({name})" for name in names)
counts = "count(*) AS everything, count(*) FILTER (ms > 900) AS part"
grouped = f"SELECT {', '.join(names)}, {counts} FROM rows GROUP BY GROUPING SETS ({sets})"
for row in table.execute(f"SELECT * FROM ({grouped}) ORDER BY part / everything DESC LIMIT 10").fetchall():
    print(row)
"""


def table(n_rows: int, seed: int) -> str:
    """Requests as CSV: six texts with frequencies 1/rank, and a time."""
    rng = np.random.default_rng(seed)
    columns = [[f"{name}{i}" for i in (size ** rng.random(n_rows)).astype(int)] for name, size in COLUMNS.items()]
    rows = zip(*columns, (1000 * rng.random(n_rows)).round(1).tolist(), strict=True)
    return "\n".join([",".join([*COLUMNS, "ms"]), *(",".join(map(str, row)) for row in rows)]) + "\n"


def words(n_rows: int) -> str:
    """Lines of twenty words out of 30,000, with frequencies 1/rank."""
    ids = (30_000 ** np.random.default_rng(3).random((n_rows, 20))).astype(int)
    return "".join(" ".join(f"word{i}" for i in row) + "\n" for row in ids.tolist())


def answers(n_runs: int, megabytes: int = 60) -> dict[str, Times]:
    """Return the wall-clock seconds of each command and of its peer."""
    found: dict[str, Times] = {}
    with tempfile.TemporaryDirectory() as folder:
        one, other, text = (Path(folder, name) for name in ("one.csv", "other.csv", "words.txt"))
        for path, seed in ((one, 1), (other, 2)):
            path.write_text(table(megabytes * 1_000_000 // BYTES_A_ROW, seed))
        text.write_text(words(megabytes * 1_000_000 // BYTES_A_LINE))
        size = f"{megabytes} MB"
        contenders: dict[str, tuple[str | Path, ...]] = {
            f"explain, {size}": (*EXPLAIN, one),
            f"diff, 2 x {size}": (*DIFF, one, other),
            f"pmi, {size}": (*PMI, text),
        }
        if find_spec("polars"):
            contenders[f"polars group-by, {size}"] = (sys.executable, "-c", POLARS, one)
            contenders[f"polars group-by, 2 x {size}"] = (sys.executable, "-c", POLARS, one, other)
        if find_spec("duckdb"):
            contenders[f"DuckDB group-by, {size}"] = (sys.executable, "-c", DUCKDB, one)
        for run in range(n_runs + 1):
            for name, command in contenders.items():
                began = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
                if run > 0:  # the first is a warm-up
                    found.setdefault(name, Times()).runs.append([time.perf_counter() - began])
    return found


def main() -> None:
    """Print the seconds of each."""
    for name, times in answers(3, int(sys.argv[1]) if len(sys.argv) > 1 else 60).items():
        print(f"{name:28} {times.best:6.2f} s  {times.spread:5.0%}")


if __name__ == "__main__":
    main()
