"""One file and all its questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.first_try.questions import verdicts
from experiments.first_try.tables import read

Record = dict[str, Any]


def asked(work: tuple[Path, Path], only: tuple[str, ...]) -> Record | None:
    """Return the verdicts on a file of a folder; None if it is no table.

    A verdict is "right", or "wrong: " or "refused: " and why.
    """
    folder, path = work
    table = read(path)
    if table is None:
        return None
    found = [each for each in verdicts(table, only) if each.verdict]
    figures = {each.question: each.figures for each in found}
    record: Record = {
        "file": name_of(work),
        "package": folder.name,
        "rows": len(table),
        "columns": table.words.shape[1],
        "verdicts": {
            each.question: each.verdict if each.verdict == "right" else f"{each.verdict}: {each.why}" for each in found
        },
    }
    if ratio := figures.get("later rows", {}).get("ratio"):
        record["ratio"] = round(ratio, 3)
    if figures.get("train", {}).get("above_base"):
        record["above_base"] = True
    return record


def name_of(work: tuple[Path, Path]) -> str:
    """Return the name of a file with that of its folder."""
    folder, path = work
    return str(path.relative_to(folder.parent)) if folder.is_dir() else path.name
