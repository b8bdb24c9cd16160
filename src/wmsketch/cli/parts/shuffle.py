"""Shuffling the rows of a training in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmsketch.cli.parts.holdout import Lesson
from wmsketch.learners.rows.shuffled import shuffled as shuffled_blocks


def shuffled(lessons: Iterable[Lesson], n_rows: int, seed: int, pass_number: int = 0) -> Iterator[Lesson]:
    """Return the same rows, shuffled within a window of at least `n_rows` consecutive rows (fewer at the end).

    The order depends only on the seed, the pass and the position in the input, so a run resumed at a position gets the
    rows in the same order.
    """
    waiting: list[Lesson] = []
    for lesson in lessons:
        waiting.append(lesson)
        if sum(len(each.block) for each in waiting) >= n_rows:
            yield _joined(waiting, seed, pass_number)
            waiting = []
    if waiting:
        yield _joined(waiting, seed, pass_number)


def _joined(lessons: list[Lesson], seed: int, pass_number: int) -> Lesson:
    blocks, weights = [each.block for each in lessons], [each.weights for each in lessons]
    block, origins = shuffled_blocks(blocks, weights, seed, pass_number)
    return Lesson(block, None, lessons[-1].position, origins)
