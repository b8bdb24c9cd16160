"""Run what is missing, store it, and write the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wmsketch.evaluation.journal import Journal, Run, code_version
from wmsketch.evaluation.plan import Plan
from wmsketch.evaluation.provenance import provenance
from wmsketch.evaluation.question import Question
from wmsketch.evaluation.report import write
from wmsketch.evaluation.streams import Library
from wmsketch.evaluation.summary import Row

Show = Callable[[str, int, int], None]


def reproduce(
    questions: Sequence[Question], plan: Plan, library: Library, out: Path, show: Show, *, tables_only: bool = False
) -> list[tuple[Question, list[Row]]]:
    """Return each question's rows; runs that two questions share are done once."""
    journal = Journal(out / "runs")
    wanted: dict[Run, None] = dict.fromkeys(run for question in questions for run in question.runs(plan))
    places = {stream: number for number, stream in enumerate(dict.fromkeys(run.stream for run in wanted))}
    results: dict[Run, dict[str, Any]] = {}
    # stream by stream: a data set is read once, and an interruption leaves complete data sets
    for number, run in enumerate(sorted(wanted, key=lambda run: places[run.stream])):
        show(run.title, number, len(wanted))
        result = journal.get(run)
        if result is None and not tables_only:
            result = run.measure(library)
            journal.put(run, result)
        if result is not None:
            results[run] = result
    about = {**provenance(), "code": code_version(), "streams": plan.streams, "seeds": plan.seeds, "quick": plan.quick}
    answers = [(question, question.rows(plan, results)) for question in questions]
    for question, rows in answers:
        write(question, rows, about, out)
    return answers
