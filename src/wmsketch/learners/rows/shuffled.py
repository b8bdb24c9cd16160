"""Shuffling rows of files in bounded memory: those of a window of consecutive blocks become one block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wmsketch._core import RowBlock, shuffle_rows
from wmsketch.learners.rows.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW_ROWS, _WINDOW_FEATURES = 100_000, 2_000_000  # what a window holds at most
_FEWEST_ROWS = 1000
_MOST_PASSES = 10
_LEARNED_ROWS, _LEARNED_FEATURES = 20_000, 10_000_000  # a small table is learned again until this many were learned


class Shuffled(NamedTuple):
    """The rows of a window as one block, and where each was before."""

    block: RowBlock
    origins: Origins


def window_rows(features_of_a_row: float) -> int:
    """Return how many rows a window has, so that it stays within some tens of megabytes.

    >>> window_rows(8), window_rows(200), window_rows(20_000)
    (100000, 10000, 1000)
    """
    return min(_WINDOW_ROWS, max(_FEWEST_ROWS, int(_WINDOW_FEATURES / max(1.0, features_of_a_row))))


def passes_over(n_rows: int, features_of_a_row: float) -> int:
    """Return the default number of passes over a table: several for a small one.

    >>> passes_over(300, 20), passes_over(5000, 20), passes_over(1_000_000, 20), passes_over(200, 20_000)
    (10, 4, 1, 2)
    """
    by_rows = _LEARNED_ROWS // max(1, n_rows)
    by_features = int(_LEARNED_FEATURES / max(1.0, n_rows * features_of_a_row))
    return max(1, min(_MOST_PASSES, by_rows, by_features))


def windows(blocks: Iterable[RowBlock], n_rows: int) -> Iterator[list[RowBlock]]:
    """Gather blocks until they have at least `n_rows` rows (fewer at the end)."""
    waiting: list[RowBlock] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= n_rows:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def shuffled(
    blocks: Sequence[RowBlock], weights: Sequence[NDArray[np.float32] | None], seed: int, pass_number: int = 0
) -> Shuffled:
    """Return the rows of all blocks in an order that depends only on the seed, the pass and their position."""
    own_seed = (seed << 40) + (pass_number << 34) + blocks[-1].position.rows & (1 << 64) - 1
    block = shuffle_rows(tuple(blocks), weights, own_seed)
    block.position = blocks[-1].position
    return Shuffled(block, Origins(tuple(blocks), own_seed))


class Origins:
    """Where each shuffled row was before. It is computed only if asked for: few rows cannot be learned."""

    def __init__(self, blocks: tuple[RowBlock, ...], seed: int) -> None:
        self._blocks, self._seed = blocks, seed

    def __call__(self, row: int) -> tuple[RowBlock, int]:
        """Return the block of a row, and its number there."""
        numbers, rows = self._order
        return self._blocks[int(numbers[row])], int(rows[row])

    @cached_property
    def _order(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The number of the block and the row in it, shuffled like the rows, as weights: both are exact below 2^24."""
        numbers = [np.full(len(block), number, np.float32) for number, block in enumerate(self._blocks)]
        rows = [np.arange(len(block), dtype=np.float32) for block in self._blocks]
        by_number, by_row = (shuffle_rows(self._blocks, each, self._seed).weights.copy() for each in (numbers, rows))
        return by_number, by_row
