"""Rows that are held out from training and scored by the finished model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from wmsketch._core import RowBlock
from wmsketch.cli.parts.errors import Failed
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import answers_of_block, margins_of_block
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.unlearnable import all_but_refused
from wmsketch.readers import Position
from wmsketch.results.number_score import score_for
from wmsketch.results.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Lesson(NamedTuple):
    """A block to learn, weights that exclude its held-out rows, and the position after it.

    If its rows are shuffled, `origin` returns the block that a row was read in, and its number there.
    """

    block: RowBlock
    weights: NDArray[np.float32] | None
    position: Position
    origin: Callable[[int], tuple[RowBlock, int]] | None = None


class NoHoldout:
    """Learn every row."""

    def lessons(self, blocks: Iterable[RowBlock]) -> Iterator[Lesson]:
        for block in blocks:
            yield Lesson(block, None, block.position)

    def score(self, model: OnlineClassifier, blocks: Iterable[RowBlock]) -> Score | None:
        return None


class ShareHoldout:
    """Hold out a share of the rows, evenly spread by row number; they are read again for scoring."""

    def __init__(self, share: float) -> None:
        self._share = share

    def _held(self, block: RowBlock) -> NDArray[np.bool_]:
        rows = np.arange(block.position.rows - len(block), block.position.rows + 1)
        return np.diff(np.floor(rows * self._share)) > 0

    def lessons(self, blocks: Iterable[RowBlock]) -> Iterator[Lesson]:
        for block in blocks:
            weights = _weights(block)
            weights[self._held(block)] = 0
            yield Lesson(block, weights, block.position)

    def score(self, model: OnlineClassifier, blocks: Iterable[RowBlock]) -> Score | None:
        score: Score = score_for(model)
        for block in blocks:
            _add(score, model, block, self._held(block))
        return score


class TailHoldout:
    """Hold out the last rows; they are kept in memory until the input ends."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._waiting: deque[RowBlock] = deque()

    def lessons(self, blocks: Iterable[RowBlock]) -> Iterator[Lesson]:
        self._waiting.clear()
        waiting_rows = 0
        for block in blocks:
            self._waiting.append(block)
            waiting_rows += len(block)
            while waiting_rows - len(self._waiting[0]) >= self._rows:
                first = self._waiting.popleft()
                waiting_rows -= len(first)
                yield Lesson(first, None, first.position)
        surplus = waiting_rows - self._rows
        if surplus <= 0 < waiting_rows == self._waiting[-1].position.rows:  # otherwise other rows were learned before
            raise Failed(f"--holdout {self._rows} holds out all {waiting_rows:,} rows, so none is left to learn")
        if surplus > 0:
            first = self._waiting[0]
            weights = _weights(first)
            weights[surplus:] = 0
            yield Lesson(first, weights, first.position.back(len(first) - surplus))

    def score(self, model: OnlineClassifier, blocks: Iterable[RowBlock]) -> Score | None:
        score: Score = score_for(model)
        surplus = max(0, sum(len(block) for block in self._waiting) - self._rows)
        for number, block in enumerate(self._waiting):
            _add(score, model, block, np.arange(len(block)) >= (surplus if number == 0 else 0))
        return score


Holdout = NoHoldout | ShareHoldout | TailHoldout


def make_holdout(text: str | None) -> Holdout:
    """Parse ``--holdout``: a share below 1, or a number of rows."""
    if text is None:
        return NoHoldout()
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if 0 < number < 1:
        return ShareHoldout(number)
    if number >= 1 and number == int(number):
        return TailHoldout(int(number))
    raise click.BadParameter(
        f"must be a share of the rows below 1, or a number of rows, got {text!r}", param_hint="--holdout"
    )


def _add(score: Score, model: OnlineClassifier, block: RowBlock, held: NDArray[np.bool_]) -> None:
    """Score the held-out rows of a block, except those that the model refuses."""
    margins: list[NDArray[np.float64]] = []

    def predict(part: RowBlock, _: slice) -> None:
        margins.append(margins_of_block(model, part))

    good = np.ones(len(block), dtype=bool)
    all_but_refused(predict, block, lambda row, _: good.__setitem__(row, False))
    if margins:
        held = held[good]
        score.add(model.calibrated(np.concatenate(margins))[held], answers_of_block(model, block)[good][held])


def _weights(block: RowBlock) -> NDArray[np.float32]:
    return np.array(block.weights) if len(block.weights) else np.ones(len(block), dtype=np.float32)
