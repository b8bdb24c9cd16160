"""The kinds of jobs."""

from __future__ import annotations

from importlib import import_module

from wmsketch.errors import ParameterError
from wmsketch.serve.job_spec import JobSpec
from wmsketch.serve.tasks.task import Task

KINDS = {
    "learn": "learn.LearnTask",
    "explain": "windows.ExplainTask",
    "diff": "windows.DiffTask",
    "pmi": "pmi.PmiTask",
}


def new_task(spec: JobSpec) -> Task:
    """Return the task of a job; an error names the setting.

    >>> new_task(JobSpec("clicks", "learn", {"label": "bought"})).budget_bytes
    65536
    """
    if spec.kind not in KINDS:
        raise ParameterError("kind", f"must be one of {', '.join(KINDS)}", spec.kind)
    module, name = KINDS[spec.kind].split(".")
    task: Task = getattr(import_module(f"wmsketch.serve.tasks.{module}"), name)(spec.settings)
    return task
