"""How a budget is divided between slots, names and the sketch of the rest, and which budget would hold all items."""

from __future__ import annotations

import math

from wmsketch import _core
from wmsketch.apps.held import FULLEST
from wmsketch.errors import ParameterError
from wmsketch.learners.models.baselines import LogisticRegression
from wmsketch.learners.models.introspection import config_of
from wmsketch.learners.sizes.budget import largest, largest_that_fits, require_countable
from wmsketch.learners.sizes.shapes import MOST_NAME_BYTES, WAYS

# Without a limit every item has its counts, which determine the best step.
_UNLIMITED_RULE = {"step": "plain", "eta0": 1.0, "l2": 0.0, "fit_intercept": False}
_FIXED = 80  # bytes of the totals
_CELL = 8  # bytes of a column of the sketch: both streams, two rows; twice as many if amounts are counted
_FEW_BYTES = 65536  # up to here, few items have names


def new_diff(
    method: str,
    budget: int,
    name_bytes: int,
    seed: int,
    *,
    weighted: bool,
    per_item: bool,
    half_life: float = 0.0,
) -> _core.Diff:
    """Make the native object; `name_bytes` for each item, 0 for integers.

    >>> new_diff("count-table", 32768, 24, 0, weighted=False, per_item=False).nbytes <= 32768
    True
    """
    if method == "lr":
        model = LogisticRegression(**_UNLIMITED_RULE, seed=seed)  # type: ignore[arg-type]
        config = _core.Config(**config_of(model, named=name_bytes > 0))
        return _core.Diff.linear(config, True, per_item)
    if method == "paired-count-min":
        return _core.Diff.paired_count_min(*_pair_shape(budget, name_bytes), seed, per_item)
    shape = table_shape(budget, name_bytes, weighted or half_life > 0)
    return _core.Diff.count_table(*shape, seed, per_item, half_life)


def table_shape(budget: int, name_bytes: int, weighted: bool) -> tuple[int, int, int, int, bool]:
    """Return lines, width of the sketch, names, their bytes, and whether amounts are counted.

    Up to 64 KiB the sketch takes a quarter of the budget, and a quarter of the items have names: those that would be
    shown. From 1 MiB on it takes an eighth, and every item has a name. For integers it takes a sixteenth.

    >>> table_shape(32768, 24, False)
    (128, 1024, 256, 6144, False)
    """
    require_countable(budget)
    growth = max(1.0, budget / _FEW_BYTES)
    share = max(0.125, 0.25 * growth**-0.25) if name_bytes else 0.0625
    past_width = max(16, int(budget * share) // (_CELL * (2 if weighted else 1)))
    named = min(1.0, 0.25 * growth**0.5) if name_bytes else 0.0

    def shape(lines: int) -> tuple[int, int, int, int, bool]:
        names = math.ceil(named * lines * WAYS)
        return lines, past_width, names, names * name_bytes, weighted

    def bytes_for(lines: int) -> int:
        return int(_core.diff_table_bytes(*shape(lines))) + _FIXED

    lines = min(largest_that_fits(bytes_for, budget), MOST_NAME_BYTES // (WAYS * max(1, name_bytes)))
    if lines < 2:
        raise ParameterError("budget", f"must be at least about {bytes_for(2)} bytes", budget)
    return shape(lines)


def budget_for(n_items: float, name_bytes: int, weighted: bool) -> int:
    """Return about the least budget with a slot for each of this many items.

    >>> budget_for(6000, 32, False)
    390551
    """
    wanted = n_items / FULLEST / WAYS
    return (
        largest(lambda budget: budget < 4096 or table_shape(budget, name_bytes, weighted)[0] < wanted, 4095, 2**36) + 1
    )


def _pair_shape(budget: int, name_bytes: int) -> tuple[int, int, int, int]:
    """Return depth, width, tracked keys and bytes of their names; the keys take a quarter of the budget."""
    depth = 4
    size = largest_that_fits(lambda n: int(_core.heavy_keys_bytes(n, n * name_bytes)), budget // 4)
    fixed = int(_core.heavy_keys_bytes(size, size * name_bytes)) + 2 * int(_core.hasher_bytes(depth, "mixer")) + _FIXED
    width = (budget - fixed) // (8 * depth)
    if width < 1 or size < 1:
        raise ParameterError("budget", "must be at least about 1024 bytes", budget)
    return depth, width, size, size * name_bytes
