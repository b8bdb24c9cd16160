"""Ask each table of a folder with no option but the question, and check the answers with pandas and scikit-learn.

    python -m experiments.first_try FOLDER... [--save results.json] [--only train explain] [--document page.md]

Tables are files that pandas reads too, with at least 20 rows and 2 columns. The label is the last column of two values;
outliers are the rows above the 90th percentile of the number column with the most different values; `diff` compares the
two halves of the file. The same is asked from Python about a data frame. Each answer is right, wrong or refused; the
reasons are listed by file. Files that the results have already are not asked again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from experiments.first_try.asked import Record, asked, name_of
from experiments.first_try.report import QUESTIONS, counts_of, summary, write_into
from experiments.first_try.tables import files_in


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=())
    parser.add_argument("--save", type=Path, help="a JSON file for the verdicts")
    parser.add_argument("--document", type=Path, help="a page whose results are written anew")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=int, help="only so many files of each folder")
    given = parser.parse_args(arguments)
    has_results = given.save is not None and given.save.exists()
    records = json.loads(given.save.read_text())["files"] if has_results else []
    for record in _records(given, {each["file"] for each in records}):
        records.append(record)
        for question, verdict in record["verdicts"].items():
            if verdict != "right":
                print(f"{record['file']}: {question}: {verdict}", flush=True)
        if given.save:
            _save(given.save, records)
    print("\n" + summary(records))
    if given.document:
        write_into(given.document, records)


def _records(given: argparse.Namespace, known: set[str]) -> Iterator[Record]:
    work = [(folder, path) for folder in given.folders for path in list(files_in([folder]))[: given.most]]
    work = [each for each in work if name_of(each) not in known]
    ask = partial(asked, only=tuple(given.only))
    if given.jobs == 1:
        yield from filter(None, map(ask, work))
        return
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=50) as pool:
        yield from filter(None, pool.imap(ask, work))


def _save(path: Path, records: list[Record]) -> None:
    """Write the counts, and one line for each file."""
    lines = ",\n".join(json.dumps(record) for record in records)
    path.write_text(f'{{"summary": {json.dumps(counts_of(records))},\n"files": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
