"""Counts of a job, for its answers and for Prometheus, and its rows of the last minutes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping

from wmsketch.serve.tasks.task import Outcome

_KEPT = ("rows", "rows_learned", "rows_waiting", "rows_refused", "duplicates")
_SECONDS = 120


class Counts:
    """Sums since the job began; those in `state` survive a restart."""

    def __init__(self) -> None:
        self.rows = self.rows_learned = self.rows_waiting = self.rows_refused = self.duplicates = 0
        self.batches = self.turned_away = self.checkpoints = 0
        self.last_problem: str | None = None
        self._began = time.monotonic()
        self._each_second: deque[tuple[int, int]] = deque(maxlen=_SECONDS)  # second, rows

    def accepted(self, rows: int) -> None:
        """Count a batch that is on disk."""
        self.rows += rows
        self.batches += 1
        second = int(time.monotonic())
        if self._each_second and self._each_second[-1][0] == second:
            rows += self._each_second.pop()[1]
        self._each_second.append((second, rows))

    def learned(self, outcome: Outcome) -> None:
        """Count what became of a batch."""
        self.rows_learned += outcome.learned
        self.rows_waiting += outcome.waiting
        self.rows_refused += outcome.refused
        self.last_problem = outcome.problem or self.last_problem

    def refused(self, problem: str) -> None:
        """Count a row that could not be read."""
        self.rows_refused += 1
        self.last_problem = problem

    @property
    def rows_per_second(self) -> float:
        """Rows of the last ten whole seconds, or of as many as the job has been there."""
        now = int(time.monotonic())
        seconds = max(1, min(10, now - int(self._began)))
        return sum(rows for second, rows in list(self._each_second) if now - seconds <= second < now) / seconds

    def state(self) -> dict[str, int]:
        """Return the counts that survive a restart."""
        return {name: getattr(self, name) for name in _KEPT}

    def restore(self, state: Mapping[str, int]) -> None:
        """Go on from a checkpoint."""
        for name in _KEPT:
            setattr(self, name, int(state[name]))
