"""How often was it seen? Count-Sketch, Count-Min, a pair of Count-Mins and Space Saving, in a fixed number of bytes.

Keys are integers (0 to 2^32 - 1) or strings; a string's name is kept while its key is among the tracked ones. All take
`budget="32KiB"` (the default) or an explicit size; `nbytes` is what they hold. An object is for one thread at a time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wmsketch import _core
from wmsketch.learners.models.counter_base import (
    MAX_AMOUNT,
    Counter,
    Sketch,
    check_amounts,
    check_name_bytes,
)
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.protocols.options import HashFamily
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, largest_that_fits, parse_bytes
from wmsketch.learners.sizes.seeds import drawn
from wmsketch.records import RowList

Key = str | SupportsIndex
Keys = ArrayLike | Iterable[str]


@dataclass(frozen=True, slots=True)
class Count:
    """How often a feature was seen, by estimate, and bounds on the truth; each counter says how sure they are.

    A feature that ends in "…" is a name that was cut. ``key`` is the key of the whole name: give the row itself to
    `estimate`.
    """

    feature: str | int
    count: float
    low: float
    high: float
    key: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PairCount:
    """How a feature's counts in streams a and b compare; `low` and `high` bound the true log ratio in 95 % of cases."""

    feature: str | int
    log_ratio: float
    low: float
    high: float
    count_a: int
    count_b: int
    key: int | None = field(default=None, compare=False, repr=False)


class OneStream(Counter):
    """A counter of one stream: update, estimate, top."""

    _least_amount = 0

    @property
    def total(self) -> int:
        """The sum of all amounts (of their magnitudes, where they may be negative)."""
        return int(self._core.total)

    def learn_one(self, key: Key, amount: SupportsIndex = 1) -> None:
        """Count a key `amount` times.

        >>> counter = CountMin("4KiB")
        >>> counter.learn_one("tea", 3)
        >>> counter.total
        3
        """
        if not self._core.update_plain(key, amount, self._keeps_names):
            self._core.update(self._key(key), require_integer("amount", amount, self._least_amount, MAX_AMOUNT))

    def learn_many(self, keys: Keys, amounts: ArrayLike = 1) -> None:
        """Count many keys, all integers or all strings; the same as `learn_one` in a loop, with other threads running.

        `amounts` is one number for all keys, or one for each. Bad input is refused before anything is counted.

        >>> counter = CountMin("4KiB")
        >>> counter.learn_many(["tea", "milk"], [3, 1])
        >>> counter.total
        4
        """
        checked = self._keys(keys)
        self._core.update_many(checked, check_amounts("amounts", amounts, len(checked), self._least_amount))

    update, update_many = learn_one, learn_many  # as River's sketches call it

    def estimate(self, key: Key | Count) -> Count:
        """Return how often a key was seen, with bounds; a row of `top` stands for its key.

        >>> counter = SpaceSaving("4KiB")
        >>> counter.learn_one("tea", 3)
        >>> counter.estimate("tea").count
        3
        """
        feature, checked = self._asked(key)
        return Count(feature, *self._core.estimate(checked))

    def top(self, k: int = 10) -> RowList[Count]:
        """Return up to k of the tracked keys, largest |count| first.

        >>> counter = SpaceSaving("4KiB")
        >>> counter.learn_many(["tea", "tea", "milk"])
        >>> [row.feature for row in counter.top(1)]
        ['tea']
        """
        return RowList(Count(*row) for row in self._core.top(require_integer("k", k, 0, 2**63 - 1)))


class CountMin(Sketch, OneStream):
    """Counts that are never too low, in depth x width cells of 4 bytes.

    `high` is certain; `low` holds in 95 % of cases: at most 5 % of estimates are too high by more than 20^(1/depth) *
    total / width. Cells stop at 2^32 - 1; `high` is then the total.

    >>> counter = CountMin("4KiB")
    >>> counter.learn_many(["tea", "tea", "milk"])
    >>> counter.estimate("tea")
    Count(feature='tea', count=2, low=2, high=2)
    >>> counter.nbytes
    4096

    Parameters
    ----------
    conservative: raise only the cells that must rise. Counts are closer, but a merged counter then differs from that
        of a single run.
    """

    _native = _core.CountMin
    _default_depth = 4

    def __init__(
        self,
        budget: int | str | None = None,
        *,
        depth: int | None = None,
        width: int | None = None,
        top_size: int | None = None,
        name_bytes: int = 24,
        seed: int | str = 0,
        hash_family: HashFamily = "mixer",
        conservative: bool = False,
    ) -> None:
        self._shape(budget, depth, width, top_size, name_bytes, seed, hash_family, conservative=bool(conservative))

    @property
    def cells(self) -> NDArray[np.uint32]:
        """A copy of the cells, depth x width."""
        return np.asarray(self._core.cells()).reshape(self.depth, self.width)


class CountSketch(Sketch, OneStream):
    """Counts that are right on average, in depth x width cells of 4 bytes; amounts may be negative.

    An estimate is the median over the rows; it is off by about n / sqrt(width), n the Euclidean norm of all counts, or
    less. Bounds hold in 95 % of cases; they are read off the other cells, so they are narrow where few keys carry
    most of the stream. Cells stop at the ends of the 32-bit range.

    >>> counter = CountSketch("4KiB")
    >>> counter.learn_many(["tea", "tea", "milk"])
    >>> counter.learn_one("milk", -1)
    >>> counter.top(1)
    [Count(feature='tea', count=2.0, low=2.0, high=2.0)]
    """

    _native = _core.CountSketch
    _default_depth = 5
    _least_amount = -MAX_AMOUNT

    def __init__(
        self,
        budget: int | str | None = None,
        *,
        depth: int | None = None,
        width: int | None = None,
        top_size: int | None = None,
        name_bytes: int = 24,
        seed: int | str = 0,
        hash_family: HashFamily = "mixer",
    ) -> None:
        self._shape(budget, depth, width, top_size, name_bytes, seed, hash_family)

    @property
    def cells(self) -> NDArray[np.int32]:
        """A copy of the cells, depth x width."""
        return np.asarray(self._core.cells()).reshape(self.depth, self.width)


class SpaceSaving(OneStream):
    """The most frequent keys of a stream, each with sure bounds on its count.

    Of a stream of n, every key seen more than n / capacity times is listed by `top`. The bounds of `estimate` are
    certain; a key that is not listed was seen at most `high` times.

    >>> counter = SpaceSaving(capacity=2)
    >>> counter.learn_many(["tea", "tea", "milk", "tea", "sugar"])
    >>> counter.top()
    [Count(feature='tea', count=3, low=3, high=3), Count(feature='sugar', count=2, low=1, high=2)]

    Parameters
    ----------
    capacity: the number of keys that are counted; by default as many as the budget holds.
    """

    _native = _core.SpaceSaving
    _n_tracked = "capacity"

    def __init__(
        self,
        budget: int | str | None = None,
        *,
        capacity: int | None = None,
        name_bytes: int = 24,
        seed: int | str = 0,
    ) -> None:
        name_bytes = check_name_bytes(name_bytes)
        seed = require_integer("seed", drawn(seed), 0, 2**64 - 1)

        def bytes_for(n: int) -> int:
            return int(_core.space_saving_bytes(n, n * name_bytes))

        if budget is None and capacity is None:
            budget = DEFAULT_BUDGET
        limit = None if budget is None else parse_bytes(budget)
        if capacity is None and limit is not None:
            capacity = max(largest_that_fits(bytes_for, limit), 1)
        capacity = require_integer("capacity", capacity, 1, 2**24)
        if limit is not None and bytes_for(capacity) > limit:
            raise ValueError(f"budget {budget!r} is too small: capacity {capacity} needs {bytes_for(capacity)} bytes")
        self._start({"capacity": capacity, "name_bytes": name_bytes, "seed": seed})

    @property
    def capacity(self) -> int:
        """The number of keys that are monitored."""
        return int(self._params["capacity"])


class PairedCountMin(Sketch):
    """Which keys differ most, in ratio, between streams a and b: two Count-Mins that share their hash.

    A ratio is (count in a + smoothing) / (count in b + smoothing); its logarithm is positive for keys of a. `top` lists
    the tracked keys with the largest |log ratio|.

    >>> pair = PairedCountMin("8KiB")
    >>> pair.learn_many(["tea", "milk", "tea", "tea"], a=1)
    >>> pair.learn_many(["milk", "milk"], b=1)
    >>> [(row.feature, row.count_a, row.count_b, round(row.log_ratio, 2)) for row in pair.top(2)]
    [('tea', 3, 0, 1.39), ('milk', 1, 2, -0.41)]

    Parameters
    ----------
    smoothing: added to both counts of a ratio.
    """

    _native = _core.PairedCountMin
    _default_depth = 4
    _n_sketches = 2

    def __init__(
        self,
        budget: int | str | None = None,
        *,
        depth: int | None = None,
        width: int | None = None,
        top_size: int | None = None,
        name_bytes: int = 24,
        seed: int | str = 0,
        hash_family: HashFamily = "mixer",
        smoothing: float = 1.0,
    ) -> None:
        self._shape(budget, depth, width, top_size, name_bytes, seed, hash_family, smoothing=float(smoothing))

    @property
    def total_a(self) -> int:
        """The sum of all amounts in stream a."""
        return int(self._core.totals[0])

    @property
    def total_b(self) -> int:
        """The sum of all amounts in stream b."""
        return int(self._core.totals[1])

    def learn_one(self, key: Key, a: SupportsIndex = 0, b: SupportsIndex = 0) -> None:
        """Count a key `a` times in stream a and `b` times in stream b.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_one("tea", a=2, b=1)
        >>> pair.total_a, pair.total_b
        (2, 1)
        """
        amounts = [require_integer(name, amount, 0, MAX_AMOUNT) for name, amount in (("a", a), ("b", b))]
        self._core.update(self._key(key), *amounts)

    def learn_many(self, keys: Keys, a: ArrayLike = 0, b: ArrayLike = 0) -> None:
        """Count many keys, all integers or all strings; `a` and `b` are one number for all keys, or one for each.

        Bad input is refused before anything is counted.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_many(["tea", "milk"], a=[2, 0], b=1)
        >>> pair.total_a, pair.total_b
        (2, 2)
        """
        checked = self._keys(keys)
        amounts: list[Any] = [check_amounts(name, each, len(checked), low=0) for name, each in (("a", a), ("b", b))]
        self._core.update_many(checked, *amounts)

    update, update_many = learn_one, learn_many  # as River's sketches call it

    def estimate(self, key: Key | PairCount) -> PairCount:
        """Return the counts and the log ratio of a key, with bounds on the ratio; a row of `top` stands for its key.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_one("tea", a=2, b=1)
        >>> pair.estimate("tea").count_a
        2
        """
        feature, checked = self._asked(key)
        return PairCount(feature, *self._core.estimate(checked))

    def log_ratio(self, key: Key | PairCount) -> float:
        """Return the natural logarithm of `ratio(key)`.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_one("tea", a=1, b=1)
        >>> pair.log_ratio("tea")
        0.0
        """
        return self.estimate(key).log_ratio

    def ratio(self, key: Key | PairCount) -> float:
        """Return how many times more often a key was seen in a than in b, smoothed.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_one("tea", a=5, b=1)
        >>> round(pair.ratio("tea"), 2)  # (5 + 1) / (1 + 1): smoothed
        3.0
        """
        return exp(self.log_ratio(key))

    def top(self, k: int = 10) -> RowList[PairCount]:
        """Return up to k of the tracked keys, largest |log ratio| first.

        >>> pair = PairedCountMin("8KiB")
        >>> pair.learn_many(["tea", "milk"], a=[9, 1], b=[1, 1])
        >>> pair.top(1)[0].feature
        'tea'
        """
        return RowList(PairCount(*row) for row in self._core.top(require_integer("k", k, 0, 2**63 - 1)))
