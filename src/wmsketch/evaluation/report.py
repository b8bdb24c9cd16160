"""The rows of a question as a JSON document and as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wmsketch.evaluation.figures import save_figure
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.summary import Row


def table_of(question: Question, rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return headers and lines; a missing cell is empty."""
    lines = [question.cells(row) for row in rows]
    headers = list(dict.fromkeys(name for line in lines for name in line))
    return headers, [[line.get(name, "") for name in headers] for line in lines]


def markdown(question: Question, rows: Sequence[Row]) -> str:
    """Return the table in Markdown under its title."""
    headers, lines = table_of(question, rows)
    text = [f"## {question.title}", "", f"`wmsketch reproduce {question.name}`; the paper: {question.paper}.", ""]
    text += ["| " + " | ".join(cells) + " |" for cells in (headers, ["---"] * len(headers), *lines)]
    return "\n".join(text) + "\n"


def write(question: Question, rows: Sequence[Row], about: dict[str, Any], folder: Path) -> None:
    """Write NAME.json (rows and their provenance), NAME.md and, if there is a figure, NAME.png."""
    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "question": question.name,
        "title": question.title,
        "paper": question.paper,
        **about,
        "rows": list(rows),
    }
    text = json.dumps(_rounded(document), allow_nan=False)
    (folder / f"{question.name}.json").write_text(text.replace('{"data"', '\n{"data"') + "\n")
    (folder / f"{question.name}.md").write_text(markdown(question, rows))
    if question.draw and rows:
        save_figure(question.draw, rows, folder / f"{question.name}.png")


def _rounded(value: Any) -> Any:
    """Round to six digits, more than the seeds resolve; nan becomes null."""
    if isinstance(value, dict):
        return {str(key): _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
