"""Columns of numbers, measured in deviations from their mean, or as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wmsketch.cli.errors import Failed

if TYPE_CHECKING:
    from wmsketch._core import NumberScales

CHOICES = ("scaled", "raw")
_COLUMNAR = ("csv", "tsv", "jsonl", "parquet", "arrow")


def new_scales(numbers: str | None) -> NumberScales | None:
    """Return what measures the numbers of a stream that begins, None where they stay raw."""
    from wmsketch._core import NumberScales

    return None if numbers == "raw" else NumberScales()


def noted_scales(note: dict[str, Any]) -> NumberScales | None:
    """Return what measures numbers for a model; one that says nothing of it learned them raw.

    >>> noted_scales({"number_scales": {"price": [2, 5.0, 8.0]}}).state()
    {'price': (2, 5.0, 8.0)}
    """
    from wmsketch._core import NumberScales

    state = note.get("number_scales")
    try:
        return None if state is None else NumberScales(state)
    except (TypeError, ValueError) as problem:
        raise Failed(f"number_scales must hold a count, a mean and a sum of squares a column: {problem}") from problem


def require_same_numbers(path: str, scales: NumberScales | None, numbers: str | None) -> None:
    """Refuse numbers that a model has not learned in this way."""
    has = "raw" if scales is None else "scaled"
    if numbers not in (None, has):
        raise click.UsageError(f"--numbers is {has} in {path}; got {numbers}")


def require_columns_for(numbers: str | None, format: str | None) -> None:
    """Refuse the option where features say themselves how large they are."""
    if numbers is not None and format not in _COLUMNAR:
        raise click.UsageError(f"--numbers has no meaning for {format} input")
