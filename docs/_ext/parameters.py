"""The parameters of a docstring, each with its own entry.

The docstrings write `depth, width: rows of the sketch and cells in each.`, continued on indented lines; numpydoc
expects the names alone on a line, and the text below. They also write |weight|, which is no markup. Each parameter has
one text: a class shows those of its bases too, and a learner those of `AWMSketch`. One without any is a warning.
"""

import inspect
import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

import wmsketch

_TITLES = ("Parameters", "Attributes", "Returns", "Raises")
_ENTRY = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)")
_log = logging.getLogger(__name__)


def separate(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of the sections in place."""
    found, own = with_entries(lines)
    if what == "class":
        known = entries_of(thing)
        missing = [each for each in parameters_of(thing) if each not in own]
        if missing and not own:
            found = [*found, "", "Parameters", "----------"]
        for each in missing:
            if each in known:
                found += [each, f"    {known[each]}"]
            else:
                _log.warning("%s: no entry for the parameter %s", name, each)
    lines[:] = [*found, ""]


def with_entries(lines: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the lines with the names of each entry alone on a line, and the text of each parameter."""
    found: list[str] = []
    texts: dict[str, str] = {}
    now: list[str] = []
    inside = example = False
    for line in lines:
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


def entries_of(thing: Any) -> dict[str, str]:
    """Return the texts of a class, of its bases, and of `AWMSketch` for another learner; the nearest counts."""
    classes = [*thing.__mro__, *([wmsketch.AWMSketch] if hasattr(thing, "fit") else [])]
    texts: dict[str, str] = {}
    for each in classes:
        texts = {**with_entries(inspect.cleandoc(each.__doc__ or "").splitlines())[1], **texts}
    return texts


def parameters_of(thing: Any) -> list[str]:
    """The names of the parameters of a class, in order; none of a row of results, which nobody makes."""
    if not hasattr(thing, "nbytes") and not inspect.cleandoc(thing.__doc__ or "").count("\nParameters\n"):
        return []
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def _without_bars(line: str) -> str:
    """Escape bars outside of literals, where they would name a substitution."""
    parts = line.split("``")
    return "``".join(part.replace("|", "\\|") if i % 2 == 0 else part for i, part in enumerate(parts))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", separate, priority=1)  # before numpydoc
    return {"parallel_read_safe": True}
