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
    """The labels in the order of the columns that `decision_function_block` gives for many classes.

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
