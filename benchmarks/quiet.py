"""Waiting for a quiet machine, and times with their spread."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass, field

QUIET = 0.5  # load average of the last minute


def wait_until_quiet(seconds: float) -> float:
    """Wait until the load average is below QUIET, at most this long; return the load average."""
    until = time.monotonic() + seconds
    while (load := os.getloadavg()[0]) >= QUIET and time.monotonic() < until:
        time.sleep(min(5.0, max(0.0, until - time.monotonic())))
    return load


@dataclass
class Times:
    """The times of one contender. The best of each run counts; the spread is over the runs.

    >>> times = Times([[3.0, 2.0], [5.0, 2.5]])
    >>> times.best, times.spread
    (2.0, 0.25)
    """

    runs: list[list[float]] = field(default_factory=list)

    @property
    def bests(self) -> list[float]:
        return [min(run) for run in self.runs]

    @property
    def best(self) -> float:
        return min(self.bests)

    @property
    def spread(self) -> float:
        """How much slower the best of the slowest run was."""
        return max(self.bests) / self.best - 1


def ratio_of(ours: Times, peer: Times) -> tuple[float, float, float]:
    """Return the median, the least and the largest ratio of the peer's time to ours, run by run."""
    ratios = [theirs / mine for mine, theirs in zip(ours.bests, peer.bests, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)
