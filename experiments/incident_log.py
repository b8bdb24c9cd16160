"""An incident in a log of two million requests: does `explain` show its cause, and how long does it take?

    python -m experiments.incident_log [--rows 2000000] [--runs 3] [--save FILE]     (needs duckdb)

The log has JSON Lines of 12 columns: ids, times, addresses and attributes. Version 4.2.0 breaks android in eu-west: its
requests there fail or are slow. Some failures are noise, and twenty addresses fail a dozen times each. The question is
asked with no option but the condition, and with `--order 2`. The cause is shown if two of its parts (with `--order 2`:
a pair of them) are in the first three rows; the third may be a symptom, because what fails is slow too. Beside it,
DuckDB reads the same file into a table. Runs alternate, and the time is the processor time of the fastest run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

CAUSE = {"device": "android", "region": "eu-west", "version": "4.2.0"}
QUESTIONS = (("status>=500", 1), ("status>=500", 2), ("ms>p99", 1), ("ms>p99", 2))
FIRST_ROWS = 3
_READ = "import duckdb, sys; duckdb.sql(f\"create table log as select * from read_json('{sys.argv[1]}')\")"


def write_log(path: Path, n_rows: int, seed: int = 11) -> Path:
    """Write the log."""
    draw = np.random.default_rng(seed)
    part = 100_000
    with path.open("w") as file:
        for first in range(0, n_rows, part):
            file.writelines(_lines(draw, first, min(part, n_rows - first)))
    return path


def _lines(draw: np.random.Generator, first: int, n: int) -> list[str]:
    def one_of(values: list[str], p: list[float] | None = None) -> Any:
        return draw.choice(np.array(values), n, p=p)

    device = one_of(["android", "ios", "web"], [0.4, 0.3, 0.3])
    region = one_of(["eu-west", "us-east", "us-west", "ap-south"])
    version = one_of(["4.0.9", "4.1.0", "4.2.0"], [0.5, 0.3, 0.2])
    broken = (device == "android") & (region == "eu-west") & (version == "4.2.0")
    fails = (broken & (draw.random(n) < 0.6)) | (draw.random(n) < 0.004)
    address = draw.integers(0, 40_000, n)
    noise = draw.random(n) < 0.00012  # of twenty addresses, a dozen failures each in two million rows
    ms = np.round(np.exp(draw.normal(4, 0.6, n)) * np.where(broken, 12, 1), 1)
    columns = (
        draw.integers(0, 2**60, n), device, region, version, ms, np.where(fails | noise, 500, 200),
        np.where(noise, draw.integers(50_000, 50_020, n), address), draw.integers(0, 300, n), draw.integers(0, 40, n),
        draw.integers(200, 90_000, n), one_of(["GET", "POST", "PUT"], [0.8, 0.15, 0.05]),
    )  # fmt: skip
    return [
        f'{{"trace_id": "{trace:016x}", "ts": "2026-03-01T{i // 72_000 % 24:02}:{i // 1200 % 60:02}:'
        f'{i % 60:02}.{trace % 1_000_000:06}Z", "device": "{dev}", "region": "{reg}", "version": "{ver}", '
        f'"ms": {took}, "status": {status}, "ip": "10.{ip >> 16}.{ip >> 8 & 255}.{ip & 255}", "host": "web-{host:03}", '
        f'"path": "/p{place}", "bytes": {size}, "method": "{method}"}}\n'
        for i, (trace, dev, reg, ver, took, status, ip, host, place, size, method) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True), first
        )
    ]


def seconds_of(command: list[str]) -> tuple[float, str]:
    """Run a command; return its processor time and its output."""
    before = os.times()
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, out


def asked(path: Path, condition: str, order: int) -> tuple[float, dict[str, Any]]:
    """Ask `explain`; return its time, and what it shows."""
    more = ["--order", str(order)] if order > 1 else []
    command = [sys.executable, "-m", "wmsketch", "explain", str(path), "--outlier", condition, *more, "--json"]
    seconds, out = seconds_of(command)
    rows = [row["attributes"] for row in json.loads(out)["rows"][:FIRST_ROWS]]
    of_cause = [row for row in rows if all(CAUSE.get(name) == value for name, value in row.items())]
    shown = len(of_cause) >= FIRST_ROWS - 1 if order == 1 else any(len(row) == order for row in of_cause)
    return seconds, {"condition": condition, "order": order, "shown": shown, "first_rows": rows}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = write_log(Path(folder, "log.jsonl"), given.rows)
        times: dict[tuple[str, int], list[float]] = {question: [] for question in QUESTIONS}
        answers: dict[tuple[str, int], dict[str, Any]] = {}
        reading = []
        for _ in range(given.runs):
            reading.append(seconds_of([sys.executable, "-c", _READ, str(path)])[0])
            for question in QUESTIONS:
                seconds, answers[question] = asked(path, *question)
                times[question].append(seconds)
    found = [{**answers[question], "ratio": round(min(times[question]) / min(reading), 2)} for question in QUESTIONS]
    for answer in found:
        print(f"{answer['condition']} --order {answer['order']}: {'shown' if answer['shown'] else 'NOT shown'} in the "
              f"first {FIRST_ROWS} rows; {answer['ratio']} x the time of DuckDB")  # fmt: skip
        print(f"  {answer['first_rows']}")
    if given.save:
        given.save.write_text(json.dumps({"rows": given.rows, "answers": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
