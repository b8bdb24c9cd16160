"""Learning or predicting a block except for the rows that a model refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wmsketch.errors import RowError

if TYPE_CHECKING:
    from wmsketch._core import RowBlock

Refused = Callable[[int, str], object]  # is called with the index of a row and the problem


def all_but_refused(work: Callable[[RowBlock, slice], object], block: RowBlock, refused: Refused | None) -> None:
    """Work on the rows of a block. With `refused`, rows that the model refuses are left out and reported.

    `work` gets a part of the block and which rows these are. If it raises a `RowError`, it has changed nothing.
    """
    first, n_rows = 0, len(block)
    size = n_rows  # of the next part: small after a refused row, so that many of them do not take quadratic time
    found: list[tuple[int, str]] = []  # refused rows behind `first`, the nearest last: times are checked after values
    while first < n_rows:
        end = min(first + size, found[-1][0] if found else n_rows)
        try:
            if end > first:
                work(block if end - first == n_rows else block.part(first, end), slice(first, end))
        except RowError as problem:
            row = first + problem.row
            if refused is None:
                raise RowError(row, problem.message) from problem
            size = max(problem.row, 1)
            found.append((row, problem.message))
            continue
        first, size = end, 2 * size
        if refused is not None and found and found[-1][0] == first:
            refused(*found.pop())
            first += 1
