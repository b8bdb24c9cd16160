"""The definition of a question: the runs it needs, the rows of its answer, and how rows are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wmsketch.evaluation.journal import Run
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.summary import Results, Row

Draw = Callable[[Any, Sequence[Row]], None]


@dataclass(frozen=True)
class Question:
    """`cells` turns a row into the cells of its line in a table; `draw` fills an empty matplotlib figure."""

    name: str
    title: str
    paper: str
    runs: Callable[[Plan], Iterator[Run]]
    rows: Callable[[Plan, Results], list[Row]]
    cells: Callable[[Row], dict[str, str]]
    draw: Draw | None = None
