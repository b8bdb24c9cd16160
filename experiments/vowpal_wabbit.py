"""How good is Vowpal Wabbit at its best, with larger tables and other step sizes?

    python -m experiments.vowpal_wabbit [--data NAME...] [--table]

Online error with logistic loss, for tables of 2^18 cells (its default), 2^22 and 2^24, and for step sizes (-l) around
its default of 0.5. A cell takes 16 bytes, so these are 4, 64 and 256 MiB. They are compared with our default learner in
128 KiB and its rule without a memory limit. Runs are stored in experiments/results/vowpal_wabbit.json and not repeated.
Needs vowpalwabbit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from experiments.beyond_the_paper import NAMES, write_for_vw
from experiments.csr_cache import cache_folder
from experiments.datasets import load
from wmsketch import AWMSketch, LogisticRegression
from wmsketch.evaluation.provenance import provenance

RATES = (0.25, 0.5, 1.0, 2.0)
SETTINGS = [*((bits, rate) for bits in (18, 22) for rate in RATES), (24, 0.5), (24, 1.0)]
RESULTS = Path(__file__).parent / "results" / "vowpal_wabbit.json"
ARGUMENTS = "--loss_function logistic --binary --hash all --quiet --no_stdin"
PROGRAM = f"""
import sys, vowpalwabbit
vw = vowpalwabbit.Workspace(f"-d {{sys.argv[1]}} -b {{sys.argv[2]}} -l {{sys.argv[3]}} {ARGUMENTS}")
print(vw.get_sum_loss() / vw.get_weighted_examples())
"""


def error_of(text: Path, bits: int, rate: float) -> float:
    """Return the online error of one pass, run in a separate process, so that the memory of its table is freed."""
    command = [sys.executable, "-c", PROGRAM, str(text), str(bits), str(rate)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def run(name: str, known: dict[str, float]) -> dict[str, float]:
    """Return the online error of each setting."""
    wanted = [(bits, rate) for bits, rate in SETTINGS if f"2^{bits} -l {rate:g}" not in known]
    if not wanted:
        return known
    data, text = load(name), cache_folder() / f"{name}.vw"
    write_for_vw(data, text)
    found = dict(known)
    for bits, rate in wanted:
        found[f"2^{bits} -l {rate:g}"] = error_of(text, bits, rate)
    text.unlink()
    models = {
        "default, 128 KiB": AWMSketch("128KiB"),
        "no limit": LogisticRegression(n_features=data.X.shape[1], step="adaptive"),
    }
    for label, model in models.items():
        model.learn_many(data.X, data.y)
        found[label] = model.error_rate_
    return found


def print_table(rows: dict[str, dict[str, float]]) -> None:
    columns = [f"2^{bits} -l {rate:g}" for bits, rate in SETTINGS]
    print("| data | " + " | ".join(columns) + " | best | default, 128 KiB | no limit |")
    print("|---" * (len(columns) + 4) + "|")
    for name, row in rows.items():
        best = min(row[column] for column in columns)
        cells = [row[column] for column in columns] + [best, row["default, 128 KiB"], row["no limit"]]
        print(f"| {name} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--table", action="store_true", help="Run nothing; print what is there.")
    options = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"rows": {}}
    rows: dict[str, dict[str, float]] = kept["rows"]
    for name in [] if options.table else options.data:
        rows[name] = run(name, rows.get(name, {}))
        RESULTS.write_text(json.dumps({**provenance(), "rows": rows}, indent=1) + "\n")
    print_table({name: rows[name] for name in options.data if name in rows})


if __name__ == "__main__":
    main()
