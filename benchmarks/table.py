"""The results of `make bench` as Markdown tables, for docs/performance.md.

    python -m benchmarks.table [build/bench.json] [--write docs/performance.md]

It prints the tables. With `--write` it also replaces what stands between the two marks of that page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- from make bench -->", "<!-- end of make bench -->"


def unit_of(name: str) -> str:
    """Return the unit of a contender's times, by its name.

    >>> unit_of("awm 2MiB"), unit_of("csv, 4 categories, 4 numbers"), unit_of("Vowpal Wabbit, 170 MB")
    ('ns per feature', 'ns per byte', 'seconds')
    """
    if name.endswith(" MB"):
        return "seconds"
    if name.startswith(("Space Saving", "Count-Min", "DataSketches")):
        return "ns per item"
    return "ns per byte" if name.partition(",")[0] in ("libsvm", "vw", "csv", "jsonl") else "ns per feature"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table.

    >>> print(table(["learner", "ns"], [["awm", "9.8"]]))
    | learner | ns |
    |---|---|
    | awm | 9.8 |
    """
    names = list(head)
    lines = [names, *(list(row) for row in rows)]
    lines_of_text = ["| " + " | ".join(cells) + " |" for cells in lines]
    return "\n".join([lines_of_text[0], "|" + "---|" * len(names), *lines_of_text[1:]])


def tables(found: Mapping[str, Any]) -> str:
    """Return the tables of one run: all times, and the ratios that are wanted."""
    quiet = "a quiet machine" if found["quiet"] else "a machine that was NOT quiet: take the ratios only"
    times = [
        [name, f"{each['best']:.2f}", unit_of(name), f"{each['spread']:.0%}"] for name, each in found["times"].items()
    ]
    ratios = [
        [
            f"{each['peer']} / {each['ours']}",
            f"{each['ratio']:.2f} ({each['from']:.2f} to {each['to']:.2f})",
            f"at least {each['at_least']:.2f}",
            "met" if each["met"] else "missed",
        ]
        for each in found["ratios"]
    ]
    return "\n\n".join(
        [
            f"{found['machine']}, {quiet}: load {found['load'][0]:.2f} before, {found['load'][1]:.2f} after.",
            table(["", "best", "unit", "spread"], times),
            table(["ratio of times", "median (from, to)", "wanted", ""], ratios),
        ]
    )


def put_between_marks(page: str, text: str) -> str:
    """Return the page with another text between its marks.

    >>> put_between_marks(f"a\\n{BEGIN}\\nold\\n{END}\\nb\\n", "new") == f"a\\n{BEGIN}\\n\\nnew\\n\\n{END}\\nb\\n"
    True
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page has no {BEGIN} with an {END} behind it")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The results of `make bench` as Markdown tables.")
    parser.add_argument("json", type=Path, nargs="?", default=Path("build/bench.json"))
    parser.add_argument("--write", type=Path, metavar="PAGE", help="also put them between the marks of this page")
    options = parser.parse_args()
    text = tables(json.loads(options.json.read_text()))
    print(text)
    if options.write:
        options.write.write_text(put_between_marks(options.write.read_text(), text))


if __name__ == "__main__":
    main()
