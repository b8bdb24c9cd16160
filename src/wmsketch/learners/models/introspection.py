"""What other packages may ask of a model that is not public, so that they read no private names.

These are not promises to users; `wmsketch.learners` may change them together with its own code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wmsketch import _core
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.learners.models.outcomes import Outcomes
    from wmsketch.learners.sizes.shapes import Shape
    from wmsketch.readers import LabelNames


def waiting_rows(model: OnlineClassifier) -> int | None:
    """Return the rows that a model holds before it takes its memory; None if it has taken it, or has no rows.

    Nothing else about such a model can be asked without making the whole model.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("8KiB")
    >>> model.learn_one({"city": "Rome"}, True)
    >>> waiting_rows(model)
    1
    """
    if not has_learned(model) or native_of(model).decided:
        return None
    starts: Any = native_of(model).state()["held_starts"]
    return len(starts) - 1


def has_learned(model: OnlineClassifier) -> bool:
    """Whether the model has learned anything.

    >>> from wmsketch import AWMSketch
    >>> has_learned(AWMSketch())
    False
    """
    return model._started


def is_multiclass(model: OnlineClassifier) -> bool:
    """Whether the model takes more than two labels."""
    return model._multiclass


def predicts_numbers(model: OnlineClassifier) -> bool:
    """Whether the model predicts a number, and not a class."""
    return model._numeric


def scored_labels(model: OnlineClassifier) -> list[Any]:
    """The labels in the order of the columns that `margins_of_block` gives for many classes.

    `classes_` is sorted, as scikit-learn expects; the core numbers labels as they come.
    """
    labels: list[Any] = model._known_labels() if is_multiclass(model) else model.classes_.tolist()
    return labels


def native_of(model: OnlineClassifier) -> _core.Learner:
    """The learner in the core; a model that has learned nothing raises the error that says so."""
    return model._learner()


def name_seed_of(model: OnlineClassifier) -> int | None:
    """The seed that names are hashed under: two models with different ones know a name by different keys."""
    return model._name_seed()


def hash_names_under(model: OnlineClassifier, seed: int) -> None:
    """Make a model that has learned nothing hash names under this seed, so that several models share rows."""
    model._names_under = seed


def config_of(model: OnlineClassifier, *, named: bool = False) -> dict[str, Any]:
    """The sizes and the rule that the model was started with, or would be."""
    return model._started_as if model._started else model._config(named=named)


def shape_of(model: OnlineClassifier, *, named: bool, reserved: int = 0) -> Shape:
    """The sizes that a model with these parameters would have; nothing is built.

    Something else takes ``reserved`` bytes of the budget.
    """
    return model._shape(named, reserved)


def probabilities_of(model: OnlineClassifier, margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of each label, a row for each margin."""
    return model._probabilities(margins)


def outcomes_of(model: OnlineClassifier) -> Outcomes:
    """How the predictions before learning compare with the labels."""
    return model._outcomes()


def seen_positive(model: OnlineClassifier) -> tuple[int, int]:
    """How many examples were learned, and how many of them were positive."""
    n_seen, n_positive, *_ = model._learner().progress
    return n_seen, n_positive


def report_bytes_of(model: OnlineClassifier) -> int:
    """The bytes of the report that the outcomes come from; they are no part of `nbytes`."""
    return model._report_bytes()


def features_seen_by(model: OnlineClassifier) -> int:
    """How many features the learned rows had together."""
    return model._features_seen()


def label_counts_of(model: OnlineClassifier) -> dict[Any, int]:
    """How many examples of each label were learned."""
    return model._label_counts()


def label_names_of(model: OnlineClassifier) -> LabelNames | None:
    """The labels as the input wrote them; None where they did not come from files."""
    return model._label_names()


def hash_of(model: OnlineClassifier, row: int, key: int) -> int:
    """The 32-bit hash from which row ``row`` of the sketch takes bucket and sign."""
    return model._learner().hash(row, key)


def reading_of(model: OnlineClassifier, *, to_learn: bool) -> dict[str, Any]:
    """The options of `open_examples` for rows of this model, except those about files.

    For predictions the kinds of columns are fixed; while learning they may change.
    """
    return model._reading(to_learn=to_learn)


def learn_block(
    model: OnlineClassifier,
    block: _core.RowBlock,
    sample_weight: NDArray[np.float32] | None = None,
    times: NDArray[np.float64] | None = None,
    label_names: LabelNames | None = None,
) -> None:
    """Learn the rows of one block from `open_examples`, in order; a row of weight 0 is skipped.

    ``sample_weight`` and ``times`` replace those of the block. Predictions show ``label_names``.
    """
    model._learn_block(block, sample_weight, times, label_names)


def margins_of_block(model: OnlineClassifier, block: _core.RowBlock) -> NDArray[np.float64]:
    """The margin of each row of a block; a row of scores for each row if there are many classes."""
    return model._decision_function_block(block)


def answers_of_block(model: OnlineClassifier, block: _core.RowBlock) -> NDArray[Any]:
    """What `margins_of_block` should have said: -1 or +1, the place of a class, or a number."""
    return model._right_answers(block)


def keys_of_block(model: OnlineClassifier, block: _core.RowBlock) -> NDArray[np.uint32]:
    """The keys of a block's features as the model takes them: names are hashed under its seed."""
    return model._keys_of_block(block)


def rows_as_seen(
    model: OnlineClassifier, block: _core.RowBlock
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
    """Starts, keys and values of the rows of a block as the model sees them."""
    return model._seen_rows(block)
