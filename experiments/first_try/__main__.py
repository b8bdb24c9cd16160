"""Ask each table of a folder with no option but the question, and check the answers with pandas and scikit-learn.

    python -m experiments.first_try FOLDER... [--save results.json] [--only train explain] [--jobs 2]

Tables are files that pandas reads too, with at least 20 rows and 2 columns. The label is the last column of two values;
outliers are the rows above the 90th percentile of the number column with the most different values; `diff` compares the
two halves of the file. Each answer is right, wrong or refused; the reasons are listed by file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from experiments.first_try.asked import asked
from experiments.first_try.tables import files_in

QUESTIONS = ("train", "predict", "classes", "later rows", "explain", "diff")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=())
    parser.add_argument("--save", type=Path, help="a JSON file for the verdicts")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=int, help="only so many files of each folder")
    given = parser.parse_args(arguments)
    records = []
    for record in _records(given):
        records.append(record)
        for each in record["verdicts"]:
            if each["verdict"] in ("wrong", "refused"):
                print(f"{record['file']}: {each['question']}: {each['verdict']}: {each['why']}", flush=True)
        if given.save:
            given.save.write_text(json.dumps(_document(records), indent=1) + "\n")
    print("\n" + summary(records))


def _records(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    work = [(folder, path) for folder in given.folders for path in list(files_in([folder]))[: given.most]]
    ask = partial(asked, only=tuple(given.only))
    if given.jobs == 1:
        yield from filter(None, map(ask, work))
        return
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=50) as pool:
        yield from filter(None, pool.imap(ask, work))


def _document(records: list[dict[str, Any]]) -> dict[str, Any]:
    return {"summary": _counts(records), "files": records}


def _counts(records: list[dict[str, Any]]) -> dict[str, Any]:
    found = {}
    for question in QUESTIONS:
        counts = Counter(
            each["verdict"] for record in records for each in record["verdicts"] if each["question"] == question
        )
        n = counts.total()
        if n:
            ways = {way: counts[way] for way in ("right", "wrong", "refused")}
            found[question] = {"n": n, **ways, "share_right": round(counts["right"] / n, 4)}
    return found


def summary(records: list[dict[str, Any]]) -> str:
    """Return the table of verdicts for each question."""
    packages = len({record["package"] for record in records})
    lines = [f"{len(records)} tables of {packages} folders", "", "| question | n | right | wrong | refused | share |"]
    lines.append("|---|---|---|---|---|---|")
    for question, each in _counts(records).items():
        numbers = [each[name] for name in ("n", "right", "wrong", "refused")]
        lines.append(f"| {question} | {' | '.join(map(str, numbers))} | {each['share_right']:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
