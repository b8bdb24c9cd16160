"""The parameters of a docstring, each with its own entry.

The docstrings write `depth, width: rows of the sketch and cells in each.`, continued with an indent; numpydoc expects
the names alone on a line, and the text below. They also write |weight|, which is no markup.
"""

import re
from typing import Any

from sphinx.application import Sphinx

_TITLE = ("Parameters", "Attributes", "Returns", "Raises")
_ENTRY = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)")


def separate(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of the sections in place."""
    found: list[str] = []
    inside = example = False
    for at, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            line = _without_bars(line)
        if line.strip() in _TITLE and at + 1 < len(lines) and set(lines[at + 1].strip()) == {"-"}:
            inside = True
        entry = _ENTRY.match(line) if inside else None
        found += [entry[1], f"    {entry[2]}"] if entry else [line]
    lines[:] = found


def _without_bars(line: str) -> str:
    """Escape bars outside of literals, where they would name a substitution."""
    parts = line.split("``")
    return "``".join(part.replace("|", "\\|") if i % 2 == 0 else part for i, part in enumerate(parts))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", separate, priority=1)  # before numpydoc
    return {"parallel_read_safe": True}
