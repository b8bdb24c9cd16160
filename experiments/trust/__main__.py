"""Compare the answers on CSV files with exact ones.

    python -m experiments.trust FILE.csv ... [--only explain] [--rows 200000]

Each part is a module of this package with one function `compare(path, rows=None, ...) -> list[dict]`. Files may be
compressed in any way that pandas supports (.gz, .bz2, .xz, .zst). Without `--text` or `--items`, pmi uses each line of
a file as a text. Without `--label`, train learns which rows are above the 80th percentile of the column that explain
uses.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

PARTS = ("explain", "metric", "diff", "pmi", "train")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rows", type=int, help="the first so many rows of each file")
    parser.add_argument("--save", type=Path, help="a JSON file for all tables")
    parser.add_argument("--budgets", nargs="+", help="explain, diff: like 8KiB 32KiB; with them diff reads files")
    parser.add_argument("--text", help="pmi: a column of text")
    parser.add_argument("--items", help="pmi: a column of items")
    parser.add_argument("--label", help="train: the column of labels; those above 0, or `--positive`, are positive")
    parser.add_argument("--positive", help="train: the label that is positive")
    parser.add_argument("--time", help="train: a column to sort by")
    given = parser.parse_args(arguments)
    sizes = {"budgets": tuple(given.budgets)} if given.budgets else {}
    options: dict[str, dict[str, Any]] = {
        "explain": sizes,
        "metric": sizes,
        "diff": {**sizes, "files": bool(sizes)},
        "pmi": {"text": given.text, "items": given.items},
        "train": {"label": given.label, "positive": given.positive, "time": given.time},
    }
    found: dict[str, dict[str, list[dict[str, object]]]] = {}
    for path in given.files:
        for part in given.only:
            print(f"\n{path.name}: {part}")
            began = time.process_time()
            compare = import_module(f"experiments.trust.{part}").compare
            records = compare(path, rows=given.rows, **options.get(part, {}))
            print(pd.DataFrame(records).to_string(index=False))
            print(f"({time.process_time() - began:.0f} s)", flush=True)
            found.setdefault(path.name, {})[part] = records
            if given.save:
                given.save.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
