"""One file and all its questions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from experiments.first_try.questions import verdicts
from experiments.first_try.tables import read


def asked(work: tuple[Path, Path], only: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the verdicts on a file of a folder; None if it is no table."""
    folder, path = work
    table = read(path)
    if table is None:
        return None
    began = time.perf_counter()
    found = [each._asdict() for each in verdicts(table, only) if each.verdict]
    return {
        "file": str(path.relative_to(folder.parent)) if folder.is_dir() else path.name,
        "package": folder.name,
        "rows": len(table),
        "columns": table.words.shape[1],
        "seconds": round(time.perf_counter() - began, 2),
        "head": table.head() if any(each["verdict"] != "right" for each in found) else "",
        "verdicts": found,
    }
