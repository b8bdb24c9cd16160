"""How a budget is divided between the slots of pairs, the names, the counts of items and the sketch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wmsketch.apps.held import FULLEST
from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.sizes.budget import largest, largest_that_fits, parse_bytes, require_countable
from wmsketch.learners.sizes.shapes import WAYS, whole_lines

MORE_BOUNDS = 2**18
WIDTH, ACTIVE_SET_SIZE, RESERVOIR = 2**16, 2**13, 4000  # maxima: more does not improve answers


@dataclass(frozen=True)
class PmiShape:
    """The sizes of the parts."""

    width: int
    active_set_size: int
    reservoir: int
    item_width: int
    bound_width: int
    names: int
    name_bytes: int  # for each
    lines: int = 2  # of eight pairs


def choose_pmi_shape(
    budget: int | str,
    width: int | None,
    active_set_size: int | None,
    reservoir: int | None,
    name_bytes: int,
    nbytes_of: Callable[[PmiShape], int],
    *,
    more_bounds: bool = False,
) -> PmiShape:
    """Return the sizes given, and fill the rest of the budget.

    The counts of items take an eighth, the bounds of pairs without a slot a quarter, of a small budget three eighths
    if `more_bounds`, the sketch and the active set at
    most an eighth, the sample as much, the names a quarter, and the slots of pairs the rest.

    >>> shape = choose_pmi_shape("64KiB", None, None, 500, 12, lambda shape: 4 * shape.width + 200 * shape.lines)
    >>> shape.width, shape.active_set_size, shape.reservoir, shape.lines
    (1032, 528, 500, 307)
    """
    total = require_countable(parse_bytes(budget))
    least = PmiShape(
        width=require_integer("width", 16 if width is None else width, 1),
        active_set_size=whole_lines(require_integer("active_set_size", active_set_size or 2 * WAYS, 1)),
        reservoir=require_integer("reservoir", 16 if reservoir is None else reservoir, 1),
        item_width=16,
        bound_width=16,
        names=16,
        name_bytes=name_bytes,
    )
    spare = max(0, total - nbytes_of(least))
    shape = replace(
        least,
        width=min(WIDTH, 16 + spare // 64) if width is None else least.width,
        active_set_size=least.active_set_size if active_set_size else _places(spare),
        reservoir=min(RESERVOIR, 16 + spare // 32) if reservoir is None else least.reservoir,
        item_width=16 + spare // 8 // 12,
        bound_width=16 + (spare // 4 + more_bounds * min(spare // 8, MORE_BOUNDS)) // 12,
        names=16 + spare // 4 // (name_bytes + 24),
    )
    lines = largest_that_fits(lambda n: nbytes_of(replace(shape, lines=max(1, n))), total)
    if lines < 2:
        raise ParameterError("budget", f"must be at least {nbytes_of(shape)} bytes for this shape", total)
    return replace(shape, lines=lines)


def _places(spare: int) -> int:
    """Return the size of the active set."""
    return whole_lines(min(ACTIVE_SET_SIZE, 2 * WAYS + spare // 128))


def budget_for(n_pairs: float, lines_of: Callable[[int], int]) -> int:
    """Return about the least budget with a slot for each pair; `lines_of(budget)` is the number of lines."""
    wanted = n_pairs / FULLEST / WAYS
    return largest(lambda budget: lines_of(budget) < wanted, 1, 2**36) + 1
