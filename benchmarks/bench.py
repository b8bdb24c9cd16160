"""Every promised speed in one table: learners, parsers and whole commands, with the peers in the same run.

    python -m benchmarks.bench [--runs 3] [--wait 600] [--megabytes 170 550] [--only learners] [--json build/bench.json]

It first waits for a quiet machine: a load average below 0.5. Contenders take turns, so that a slow minute affects all
of them; the best of each run counts, and a ratio is the median over the runs. If the machine did not become quiet, the
table says so.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench_answers import answers
from benchmarks.bench_counters import counters
from benchmarks.bench_curves import curves
from benchmarks.bench_readers import parsers
from benchmarks.bench_stores import learners
from benchmarks.bench_train import trainings
from benchmarks.quiet import QUIET, Times, ratio_of, wait_until_quiet
from wmsketch.evaluation.provenance import provenance

PARTS: dict[str, str] = {
    "learners": "ns per feature",
    "parsers": "ns per byte",
    "trainings": "seconds by the clock",
    "answers": "seconds by the clock",
    "counters": "ns per item",
    "curves": "ns per feature",
}


@dataclass(frozen=True)
class Wanted:
    """A promised ratio: the time of `peer` divided by the time of `ours` is at least this."""

    ours: str
    peer: str
    at_least: float


WANTED = (
    Wanted("dense", "SGDClassifier", 4),
    Wanted("awm", "SGDClassifier", 1),
    Wanted("awm, 20M features", "dense, 20M features", 1),
    Wanted("learn_one awm", "learn_one River", 12),
    Wanted("predict_proba_one awm", "predict_proba_one River", 3),
    Wanted("explain, 60 MB", "polars group-by, 60 MB", 1),
    Wanted("explain, 60 MB", "DuckDB group-by, 60 MB", 1),
    Wanted("diff, 2 x 60 MB", "polars group-by, 2 x 60 MB", 1),
)
# At most this many times as long.
LIMITS = (
    ("awm", "dense", 4.5),
    ("awm", "awm plain", 1.25),
    ("hashing", "dense", 1.5),
    ("awm 2MiB", "awm, 20M features", 1.3),
    ("awm 16MiB", "awm, 20M features", 1.8),
    ("awm, rows of 6", "awm, rows of 100", 1.5),
    ("wm depth 1", "hashing", 1.5),
)
TRAINING = (("libsvm", 2.5, 3.5), ("vw", 2.5, 2.5))  # ratios to Vowpal Wabbit: of the first size, of the larger one


def wanted_ratios(found: Mapping[str, Times], megabytes: list[int]) -> list[dict[str, object]]:
    """Return the promised ratios of the contenders that took part."""
    promised = [*WANTED]
    promised += [Wanted(ours, peer, 1 / most) for ours, peer, most in LIMITS]
    for format, small, large in TRAINING:
        for number, size in enumerate(megabytes):
            ours = f"train {format}, {size} MB"
            promised.append(Wanted(ours, f"Vowpal Wabbit, {size} MB", small if number == 0 else large))
    rows: list[dict[str, object]] = []
    for each in promised:
        if each.ours in found and each.peer in found:
            middle, least, most = ratio_of(found[each.ours], found[each.peer])
            rows.append({**vars(each), "ratio": middle, "from": least, "to": most, "met": middle >= each.at_least})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Every promised speed, with the peers in the same run.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--wait", type=float, default=600, metavar="SECONDS", help="for a quiet machine, at most")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[170, 550], help="sizes of the trainings")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", type=Path, metavar="FILE", default=Path("build/bench.json"))
    options = parser.parse_args()
    before = wait_until_quiet(options.wait)
    about = provenance()
    print(f"{about['machine']}; commit {about['commit']}; load average {before:.2f}")
    print(", ".join(f"{name} {found}" for name, found in dict(about["versions"]).items()))  # type: ignore[call-overload]
    measure: dict[str, Callable[[], dict[str, Times]]] = {
        "learners": lambda: learners(options.runs),
        "parsers": lambda: parsers(options.runs),
        "trainings": lambda: trainings(options.runs, options.megabytes),
        "answers": lambda: answers(options.runs),
        "counters": lambda: counters(options.runs),
        "curves": lambda: curves(options.runs),
    }
    all_found: dict[str, Times] = {}
    for part in options.only:
        print(f"\n{PARTS[part]:34}     best   spread")
        found = measure[part]()
        all_found |= found
        for name, times in found.items():
            print(f"  {name:32} {times.best:8.2f}  {times.spread:6.0%}", flush=True)
    print("\nratio of times                                   median   (from - to)   wanted")
    rows = wanted_ratios(all_found, options.megabytes)
    for row in rows:
        name = f"{row['peer']} / {row['ours']}"
        print(
            f"  {name:46} {row['ratio']:6.2f}  ({row['from']:.2f} - {row['to']:.2f})  >= {row['at_least']:.2f}"
            f"  {'yes' if row['met'] else 'NO'}"
        )
    after = os.getloadavg()[0]
    quiet = before < QUIET
    print(f"\nload average {after:.2f}" + ("" if quiet else "; the machine was NOT quiet: take the ratios only"))
    figures = {
        name: {"runs": times.runs, "best": times.best, "spread": times.spread} for name, times in all_found.items()
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    document = {**about, "load": [before, after], "quiet": quiet, "times": figures, "ratios": rows}
    options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
