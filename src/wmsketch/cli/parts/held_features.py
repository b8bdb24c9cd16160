"""How many features a model holds by themselves, of how many, and what a larger budget would change."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from wmsketch._core import DistinctFeatures
from wmsketch.learners.awm import AWMSketch
from wmsketch.learners.base import OnlineClassifier
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.introspection import is_multiclass, native_of, shape_of
from wmsketch.learners.lazy_numpy import np

_SLOTS_PER_FEATURE = 2.0  # a feature has its place in one line of eight slots, and lines fill unevenly
_NEARLY = 0.9  # the number of different features is an estimate, with a standard error of 4.6 %
_LARGEST = 2**40


@dataclass(frozen=True, slots=True)
class HeldFeatures:
    """`held` of about `distinct` features have a slot of their own; with `budget_for_all` nearly all would have one.

    >>> HeldFeatures(1402, 27483, "1MiB").line()
    '1,402 of about 27,483 features have a weight of their own, others share cells; --budget 1MiB has room for all'
    >>> HeldFeatures(123, 123).line()
    'all 123 features have a weight of their own'
    """

    held: int
    distinct: int
    budget_for_all: str | None = None

    def as_record(self) -> dict[str, Any]:
        """The facts as JSON has them."""
        return asdict(self)

    def line(self) -> str:
        """The facts in a line."""
        if self.budget_for_all is None and self.held == self.distinct:
            return f"all {self.held:,} features have a weight of their own"
        said = f"{self.held:,} of about {self.distinct:,} features have a weight of their own"
        if self.budget_for_all is None:
            return said
        return f"{said}, others share cells; --budget {self.budget_for_all} has room for all"


def held_features(model: OnlineClassifier, seen: DistinctFeatures) -> HeldFeatures | None:
    """Return what is held of the features that were counted; None for models to which this does not apply."""
    if not isinstance(model, AWMSketch) or is_multiclass(model):
        return None
    if model.budget is None or model.active_set_size is not None:
        return None
    held = len(native_of(model).top(2**32 - 1))
    without_value = sum(column.kind == "number" and column.deviation == 0 for column in model.schema_)
    distinct = max(round(seen.estimate) - without_value, held)  # a number that is always the same is always 0
    if held < _NEARLY * distinct:
        return HeldFeatures(held, distinct, _budget_for(model, distinct))
    return HeldFeatures(held, distinct)


def _budget_for(model: AWMSketch, n_features: int) -> str | None:
    from wmsketch.apps.held import round_budget

    native = native_of(model)
    budget = parse_bytes(model.budget or 0)
    while budget < _LARGEST:
        budget *= 2
        larger = AWMSketch(**{**model.get_params(), "budget": budget})
        if (
            shape_of(larger, named=native.named, beside=native.schema_nbytes).active_set_size
            >= _SLOTS_PER_FEATURE * n_features
        ):
            return round_budget(budget)
    return None


def as_text(seen: DistinctFeatures) -> str:
    """The state of a counter, for a note in a file."""
    return np.asarray(seen.state()["distinct_ranks"], dtype=np.uint8).tobytes().hex()


def of_text(text: str | None) -> DistinctFeatures:
    """Return the counter that `as_text` was made of; without a text, an empty one."""
    seen = DistinctFeatures()
    if text is not None:
        seen.load_state({"distinct_ranks": np.frombuffer(bytes.fromhex(text), dtype=np.uint8)})
    return seen
