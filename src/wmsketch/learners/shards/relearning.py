"""Learning a sample of the rows again after a merge.

A shard sees only some of the rows, so its weights are smaller than those of one model, and shards choose different
features. A merged model that learns a sample of all rows again takes most of this loss back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from wmsketch._core import shuffle_rows
from wmsketch.errors import ParameterError
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.messages import word_options
from wmsketch.learners.rows.row_order import take_rows
from wmsketch.readers import open_examples

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.readers import LabelNames

MOST_ROWS, MOST_FEATURES = 32_768, 1 << 21  # of a sample
MOST_PASSES = 8
HELD_BACK = 8  # one in so many is not learned again, but says whether it helps
_TAKEN = 32  # consecutive rows
_COUNTS = (
    "n_seen",
    "n_positive",
    "features_seen",
    "mistakes",
    "log_loss_",
    "outcome_",
    "recent_",
    "example",
    "class_",
    "target_errors",
)


class SampledRows:
    """A sample of the rows of a stream, spread over all of it, with their names.

    Of every 2^level pieces of 32 rows one is kept. If there are too many, half of them go.
    """

    def __init__(self) -> None:
        self._pieces: list[tuple[int, RowBlock]] = []
        self._labels: LabelNames | None = None
        self._n_seen = self._n_rows = self._n_features = 0
        self._level = 0

    def __len__(self) -> int:
        return self._n_rows

    def add(self, block: RowBlock, labels: LabelNames | None) -> None:
        """Take the next rows of the stream; ``labels`` are those of all rows so far."""
        self._labels = labels
        for first in range(0, len(block), _TAKEN):
            if self._is_kept(self._n_seen):
                piece = _joined([block.part(first, min(first + _TAKEN, len(block)))])  # a part holds its whole block
                self._pieces.append((self._n_seen, piece))
                self._n_rows += len(piece)
                self._n_features += piece.n_features
                while len(self._pieces) > 1 and (self._n_rows > MOST_ROWS or self._n_features > MOST_FEATURES):
                    self._halve()
            self._n_seen += 1

    def _is_kept(self, number: int) -> bool:
        return number % (1 << self._level) == 0

    def _halve(self) -> None:
        self._level += 1
        self._pieces = [(number, piece) for number, piece in self._pieces if self._is_kept(number)]
        self._n_rows = sum(len(piece) for _, piece in self._pieces)
        self._n_features = sum(piece.n_features for _, piece in self._pieces)

    def teach(self, model: OnlineClassifier) -> int:
        """Let a model learn the sample again, in another order each time; return how often it did."""
        held = [piece for place, (_, piece) in enumerate(self._pieces) if place % HELD_BACK == 0]
        rest = [piece for place, (_, piece) in enumerate(self._pieces) if place % HELD_BACK]

        def learn(learner: OnlineClassifier, pieces: list[RowBlock], number: int = 0) -> None:
            learner._learn_block(_joined(pieces, number), label_names=self._labels)

        if not rest:
            return 0
        return learn_while_it_helps(
            model, lambda twin, number: learn(twin, rest, number), lambda twin: learn(twin, held)
        )


def _joined(blocks: list[RowBlock], seed: int = 0) -> RowBlock:
    """Return a copy of the rows of all blocks, shuffled."""
    return shuffle_rows(tuple(blocks), [None] * len(blocks), seed)


class Again(NamedTuple):
    """How many rows there were to learn again, and how often that helped."""

    rows: int
    passes: int


def learn_again(model: OnlineClassifier, rows: Any, **reading: Any) -> Again:
    """Let a merged model learn a sample of ``rows`` again; they count as examples only once.

    ``rows`` are a pair of X and y, as for `fit`, or files or a table in which the schema of the model names the label;
    ``reading`` are options of `open_examples` for them.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("2KiB")
    >>> rows, labels = [{"free": 1.0}, {"meeting": 1.0}] * 50, [True, False] * 50
    >>> model.learn_many(rows, labels)
    >>> before = model.weight("free")
    >>> learn_again(model, (rows, labels))
    Again(rows=100, passes=8)
    >>> model.weight("free") > before, model.n_seen_
    (True, 100)
    """
    require_no_forgetting(model)
    if _is_pair(rows):
        return _learn_pair_again(model, *rows)
    sample = SampledRows()
    reading = {"missing_label": "skip", **reading, **model._reading(to_learn=True), **word_options(model)}
    with open_examples(rows, **reading) as examples:
        for block in examples:
            sample.add(block, examples.labels)
    return Again(len(sample), sample.teach(model))


def require_no_forgetting(model: OnlineClassifier) -> None:
    if model.half_life is not None:
        raise ParameterError("relearn", "must not be given with {half_life}, because rows would count as new ones")


def _is_pair(rows: Any) -> bool:
    return isinstance(rows, tuple) and len(rows) == 2 and not isinstance(rows[1], str)


def _learn_pair_again(model: OnlineClassifier, X: Any, y: Any) -> Again:
    labels, draw = np.asarray(y), np.random.default_rng(0)
    chosen = draw.permutation(len(labels))[:MOST_ROWS]
    n_held = -(-len(chosen) // HELD_BACK)

    def learn(learner: OnlineClassifier, order: Any) -> None:
        learner.learn_many(take_rows(X, order), labels[order])

    held, rest = chosen[:n_held], chosen[n_held:]
    if not len(rest):
        return Again(len(chosen), 0)
    passes = learn_while_it_helps(
        model, lambda twin, _: learn(twin, draw.permutation(rest)), lambda twin: learn(twin, held)
    )
    return Again(len(chosen), passes)


def learn_while_it_helps(
    model: OnlineClassifier,
    learn: Callable[[OnlineClassifier, int], None],
    learn_held: Callable[[OnlineClassifier], None],
) -> int:
    """Let the model learn rows up to `MOST_PASSES` times, as long as those held back are predicted better.

    Where labels are noisy and features rare, more passes only fit the noise. Returns the passes that helped.
    """
    if not (model._started and model._native.decided):
        return 0

    def loss(learned: OnlineClassifier) -> float:
        judge = copy.copy(learned)
        before = _loss_so_far(judge)
        learn_held(judge)
        return _loss_so_far(judge) - before

    best, least, passes = model, loss(model), 0
    with _counted_before(model):
        while passes < MOST_PASSES:
            twin = copy.copy(best)
            learn(twin, passes)
            if (now := loss(twin)) >= least:
                break
            best, least, passes = twin, now, passes + 1
        model.__dict__.update(best.__dict__)
    return passes


def _loss_so_far(model: Any) -> float:
    """The sum of the losses of all predictions before learning."""
    return float((model.mae_ if model._numeric else model.log_loss_) * model._n_scored())


@contextmanager
def _counted_before(model: Any) -> Iterator[None]:
    """Learn rows that the model knows: its counts of examples, and of its predictions, stay as they are."""
    before = _counts(model._native.state())
    yield
    state = model._native.state()
    for name in _counts(state):
        del state[name]
    native = model._native_of(model._started_as, model._native.named, model._column_rules())
    native.load_state({**state, **before})
    model._native = native


def _counts(state: dict[str, Any]) -> dict[str, Any]:
    return {name: array for name, array in state.items() if name.startswith(_COUNTS)}
