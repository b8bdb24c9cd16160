"""Rows in another order, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wmsketch._core import RowBlock, shuffle_rows


def shuffled(blocks: Iterable[RowBlock], n_rows: int, seed: int) -> Iterator[RowBlock]:
    """The same rows, in random order among at least `n_rows` that follow each other (and the last ones).

    The order depends on the seed and on the place in the input alone, so that who goes on from a position gets the
    rows in the order they would have had.
    """
    waiting: list[RowBlock] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= n_rows:
            yield _joined(waiting, seed)
            waiting = []
    if waiting:
        yield _joined(waiting, seed)


def _joined(blocks: list[RowBlock], seed: int) -> RowBlock:
    last = blocks[-1].position
    block = shuffle_rows(tuple(blocks), (seed << 40) + last.rows & (1 << 64) - 1)
    block.position = last
    return block
