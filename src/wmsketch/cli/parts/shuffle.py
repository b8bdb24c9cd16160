"""Shuffling rows in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wmsketch._core import RowBlock, shuffle_rows
from wmsketch.cli.parts.holdout import Lesson
from wmsketch.learners.rows.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def shuffled(lessons: Iterable[Lesson], n_rows: int, seed: int) -> Iterator[Lesson]:
    """Return the same rows, shuffled within a window of at least `n_rows` consecutive rows (fewer at the end).

    The order depends only on the seed and the position in the input, so a run resumed at a position gets the rows in
    the same order.
    """
    waiting: list[Lesson] = []
    for lesson in lessons:
        waiting.append(lesson)
        if sum(len(each.block) for each in waiting) >= n_rows:
            yield _joined(waiting, seed)
            waiting = []
    if waiting:
        yield _joined(waiting, seed)


def _joined(lessons: list[Lesson], seed: int) -> Lesson:
    blocks, weights = tuple(each.block for each in lessons), [each.weights for each in lessons]
    own_seed = (seed << 40) + blocks[-1].position.rows & (1 << 64) - 1
    block = shuffle_rows(blocks, weights, own_seed)
    block.position = blocks[-1].position
    return Lesson(block, None, lessons[-1].position, _Origins(blocks, own_seed))


class _Origins:
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
