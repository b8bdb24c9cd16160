"""Bytes to shape: how a budget is shared between the sketch, the names and the sample of items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.checks import require_integer
from wmsketch.learners.counter_base import largest_that_fits
from wmsketch.learners.shapes import WAYS, whole_lines

WIDTH, ACTIVE_SET_SIZE, RESERVOIR = 2**16, 1024, 4000  # the paper's
PAIR_NAME_BYTES, ITEM_NAME_BYTES = 32, 16  # on average; long names borrow from short ones


@dataclass(frozen=True)
class Shape:
    """The sizes of the parts."""

    width: int = WIDTH
    active_set_size: int = ACTIVE_SET_SIZE
    reservoir: int = RESERVOIR

    @property
    def item_width(self) -> int:
        """Cells in each row of the Count-Min that counts items: there are fewer items than pairs."""
        return max(64, self.width // 4)

    @property
    def name_bytes(self) -> int:
        return PAIR_NAME_BYTES * self.active_set_size

    @property
    def reservoir_names(self) -> int:
        return ITEM_NAME_BYTES * self.reservoir


def choose_shape(
    budget: int | str | None,
    width: int | None,
    active_set_size: int | None,
    reservoir: int | None,
    nbytes_of: Callable[[Shape], int],
) -> Shape:
    """Return what was asked for, the paper's shape for the rest, and what a budget allows.

    A budget goes one half to the cells and the counts of items, a quarter to the active set with its names, a quarter
    to the sample.

    >>> choose_shape("64KiB", None, None, 500, lambda shape: 4 * shape.width + 12 * shape.item_width + 5000)
    Shape(width=8648, active_set_size=256, reservoir=500)
    """
    shape = Shape(
        require_integer("width", WIDTH if width is None else width, 1),
        whole_lines(require_integer("active_set_size", active_set_size or ACTIVE_SET_SIZE, 1)),
        require_integer("reservoir", RESERVOIR if reservoir is None else reservoir, 1),
    )
    if budget is None:
        return shape
    total = parse_bytes(budget)
    if active_set_size is None:
        per_pair = PAIR_NAME_BYTES + 8 + 20 + 4  # key and weight, counter, place of the name
        shape = replace(shape, active_set_size=max(2 * WAYS, total // 4 // per_pair // WAYS * WAYS))
    if reservoir is None:
        shape = replace(shape, reservoir=max(16, min(RESERVOIR, total // 4 // (ITEM_NAME_BYTES + 8))))
    if width is None:
        width = largest_that_fits(lambda cells: nbytes_of(replace(shape, width=max(1, cells))), total)
        shape = replace(shape, width=max(1, width))
    needed = nbytes_of(shape)
    if needed > total:
        raise ValueError(f"budget must be at least {needed} bytes for this shape, got {total}")
    return shape
