"""The methods that the paper compares with, as classes of the same shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from wmsketch.learners.awm import known_step
from wmsketch.learners.base import OnlineClassifier
from wmsketch.learners.checks import require_integer
from wmsketch.learners.inputs import Rows
from wmsketch.learners.options import HashFamily, Step
from wmsketch.learners.shapes import Shape, Wanted, choose_shape


@dataclass(eq=False, repr=False)
class FeatureHashing(OnlineClassifier):
    """Feature hashing: all bytes in one table of signed cells; no features are kept, so `top` cannot answer.

    ``step`` as in `AWMSketch`; ``"adaptive"`` keeps weight and squared gradients of a cell in 16 bits each.

    >>> model = FeatureHashing("1KiB")
    >>> model.learn_one({"spam": 1.0}, True)
    >>> model.weight("spam") > 0
    True
    """

    kind: ClassVar[str] = "hashed"

    budget: int | str | None = None
    width: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)
    independence: int = field(default=8, kw_only=True)

    def _shape(self, named: bool, beside: int = 0) -> Shape:
        base = Shape(self.kind, known_step(self.step), hash_family=self.hash_family, independence=self.independence)
        return choose_shape(
            base, Wanted(self.budget, width=self.width, beside=beside), named=False, set_share=0.0, depth=1
        )


@dataclass(eq=False, repr=False)
class LogisticRegression(OnlineClassifier):
    """The reference without a limit: one weight for every feature.

    With ``n_features`` an array over ids below it; without, a hash map that grows with what it sees (arrays and sparse
    matrices in `fit` and `partial_fit` say themselves how many features they have). ``step`` as in `AWMSketch`.

    >>> model = LogisticRegression()
    >>> model.learn_one({"spam": 1.0}, True)
    >>> model.top(1)
    [HeavyFeature('spam', weight=0.05, low=0.05, high=0.05)]
    """

    kind: ClassVar[str] = "map"

    n_features: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)

    def _shape(self, named: bool, beside: int = 0) -> Shape:
        columns = getattr(self, "_columns", None) if self.n_features is None else self.n_features
        if columns is None:
            return Shape("map", known_step(self.step), name_bytes=1)
        n_features = require_integer("n_features", columns, 1, 2**32)
        return Shape("dense", known_step(self.step), n_features=n_features)

    def _rows(self, X: Any, *, reset: bool, to_learn: bool = True) -> Rows:
        rows = super()._rows(X, reset=reset, to_learn=to_learn)
        if reset:
            plain = rows.shape[1] is not None and getattr(rows, "names", None) is None
            self._columns = rows.shape[1] if plain else None
        return rows


@dataclass(eq=False, repr=False)
class _KeyedBaseline(OnlineClassifier):
    """Exact weights for a bounded set of keys and nothing for the rest; ``step`` as in `AWMSketch`."""

    _later_parameters: ClassVar[tuple[str, ...]] = ("step",)

    budget: int | str | None = None
    active_set_size: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)

    def _shape(self, named: bool, beside: int = 0) -> Shape:
        wanted = Wanted(self.budget, active_set_size=self.active_set_size, name_bytes=self.name_bytes, beside=beside)
        return choose_shape(Shape(self.kind, known_step(self.step)), wanted, named=named, set_share=1.0, depth=1)


@dataclass(eq=False, repr=False)
class SimpleTruncation(_KeyedBaseline):
    """Keep the heaviest weights seen so far and forget all others.

    >>> model = SimpleTruncation(active_set_size=1)
    >>> model.learn_many([{1: 1.0}, {2: 3.0}], [True, False])
    >>> [row.feature for row in model.top()]
    [2]
    """

    kind: ClassVar[str] = "truncated"


@dataclass(eq=False, repr=False)
class ProbabilisticTruncation(_KeyedBaseline):
    """Keep weights by weighted reservoir sampling: heavier ones with a higher probability.

    >>> model = ProbabilisticTruncation(active_set_size=8, seed=1)
    >>> model.learn_one({1: 1.0}, True)
    >>> round(model.weight(1), 4)
    0.05
    """

    kind: ClassVar[str] = "probabilistic"


@dataclass(eq=False, repr=False)
class SpaceSavingFrequent(_KeyedBaseline):
    """Learn weights for the most frequent features, found by Space Saving.

    >>> model = SpaceSavingFrequent(active_set_size=8)
    >>> model.learn_one({1: 1.0}, True)
    >>> len(model.top())
    1
    """

    kind: ClassVar[str] = "space_saving"


@dataclass(eq=False, repr=False)
class CountMinFrequent(OnlineClassifier):
    """Learn weights for the most frequent features, found by a Count-Min sketch; ``step`` as in `AWMSketch`.

    >>> model = CountMinFrequent("4KiB")
    >>> model.learn_one({1: 1.0}, True)
    >>> len(model.top())
    1
    """

    kind: ClassVar[str] = "count_min"
    _later_parameters: ClassVar[tuple[str, ...]] = ("step",)

    budget: int | str | None = None
    depth: int | None = field(default=None, kw_only=True)
    width: int | None = field(default=None, kw_only=True)
    active_set_size: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)

    def _shape(self, named: bool, beside: int = 0) -> Shape:
        wanted = Wanted(self.budget, self.depth, self.width, self.active_set_size, self.name_bytes, beside=beside)
        base = Shape(self.kind, known_step(self.step), hash_family=self.hash_family)
        return choose_shape(base, wanted, named=named, set_share=0.5, depth=2)
