"""The methods that the paper compares with, as classes of the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from wmsketch.errors import ParameterError
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.protocols.options import HashFamily, Newcomers, Priority, Step
from wmsketch.learners.rows.inputs import Rows
from wmsketch.learners.sizes.shapes import Shape, Wanted, choose_shape


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

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        base = Shape(self.kind, str(self.step), hash_family=self.hash_family, independence=self.independence)
        return choose_shape(
            base, Wanted(self.budget, width=self.width, reserved=reserved), named=False, set_share=0.0, depth=1
        )


@dataclass(eq=False, repr=False)
class LogisticRegression(OnlineClassifier):
    """The reference without a memory limit: one weight for every feature.

    Arrays and sparse matrices in `fit` and `partial_fit` say how many features they have. ``step`` as in `AWMSketch`.

    >>> model = LogisticRegression()
    >>> model.learn_one({"spam": 1.0}, True)
    >>> model.top(1)
    [HeavyFeature('spam', weight=0.05, low=0.05, high=0.05)]

    Parameters
    ----------
    n_features: weights are an array over the ids below this number. Without it, they are a hash map that grows with
        the features seen.
    """

    kind: ClassVar[str] = "map"

    n_features: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        columns = getattr(self, "_columns", None) if self.n_features is None else self.n_features
        if columns is None:
            return Shape("map", str(self.step), name_bytes=1)
        n_features = require_integer("n_features", columns, 1, 2**32)
        return Shape("dense", str(self.step), n_features=n_features)

    def _rows(self, X: Any, *, reset: bool, to_learn: bool = True) -> Rows:
        rows = super()._rows(X, reset=reset, to_learn=to_learn)
        if reset:
            plain = rows.shape[1] is not None and getattr(rows, "names", None) is None
            self._columns = rows.shape[1] if plain else None
        return rows


@dataclass(eq=False, repr=False)
class _KeyedBaseline(OnlineClassifier):
    """Exact weights for a bounded set of keys and nothing for the rest; ``step`` as in `AWMSketch`."""

    budget: int | str | None = None
    active_set_size: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        wanted = Wanted(
            self.budget, active_set_size=self.active_set_size, name_bytes=self.name_bytes, reserved=reserved
        )
        return choose_shape(Shape(self._variant(), str(self.step)), wanted, named=named, set_share=1.0, depth=1)

    def _variant(self) -> str:
        """The kind of store to use, of those that the class has."""
        return self.kind


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

    A key draws a number E from an exponential distribution when it enters. Keys of the highest ``priority`` stay.

    >>> model = ProbabilisticTruncation(active_set_size=8, seed=1)
    >>> model.learn_one({1: 1.0}, True)
    >>> round(model.weight(1), 4)
    0.05

    Parameters
    ----------
    priority: ``"product"``, |w| * E, or ``"quotient"``, |w| / E, as in the text of the paper. The product recovers
        weights far better: a key with a tiny E cannot keep its place however light it is.
    """

    kind: ClassVar[str] = "probabilistic"

    priority: Priority = field(default="product", kw_only=True)

    def _variant(self) -> str:
        kinds = {"product": "probabilistic_product", "quotient": "probabilistic"}
        return _one_of("priority", self.priority, kinds)


@dataclass(eq=False, repr=False)
class SpaceSavingFrequent(_KeyedBaseline):
    """Learn weights for the most frequent features, found by Space Saving.

    >>> model = SpaceSavingFrequent(active_set_size=8)
    >>> model.learn_one({key: 1.0 for key in range(20)}, True)
    >>> sum(row.feature < 8 for row in model.top())
    7

    Parameters
    ----------
    newcomers: how many features of an example may take the place of others: ``"one"``, drawn at random from those that
        have no place, as the authors of the paper ran it; or ``"all"``, so that one long example pushes out much of
        what was learned.
    """

    kind: ClassVar[str] = "space_saving"

    newcomers: Newcomers = field(default="one", kw_only=True)

    def _variant(self) -> str:
        return _one_of("newcomers", self.newcomers, {"one": "space_saving_one", "all": "space_saving"})


@dataclass(eq=False, repr=False)
class _SketchedBaseline(OnlineClassifier):
    """A bounded set of keys, and a sketch of all keys; ``step`` as in `AWMSketch`."""

    _set_share: ClassVar[float]  # of the budget, for the set
    _default_depth: ClassVar[int]
    _exact_set: ClassVar[bool] = False

    budget: int | str | None = None
    depth: int | None = field(default=None, kw_only=True)
    width: int | None = field(default=None, kw_only=True)
    active_set_size: int | None = field(default=None, kw_only=True)
    step: Step = field(default="plain", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        wanted = Wanted(self.budget, self.depth, self.width, self.active_set_size, self.name_bytes, reserved=reserved)
        base = Shape(self.kind, str(self.step), exact_set=self._exact_set, hash_family=self.hash_family)
        return choose_shape(base, wanted, named=named, set_share=self._set_share, depth=self._default_depth)


@dataclass(eq=False, repr=False)
class CountMinFrequent(_SketchedBaseline):
    """Learn weights for the most frequent features, found by a Count-Min sketch; ``step`` as in `AWMSketch`.

    >>> model = CountMinFrequent("4KiB")
    >>> model.learn_one({1: 1.0}, True)
    >>> len(model.top())
    1
    """

    kind: ClassVar[str] = "count_min"
    _set_share = 0.5
    _default_depth = 2


@dataclass(eq=False, repr=False)
class Mission(_SketchedBaseline):
    """MISSION (Aghazadeh and others, ICML 2018): gradients go into a Count-Sketch, and its heaviest features predict.

    A heap holds the features with the largest estimates, each estimated when it was last seen. Only these predict:
    every other weight counts as 0. The gradient of a row goes into the sketch for all of its features. ``step`` as in
    `AWMSketch`.

    >>> model = Mission("4KiB")
    >>> model.learn_many([{7: 1.0}, {9: 1.0}], [True, False])
    >>> [row.feature for row in model.top()]
    [9, 7]
    """

    kind: ClassVar[str] = "mission"
    _set_share = 0.25
    _default_depth = 6
    _exact_set = True


@dataclass(eq=False, repr=False)
class Bear(OnlineClassifier):
    """BEAR (Aghazadeh and others, MSML 2021): MISSION with steps in the direction of online limited-memory BFGS.

    The direction comes from the last five steps: how far each weight moved, and how the gradient of the same row then
    changed. These pairs are part of the budget and of a saved model. They have room for as many features as the heap,
    each for a fifth. A row that moves more weights keeps those that moved furthest. All products are restricted to the
    features of the row. A merged model starts without pairs.

    >>> model = Bear("4KiB")
    >>> model.learn_many([{7: 1.0}, {9: 1.0}], [True, False])
    >>> [row.feature for row in model.top()]
    [9, 7]
    """

    kind: ClassVar[str] = "bear"

    budget: int | str | None = None
    depth: int | None = field(default=None, kw_only=True)
    width: int | None = field(default=None, kw_only=True)
    active_set_size: int | None = field(default=None, kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        wanted = Wanted(self.budget, self.depth, self.width, self.active_set_size, self.name_bytes, reserved=reserved)
        base = Shape(self.kind, exact_set=True, hash_family=self.hash_family)
        return choose_shape(base, wanted, named=named, set_share=0.4, depth=Mission._default_depth)


def _one_of(name: str, given: str, kinds: Mapping[str, str]) -> str:
    """Return the kind of store that the value of a parameter means."""
    if given not in list(kinds):  # a list may be given, which has no hash
        raise ParameterError(name, "must be " + " or ".join(f"{{={each}}}" for each in kinds), given)
    return kinds[given]
