"""Exact percentiles of rows that can be read several times, in a fixed number of bytes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers import expand_paths
from wmsketch.readers.open_stream import stored_size_of_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.uint64]

_LEAST_VALUES = 1024
_SIGN = 1 << 63


def name_of(source: Any) -> str | None:
    """Return the path of a source that is one file, or None."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    paths = list(source) if isinstance(source, Iterable) and not hasattr(source, "__arrow_c_stream__") else []
    return os.fspath(paths[0]) if len(paths) == 1 else None


def can_be_read_again(source: Any) -> bool:
    """Return whether rows can be read twice: those of files and of data frames, but not those of pipes.

    >>> can_be_read_again("-")
    False
    """
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "reset_index"):
        return hasattr(source, "columns") or hasattr(source, "column_names")  # a reader of batches has neither
    try:
        return stored_size_of_all(expand_paths(source)) is not None
    except (OSError, TypeError, ValueError):
        return False  # opening it raises the error


def percentiles_of(
    blocks: Callable[[], Iterable[_core.RowBlock]],
    stream: _core.AttributeStream,
    of_where: bool,
    percentiles: list[float],
    most_values: int,
) -> list[float]:
    """Return exact percentiles, interpolated as by numpy, of the numbers that the conditions of a stream compare.

    The rows are read until the ranks are found: once if all numbers fit into `most_values`, which is the limit of what
    is kept.
    """
    keep = max(_LEAST_VALUES, most_values // max(1, len(percentiles)))
    first = [_Numbers(keep) for _ in percentiles]
    numbers: Any
    for block in blocks():
        for each, numbers in zip(first, stream.percentile_numbers(block, of_where, True), strict=True):
            each.add(numbers)
    wanted = [each.ranks(p / 100) for each, p in zip(first, percentiles, strict=True)]
    while any(rank.open for ranks in wanted for rank in ranks):
        for block in blocks():
            for ranks, numbers in zip(wanted, stream.percentile_numbers(block, of_where, False), strict=True):
                for rank in ranks:
                    rank.add(numbers)
        for ranks in wanted:
            for rank in ranks:
                rank.narrow()
    return [each.value(p / 100, ranks) for each, p, ranks in zip(first, percentiles, wanted, strict=True)]


def places_of(numbers: Numbers) -> Places:
    """Return integers in the order of the numbers.

    >>> bool(np.all(np.diff(places_of(np.array([-2.0, -0.5, 0.0, 1e-300, 3.0])).astype(float)) > 0))
    True
    """
    bits = (np.asarray(numbers, dtype=np.float64) + 0.0).view(np.uint64)
    sign = np.uint64(_SIGN)
    return np.where(bits & sign, ~bits, bits | sign)


def number_at(place: int) -> float:
    """Return the number of a place."""
    bits = np.array([place], dtype=np.uint64)
    sign = np.uint64(_SIGN)
    return float(np.where(bits & sign, bits & ~sign, ~bits).view(np.float64)[0])


class _Numbers:
    """The numbers of one column: all of them while they fit, and a histogram of their places."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._kept: list[Numbers] | None = []
        self._n = 0
        self._rank = _Rank(0, 0, 2**64 - 1, keep)

    def add(self, numbers: Numbers) -> None:
        self._n += len(numbers)
        self._rank.count(places_of(numbers))
        if self._kept is not None:
            self._kept.append(numbers)
            if self._n > self._keep:
                self._kept = None

    def ranks(self, p: float) -> list[_Rank]:
        """Return the ranks whose numbers are still to be found."""
        if self._kept is not None:
            return []
        lower = math.floor((self._n - 1) * p)
        return [self._rank.within(rank) for rank in (lower, min(lower + 1, self._n - 1))]

    def value(self, p: float, ranks: list[_Rank]) -> float:
        if self._n == 0:
            return math.nan
        if self._kept is not None:
            return float(np.quantile(np.concatenate(self._kept), p))
        low, high = (rank.number for rank in ranks)
        at = (self._n - 1) * p
        return low + (high - low) * (at - math.floor(at)) if high > low else low


class _Rank:
    """Finds the number of one rank: the interval of places in which it lies, narrowed in each pass."""

    def __init__(self, rank: int, first: int, last: int, keep: int) -> None:
        self._rank, self._first, self._last, self._most = rank, first, last, keep
        bits = max(8, min(16, keep.bit_length() - 2))
        self._shift = max(0, (last - first).bit_length() - bits)
        self._bins = np.zeros(((last - first) >> self._shift) + 1, dtype=np.int64)
        self._kept: list[Places] = []
        self._n_kept = 0

    @property
    def open(self) -> bool:
        return self._first < self._last

    @property
    def number(self) -> float:
        return number_at(self._first)

    def count(self, places: Places) -> Places:
        inside = places[(places >= np.uint64(self._first)) & (places <= np.uint64(self._last))]
        self._bins += np.bincount(
            ((inside - np.uint64(self._first)) >> np.uint64(self._shift)).astype(np.int64), minlength=len(self._bins)
        )
        return inside

    def add(self, numbers: Numbers) -> None:
        if not self.open:
            return
        inside = self.count(places_of(numbers))
        self._n_kept += len(inside)
        if self._n_kept <= self._most:
            self._kept.append(inside)

    def narrow(self) -> None:
        if not self.open:
            return
        if self._n_kept <= self._most:
            place = int(np.sort(np.concatenate(self._kept))[self._rank])
            self.__init__(0, place, place, self._most)  # type: ignore[misc]
            return
        found = self.within(self._rank)
        self.__dict__ = found.__dict__

    def within(self, rank: int) -> _Rank:
        """Return the search for a rank in the bin that contains it."""
        ends = np.cumsum(self._bins)
        place = int(np.searchsorted(ends, rank, side="right"))
        first = self._first + (place << self._shift)
        last = min(self._last, first + (1 << self._shift) - 1)
        return _Rank(rank - int(ends[place] - self._bins[place]), first, last, self._most)
