"""Processor time and instructions of the start of the command line, of several versions in turn.

python benchmarks/start.py                     # this checkout
python benchmarks/start.py src OTHER/src       # two checkouts: each folder is put on the path of Python in turn

Instructions need valgrind. Python's compiled files must be there (`make setup` writes them), or compiling is measured.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 20
ROWS = "city,price,sold\nRome,1,yes\nOslo,2,no\nRome,3,yes\nOslo,5,no\nRome,4,yes\n"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import click": ["-c", "import click"],
    "wmsketch --help": ["-m", "wmsketch", "--help"],
    "wmsketch train, five rows": ["-m", "wmsketch", "train", "rows.csv", "--label", "sold", "--quiet"],
    "wmsketch explain, five rows": ["-m", "wmsketch", "explain", "rows.csv", "--outlier", "sold = yes"],
}


def processor_ms(command: list[str], **more: object) -> float:
    """Return the processor time of a command, user and system."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    began = used()
    subprocess.run(command, check=True, capture_output=True, **more)  # type: ignore[call-overload]
    return 1000 * (used() - began)


def million_instructions(command: list[str], **more: object) -> float | None:
    """Return the instructions of a command, in millions, as callgrind counts them."""
    if not shutil.which("valgrind"):
        return None
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    done = subprocess.run(counted, check=True, capture_output=True, text=True, **more)  # type: ignore[call-overload]
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1]) / 1e6


def main(folders: list[str]) -> None:
    """Print a line for each command and folder: the median, the least and the most of all runs."""
    with tempfile.TemporaryDirectory() as work:
        Path(work, "rows.csv").write_text(ROWS)
        cases = {
            (name, folder): (
                [sys.executable, *arguments],
                {**os.environ, "PYTHONPATH": str(Path(folder).absolute()), "PYTHONHASHSEED": "0"},
            )
            for name, arguments in COMMANDS.items()
            for folder in folders
        }
        times: dict[tuple[str, str], list[float]] = {case: [] for case in cases}
        for _ in range(RUNS):
            for case, (command, env) in cases.items():
                times[case].append(processor_ms(command, env=env, cwd=work))
        print(f"load {os.getloadavg()[0]:.1f}, {RUNS} runs of each, in turn")
        for (name, folder), ms in times.items():
            command, env = cases[name, folder]
            millions = million_instructions(command, env=env, cwd=work)
            count = "" if millions is None else f"{millions:8.1f} M instructions"
            spread = f"{statistics.median(ms):6.1f} ms ({min(ms):.1f} to {max(ms):.1f})"
            print(f"{name:28} {folder:24} {spread:28} {count}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["src"])
