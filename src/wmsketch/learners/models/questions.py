"""What a model answers about features: their weights, the heaviest, and what speaks for a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.learners.models.features import (
    Feature,
    called,
    contributions_of,
    features_of_row,
    key_of,
    keys_of,
    told_apart,
)
from wmsketch.learners.models.uncertainty import Uncertainty, error_by_rows, uncertainty_of
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.records import Contributions, HeavyFeature, RowList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch.learners.rows.learned_schema import LearnedSchema


class Questions:
    """Questions to a model with two classes; a model with many classes asks for a label too."""

    if TYPE_CHECKING:
        n_features_in_: int
        feature_names_in_: NDArray[Any]
        _started_as: dict[str, Any]

        @property
        def n_iter_(self) -> int: ...
        @property
        def _started(self) -> bool: ...
        @property
        def schema_(self) -> LearnedSchema: ...
        def _learner(self) -> _core.Learner: ...

    def weight(self, feature: Feature) -> float:
        """Return the weight of one feature, heavy or not: exact where the model holds it exactly, else estimated.

        ``feature`` is a name, a number, or a row of `top`. A shortened name is looked up among those that are held.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.weight("free") > 0 > model.weight("the")
        True
        """
        return self._learner().weight(self._key_of(feature))

    def weights(self, keys: Any) -> NDArray[np.float64]:
        """Return the weights of many features at once: an array of numbers, or a list of what `weight` takes.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> model.weights(["free", "the", "never seen"]).round().tolist()
        [3.0, -3.0, 0.0]
        """
        return self._learner().weights(keys_of(keys, self._learner(), self._held, self._interactions()))

    def interval(self, feature: Feature) -> tuple[float, float]:
        """Return the 95 % range of a feature's weight, from the error of few bytes and, where known, that of few rows.

        `HeavyFeature` says when it is known.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> low, high = model.interval("free")
        >>> low < model.weight("free") < high
        True
        """
        key = self._key_of(feature)
        return uncertainty_of(self._learner(), key, self.n_iter_).around(self._learner().weight(key))

    def largest_missed(self, k: int = 10) -> float:
        """Return an upper bound (95 %) on the weight of any feature that ``top(k)`` does not list.

        ``nan`` where a method keeps no evidence about its own error.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"heavy": 3.0}, {"light": 0.1}], [True, True])
        >>> model.weight("light") <= model.largest_missed(1) < model.weight("heavy")
        True
        """
        return self._learner().largest_missed(require_integer("k", k, 0))

    def _interactions(self) -> list[tuple[str, str]]:
        return self.schema_.rules.pairs()

    def _key_of(self, feature: Any) -> int:
        return key_of(feature, self._learner(), self._held, self._interactions())

    def _held(self) -> list[tuple[int, float, float, float, str, bool]]:
        native = self._learner()
        return native.top(2**32 - 1) if native.keeps_keys else []

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of all columns of the array, the sparse matrix or the frame of numbers that was learned from.

        They are in the units of the columns: ``X @ coef_.T + intercept_`` is `decision_function`, except for numbers
        more than ten standard deviations from the mean. `weight` is in standard deviations.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB").fit([[1.0, 0.0], [0.0, 1.0]], [True, False]).coef_.shape
        (1, 2)
        """
        return self._in_units(self.weights(self._columns_keys())[None, :], np.zeros(1))[0]

    @property
    def intercept_(self) -> Any:
        """The margin of a row of zeros, where there is a `coef_`; otherwise that of a row without features."""
        bias = self._learner().bias
        if not self._has_units():
            return bias
        weights = self.weights(self._columns_keys())[None, :]
        return float(self._in_units(weights, np.array([bias]))[1][0])

    def _has_units(self) -> bool:
        kinds = self.schema_.kinds().values()
        return hasattr(self, "n_features_in_") and bool(kinds) and set(kinds) <= {"number", "sparse"}

    def _columns_keys(self) -> Any:
        self._learner()
        others = set(self.schema_.kinds().values()) - {"number", "sparse"}
        if not hasattr(self, "n_features_in_") or others:
            raise AttributeError("coef_ is for models of arrays and frames of numbers: ask weight(feature) instead")
        return list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else np.arange(self.n_features_in_)

    def _in_units(
        self, weights: NDArray[np.float64], intercepts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights and intercepts for numbers as they are; a row for each class, a column for each column of X."""
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        known = {column.name: column.unit() for column in self.schema_}
        units = np.array([known.get(str(name), (0.0, 1.0)) for name in names])
        zeros, sizes = units[:, 0], units[:, 1]
        own = np.divide(weights, sizes, out=np.zeros_like(weights), where=sizes > 0)
        return own, intercepts - own @ zeros

    def explain_one(self, x: Any) -> Contributions:
        """Return what each feature of one example adds to its margin, largest |contribution| first.

        A contribution is value times weight; with ``intercept`` they add up to ``margin``. With a sketch of several
        rows the sum may differ: it predicts with their mean, but estimates a weight by their median.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.learn_many([{"free": 1, "the": 1}, {"the": 1}] * 50, [True, False] * 50)
        >>> model.explain_one({"free": 1, "the": 1})[0].feature
        'free'
        """
        if not self._started:
            return Contributions([], 0.0, 0.0)
        native = self._learner()
        found = features_of_row(native, x)
        weights = native.weights(np.array(list(found), dtype=np.uint32))
        return Contributions(contributions_of(found, weights.tolist()), native.bias, native.margin_row(x))

    def debug_one(self, x: Any, decimals: int = 5) -> str:
        """Return `explain_one` as a table of text (River).

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> print(model.debug_one({"free": 1}, decimals=0))
        Name       Value  Weight  Contribution
        free           1       3             3
        Intercept      1       0             0
        """
        return self.explain_one(x).as_text(decimals)

    def _repr_html_(self) -> str:
        """What a notebook shows: the parameters, how well rows were predicted, and the heaviest features."""
        import html  # for notebooks only

        model: Any = self
        title = f"<p><b>{html.escape(repr(model))}</b></p>"
        if not model._started:
            return f"{title}<p>has learned nothing yet</p>"
        fared = f"mean absolute error {model.mae_:.4g}" if model._numeric else f"online error {model.error_rate_:.2%}"
        facts = f"<p>{model.n_seen_:,} examples, {fared}, {model.nbytes:,} bytes</p>"
        return title + facts + (model.top()._repr_html_() if model._learner().keeps_keys else "")

    def top(self, k: int = 10, *, feature_names: Sequence[Any] | None = None) -> RowList[HeavyFeature]:
        """Return up to k features by name, largest |weight| first.

        ``feature_names`` are those of the columns of an array, as a vectorizer's `get_feature_names_out` has them.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB", shuffle=False).fit([{"free": 1}, {"the": 1}] * 20, [True, False] * 20)
        >>> sorted(row.feature for row in model.top(2))
        ['free', 'the']
        """
        native, k = self._learner(), require_integer("k", k, 0)
        if not native.keeps_keys:
            raise ValueError(
                f"{type(self).__name__} keeps no features, only their weights: ask weight(feature) instead"
            )
        rows = []
        for key, weight, low, high, name, short in native.top(k):
            feature = self._called(key, name, short, feature_names)
            error = Uncertainty((high - low) / 2, error_by_rows(native, key, self.n_iter_))
            low, high = error.around(weight)
            rows.append(HeavyFeature(feature, weight, low, high, short, key, error.by_rows, error.by_bytes))
        return RowList(told_apart(rows))

    def _called(self, key: int, name: str, shortened: bool, feature_names: Sequence[Any] | None = None) -> str | int:
        empty = self._learner().key_of("") if self._started_as["name_bytes"] > 0 else None
        return called(key, name, shortened, empty=empty, feature_names=feature_names)
