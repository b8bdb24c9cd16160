"""Rows in another order, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmsketch._core import shuffle_rows
from wmsketch.cli.parts.holdout import Lesson


def shuffled(lessons: Iterable[Lesson], n_rows: int, seed: int) -> Iterator[Lesson]:
    """The same rows, in random order among at least `n_rows` that follow each other (and the last ones).

    The order depends on the seed and on the place in the input alone, so that who goes on from a position gets the
    rows in the order they would have had.
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
    block = shuffle_rows(blocks, weights, (seed << 40) + blocks[-1].position.rows & (1 << 64) - 1)
    block.position = blocks[-1].position
    return Lesson(block, None, lessons[-1].position)
