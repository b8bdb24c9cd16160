"""How a budget is shared between the parts of an explainer."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from wmsketch import _core
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.shapes import MOST_NAME_BYTES, WAYS, Shape

_MOST_BYTES = 2**34
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
    if n_bytes > _MOST_BYTES:
        raise ValueError(f"budget must be at most {_MOST_BYTES} bytes to explain, got {n_bytes}")

    def sizes_of(lines: int) -> Sizes | None:
        return _with_keys(n_bytes, lines * WAYS, order, n_percentiles, kind)

    lines = range(2, min(n_bytes // 64, MOST_NAME_BYTES // (_NAME_BYTES * order)) // WAYS + 1)
    fit = bisect_left(lines, True, key=lambda n: sizes_of(n) is None)
    sizes = sizes_of(lines[fit - 1]) if fit else None
    if sizes is None:
        least = _least(order, n_percentiles, kind)
        raise ValueError(f"budget must be at least {least} bytes to explain, got {n_bytes}")
    return sizes


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
