"""How a budget is shared between the parts of an explainer."""

from __future__ import annotations

from dataclasses import dataclass

from wmsketch import _core
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.shapes import WAYS, Shape

_LEAST_QUANTILE_BYTES = 2048
_LEAST_COLUMN_BYTES = 2048
_NAME_BYTES = 32  # of each value in a name; long ones borrow from short ones


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes and shapes of the parts; together they are at most the budget."""

    model: Shape
    tracked: int
    count_bytes: int
    quantile_bytes: int
    column_bytes: int

    @property
    def nbytes(self) -> int:
        return self.model.nbytes + self.count_bytes + self.quantile_bytes + self.column_bytes


def choose_sizes(budget: int | str, order: int, n_percentiles: int, kind: str = "adaptive_awm") -> Sizes:
    """Return the sizes that fill the budget: an eighth for percentiles, a sixteenth for columns, the rest for keys.

    Each heavy key costs its place in the active set, a name (longer for conjunctions), four bytes of cells in the
    sketch, and one and a half counters, so that keys on the brink stay counted. What is left counts the keys that are
    not heavy.

    >>> choose_sizes("128KiB", 1, 1).nbytes <= 128 * 1024
    True
    """
    n_bytes = parse_bytes(budget)
    for keys in range(n_bytes // 64 // WAYS * WAYS, 0, -WAYS):
        sizes = _with_keys(n_bytes, keys, order, n_percentiles, kind)
        if sizes is not None:
            return sizes
    raise ValueError(f"budget must be at least {_least(order, n_percentiles, kind)} bytes to explain, got {n_bytes}")


def _with_keys(budget: int, keys: int, order: int, n_percentiles: int, kind: str) -> Sizes | None:
    quantile_bytes = n_percentiles * max(_LEAST_QUANTILE_BYTES, budget // 8 // n_percentiles) if n_percentiles else 0
    column_bytes = max(_LEAST_COLUMN_BYTES, budget // 16)
    cells = 2 * keys if kind == "adaptive_awm" else keys  # of two bytes, or of four
    model = Shape(kind, width=cells, active_set_size=keys, name_bytes=_NAME_BYTES * order * keys)
    count_bytes = budget - quantile_bytes - column_bytes - model.nbytes
    tracked = keys + keys // 2
    sketch_bytes = 8 * 3 * keys // 2  # of counting: half a cell a key in each row
    if keys < 2 * WAYS or count_bytes < _core.AttributeCounts.least_bytes(tracked) + sketch_bytes:
        return None
    return Sizes(model, tracked, count_bytes, quantile_bytes, column_bytes)


def _least(order: int, n_percentiles: int, kind: str) -> int:
    budget = 1024
    while _with_keys(budget, 2 * WAYS, order, n_percentiles, kind) is None:
        budget += 256
    return budget
