"""The parameters of a docstring, each with its own entry.

The docstrings write `depth, width: rows of the sketch and cells in each. seed: of the hashes.`, continued on the next
lines; numpydoc expects the names alone on a line, and the text below. They also write |weight|, which is no markup.
A parameter that a class shares with `AWMSketch` is described there, and shown here too. One without an entry is a
warning.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

import wmsketch

_TITLES = ("Parameters", "Attributes", "Returns", "Raises")
_NAMES = r"\*{0,2}\w+(?:, \*{0,2}\w+)*"
_ENTRY = re.compile(rf"({_NAMES}): (.*)")
_LATER = re.compile(rf"(?<=[.;]) ({_NAMES}): ")  # an entry that begins within a line
_log = logging.getLogger(__name__)
# What docstrings leave to their text or to other classes.
_SHARED = {
    "active_set_size": "keys held exactly.",
    "averaged": "answer `weight` and `top` from the average of all iterates (Theorem 2).",
    "budget": 'bytes for everything that stays, as a number or like ``"8KiB"``.',
    "capacity": "the number of keys that are counted, instead of a budget.",
    "classes": "the two labels, negative first; by default those of the rows.",
    "conservative": "raise only the cells that must rise.",
    "depth": "rows of the sketch.",
    "half_life": "a row counts half after this many rows.",
    "hash_family": '``"mixer"``, ``"tabulation"`` or ``"polynomial"``.',
    "independence": 'of the hash family ``"polynomial"``: any so many keys are hashed independently.',
    "method": '``"awm"``, ``"paired-count-min"`` or ``"lr"``.',
    "n_features": "weights are an array over the ids below this number; without it, a map that grows.",
    "name_bytes": "bytes for names: of all for a counter, for each item on average for `Deltoids`.",
    "newcomers": 'how many features of an example may take the place of others: ``"one"`` or ``"all"``.',
    "pair_values": "pairs are counted of columns with at most so many values.",
    "per_item": "whether a rate is a share of all items, as for words, or of all rows.",
    "priority": '``"product"`` or ``"quotient"``: which keys stay.',
    "project": "keep the sketch in the l2 ball of this radius (Theorem 2).",
    "random_state": "the seed under scikit-learn's name: an integer or a generator. It counts where it is given.",
    "seed": "seed of the hashes and of what is drawn at random.",
    "smoothing": "added to both counts of a ratio.",
    "time": "the column with the time of a row, for a ``half_life`` in time.",
    "top_size": "the number of keys that are tracked for `top`.",
    "warm_up": "rows after which the bins of numeric columns are fixed, with conjunctions.",
    "weighted": "whether items have amounts.",
    "width": "cells in each row of the sketch.",
    "window_seconds": "with ``window``, how many seconds before an item its pairs may be.",
}


def separate(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of the sections in place."""
    expected = _parameters(thing)
    found, entries = _with_entries(lines, expected)
    missing = [each for each in expected if each not in entries]
    if what == "class" and missing and hasattr(thing, "nbytes"):
        if not entries:
            found = [*found, "", "Parameters", "----------"]
        classifier = hasattr(thing, "predict_proba")
        shared = {**_SHARED, **(_entries_of(wmsketch.AWMSketch) if classifier else {})}
        for each in missing:
            if each in shared:
                found += [each, f"    {shared[each]}"]
            else:
                _log.warning("%s: no entry for the parameter %s", name, each)
    lines[:] = [*found, ""]


def _with_entries(lines: list[str], names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the lines with the names of each entry alone on a line, and the text of each parameter."""
    found: list[str] = []
    texts: dict[str, str] = {}
    now: list[str] = []
    inside = example = False
    for line in _one_entry_each(lines, names):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        line = line if example else _without_bars(line)
        inside = inside or line.strip() in _TITLES
        entry = _ENTRY.match(line) if inside else None
        if entry:
            now = [name.lstrip("*") for name in entry[1].split(", ")]
            texts |= dict.fromkeys(now, entry[2])
            found += [entry[1], f"    {entry[2]}"]
        elif now and line.strip():
            texts |= {name: f"{texts[name]} {line.strip()}" for name in now}
            found.append(f"    {line.strip()}")
        else:
            now = []
            found.append(line)
    while texts and not found[-1].strip():  # further entries can follow the last
        found.pop()
    return found, texts


def _entries_of(thing: Any) -> dict[str, str]:
    return _with_entries(inspect.getdoc(thing).splitlines(), _parameters(thing))[1]


def _one_entry_each(lines: list[str], names: list[str]) -> Iterator[str]:
    """Begin a new line where an entry begins behind another."""
    inside = False
    for line in lines:
        inside = inside or line.strip() in _TITLES
        begin = 0
        for match in _LATER.finditer(line) if inside else ():
            if set(match[1].split(", ")) <= set(names):
                yield line[begin : match.start()]
                begin = match.start(1)
        yield line[begin:]


def _parameters(thing: Any) -> list[str]:
    """The names of the parameters of a class or function, in order."""
    try:
        return [name for name in inspect.signature(thing).parameters if name != "self"]
    except (TypeError, ValueError):
        return []


def _without_bars(line: str) -> str:
    """Escape bars outside of literals, where they would name a substitution."""
    parts = line.split("``")
    return "``".join(part.replace("|", "\\|") if i % 2 == 0 else part for i, part in enumerate(parts))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", separate, priority=1)  # before numpydoc
    return {"parallel_read_safe": True}
