"""Compare the answers on CSV files with exact ones.

    python -m experiments.trust FILE.csv ... [--only explain] [--rows 200000]

Each part is a module of this package with one function `compare(path, rows=None) -> list[dict]`, which prints a table
and returns it. Files may be compressed as pandas knows it (.gz, .bz2, .xz, .zst).
"""

from __future__ import annotations

import argparse
import json
import time
from importlib import import_module, util
from pathlib import Path

PARTS = ("explain", "diff", "pmi", "train")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rows", type=int, help="the first so many rows of each file")
    parser.add_argument("--save", type=Path, help="a JSON file for all tables")
    given = parser.parse_args()
    found: dict[str, dict[str, list[dict[str, object]]]] = {}
    for path in given.files:
        for part in given.only:
            if util.find_spec(f"experiments.trust.{part}") is None:
                continue
            print(f"\n{path.name}: {part}")
            began = time.perf_counter()
            found.setdefault(path.name, {})[part] = import_module(f"experiments.trust.{part}").compare(
                path, rows=given.rows
            )
            print(f"({time.perf_counter() - began:.0f} s)")
    if given.save:
        given.save.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
