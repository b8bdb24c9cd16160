"""Rings of windows: which cells of a table belong to a time and a bin of the measure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.errors import ParameterError

_MOST_WINDOWS = 2000
_UNUSED = -1


@dataclass(frozen=True)
class Measure:
    """How a row gets its bin: a number by `edges`, or a text by `values`; one bin for all without a column.

    >>> Measure("ms", edges=(100.0, 500.0)).names
    ['below 100', '100 to 500', '500 and above']
    >>> Measure("ms", edges=(100.0, 500.0)).bin_of({"ms": 500})
    2
    """

    column: str | None = None
    edges: tuple[float, ...] = ()
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.edges and self.values:
            raise ParameterError("edges", "and {values} cannot be combined")
        if (self.column is None) != (not self.edges and not self.values):
            raise ParameterError("measure", "needs {edges} of its numbers or {values} of its texts, and they need it")
        if any(not math.isfinite(edge) for edge in self.edges) or list(self.edges) != sorted(set(self.edges)):
            raise ParameterError("edges", "must be finite numbers in rising order", list(self.edges))
        if len(self.edges) + len(self.values) > 100:
            raise ParameterError("edges", "must be at most 100")

    @property
    def names(self) -> list[str]:
        """The names of the bins, lowest first."""
        if self.values:
            return [*self.values, "other"]
        if not self.edges:
            return ["all"]
        inner = [f"{low:g} to {high:g}" for low, high in zip(self.edges, self.edges[1:], strict=False)]
        return [f"below {self.edges[0]:g}", *inner, f"{self.edges[-1]:g} and above"]

    def bin_of(self, row: dict[str, Any]) -> int | None:
        """Return the bin of a row, None if it has no value for the measure."""
        if self.column is None:
            return 0
        value = row.get(self.column)
        if self.values:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return None if value is None else self.values.index(text) if text in self.values else len(self.values)
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            return None
        return bisect_right(self.edges, value)


class Ring:
    """The last `n` windows of `seconds` each; a window is known by its number since 1970."""

    def __init__(self, n: int, seconds: float, first_cell: int, n_bins: int) -> None:
        self.n, self.seconds, self.first_cell, self.n_bins = n, seconds, first_cell, n_bins
        self.numbers: NDArray[np.int64] = np.full(n, _UNUSED, dtype=np.int64)  # the window at each place

    @property
    def newest(self) -> int:
        """The number of the newest window, -1 before the first row."""
        return int(self.numbers.max())

    def number_at(self, time: float) -> int:
        """Return the number of the window of a time."""
        return int(time // self.seconds)

    def cell(self, number: int, bin: int) -> int | None:
        """Return the cell of a window and a bin; None for a window that has left the ring."""
        place = number % self.n
        return self.first_cell + place * self.n_bins + bin if self.numbers[place] == number else None

    def cells_of(self, times: NDArray[np.float64], bins: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cells of many times and bins; -1 for windows that have left the ring."""
        numbers = np.floor(times / self.seconds).astype(np.int64)
        places = numbers % self.n
        cells: NDArray[np.int64] = self.first_cell + places * self.n_bins + bins
        return np.where(self.numbers[places] == numbers, cells, -1)

    def advance(self, number: int) -> Iterator[slice]:
        """Make this the newest window; yield the cells that must be emptied."""
        newest = self.newest
        for each in range(max(newest + 1, number - self.n + 1), number + 1):
            place = each % self.n
            self.numbers[place] = each
            start = self.first_cell + place * self.n_bins
            yield slice(start, start + self.n_bins)

    def held(self, begin: float, end: float) -> list[int]:
        """Return the numbers of the windows that begin within a time, oldest first."""
        found = self.numbers[self.numbers != _UNUSED]
        times = found * self.seconds
        return sorted(int(number) for number in found[(times >= begin - 1e-6) & (times < end - 1e-6)])

    @property
    def oldest_time(self) -> float:
        """The time at which the oldest window that the ring could hold begins."""
        return (self.newest - self.n + 1) * self.seconds


def rings_of(windows: tuple[tuple[int, float], ...], n_bins: int) -> list[Ring]:
    """Return rings, finest first, whose cells follow each other."""
    if not windows or list(windows) != sorted(windows, key=lambda ring: ring[1]):
        raise ParameterError("windows", "must be pairs of a number and seconds, shortest first", windows)
    rings: list[Ring] = []
    first = 0
    for n, seconds in windows:
        if not (isinstance(n, int) and 1 <= n <= _MOST_WINDOWS and 0.1 <= seconds <= 366 * 86400):
            raise ParameterError("windows", f"must be 1 to {_MOST_WINDOWS} windows of 0.1 s or more", (n, seconds))
        rings.append(Ring(n, float(seconds), first, n_bins))
        first += n * n_bins
    return rings
