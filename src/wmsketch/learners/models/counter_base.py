"""What the counters share: checked input, sizes from a budget, merging, copies and pickles."""

from collections.abc import Sequence
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wmsketch import _core
from wmsketch.errors import MergeError, ParameterError
from wmsketch.learners.models.features import one_shortened
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.protocols.options import HashFamily
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable, memory_allowed
from wmsketch.learners.sizes.budget import DEFAULT_BUDGET, largest_that_fits, parse_bytes
from wmsketch.learners.sizes.seeds import drawn
from wmsketch.records import MARK

DEFAULT_TOP_SIZE = 128
MAX_KEY = 2**32 - 1
MAX_AMOUNT = 2**63 - 1


class Counter(Saveable):
    """A native counter and the arguments it was made with.

    Parameters
    ----------
    budget: bytes for everything that stays, as a number or like ``"8KiB"``; 32 KiB if no size is given.
    name_bytes: bytes for the name of each tracked key, on average.
    seed: seed of the hashes; "random" draws one.
    """

    _native: Any
    _n_tracked = "top_size"  # the argument that says how many keys, and so names, are kept
    _core: Any
    _params: dict[str, Any]
    _keeps_names: bool  # or has nothing to name

    def _start(self, params: dict[str, Any]) -> None:
        self._params = params
        self._keeps_names = params["name_bytes"] > 0 or params[self._n_tracked] == 0
        name_bytes = params["name_bytes"] * params[self._n_tracked]
        self._core = self._native(**{**params, "name_bytes": name_bytes})

    @property
    def nbytes(self) -> int:
        """The bytes of everything that holds counts, keys, names and hash seeds; they never grow."""
        return int(self._core.nbytes)

    def merge(self, other: Self) -> Self:
        """Add another counter of the same shape and seed, as if this one had seen its stream too; returns itself.

        >>> from wmsketch import CountMin
        >>> monday, tuesday = CountMin("4KiB"), CountMin("4KiB")
        >>> monday.learn_one("tea")
        >>> tuesday.learn_one("tea", 2)
        >>> monday.merge(tuesday).estimate("tea").count
        3
        """
        if type(other) is not type(self):
            raise MergeError(f"cannot merge {type(self).__name__} with {type(other).__name__}", ("class",))
        mine, theirs = self._params["seed"], other._params["seed"]
        if mine != theirs:
            raise MergeError(f"cannot merge: seed differs ({mine} and {theirs})", ("seed",))
        self._core.merge(other._core)
        return self

    def _document(self) -> Document:
        return dict(self._params), {}, self._core.state()

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        restored: dict[str, Any] = {
            **parameters,
            "budget": memory_allowed(n_bytes),
        }  # a shape that needs more is refused
        type(self).__init__(self, **restored)
        if self._params != parameters:
            raise ValueError(f"expected the parameters {sorted(self._params)}, got {sorted(parameters)}")
        expected = sorted(self._core.state())
        if sorted(arrays) != expected:
            raise ValueError(f"expected the arrays {expected}, got {sorted(arrays)}")
        self._core.load_state(arrays)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._params.items())})"

    def _key(self, key: str | SupportsIndex) -> str | int:
        if isinstance(key, str):
            self._check_names([key])
            key.encode()  # a lone surrogate is no text: say so
            return key
        return require_integer("key", key, 0, MAX_KEY)

    def _asked(self, asked: Any) -> tuple[str | int, str | int]:
        """What a question is about: how to show it, and its key or name. A shortened name is looked up."""
        if getattr(asked, "key", None) is not None:  # a row of `top`
            return asked.feature, asked.key
        key = self._key(getattr(asked, "feature", asked))
        if isinstance(key, str) and key.endswith(MARK):
            rows = [row for row in self._core.top(2**63 - 1) if isinstance(row[0], str)]
            whole = self._core.key_of(key)
            found = sorted({row[-1] for row in rows if row[0] == key})
            if rows and whole not in found:
                return key, one_shortened(key, found)
        return key, key

    def _keys(self, keys: Any) -> NDArray[np.uint32] | tuple[str, ...]:
        """Integers as an array, strings as a tuple: the two kinds of batch the native code takes."""
        given = np.asarray(keys) if hasattr(keys, "__array__") else tuple(keys)
        if isinstance(given, np.ndarray) and given.dtype.kind in "OUT":
            given = tuple(given.tolist())
        if isinstance(given, tuple):
            if given and _core.count_names(given) == len(given):
                self._require_room_for_names(given[0])
                return given
            if any(isinstance(key, str) for key in given):
                wrong = next((i for i, key in enumerate(given) if not isinstance(key, str)), None)
                if wrong is not None:
                    raise ValueError(f"keys must be all strings or all integers, but keys[{wrong}] is {given[wrong]!r}")
                self._check_names(given)
            given = list(given)  # type: ignore[assignment]
        return np.ascontiguousarray(check_ints("keys", given, 0, MAX_KEY), dtype=np.uint32)

    def _check_names(self, names: Sequence[str]) -> None:
        self._require_room_for_names(names[0])
        if "" in names:
            raise ValueError("a key may not be the empty string")

    def _require_room_for_names(self, name: str) -> None:
        if not self._keeps_names:
            raise ValueError(f"string keys need name_bytes above 0, got the key {name!r}")


class Sketch(Counter):
    """A counter of depth x width cells that tracks the keys of its largest estimates.

    Parameters
    ----------
    depth, width: rows of cells and cells in each; by default as many as the budget holds.
    top_size: the number of keys that are tracked for `top`.
    hash_family: ``"mixer"``, ``"tabulation"`` or ``"polynomial"``.
    """

    _n_sketches = 1  # of this depth and width
    _default_depth: int

    def _shape(
        self,
        budget: int | str | None,
        depth: int | None,
        width: int | None,
        top_size: int | None,
        name_bytes: int,
        seed: int | str,
        hash_family: HashFamily,
        **more: Any,
    ) -> None:
        """Make the native object. Sizes that are not given fill the budget; tracked keys get a quarter of it."""
        depth = self._default_depth if depth is None else require_integer("depth", depth, 1, 64)
        name_bytes = check_name_bytes(name_bytes)
        seed = require_integer("seed", drawn(seed), 0, 2**64 - 1)
        if budget is None and width is None:
            budget = DEFAULT_BUDGET
        limit = None if budget is None else parse_bytes(budget)

        def tracked_bytes(n: int) -> int:
            return int(_core.heavy_keys_bytes(n, n * name_bytes))

        if top_size is None and (width is not None or limit is None):
            top_size = DEFAULT_TOP_SIZE
        elif top_size is None and limit is not None:
            top_size = largest_that_fits(tracked_bytes, limit // 4)
        top_size = require_integer("top_size", top_size, 0, 2**24)
        fixed = tracked_bytes(top_size) + self._n_sketches * int(_core.hasher_bytes(depth, hash_family))
        column = 4 * depth * self._n_sketches
        if width is None and limit is not None:
            width = min(max((limit - fixed) // column, 1), 2**32 - 1)
        width = require_integer("width", width, 1, 2**32 - 1)
        if limit is not None and fixed + column * width > limit:
            raise ValueError(
                f"budget {budget!r} is too small: depth {depth}, width {width} and top_size {top_size} "
                f"need {fixed + column * width} bytes"
            )
        shape = {"depth": depth, "width": width, "top_size": top_size, "name_bytes": name_bytes}
        self._start({**shape, "seed": seed, "hash_family": hash_family, **more})

    @property
    def depth(self) -> int:
        """The number of rows."""
        return int(self._params["depth"])

    @property
    def width(self) -> int:
        """The number of cells in a row."""
        return int(self._params["width"])

    @property
    def top_size(self) -> int:
        """The number of keys that are tracked, so that `top` can list them."""
        return int(self._params["top_size"])


def check_ints(name: str, values: Any, low: int, high: int) -> NDArray[Any]:
    """Return the values as a 1-d array of whole numbers; an error names the first that is not one.

    >>> check_ints("keys", [1, 2.5], 0, 10)
    Traceback (most recent call last):
        ...
    wmsketch.errors.ParameterTypeError: keys[1] must be an integer, got 2.5
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ParameterError(name, f"must be a list or a 1-d array, got {array.ndim} dimensions")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind in "iu":
        wrong = np.flatnonzero((array < low) | (array > high))
        if not wrong.size:
            return array
        require_integer(f"{name}[{wrong[0]}]", array[wrong[0]].item(), low, high)
    numbers = [
        require_integer(f"{name}[{i}]", value, low, high) for i, value in enumerate(np.asarray(values, dtype=object))
    ]
    return np.array(numbers, dtype=np.int64)


def check_amounts(name: str, amounts: ArrayLike, n: int, low: int) -> NDArray[Any]:
    """Return n amounts: the same for each key, or as many as there are keys.

    >>> check_amounts("amounts", 2, 3, low=0)
    array([2, 2, 2], dtype=uint64)
    """
    dtype = np.uint64 if low == 0 else np.int64
    if np.ndim(amounts) == 0:
        return np.full(n, require_integer(name, amounts, low, MAX_AMOUNT), dtype=dtype)
    array = check_ints(name, amounts, low, MAX_AMOUNT)
    if array.size != n:
        raise ParameterError(name, f"must be as many as there are keys ({n})", array.size)
    return np.ascontiguousarray(array, dtype=dtype)


def check_name_bytes(name_bytes: int) -> int:
    """Return the bytes kept for each name, or say what they must be.

    >>> check_name_bytes(24)
    24
    """
    checked = require_integer("name_bytes", name_bytes, 0, 8192)
    if 0 < checked < 5:
        raise ParameterError("name_bytes", "must be 0 (integer keys only) or at least 5", checked)
    return checked
