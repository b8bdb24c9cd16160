"""The server and its tools. They read files of one folder, write none, and open no address."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from wmsketch import __version__
from wmsketch.mcp.answers import MOST_LINES, Refused, answer, file_in, options, run

_INSTRUCTIONS = """Answers about files of rows (CSV, JSON Lines, Parquet, text, captures) in one folder. Begin with
list_files. Report the sentence in `exactness` with every answer: it says what was counted completely."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def _told(tool: Any) -> Any:
    """Return the tool; what it refuses is told to the assistant, in its words."""

    @functools.wraps(tool)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return tool(*arguments, **named)
        except Refused as problem:
            raise ToolError(str(problem)) from problem

    return call


def make_server(folder: Path) -> MCPServer[Any]:
    """Return a server for the files of a folder."""
    server: MCPServer[Any] = MCPServer("wmsketch", instructions=_INSTRUCTIONS, version=__version__)

    @server.tool(annotations=_READS)
    @_told
    def list_files() -> list[dict[str, Any]]:
        """List the files of the folder, with their sizes in bytes."""
        root = folder.resolve()
        found = sorted(path for path in root.rglob("*") if path.is_file() and path.resolve().is_relative_to(root))
        return [{"name": str(path.relative_to(root)), "bytes": path.stat().st_size} for path in found[:1000]]

    @server.tool(annotations=_READS)
    @_told
    def explain(
        file: str,
        outlier: str | None = None,
        label: str | None = None,
        positive: str | None = None,
        where: str | None = None,
        ignore: list[str] | None = None,
        order: int = 1,
        top: int = 10,
    ) -> dict[str, Any]:
        """Tell what the outlier rows of a file have in common: attributes with risk ratios, ranges and counts.

        Outliers are rows that satisfy a condition, like ms>500, ms>p99 or status in (500, 503); or rows with a label:
        give label (a column) and positive (its value) instead. order=2 also tries pairs of attributes.
        """
        words = options(
            outlier=outlier, label=label, positive=positive, where=where, ignore=ignore, order=order, top=top
        )
        return answer("explain", [file_in(folder, file)], words)

    @server.tool(annotations=_READS)
    @_told
    def diff(first: str, second: str, items: list[str] | None = None, top: int = 10) -> dict[str, Any]:
        """Tell which items are more frequent in one of two files: values of columns, words or addresses."""
        return answer("diff", [file_in(folder, first), file_in(folder, second)], options(items=items, top=top))

    @server.tool(annotations=_READS)
    @_told
    def pmi(file: str, top: int = 10) -> dict[str, Any]:
        """Tell which pairs of words or items of a file occur together more often than by chance."""
        return answer("pmi", [file_in(folder, file)], options(top=top))

    @server.tool(annotations=_READS)
    @_told
    def train(
        file: str,
        label: str,
        positive: str | None = None,
        ignore: list[str] | None = None,
        budget: str = "32KiB",
        top: int = 10,
    ) -> dict[str, Any]:
        """Learn a linear classifier from a file and return its online error and heaviest features. Nothing is saved."""
        words = options(label=label, positive=positive, ignore=ignore, budget=budget, top=top)
        return answer("train", [file_in(folder, file)], words)

    @server.tool(annotations=_READS)
    @_told
    def predict(file: str, model: str, why: int = 0) -> dict[str, Any]:
        """Predict the rows of a file with a saved model of the folder: label and probability of each, and why."""
        words = options(model=file_in(folder, model), why=why or None)
        lines = run("predict", [file_in(folder, file)], words).splitlines()
        rows = [json.loads(line) for line in lines[:MOST_LINES]]
        return {
            "answer": {"rows": rows, "predicted": len(lines)},
            "exactness": f"{len(rows):,} of {len(lines):,} predictions are shown; each has the bits of the saved model",
        }

    return server
