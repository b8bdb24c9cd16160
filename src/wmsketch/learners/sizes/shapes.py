"""Bytes to shape: how a budget is shared between the active set, the cells and the names."""

from __future__ import annotations

from dataclasses import replace

from wmsketch import _core
from wmsketch.errors import ParameterError
from wmsketch.late import dataclass
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, parse_bytes

MOST_ROWS: int = _core.MOST_DEPTH  # of a sketch
WAYS: int = _core.WAYS  # keys in a line of the associative set
MOST_NAME_BYTES: int = _core.MOST_NAME_BYTES  # of an arena


@dataclass(frozen=True)
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
        return _core.nbytes_of(**{name: getattr(self, name) for name in self.__match_args__})

    @property
    def owned_cells(self) -> bool:
        """Whether each cell has one owner."""
        return self.kind == "awm" and self.step == "adaptive"


@dataclass(frozen=True)
class Wanted:
    """What the user has fixed; None is chosen here."""

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
    fixed = replace(
        base,
        depth=depth if wanted.depth is None else require_integer("depth", wanted.depth, 1, MOST_ROWS),
        width=_given("width", wanted.width, 2**31),
        active_set_size=_given("active_set_size", wanted.active_set_size, 2**28),
    )
    try:
        width, keys, name_bytes = _core.choose_shape(
            **{name: getattr(fixed, name) for name in fixed.__match_args__ if name not in ("name_bytes", "n_features")},
            budget=min(parse_bytes(DEFAULT_BUDGET if wanted.budget is None else wanted.budget), 2**62),
            budget_is_default=wanted.budget is None,
            reserved=wanted.reserved,
            named=named,
            name_bytes=_name_bytes(wanted.name_bytes),
            set_share=set_share,
            top_k=_given("top_k", wanted.top_k, 2**28),
        )
    except ParameterError as problem:
        if problem.parameter == "budget" and problem.value is not None and wanted.budget is not None:
            raise ParameterError("budget", problem.rule, wanted.budget) from None  # as the caller wrote it
        raise
    return replace(fixed, width=width, active_set_size=keys, name_bytes=name_bytes)


def whole_lines(keys: int) -> int:
    """Return the capacity of an associative set for this many keys, in whole lines.

    >>> whole_lines(1), whole_lines(17)
    (16, 24)
    """
    return max(2 * WAYS, -(-keys // WAYS) * WAYS)


def _given(name: str, value: int | None, most: int) -> int:
    return 0 if value is None else require_integer(name, value, 1, most)


def _name_bytes(given: int | str | None) -> int | None:
    if given is None or given == 0:
        return given
    name_bytes = parse_bytes(given, "name_bytes")
    if name_bytes > MOST_NAME_BYTES:
        raise ParameterError("name_bytes", f"must be at most {MOST_NAME_BYTES} bytes", given)
    return name_bytes
