"""How a budget is divided between the parts of an explainer."""

from __future__ import annotations

from dataclasses import replace

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.late import dataclass
from wmsketch.learners.sizes.budget import largest, parse_bytes
from wmsketch.learners.sizes.shapes import MOST_NAME_BYTES
from wmsketch.readers.variable_words import bytes_for_words

DEFAULT_BUDGET = "16MiB"  # holds all values of typical tables: see docs/explain.md
_MOST_BYTES = 2**34
_LEAST_COLUMN_BYTES, _MOST_COLUMN_BYTES = 2048, 1 << 20
_LEAST_QUANTILE_BYTES, _MOST_QUANTILE_BYTES = 2048, 1 << 16
_NAME_BYTES = {1: 40, 2: 20, 3: 12}  # per slot, by order: conjunctions have no names
_LEAST_CAPACITY, _MOST_CAPACITY = 16, 2**28
_LEAST_NAME_BYTES = 5
_ROOM = 1.1  # margin: the number of values is known to 5 %


@dataclass(frozen=True)
class Sizes:
    """Bytes and shapes of the parts; their sum is at most the budget."""

    capacity: int  # attributes and conjunctions that are held
    width: int  # of the sketch for the others
    name_bytes: int
    quantile_bytes: int  # of each percentile
    column_bytes: int
    n_percentiles: int
    n_moments: int = 0  # of a metric, for each attribute and side

    @property
    def table(self) -> tuple[int, int, int, int]:
        """Return the shape of the table for the core."""
        return self.capacity, self.width, self.name_bytes, self.n_moments

    @property
    def nbytes(self) -> int:
        """Bytes of all parts."""
        others = self.n_percentiles * self.quantile_bytes + self.column_bytes
        return _core.AttributeStream.table_bytes(self.table) + others


def choose_sizes(
    budget: int | str, order: int, n_percentiles: int, n_moments: int = 0, *, templates: bool = False
) -> Sizes:
    """Return the sizes that fill the budget: up to an eighth each for percentiles and for columns, the rest for counts.

    With `templates`, a part is left for those with <word>.

    >>> choose_sizes("128KiB", 1, 1).nbytes <= 128 * 1024
    True
    """
    n_bytes = parse_bytes(budget)
    n_bytes -= bytes_for_words(n_bytes) if templates else 0
    if n_bytes > _MOST_BYTES:
        raise ParameterError("budget", f"must be at most {_MOST_BYTES} bytes to explain", n_bytes)
    least = _within(0, order, n_percentiles, n_moments).nbytes
    if n_bytes < least:
        raise ParameterError("budget", f"must be at least {least} bytes to explain this", budget)
    return _within(n_bytes, order, n_percentiles, n_moments)


def shape_without_names(sizes: Sizes) -> tuple[int, int, int, int]:
    """Return the shape of a table of the same bytes without names, which has more slots.

    >>> sizes = choose_sizes("128KiB", 1, 0)
    >>> shape_without_names(sizes)[0] > sizes.capacity
    True
    """
    room = _core.AttributeStream.table_bytes(sizes.table)

    def shape(capacity: int) -> tuple[int, int, int, int]:
        return capacity, sizes.width, _LEAST_NAME_BYTES * capacity, sizes.n_moments

    return shape(largest(lambda n: _core.AttributeStream.table_bytes(shape(n)) <= room, sizes.capacity, _MOST_CAPACITY))


def budget_for(
    values: float, name_bytes: float, order: int, n_percentiles: int, n_moments: int = 0, *, templates: bool = False
) -> int:
    """Return the least power of two bytes that holds this many values and conjunctions, and this many bytes of names.

    >>> budget_for(5000, 60_000, 1, 0)
    1048576
    """
    budget = 1 << 12
    while budget < _MOST_BYTES:
        sizes = _within(budget - (bytes_for_words(budget) if templates else 0), order, n_percentiles, n_moments)
        if sizes.nbytes <= budget and sizes.capacity >= _ROOM * values and sizes.name_bytes >= _ROOM * name_bytes:
            break
        budget *= 2
    return budget


def _within(budget: int, order: int, n_percentiles: int, n_moments: int) -> Sizes:
    columns = min(_MOST_COLUMN_BYTES, max(_LEAST_COLUMN_BYTES, budget // 8))
    quantiles = max(1, n_percentiles) * 8
    each = min(_MOST_QUANTILE_BYTES, max(_LEAST_QUANTILE_BYTES, budget // quantiles)) if n_percentiles else 0
    room = budget - columns - n_percentiles * each

    def with_capacity(capacity: int) -> Sizes:
        width = 24 + 3 * (capacity // 8 + min(capacity, 1024) // 8)  # small tables evict more
        names = min(_NAME_BYTES[order] * capacity, MOST_NAME_BYTES)
        return Sizes(capacity, width, names, each, columns, n_percentiles, n_moments)

    def fits(capacity: int) -> bool:
        return _core.AttributeStream.table_bytes(with_capacity(capacity).table) <= room

    sizes = with_capacity(largest(fits, _LEAST_CAPACITY, _MOST_CAPACITY))
    return replace(sizes, column_bytes=columns + max(0, budget - sizes.nbytes))  # the remainder
