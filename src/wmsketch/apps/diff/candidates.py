"""Which items of two files are counted by name, if not all fit: a first pass finds candidates, a second counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.apps.diff.rows import differences_of
from wmsketch.apps.diff.shape import new_diff
from wmsketch.learners.models.awm import AWMSketch
from wmsketch.learners.models.introspection import config_of
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.methods import COUNT_TABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES_OF_A_KEY = 16  # half of the bytes of the classifier are for keys
_BYTES_BESIDE = 128  # for totals and the state of the classifier


def finder_of(budget: int, seed: int, per_item: bool) -> _core.Diff:
    """Make a classifier of both streams, whose heaviest items are the candidates.

    >>> finder_of(32768, 0, False).nbytes <= 32768
    True
    """
    n_keys = max(16, budget // _BYTES_OF_A_KEY)
    model = AWMSketch(budget - _BYTES_BESIDE, active_set_size=n_keys, name_bytes=0, fit_intercept=False, seed=seed)
    return _core.Diff.linear(_core.Config(**config_of(model, named=False)), False, per_item)


def counter_of(finder: _core.Diff, budget: int, seed: int, settings: dict[str, Any]) -> _core.Diff:
    """Make counts without names, in the same bytes, for as many of the candidates as fit."""
    table = finder.table()
    counter = new_diff(COUNT_TABLE, budget, 0, seed, **settings)
    counter.reserve(_keys(table.keys[np.argsort(-np.abs(table.weights), kind="stable")]))
    return counter


def best_first(counter: _core.Diff) -> NDArray[np.uint32]:
    """Return the keys of the items that were counted, in the order in which `diff` shows them."""
    held = differences_of(counter, COUNT_TABLE)
    return _keys(held.keys[held.ordered(np.arange(len(held)))])


def _keys(keys: NDArray[Any]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(keys, dtype=np.uint32)
