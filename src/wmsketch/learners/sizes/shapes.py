"""Bytes to shape: how a budget is shared between the active set, the cells and the names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, largest, parse_bytes
from wmsketch.methods import has_cells, has_set

MOST_ROWS = 64  # of a sketch
WAYS = 8  # keys in a line of the associative set
KEYS_FOR_A_FEATURE_ASKED = 1.5  # with only as many keys as features asked for, chance decides about the last ones
MOST_FOR_KEYS = 0.75  # of the budget, however many features are asked for: the tail needs cells
# With adaptive steps, `top` finds features only among the keys, so the usual number may take a quarter.
USUAL_KEYS, MOST_FOR_USUAL_KEYS = 256, 0.25
MOST_NAME_BYTES = 2**32 - 2  # of an arena, whose places are 32 bits
NAME_BYTES = 20  # set aside for each name of the active set; long names borrow from short ones


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a store, and the options that decide how many bytes they take."""

    kind: str
    step: str = "plain"
    exact_set: bool = False
    depth: int = 1
    width: int = 0
    active_set_size: int = 0
    name_bytes: int = 0
    n_features: int = 0
    hash_family: str = "mixer"
    independence: int = 8
    averaged: bool = False

    @property
    def nbytes(self) -> int:
        """True bytes of a new learner of this shape."""
        return _core.nbytes_of(**{name: getattr(self, name) for name in self.__slots__})

    @property
    def owned_cells(self) -> bool:
        """Whether each cell has one owner."""
        return self.kind == "awm" and self.step == "adaptive"

    @property
    def bucket(self) -> int:
        """Cells come in groups of this size."""
        return WAYS if self.owned_cells else 1

    @property
    def has_lines(self) -> bool:
        return self.kind in ("wm", "awm") and not self.exact_set


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user has fixed; None is left to us."""

    budget: int | str | None = None
    depth: int | None = None
    width: int | None = None
    active_set_size: int | None = None
    name_bytes: int | str | None = None
    top_k: int | None = None  # features that will be asked for
    reserved: int = 0  # bytes of the budget that something else takes


def choose_shape(base: Shape, wanted: Wanted, *, named: bool, set_share: float, depth: int) -> Shape:
    """Return the shape that fills the budget, with what the user fixed left as it is.

    ``set_share`` of the budget goes to the active set with its names, or more if ``wanted.top_k`` features need it; the
    rest goes to the cells. A budget that is too small is refused with the smallest that works.

    >>> shape = choose_shape(Shape("awm"), Wanted("8KiB"), named=False, set_share=0.5, depth=1)
    >>> shape.active_set_size, shape.width, shape.nbytes <= 8192
    (504, 1010, True)
    """
    budget = None if wanted.budget is None else parse_bytes(wanted.budget)
    fixed = _fixed(base, wanted, depth)
    all_fixed = (fixed.active_set_size or not has_set(base.kind)) and (fixed.width or not has_cells(base.kind))
    if budget is None and not all_fixed:
        budget = parse_bytes(DEFAULT_BUDGET)
    if budget is None:
        return _with_names(fixed, wanted, named)
    shape = _fill(fixed, wanted, budget - wanted.reserved, named, set_share)
    if shape.nbytes + wanted.reserved > budget:
        smallest = _fill(fixed, wanted, 0, named, set_share).nbytes + wanted.reserved
        if all_fixed or smallest <= budget:
            raise ParameterError("budget", f"is {budget} bytes, but this shape takes {shape.nbytes + wanted.reserved}")
        names = " with names" if shape.name_bytes else ""
        raise ParameterError("budget", f"must be at least {smallest} bytes{names}", wanted.budget)
    return shape


def whole_lines(keys: int) -> int:
    """Return the keys of an associative set that has room for so many.

    >>> whole_lines(1), whole_lines(17)
    (16, 24)
    """
    return max(2 * WAYS, -(-keys // WAYS) * WAYS)


def _fixed(base: Shape, wanted: Wanted, depth: int) -> Shape:
    chosen = depth if wanted.depth is None else require_integer("depth", wanted.depth, 1, MOST_ROWS)
    width = 0 if wanted.width is None else require_integer("width", wanted.width, 1, 2**31)
    keys = 0 if wanted.active_set_size is None else require_integer("active_set_size", wanted.active_set_size, 1, 2**28)
    if keys and base.has_lines:
        keys = whole_lines(keys)
    return replace(base, depth=chosen, width=-(-width // base.bucket) * base.bucket, active_set_size=keys)


def _names_for(shape: Shape, wanted: Wanted, named: bool) -> int:
    if wanted.name_bytes is not None:
        if wanted.name_bytes == 0:
            return 0
        name_bytes = parse_bytes(wanted.name_bytes, "name_bytes")
        if name_bytes > MOST_NAME_BYTES:
            raise ParameterError("name_bytes", f"must be at most {MOST_NAME_BYTES} bytes", wanted.name_bytes)
        return max(name_bytes, 5 * shape.active_set_size)  # the arena's own minimum
    return min(NAME_BYTES * shape.active_set_size, MOST_NAME_BYTES) if named else 0


def _with_names(shape: Shape, wanted: Wanted, named: bool) -> Shape:
    return replace(shape, name_bytes=_names_for(shape, wanted, named)) if has_set(shape.kind) else shape


def _fill(fixed: Shape, wanted: Wanted, budget: int, named: bool, set_share: float) -> Shape:
    """The largest shape within the budget, or the smallest possible one if none fits."""
    shape = fixed
    if has_set(fixed.kind) and not fixed.active_set_size:
        share = set_share if has_cells(fixed.kind) and not fixed.width else 1.0
        empty = replace(fixed, width=fixed.width or int(has_cells(fixed.kind)) * fixed.bucket)
        step = WAYS if fixed.has_lines else 1
        least = 2 * WAYS if fixed.has_lines else 1

        def with_keys(keys: int) -> Shape:
            return _with_names(replace(empty, active_set_size=keys), wanted, named)

        overhead = with_keys(least).nbytes - least * (with_keys(2 * least).nbytes - with_keys(least).nbytes) // least

        def keys_within(share: float) -> int:
            room = overhead + share * (budget - overhead)
            return largest(lambda n: with_keys(n * step).nbytes <= room, least // step, 2**28 // step) * step

        keys = keys_within(share)
        if fixed.owned_cells and share < MOST_FOR_USUAL_KEYS:
            keys = max(keys, min(USUAL_KEYS, keys_within(MOST_FOR_USUAL_KEYS)))
        asked = 0 if wanted.top_k is None else require_integer("top_k", wanted.top_k, 1, 2**28)
        if KEYS_FOR_A_FEATURE_ASKED * asked > keys:
            enough = -(-int(KEYS_FOR_A_FEATURE_ASKED * asked) // step) * step
            keys = max(keys, min(enough, keys_within(max(share, MOST_FOR_KEYS))))
        shape = with_keys(keys)
    else:
        shape = _with_names(shape, wanted, named)
    if has_cells(fixed.kind) and not fixed.width:
        bucket = shape.bucket
        most = 2**31 // shape.depth // bucket
        width = largest(lambda n: replace(shape, width=n * bucket).nbytes <= budget, 1, most) * bucket
        shape = replace(shape, width=width)
    elif fixed.width:
        shape = replace(shape, width=fixed.width)
    return shape
