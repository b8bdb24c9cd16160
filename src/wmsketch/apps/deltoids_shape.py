"""How a budget is shared between classifier, names and counters."""

from __future__ import annotations

from wmsketch import _core
from wmsketch.learners.awm import AWMSketch
from wmsketch.learners.baselines import LogisticRegression
from wmsketch.learners.counter_base import largest_that_fits

METHODS = ("awm", "paired-count-min", "lr")
# Measured (docs/diff.md): Newton's steps find rare items in time and settle on frequent ones. Nearly all bytes are for
# items and few for cells, which only say who may be worth a place. An intercept would take a part of every ratio.
_RULE = {"step": "newton", "eviction": "drop", "eta0": 0.6, "l2": 0.0, "fit_intercept": False}
# Without a limit every item has its counts, and they say best how far to step.
_UNLIMITED_RULE = {"step": "plain", "eta0": 1.0, "l2": 0.0, "fit_intercept": False}
_SET_SHARE = 0.95
_FIXED = 64  # bytes of totals beside the method
_LINE = 8
_ITEM = 8  # bytes of an item in the active set: key, weight and squares
_PLACE_OF_NAME = 4


def new_deltoids(
    method: str, budget: int, name_bytes: int, seed: int, *, weighted: bool, per_item: bool, counts: bool
) -> _core.Deltoids:
    """Make the native object; `name_bytes` for each item, 0 for integers.

    >>> new_deltoids("awm", 32768, 24, 0, weighted=False, per_item=False, counts=True).nbytes <= 32768
    True
    """
    if method == "lr":
        model = LogisticRegression(**_UNLIMITED_RULE, seed=seed)  # type: ignore[arg-type]
        config = _core.Config(**model._config(named=name_bytes > 0))
        return _core.Deltoids.linear(config, 0, True, weighted, per_item)
    if method == "paired-count-min":
        shape = _pair_shape(budget, name_bytes)
        return _core.Deltoids.paired_count_min(*shape, seed, per_item)
    for_one = _core.pair_counter_bytes(_LINE, weighted) // _LINE if counts else 0

    def bytes_for(lines: int) -> int:
        return lines * _LINE * (_ITEM + (_PLACE_OF_NAME + name_bytes if name_bytes else 0) + for_one)

    size = _LINE * largest_that_fits(bytes_for, int(_SET_SHARE * (budget - _FIXED)))
    if size < 2 * _LINE:
        least = int(bytes_for(2) / _SET_SHARE) + 512
        raise ValueError(f"budget must be at least about {least} bytes, got {budget}")
    sketch = AWMSketch(
        budget - _FIXED - size * for_one,
        active_set_size=size,
        name_bytes=name_bytes * size,
        seed=seed,
        **_RULE,  # type: ignore[arg-type]
    )
    config = _core.Config(**sketch._config(named=name_bytes > 0))
    return _core.Deltoids.linear(config, size if counts else 0, False, weighted, per_item)


def _pair_shape(budget: int, name_bytes: int) -> tuple[int, int, int, int]:
    """Depth, width, tracked keys and bytes of their names: a quarter of the budget for the keys."""
    depth = 4
    size = largest_that_fits(lambda n: int(_core.heavy_keys_bytes(n, n * name_bytes)), budget // 4)
    fixed = int(_core.heavy_keys_bytes(size, size * name_bytes)) + 2 * int(_core.hasher_bytes(depth, "mixer")) + _FIXED
    width = (budget - fixed) // (8 * depth)
    if width < 1 or size < 1:
        raise ValueError(f"budget must be at least about 1024 bytes, got {budget}")
    return depth, width, size, size * name_bytes
