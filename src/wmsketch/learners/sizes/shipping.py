"""Learn large, ship small: a model learns in many bytes, is made small, and learns its rows once more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wmsketch.errors import ParameterError
from wmsketch.learners.sizes.budget import parse_bytes

LEARNED_IN = "16MiB"  # where no budget says otherwise


@contextmanager
def learned_large(model: Any, ship_budget: int | str) -> Iterator[None]:
    """Let a call of `fit` learn in many bytes and finish in ``ship_budget``; if it fails, nothing has changed."""
    if model.kind != "awm":
        raise ValueError(
            f"ship_budget must not be given for {type(model).__name__}: only an AWM-Sketch can change size"
        )
    before = model.budget
    try:
        model.budget = ship_budget
        model.check_parameters()
        if before is not None and parse_bytes(before) < parse_bytes(ship_budget):
            raise ParameterError("ship_budget", f"must be at most the budget, which is {before}", ship_budget)
        model.budget = LEARNED_IN if before is None else before
        model.__dict__["_ship_budget"] = ship_budget
        yield
    except BaseException:
        model.budget = before
        raise
    finally:
        model.__dict__.pop("_ship_budget", None)


def passes_of(model: Any, passes: int) -> Iterator[int]:
    """Count the passes of `fit`; before one more, a model that is to be shipped gets its size.

    >>> from wmsketch import AWMSketch
    >>> list(passes_of(AWMSketch(), passes=2))
    [0, 1]
    """
    yield from range(passes)
    ship_budget = model.__dict__.get("_ship_budget")
    if ship_budget is not None:
        from wmsketch.learners.sizes.resize import within

        model.__dict__.update(within(model, ship_budget).__dict__)
        yield passes
        passes += 1
    model._passes_made = passes
