"""How fast `wmsketch train` is from end to end: start, read, learn, report. Vowpal Wabbit learns the same rows.

    python -m benchmarks.bench_train [--megabytes 200] [--pipe-gigabytes 2]

Times are wall-clock seconds. For wmsketch they cover the whole process. For Vowpal Wabbit they exclude the start of
Python (its C++ driver is called from its Python package). The two take turns under the same load, and the ratio is the
median over the turns. `--pipe-gigabytes` also sends that much through a pipe and prints the peak memory of the process.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.quiet import Times
from wmsketch.evaluation.provenance import provenance

PER_ROW, N_FEATURES, DISTINCT_ROWS = 70, 50_000, 20_000
TRAIN = (sys.executable, "-m", "wmsketch", "train", "--budget", "8KiB", "--quiet")
# Compiled modules are cached, as in an installed package.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
VOWPAL_WABBIT = """
import os, sys, time
import vowpalwabbit
began, before = time.perf_counter(), sum(os.times()[:2])
vowpalwabbit.Workspace(f"-d {sys.argv[1]} --loss_function logistic -b 18 --quiet").finish()
print(time.perf_counter() - began, sum(os.times()[:2]) - before)
"""


def texts() -> tuple[bytes, bytes]:
    """The same rows as LIBSVM and as Vowpal Wabbit text: ids with frequency about 1/rank, values of four digits.

    No id stands twice in a row: in LIBSVM files they ascend.
    """
    rng = np.random.default_rng(0)
    drawn = (N_FEATURES ** rng.random((DISTINCT_ROWS, 2 * PER_ROW))).astype(np.int64)
    ids = [np.sort(rng.permutation(np.unique(row))[:PER_ROW]).tolist() for row in drawn]
    signs = rng.choice([-1, 1], DISTINCT_ROWS)
    rows = [
        (sign, " ".join(f"{i}:{v:.4f}" for i, v in zip(row, rng.random(len(row)).tolist(), strict=True)))
        for sign, row in zip(signs.tolist(), ids, strict=True)
    ]
    return (
        "".join(f"{sign} {features}\n" for sign, features in rows).encode(),
        "".join(f"{sign} | {features}\n" for sign, features in rows).encode(),
    )


def train(path: Path) -> tuple[float, float]:
    """Wall-clock seconds and CPU seconds. The format is that of the file name."""
    before, began = os.times(), time.perf_counter()
    subprocess.run([*TRAIN, path], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return time.perf_counter() - began, cpu


def vowpal_wabbit(path: Path) -> tuple[float, float]:
    """Wall-clock seconds and CPU seconds."""
    done = subprocess.run([sys.executable, "-c", VOWPAL_WABBIT, path], check=True, capture_output=True, text=True)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def trainings(n_runs: int, megabytes: list[int]) -> dict[str, Times]:
    """Return the wall-clock seconds of `wmsketch train` in both formats and of Vowpal Wabbit, on the same rows."""
    found: dict[str, Times] = {}
    both = texts()
    with tempfile.TemporaryDirectory() as folder:
        rows, same_rows = Path(folder, "rows.libsvm"), Path(folder, "rows.vw")
        for size in megabytes:
            repeats = max(1, size * 1_000_000 // len(both[0]))
            rows.write_bytes(both[0] * repeats)
            same_rows.write_bytes(both[1] * repeats)
            contenders = {
                f"train libsvm, {size} MB": lambda: train(rows),
                f"train vw, {size} MB": lambda: train(same_rows),
                f"Vowpal Wabbit, {size} MB": lambda: vowpal_wabbit(same_rows),
            }
            for run in range(n_runs + 1):
                for name, measure in contenders.items():
                    wall, _ = measure()
                    if run > 0:  # the first is a warm-up
                        found.setdefault(name, Times()).runs.append([wall])
    return found


def pipe(text: bytes, gigabytes: float) -> tuple[float, float]:
    """Send the text through a pipe; return MB/s and the peak memory of the process in MiB."""
    repeats = round(gigabytes * 1e9 / len(text))
    began = time.perf_counter()
    with subprocess.Popen(
        [*TRAIN, "--format", "libsvm", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        peak = 0.0
        for _ in range(repeats):
            process.stdin.write(text)
            peak = max(peak, _peak_mebibytes(process.pid))
        process.stdin.close()
    if process.returncode:
        raise SystemExit(f"train failed with status {process.returncode}")
    return repeats * len(text) / (time.perf_counter() - began) / 1e6, peak


def _peak_mebibytes(pid: int) -> float:
    found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    """Print MB/s, the ratio and the memory."""
    parser = argparse.ArgumentParser(description="Time wmsketch train from end to end.")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pipe-gigabytes", type=float, default=0.0)
    options = parser.parse_args()
    about = provenance()
    print(f"{about['machine']}; commit {about['commit']}; load average {os.getloadavg()[0]:.1f}")
    libsvm, vw = texts()
    with tempfile.TemporaryDirectory() as folder:
        rows, same_rows = Path(folder, "rows.libsvm"), Path(folder, "rows.vw")
        repeats = max(1, options.megabytes * 1_000_000 // len(libsvm))
        rows.write_bytes(libsvm * repeats)
        same_rows.write_bytes(vw * repeats)
        size = len(libsvm) * repeats
        train(rows), vowpal_wabbit(same_rows)  # warm-up
        turns = [(train(rows), vowpal_wabbit(same_rows)) for _ in range(options.runs)]
    for name, runs in zip(("wmsketch train", "Vowpal Wabbit"), zip(*turns, strict=True), strict=True):
        wall, cpu = map(statistics.median, zip(*runs, strict=True))
        print(f"{name:16} {size / wall / 1e6:6.0f} MB/s  {wall:6.2f} s, {cpu:.2f} s of processors")
    ratios = [[theirs[i] / ours[i] for ours, theirs in turns] for i in range(2)]
    clock, processors = map(statistics.median, ratios)
    print(f"{'ratio':16} {clock:6.2f} by the clock ({min(ratios[0]):.2f} to {max(ratios[0]):.2f}), ", end="")
    print(f"{processors:.2f} by the processors")
    if options.pipe_gigabytes:
        speed, peak = pipe(libsvm, options.pipe_gigabytes)
        print(f"{f'pipe of {options.pipe_gigabytes:g} GB':16} {speed:6.0f} MB/s  peak {peak:.1f} MiB")
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
