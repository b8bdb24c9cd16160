"""Templates of source code: parts for one kind of model, and names between @ that are replaced."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files


def filled(template: str, kind: str, values: Mapping[str, object]) -> str:
    """Return a template with its values. Lines between ``@@ other`` and ``@@ end`` are for models of the other kind.

    >>> filled("model.h.txt", "number", {"BYTES": "3,096"}).splitlines()[0]
    '/* A linear model of a number, exported by `wmsketch export --c`. Self-contained C99: no allocation,'
    """
    text = files(__package__).joinpath(template).read_text("utf-8")
    kept, part = [], kind
    for line in text.splitlines(keepends=True):
        if line.startswith("@@ "):
            part = kind if line.strip() == "@@ end" else line.split()[1]
        elif part == kind:
            kept.append(line)
    text = "".join(kept)
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text
