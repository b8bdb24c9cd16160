"""Figures in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wmsketch.serve.job import Job
from wmsketch.serve.service import Service

_OF_JOBS: list[tuple[str, str, str, Callable[[Job], float]]] = [
    ("rows_total", "counter", "Rows acknowledged.", lambda job: job.counts.rows),
    ("rows_learned_total", "counter", "Rows learned.", lambda job: job.counts.rows_learned),
    ("rows_refused_total", "counter", "Rows that could not be learned.", lambda job: job.counts.rows_refused),
    ("duplicates_total", "counter", "Batches sent again.", lambda job: job.counts.duplicates),
    ("turned_away_total", "counter", "Batches answered with 429.", lambda job: job.counts.turned_away),
    ("checkpoints_total", "counter", "Checkpoints written.", lambda job: job.counts.checkpoints),
    ("queued_bytes", "gauge", "Bytes of batches that wait.", lambda job: job.queued_bytes),
    ("budget_bytes", "gauge", "The most bytes that the model may take.", lambda job: job.task.budget_bytes),
    ("nbytes", "gauge", "Bytes that the model takes.", lambda job: job.task.summary()["nbytes"]),
    ("up", "gauge", "1 if the job takes rows.", lambda job: 0 if job.problem else 1),
]


def metrics_text(service: Service) -> str:
    """Return all figures."""
    return "\n".join(_lines(service)) + "\n"


def _lines(service: Service) -> Iterator[str]:
    jobs = list(service.jobs.values())
    for name, kind, text, value in _OF_JOBS:
        yield f"# HELP wmsketch_job_{name} {text}"
        yield f"# TYPE wmsketch_job_{name} {kind}"
        for job in jobs:
            yield f'wmsketch_job_{name}{{job="{job.spec.name}",kind="{job.spec.kind}"}} {value(job)}'
    for name, text, found in (
        ("memory_bytes", "The limit for all jobs.", service.memory),
        ("reserved_bytes", "The sum of all budgets and queues.", service.reserved_bytes),
    ):
        yield f"# HELP wmsketch_{name} {text}"
        yield f"# TYPE wmsketch_{name} gauge"
        yield f"wmsketch_{name} {found}"
