"""A larger budget for wide tables, if the user has given none."""

from __future__ import annotations

import warnings
from typing import Any

from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, parse_bytes

_SHARE = 4  # the schema takes at most a quarter of the budget


def budget_for_schema(schema_bytes: int) -> str:
    """Return the default budget, or a larger one if this schema would take more than a quarter of it.

    >>> budget_for_schema(300), budget_for_schema(50_000)
    ('32KiB', '256KiB')
    """
    budget = parse_bytes(DEFAULT_BUDGET)
    while budget < _SHARE * schema_bytes:
        budget *= 2
    return f"{budget // 1024}KiB"


def fit_budget(model: Any, schema_bytes: int) -> None:
    """Choose the budget of a model that has none, so that the schema of its table fits; warn if it is larger.

    A command sets ``chooses_budget`` on a model with the default budget, and tells of the larger one itself.
    """
    quiet = getattr(model, "chooses_budget", False)
    if not hasattr(model, "budget") or (model.budget is not None and not quiet):
        return
    if any(getattr(model, name, None) is not None for name in ("width", "active_set_size")):
        return
    chosen = budget_for_schema(schema_bytes)
    if 2 * schema_bytes <= parse_bytes(model.budget or DEFAULT_BUDGET):
        return
    model.budget = chosen  # so that the parameters say which one it is
    if not quiet:
        warnings.warn(
            f"the columns of this table take {schema_bytes:,} bytes, so the budget is {chosen}, not {DEFAULT_BUDGET} "
            "(budget=... sets it)",
            stacklevel=6,
        )


def restore_budget(model: Any, budget: Any) -> None:
    """Undo the choice for a call that failed."""
    if hasattr(model, "budget"):
        model.budget = budget
