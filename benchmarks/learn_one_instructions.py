"""Instructions of `learn_one` with a dict, of the wheels in several environments.

python benchmarks/learn_one_instructions.py PYTHON...

Each PYTHON is that of an environment in which wmsketch is installed. Callgrind counts a run of many rows and one of
twice as many; the difference has no start in it. Needs valgrind.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile

CALLS = 2000
PROGRAM = """
import sys, sysconfig
from wmsketch import AWMSketch, _core
calls, names = int(sys.argv[1]), int(sys.argv[2])
rows = [({f"w{(i * 37 + j * 11) % 5000}": 1.0 + j % 3 for j in range(names)}, i % 2 == 0) for i in range(500)]
model = AWMSketch("8KiB")
for _ in range(calls // 500):
    for row, label in rows:
        model.learn_one(row, label)
print(sys.version.split()[0], _core.__file__.rpartition("/")[2])
"""


def instructions(python: str, calls: int, names: int) -> tuple[int, str]:
    """Return how many instructions so many calls took, and what ran."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", python, "-c", PROGRAM]
    with tempfile.TemporaryDirectory() as elsewhere:  # not in a checkout, whose package would be taken
        done = subprocess.run(
            [*command, str(calls), str(names)],
            check=True,
            capture_output=True,
            text=True,
            cwd=elsewhere,
            env={"PYTHONHASHSEED": "0"},
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1]), done.stdout.strip()


def main(pythons: list[str]) -> None:
    """Print a line for each environment and length of rows."""
    for names in (5, 100):
        for python in pythons:
            few, what = instructions(python, CALLS, names)
            many, _ = instructions(python, 2 * CALLS, names)
            each = (many - few) / CALLS
            print(f"{what:48} {names:4} names: {each:10,.0f} instructions a call, {each / names:7,.0f} a feature")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
