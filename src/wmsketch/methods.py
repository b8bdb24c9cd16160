"""The learners: the only list, used by the command line, the evaluation, model files and the package itself.

A method has a name on the command line, a class, and one or more kinds of store in the C++ core. Classes are loaded
on demand, so that the command line starts without numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from typing import Any, Final

from wmsketch.late import dataclass

KIB = 1024
REFERENCE = "lr"  # the unlimited learner, with which all others are compared
COUNT_TABLE: Final = "count-table"  # the default method of `diff`
DIFF_METHODS = (COUNT_TABLE, "paired-count-min", REFERENCE)

# Table 2 of the paper: active set, width, depth
_WM_TABLE = {2: (128, 128, 2), 4: (256, 256, 2), 8: (128, 128, 14), 16: (128, 128, 30), 32: (128, 256, 31)}


@dataclass(frozen=True, kw_only=True)
class Method:
    """One learner.

    `kinds` are the names of its stores in the core, each with the number of 4-byte values per key in the
    paper's cost model. `paper_shape` turns bytes of that cost model into the shape that the paper found best (its
    Table 2), or that fills the budget; `paper_rule` are the parameters of the paper's version.
    """

    name: str
    class_name: str
    module: str
    label: str  # in tables and figures
    kinds: Mapping[str, int]
    paper_shape: Callable[[int], dict[str, int]] | None = None
    paper_rule: Mapping[str, str] = field(default_factory=dict)
    limited: bool = True  # whether it has a budget
    holds_keys: bool = True  # whether `top` can answer
    forgets_features: bool = False  # whether a key that leaves its set takes its weight along
    signed_cells: bool = False  # whether a weight outside the active set has the error of a Count-Sketch
    random: bool = True  # whether the seed matters
    multiclass: bool = False
    numeric: bool = False  # whether it predicts a number
    evaluated: bool = True  # whether `wmsketch reproduce` runs it
    without: tuple[str, ...] = ()  # parameters of its class that do not apply

    def load_class(self) -> Any:
        """The class."""
        return getattr(import_module(self.module), self.class_name)

    def paper_parameters(self, budget: int) -> dict[str, Any]:
        """Return the parameters of the paper's version for this many bytes of its cost model."""
        return {**(self.paper_shape(budget) if self.paper_shape else {}), **self.paper_rule}

    def parameters(self) -> list[str]:
        """Return the parameters of its constructor that apply.

        >>> "class_weight" in METHODS["awm"].parameters(), "class_weight" in METHODS["multiclass"].parameters()
        (True, False)
        """
        return [name for name in self.load_class()().get_params() if name not in self.without]


def sketch_shape(active_set_size: int, width: int, depth: int) -> dict[str, int]:
    """Return a shape as keyword arguments of constructors."""
    return {"active_set_size": active_set_size, "width": width, "depth": depth}


def _awm_shape(budget: int) -> dict[str, int]:
    return sketch_shape(max(1, budget // 16), max(1, budget // 8), 1)


def _wm_shape(budget: int) -> dict[str, int]:
    return sketch_shape(*_WM_TABLE.get(budget // KIB, (budget // 32, budget // 32, 6)))


def _count_min_shape(budget: int) -> dict[str, int]:
    return sketch_shape(budget // 24, budget // 16, 2)  # half for entries (id, weight, count), half for two rows


def _bear_shape(budget: int) -> dict[str, int]:
    keys = budget // 44  # as MISSION, but the pairs of steps need 12 more bytes for each key
    return sketch_shape(keys, (budget - 20 * keys) // 24, 6)


def _mission_shape(budget: int) -> dict[str, int]:
    return sketch_shape(budget // 32, budget // 32, 6)  # tuned on reuters, newsgroups and assist2009


_BASELINES = "wmsketch.learners.models.baselines"
_ENTRIES = (
    Method(
        name="awm",
        class_name="AWMSketch",
        module="wmsketch.learners.models.awm",
        label="AWM-Sketch",
        kinds={"awm": 2},
        paper_shape=_awm_shape,
        paper_rule={"active_set": "exact", "step": "plain", "eviction": "paper"},
        signed_cells=True,
    ),
    Method(
        name="wm",
        class_name="WMSketch",
        module="wmsketch.learners.models.wm",
        label="WM-Sketch",
        kinds={"wm": 2},
        paper_shape=_wm_shape,
        paper_rule={"active_set": "exact"},
        signed_cells=True,
    ),
    Method(
        name="hash",
        class_name="FeatureHashing",
        module=_BASELINES,
        label="feature hashing",
        kinds={"hashed": 0},
        paper_shape=lambda budget: {"width": budget // 4},
        holds_keys=False,
        signed_cells=True,
    ),
    Method(
        name=REFERENCE,
        class_name="LogisticRegression",
        module=_BASELINES,
        label="logistic regression",
        kinds={"map": 2, "dense": 2},
        limited=False,
        random=False,
    ),
    Method(
        name="truncation",
        class_name="SimpleTruncation",
        module=_BASELINES,
        label="simple truncation",
        kinds={"truncated": 2},
        forgets_features=True,
        paper_shape=lambda budget: {"active_set_size": budget // 8},
        random=False,
    ),
    Method(
        name="ptruncation",
        class_name="ProbabilisticTruncation",
        module=_BASELINES,
        label="probabilistic truncation",
        kinds={"probabilistic": 3, "probabilistic_product": 3},
        forgets_features=True,
        paper_shape=lambda budget: {"active_set_size": budget // 12},
    ),
    Method(
        name="space-saving",
        class_name="SpaceSavingFrequent",
        module=_BASELINES,
        label="Space Saving",
        kinds={"space_saving": 3, "space_saving_one": 3},
        forgets_features=True,
        paper_shape=lambda budget: {"active_set_size": budget // 12},
    ),
    Method(
        name="count-min",
        class_name="CountMinFrequent",
        module=_BASELINES,
        label="Count-Min",
        kinds={"count_min": 3},
        forgets_features=True,
        paper_shape=_count_min_shape,
    ),
    Method(
        name="mission",
        class_name="Mission",
        module=_BASELINES,
        label="MISSION",
        kinds={"mission": 2},
        forgets_features=True,
        paper_shape=_mission_shape,
    ),
    Method(
        name="bear",
        class_name="Bear",
        module=_BASELINES,
        label="BEAR",
        kinds={"bear": 5},
        forgets_features=True,
        paper_shape=_bear_shape,
        evaluated=False,
    ),
    Method(
        name="multiclass",
        class_name="MulticlassAWMSketch",
        module="wmsketch.learners.models.multiclass",
        label="AWM-Sketch, multiclass",
        kinds={"awm": 2},
        multiclass=True,
        without=("class_weight", "loss"),
    ),
    Method(
        name="regression",
        class_name="AWMRegressor",
        module="wmsketch.learners.models.regressor",
        label="AWM-Sketch, regression",
        kinds={"awm": 2},
        numeric=True,
    ),
)
METHODS = {each.name: each for each in _ENTRIES}
TWO_CLASSES = tuple(each.name for each in _ENTRIES if not each.multiclass and not each.numeric)
LIMITED = tuple(name for name in TWO_CLASSES if METHODS[name].limited)
EVALUATED = tuple(name for name in LIMITED if METHODS[name].evaluated)
_BY_CLASS = {each.class_name: each for each in _ENTRIES}
_VALUES_OF_A_KEY = {kind: values for each in _ENTRIES for kind, values in each.kinds.items()}


def method_name(model: object) -> str:
    """Return the command line's name for a model's method, or the name of its class if it has none.

    >>> from wmsketch import FeatureHashing
    >>> method_name(FeatureHashing())
    'hash'
    """
    name = type(model).__name__
    return _BY_CLASS[name].name if name in _BY_CLASS else name


def kinds_of_class(kind: str) -> tuple[str, ...]:
    """Return all kinds of store of the class whose first kind is this one.

    >>> kinds_of_class("map"), kinds_of_class("wm")
    (('map', 'dense'), ('wm',))
    """
    return next(tuple(each.kinds) for each in _ENTRIES if kind in each.kinds)


def forgets_features(kind: str) -> bool:
    """Return whether a store loses the weights of keys that leave its set.

    >>> forgets_features("truncated"), forgets_features("awm")
    (True, False)
    """
    return any(each.forgets_features for each in _ENTRIES if kind in each.kinds)


def paper_bytes_of(kind: str, cells: int, keys: int, *, adaptive: bool = False) -> int:
    """Return the paper's cost: 4 bytes for each cell, and for each identifier, weight and auxiliary value of a key.

    Adaptive steps store a sum of squares with each weight; if the cells hold all weights, in the cells. A cell of the
    AWM-Sketch then has a tag in addition to its weight.

    >>> paper_bytes_of("awm", 1024, 512), paper_bytes_of("awm", 1024, 512, adaptive=True)
    (8192, 14336)
    """
    squares_in_cells = adaptive and kind in ("wm", "hashed", "mission")
    values = _VALUES_OF_A_KEY[kind] + (adaptive and not squares_in_cells)
    return 4 * (1 + (squares_in_cells or (adaptive and kind == "awm"))) * cells + 4 * values * keys


def diff_method(word: Any) -> Any:
    """Return today's word for a method of `diff`: saved files and scripts may call the table of counts "awm".

    >>> diff_method("awm"), diff_method("lr")
    ('count-table', 'lr')
    """
    return COUNT_TABLE if word == "awm" else word
