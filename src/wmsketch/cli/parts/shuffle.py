"""Shuffling the rows of a training in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmsketch.cli.parts.holdout import Lesson
from wmsketch.learners.rows.shuffled import shuffled as shuffled_blocks


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
    block, origins = shuffled_blocks([each.block for each in lessons], [each.weights for each in lessons], seed)
    return Lesson(block, None, lessons[-1].position, origins)
