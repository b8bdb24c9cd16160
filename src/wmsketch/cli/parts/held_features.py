"""How many features have their own weight in a model, and which budget would hold all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from wmsketch._core import DistinctFeatures, RowBlock
from wmsketch.late import dataclass
from wmsketch.learners.models.awm import AWMModel
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import is_multiclass, native_of, shape_of
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.sizes.budget import parse_bytes

_PLACES_PER_FEATURE = 2.0  # a feature belongs to one line of eight slots or cells, and lines fill unevenly
_NEARLY = 0.9  # the number of distinct features is an estimate with a standard error of 4.6 %
_LARGEST = 2**40


@dataclass(frozen=True)
class HeldFeatures:
    """`held` of about `distinct` features have their own weight, `named` of them a name too.

    With `budget_for_all` nearly all would have their own weight. `others` says what the rest do.

    >>> HeldFeatures(1402, 27483, 1402, "1MiB", others="share cells").line()
    '1,402 of about 27,483 features have their own weight, the others share cells; --budget 1MiB would hold all'
    >>> HeldFeatures(123, 123, 123).line()
    'all 123 features have their own weight'
    >>> HeldFeatures(1270, 1285, 248).line()
    'nearly all of about 1,285 features have their own weight, 248 are listed by name'
    """

    held: int
    distinct: int
    named: int
    budget_for_all: str | None = None
    others: str = "weigh 0"

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        record = asdict(self)
        del record["others"]
        return record

    def line(self) -> str:
        """Return one line of text."""
        listed = f", {self.named:,} are listed by name" if self.named < self.held else ""
        if self.budget_for_all is not None:
            said = f"{self.held:,} of about {self.distinct:,} features have their own weight{listed}"
            return f"{said}, the others {self.others}; --budget {self.budget_for_all} would hold all"
        surely = self.named == self.held == self.distinct  # no cell was ever needed
        counts = f"all {self.held:,}" if surely else f"nearly all of about {self.distinct:,}"
        return f"{counts} features have their own weight{listed}"


def held_features(model: OnlineClassifier, seen: DistinctFeatures | None) -> HeldFeatures | None:
    """Return how many of the counted features are held; None for models to which this does not apply."""
    if seen is None or not isinstance(model, AWMModel) or is_multiclass(model):
        return None
    if model.budget is None or model.active_set_size is not None:
        return None
    native = native_of(model)
    named = len(native.top(2**32 - 1))
    held = named + native.owned_cells
    without_value = sum(column.kind == "number" and column.deviation == 0 for column in model.schema_)
    distinct = max(round(seen.estimate) - without_value, held)  # the feature of a constant number is always 0
    others = "weigh 0" if model.step == "adaptive" else "share cells"
    if held < _NEARLY * distinct:
        return HeldFeatures(held, distinct, named, _budget_for(model, distinct), others)
    return HeldFeatures(held, distinct, named, others=others)


def _budget_for(model: AWMModel, n_features: int) -> str | None:
    from wmsketch.apps.held import round_budget

    native = native_of(model)
    budget = parse_bytes(model.budget or 0)
    while budget < _LARGEST:
        budget *= 2
        larger = type(model)(**{**model.get_params(), "budget": budget})
        shape = shape_of(larger, named=native.named, reserved=native.schema_nbytes)
        places = shape.active_set_size + (shape.width if shape.owned_cells else 0)
        if places >= _PLACES_PER_FEATURE * n_features:
            return round_budget(budget)
    return None


def counting() -> Callable[[RowBlock], None]:
    """Return what counts the features of all blocks up to each one, on the thread that reads."""
    counted = DistinctFeatures()

    def count(block: RowBlock) -> None:
        nonlocal counted
        counted = block.counted = counted.after(block)

    return count


def as_text(seen: DistinctFeatures) -> str:
    """Return the state of a counter as text, for the note of a file."""
    return np.asarray(seen.state()["distinct_ranks"], dtype=np.uint8).tobytes().hex()


def of_text(text: str | None) -> DistinctFeatures | None:
    """Return the counter that `as_text` wrote; None without a text."""
    if text is None:
        return None
    seen = DistinctFeatures()
    seen.load_state({"distinct_ranks": np.frombuffer(bytes.fromhex(text), dtype=np.uint8)})
    return seen
