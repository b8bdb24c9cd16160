"""All jobs of a service, in a folder and within a number of bytes."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

from wmsketch.errors import ParameterError
from wmsketch.learners.saving.atomic_file import write_atomically
from wmsketch.serve.job import Job, Policy
from wmsketch.serve.job_spec import JobSpec, jobs_in


class NoSuchJob(KeyError):
    """There is no job of this name."""

    def __str__(self) -> str:
        return f"there is no job {self.args[0]!r}"


class JobExists(ValueError):
    """There is already a job of this name."""


class Full(ValueError):
    """A job does not fit into the memory or the number of jobs of the service."""


class Service:
    """Jobs by name. The sum of their budgets and queues is known before they start, and limited by `memory`."""

    def __init__(
        self, folder: Path, memory: int = 256 << 20, policy: Policy | None = None, most_jobs: int = 64
    ) -> None:
        self.folder, self.memory, self.most_jobs = folder, memory, most_jobs
        self.policy = policy or Policy()
        self.jobs: dict[str, Job] = {}
        self.ready = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the jobs in the folder, each from its last checkpoint and log."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for spec in jobs_in(self.folder):
            self._add(spec)
        self.ready = True

    def stop(self) -> None:
        """Stop all jobs: what is queued is learned, and checkpoints are written."""
        self.ready = False
        for job in list(self.jobs.values()):
            job.stop()

    def job(self, name: str) -> Job:
        """Return a job."""
        if name not in self.jobs:
            raise NoSuchJob(name)
        return self.jobs[name]

    @property
    def reserved_bytes(self) -> int:
        """The sum of what all jobs may hold."""
        return sum(self._needed(job) for job in list(self.jobs.values()))

    def _needed(self, job: Job) -> int:
        return job.task.budget_bytes + job.policy.queue_bytes

    def create(self, name: Any, document: Any) -> Job:
        """Start a new job and keep its description in the folder."""
        spec = JobSpec.of(name, document)
        with self._lock:
            if spec.name in self.jobs:
                raise JobExists(f"there is already a job {spec.name!r}")
            path = self.folder / f"{spec.name}.json"
            job = self._new(spec)
            write_atomically(path, json.dumps(spec.as_document(), indent=2).encode())
            try:
                self._start(job)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
            return job

    def delete(self, name: str) -> None:
        """Stop a job and remove its state. A job from a TOML file comes back, empty, at the next start."""
        with self._lock:
            job = self.job(name)
            del self.jobs[name]
            job.stop()
            (self.folder / f"{name}.json").unlink(missing_ok=True)
            shutil.rmtree(self._state_folder(name), ignore_errors=True)

    def _add(self, spec: JobSpec) -> None:
        with self._lock:
            self._start(self._new(spec))

    def _new(self, spec: JobSpec) -> Job:
        if len(self.jobs) >= self.most_jobs:
            raise Full(f"a service has at most {self.most_jobs} jobs")
        try:
            job = Job(spec, self._state_folder(spec.name), self.policy)
        except ParameterError as problem:
            problem.place = problem.place or f"job {spec.name}"
            raise
        needed, free = self._needed(job), self.memory - self.reserved_bytes
        if needed > free:
            raise Full(
                f"the job {spec.name} needs {needed:,} bytes (budget and queue), "
                f"but {free:,} of {self.memory:,} are free"
            )
        return job

    def _start(self, job: Job) -> None:
        job.start()
        self.jobs[job.spec.name] = job

    def _state_folder(self, name: str) -> Path:
        return self.folder / f"{name}.state"
