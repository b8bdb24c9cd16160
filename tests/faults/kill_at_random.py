"""Kill training at random moments: the file is complete or absent, and --resume gives the same bytes.

    python -m tests.faults.kill_at_random [KILLS] [SEED]

Continues until KILLS processes were killed while learning; a process that ended earlier is not counted. Prints how many
left a file, how many resumed to the same bytes, and how many methods and formats were covered.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from wmsketch import load
from wmsketch.cli.main import main as command_line
from wmsketch.methods import METHODS

FORMATS = ("svm", "vw", "csv", "jsonl", "csv.gz", "parquet")
N_ROWS = 25_000


def write_rows(folder: Path) -> None:
    """Write rows in every format, a few megabytes each, so that there are several blocks and checkpoints."""
    draw = random.Random(1)
    rows = [(draw.random() < 0.5, [draw.randrange(5000) for _ in range(12)]) for _ in range(N_ROWS)]
    files = {
        "svm": [f"{'1' if y else '-1'} " + " ".join(f"{k}:1.25" for k in sorted(set(keys))) for y, keys in rows],
        "vw": [f"{'1' if y else '-1'} | " + " ".join(f"word{k}" for k in keys) for y, keys in rows],
        "csv": ["y,a,b,c,d,e", *(f"{int(y)}," + ",".join(f"value-{k}-of-it" for k in keys[:5]) for y, keys in rows)],
        "jsonl": [json.dumps({"y": int(y), "words": [f"w{k}" for k in keys]}) for y, keys in rows],
    }
    for suffix, lines in files.items():
        (folder / f"rows.{suffix}").write_text("\n".join(lines) + "\n")
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes()))
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "rows.csv"), folder / "rows.parquet")


def begin(arguments: list[str]) -> int:
    """Run a command in a forked child, which need not import anything again; return its process id."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            command_line(arguments)
        except SystemExit as done:
            status = int(done.code or 0)
        finally:
            os._exit(status)
    return child


def finish(arguments: list[str]) -> None:
    """Run a command to its end."""
    _, status = os.waitpid(begin(arguments), 0)
    assert status == 0, arguments


def main() -> None:
    """Kill, check and resume, repeatedly."""
    kills, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 1000), (2, 1)))
    draw, counts = random.Random(seed), {"killed": 0, "left a file": 0, "same bytes": 0, "ended before": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder)
        whole: dict[tuple[str, str], tuple[bytes, float]] = {}
        for n in itertools.count():
            if counts["killed"] == kills:
                break
            method, suffix = (
                draw.choice(tuple(name for name, each in METHODS.items() if not each.numeric)),
                draw.choice(FORMATS),
            )
            rows, path = folder / f"rows.{suffix}", folder / "model.wms"
            label = ["--label", "y"] if suffix not in ("svm", "vw") else []
            size = [] if method == "lr" else ["--budget", "8KiB"]
            train = ["train", str(rows), "--method", method, *label, *size, "--top", "0"]
            train += ["--save", str(path), "--checkpoint-every", "1"]
            if (method, suffix) not in whole:
                path.unlink(missing_ok=True)
                began = time.monotonic()
                finish(train)
                whole[method, suffix] = path.read_bytes(), time.monotonic() - began
            expected, seconds = whole[method, suffix]
            path.unlink(missing_ok=True)
            child = begin(train)
            time.sleep(draw.random() * seconds)
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            counts["killed" if status == signal.SIGKILL else "ended before"] += 1
            if path.exists():
                counts["left a file"] += 1
                assert load(path).n_seen_ > 0, (method, suffix, n)
                finish(["train", str(rows), "--resume", str(path), "--top", "0"])
                assert path.read_bytes() == expected, (method, suffix, n)
                counts["same bytes"] += 1
                assert not list(folder.glob(".wmsketch-*")), "what the killed one left behind is still there"
            if n % 50 == 49:
                print(counts, flush=True)
    print(f"{counts}; {len(whole)} pairs of a method and a format")


if __name__ == "__main__":
    main()
