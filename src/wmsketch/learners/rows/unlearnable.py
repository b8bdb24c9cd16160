"""Learning or predicting a block except for the rows that a model refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wmsketch.errors import RowError

if TYPE_CHECKING:
    from wmsketch._core import RowBlock

Refused = Callable[[int, str], object]  # is called with the index of a row and the problem


def all_but_refused(work: Callable[[RowBlock, slice], object], block: RowBlock, refused: Refused | None) -> None:
    """Work on the rows of a block. With `refused`, rows that the model refuses are left out and reported.

    `work` gets a part of the block and which rows these are. If it raises a `RowError`, it has changed nothing.
    """
    first, n_rows = 0, len(block)
    while first < n_rows:
        part: Any = block.part(first, n_rows) if first else block
        try:
            work(part, slice(first, n_rows))
            return
        except RowError as problem:
            row = first + problem.row
            if refused is None:
                raise RowError(row, problem.message) from problem
            if row > first:
                work(block.part(first, row), slice(first, row))
            refused(row, problem.message)
            first = row + 1
