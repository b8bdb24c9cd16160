"""Notes on columns that only a trained model can make."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import has_learned, native_of
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET
from wmsketch.readers.column_notes import ColumnNote


def chosen_budget(model: OnlineClassifier) -> tuple[ColumnNote, ...]:
    """Return a note on a budget that was chosen for a wide table."""
    chosen = getattr(model, "budget", None)
    if not getattr(model, "chooses_budget", False) or chosen == DEFAULT_BUDGET:
        return ()
    return (ColumnNote("budget", fields={"columns": len(model.schema_), "chosen": chosen, "default": DEFAULT_BUDGET}),)


_MOST_LATE = 20  # more than this are words with counts


def late_numbers(model: OnlineClassifier, numbers: list[str]) -> tuple[ColumnNote, ...]:
    """Return notes on number columns that first appeared after the first rows, and are therefore unscaled."""
    if not has_learned(model) or not native_of(model).has_other_columns:
        return ()
    schema = model.schema_
    known = {column.name for column in schema} if schema.table and schema.rules.numbers != "raw" else set(numbers)
    late = tuple(ColumnNote("late_numbers", name) for name in numbers if name not in known)
    return late if len(late) <= _MOST_LATE else ()


def warnings_of(work: Callable[[], object]) -> list[str]:
    """Do some work; return what it warned of.

    >>> warnings_of(lambda: warnings.warn("3 rows left out"))
    ['3 rows left out']
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        work()
    return [str(each.message) for each in told]
