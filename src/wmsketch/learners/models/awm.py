"""The AWM-Sketch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from wmsketch.errors import ParameterError
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.protocols.options import ActiveSet, Eviction, HashFamily, Step
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.shapes import Shape, Wanted, choose_shape
from wmsketch.methods import METHODS


@dataclass(eq=False, repr=False)
class AWMModel(OnlineClassifier):
    """The parameters of an AWM-Sketch, shared by classifiers and the regressor."""

    kind: ClassVar[str] = "awm"
    _set_share: ClassVar[float] = 0.5  # of the budget, for the active set
    _set_share_adaptive: ClassVar[float] = 0.1  # a cell with one owner is nearly as good as a slot, and smaller

    budget: int | str | None = None
    depth: int | None = field(default=None, kw_only=True)
    width: int | None = field(default=None, kw_only=True)
    active_set_size: int | None = field(default=None, kw_only=True)
    top_k: int | None = field(default=None, kw_only=True)
    active_set: ActiveSet = field(default="associative", kw_only=True)
    step: Step = field(default="adaptive", kw_only=True)
    eviction: Eviction = field(default="paper", kw_only=True)
    name_bytes: int | str | None = field(default=None, kw_only=True)
    hash_family: HashFamily = field(default="mixer", kw_only=True)
    independence: int = field(default=8, kw_only=True)

    def _shape(self, named: bool, reserved: int = 0) -> Shape:
        base = Shape(
            "awm",
            str(self.step),
            exact_set=is_exact(self.active_set),
            hash_family=self.hash_family,
            independence=self.independence,
        )
        wanted = self._wanted(named, reserved)
        share = self._set_share_adaptive if base.owned_cells else self._set_share
        return choose_shape(base, wanted, named=named, set_share=share, depth=1)

    def _wanted(self, named: bool, reserved: int) -> Wanted:
        return Wanted(self.budget, self.depth, self.width, self.active_set_size, self.name_bytes, self.top_k, reserved)

    def _options(self) -> dict[str, Any]:
        return {"eviction": self.eviction}


@dataclass(eq=False, repr=False)
class AWMSketch(AWMModel):
    """Learn a linear classifier in a fixed number of bytes: heavy features exactly, by name, and the tail in a sketch.

    ``budget`` is a promise about true bytes (``nbytes`` never exceeds it, names included); ``depth``, ``width`` and
    ``active_set_size`` override the shape it would choose. Weights in the active set are sums of updates that began
    with the sketch's estimate; all others are estimates.

    >>> model = AWMSketch("8KiB")
    >>> for _ in range(50):
    ...     model.learn_one({"free": 1, "money": 1}, True)
    ...     model.learn_one({"meeting": 1, "money": 1}, False)
    >>> sorted(row.feature for row in model.top(2))
    ['free', 'meeting']
    >>> model.nbytes <= 8192
    True

    Parameters
    ----------
    budget: bytes, as a number or like ``"8KiB"``; 32 KiB where neither it nor a whole shape is given.
    depth, width: rows of the sketch and cells in each.
    active_set_size: keys held exactly (rounded up to a multiple of 8 for the associative set).
    top_k: how many features `top` will be asked for. The active set gets room for half as many again, in up to three
        quarters of the bytes. By default it gets a tenth of the bytes, or a quarter if that holds no more than 256
        keys; with plain steps, half.
    active_set: ``"associative"`` (cache lines; takes exactly its nominal bytes) or ``"exact"`` (the paper's heap).
    step: ``"adaptive"``: each heavy feature and each cell has a step size of its own, never below a fifth of the plain
        one. A cell has 16 bits and one owner: features compete for it by weight and by chance, and a feature without
        a cell weighs 0. The depth is 1. Or ``"plain"``, the paper's: all features share one step size, and a cell
        holds the sum of all features that hash to it.
    eviction: ``"paper"`` writes an evicted weight back into the sketch, ``"drop"`` forgets it.
    name_bytes: bytes set aside for names; by default 20 for each key of the active set once features come by name.
    hash_family: ``"mixer"``, ``"tabulation"`` or ``"polynomial"``.
    independence: for ``"polynomial"``: the hashes of any this many keys are independent.
    half_life: what was learned counts half after this long: a number counts rows, a text like ``"10min"`` is a time
        (rows then come with times, see `learn_one`). None forgets nothing.
    eta0: the step size. Adaptive steps suit rows of any length; for plain steps, 0.1 suits rows of length about 1.
    l2, l1: regularisation.
    schedule: how plain steps shrink with the number t of examples: ``"optimal"`` (eta0 / (1 + eta0 l2 t)),
        ``"constant"`` or ``"invsqrt"`` (eta0 / sqrt(t + 1)).
    loss: ``"logistic"``, ``"smoothed_hinge"`` or ``"squared_hinge"``.
    fit_intercept: whether to learn an intercept.
    class_weight: None, ``"balanced"`` (both classes weigh the same, by the counts so far) or a mapping from label.
    passes: how often `fit` learns its rows; by default once; few rows, which it shuffles, up to ten times.
    shuffle: whether `fit` draws a new order of its rows for each pass; by default it does, unless their order has a
        meaning, see `fit`. `partial_fit`, `learn_many` and `learn_file` learn rows as they come.
    schema: rules for rows with named columns, a `Schema` or a mapping like ``{"ignore": ["id"]}``; see `schema_`.
    follow: (adaptive steps) whether methods ending in ``_one`` and ``_many`` predict the next row of the stream when
        they come after `learn_one`. Such predictions lean towards the base rate of the latest rows, as the online error
        does. By default every prediction is for rows in general.
    classes: the labels, negative first; by default those of the rows.
    seed: seed of the hashes and of random rounding; "random" draws one, which the parameters then show.
    random_state: the seed under scikit-learn's name, an integer or a generator; it counts if given.
    """

    @classmethod
    def paper(cls, budget: int | str = "8KiB", **parameters: Any) -> Self:
        """Return the paper's algorithm to the letter: a heap, write-back on eviction, plain steps, depth 1.

        ``budget`` is in the paper's cost model (``paper_bytes``): half for the active set, half for the cells. The
        true ``nbytes`` is larger, because a heap needs its index.

        >>> model = AWMSketch.paper("8KiB")
        >>> model.active_set_size, model.width, model.depth
        (512, 1024, 1)
        """
        return cls(**{**METHODS["awm"].paper_parameters(parse_bytes(budget)), **parameters})


def is_exact(active_set: str) -> bool:
    """Return whether the active set is a heap, not cache lines."""
    if active_set not in ("exact", "associative"):
        raise ParameterError("active_set", "must be {=exact} or {=associative}", active_set)
    return active_set == "exact"
