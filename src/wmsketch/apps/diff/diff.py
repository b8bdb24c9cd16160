"""What differs between two streams? The items whose rates differ most (section 8.2 of the paper)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from wmsketch import _core
from wmsketch.apps.diff.candidates import best_first, counter_of, finder_of
from wmsketch.apps.diff.items import Items, blocks_of
from wmsketch.apps.diff.reading import ReadsSides
from wmsketch.apps.diff.rows import Difference, Differences, differences_of
from wmsketch.apps.diff.shape import new_diff, table_shape
from wmsketch.apps.diff.statement import differences_in_words, how_complete
from wmsketch.apps.held import Held, tell_apart
from wmsketch.apps.merging import merge_in_order, require_same_settings
from wmsketch.errors import MergeError, ParameterError
from wmsketch.learners.protocols.checks import require_integer, require_real
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.whole_calls import alone, both_alone
from wmsketch.learners.saving.saveable import Arrays, Document, Saveable, require_memory, texts_of
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.shapes import WAYS
from wmsketch.methods import COUNT_TABLE, DIFF_METHODS, diff_method
from wmsketch.readers.variable_words import size_of_words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DEFAULT_BUDGET = "16MiB"  # holds every item of typical tables


class Diff(ReadsSides, Saveable):
    """Find the items whose rates differ most between streams a and b, in a fixed number of bytes.

    While every item has a slot, all counts are exact; `held` says how many are.

    >>> diff = Diff("16KiB")
    >>> diff.learn_many(a=["tea"] * 60 + ["milk"] * 30, b=["tea"] * 20 + ["milk"] * 30 + ["jam"] * 40)
    >>> [(row.feature, row.count_a, row.count_b) for row in diff.top(2)]
    [('jam', 0, 40), ('tea', 60, 20)]
    >>> diff.held.line(), diff.nbytes <= 16384
    ('all 3 items are held: every count is exact', True)

    Parameters
    ----------
    budget: bytes for everything that stays: slots, names, counts and bounds (`nbytes`).
    method: "count-table" (as many counts as fit), "paired-count-min" (the baseline of the paper) or "lr" (no limit, all
        exactly).
    weighted: whether items have amounts (bytes, money).
    per_item: whether a rate is a share of all items, as for words, or of all rows.
    half_life: a row counts half after this many rows of both streams together.
    name_bytes: bytes for the name of an item, on average.
    seed: seed of the hashes.
    """

    def __init__(
        self,
        budget: int | str = DEFAULT_BUDGET,
        *,
        method: Literal["count-table", "paired-count-min", "lr"] = COUNT_TABLE,
        weighted: bool = False,
        per_item: bool = False,
        half_life: float | None = None,
        name_bytes: int = 24,
        seed: int = 0,
    ) -> None:
        method = diff_method(method)
        if method not in DIFF_METHODS:
            raise ParameterError("method", f"must be one of {', '.join(DIFF_METHODS)}", method)
        if half_life is not None and method != COUNT_TABLE:
            raise ParameterError("half_life", f"needs {{method={COUNT_TABLE}}}", method)
        self.budget = budget
        self.method = method
        self._settings: dict[str, Any] = {
            "weighted": bool(weighted),
            "per_item": bool(per_item),
            "half_life": 0.0 if half_life is None else _rows("half_life", half_life),
        }
        self._name_bytes = require_integer("name_bytes", name_bytes, 5, 8192)
        self._seed = require_integer("seed", seed, 0, 2**64 - 1)
        self._native: _core.Diff | None = None
        self._named = True  # the first items may be integers, which have no names
        self._version = 0  # incremented after each change
        self._asked: tuple[int, Differences] | None = None
        self._left_out: tuple[str, ...] | None = None  # nearly unique columns of tables, once the first was read
        self._alone = 0  # rows of one stream after the end of the other
        if method == COUNT_TABLE:  # fail early if the budget is too small
            table_shape(parse_bytes(budget), self._name_bytes, self._counts_amounts)
        else:
            self._new()

    @property
    def _name_seed(self) -> int | None:
        return self._seed

    @property
    def _counts_amounts(self) -> bool:
        return bool(self._settings["weighted"] or self._settings["half_life"])

    def _new(self) -> _core.Diff:
        name_bytes = self._name_bytes if self._named else 0
        return new_diff(self.method, self._count_bytes, name_bytes, self._seed, **self._settings)

    @property
    def _counts_exactly(self) -> bool:  # type: ignore[override]
        """Whether a second pass over files can count the candidates of a first."""
        return self.method == COUNT_TABLE and not self._settings["half_life"]

    def _finder(self) -> _core.Diff:
        return finder_of(self._count_bytes, self._seed, bool(self._settings["per_item"]))

    def _counter(self, finder: _core.Diff) -> _core.Diff:
        return counter_of(finder, self._count_bytes, self._seed, self._settings)

    def _reserve(self, counter: _core.Diff) -> None:
        self._native = self._new()
        self._native.reserve(best_first(counter))

    def _open(self) -> None:
        if self._native is not None:
            self._native.open()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._parameters().items() if name != "budget")
        return f"Diff({self.budget!r}, {shown})"

    # --- learning ---

    def learn_many(
        self,
        a: Items = (),
        b: Items = (),
        *,
        amounts_a: ArrayLike | None = None,
        amounts_b: ArrayLike | None = None,
    ) -> None:
        """Learn items (all strings, or all integers below 2^32) of both streams, evenly mixed, each in its order.

        A table (pandas, polars, Arrow) is rows of items, `column=value` for each of its columns. If there are more
        items than slots, pass both streams in parts: this finds more of the differences.

        >>> diff = Diff("16KiB")
        >>> diff.learn_many(a=["tea", "milk"], b=["tea"])
        >>> diff.total_a, diff.total_b
        (2.0, 1.0)
        """
        blocks_a, blocks_b = (
            list(blocks_of(name, items, amounts, self._name_seed))
            for name, items, amounts in (("a", a, amounts_a), ("b", b, amounts_b))
        )
        self._kind(*blocks_a, *blocks_b)  # before the first is learned
        n_a, n_b = (sum(map(len, blocks)) for blocks in (blocks_a, blocks_b))
        share = n_a / max(1, n_a + n_b)
        row_a = row_b = 0
        while blocks_a or blocks_b:
            first_a, first_b = blocks_a[0] if blocks_a else None, blocks_b[0] if blocks_b else None
            row_a, row_b, _, _ = self._mix(first_a, row_a, first_b, row_b, share)
            if first_a is not None and row_a >= len(first_a):
                row_a, blocks_a = 0, blocks_a[1:]
            if first_b is not None and row_b >= len(first_b):
                row_b, blocks_b = 0, blocks_b[1:]

    update = learn_many  # its name in earlier versions

    def learn_block(self, block: _core.RowBlock, stream: Literal["a", "b"]) -> None:
        """Learn one block of rows from a reader, all of one stream."""
        if stream == "a":
            self._mix(block, 0, None, 0, 1.0)
        else:
            self._mix(None, 0, block, 0, 0.0)

    @alone
    def _mix(
        self,
        a: _core.RowBlock | None,
        row_a: int,
        b: _core.RowBlock | None,
        row_b: int,
        share: float,
        only_a: int | None = None,
        only_b: int | None = None,
    ) -> tuple[int, int, int, int]:
        named = self._kind(a, b)
        if self._native is None:
            if not any(len(block) for block in (a, b) if block is not None):
                return row_a, row_b, 0, 0
            self._named = named
            self._native = self._new()
        self._version += 1
        return self._native.mix(a, row_a, b, row_b, share, only_a, only_b)

    def _kind(self, *blocks: _core.RowBlock | None) -> bool:
        """Return whether items are names; an error if integers are among them: the key of a name looks like one."""
        filled = [block for block in blocks if block is not None and len(block)]
        named = self._named if self._native is not None else any(block.named for block in filled)
        if any(len(block.keys) and block.named != named for block in filled):
            kinds = ("names", "integers") if named else ("integers", "names")
            raise ParameterError("items", f"must be {kinds[0]}, like the items before", kinds[1])
        return named

    # --- questions ---

    @property
    def total_a(self) -> float:
        """The number of rows (or the amount) of stream a."""
        return self._native.totals[0] if self._native else 0.0

    @property
    def total_b(self) -> float:
        """The number of rows (or the amount) of stream b."""
        return self._native.totals[1] if self._native else 0.0

    @property
    def nbytes(self) -> int:
        """True bytes of everything that stays: slots, names, counts and bounds; for "lr" they grow with the items."""
        return (self._native or self._new()).nbytes + size_of_words(self.variable_words)

    @property
    def n_slots(self) -> int | None:
        """The number of items that the budget can hold; None without such a limit."""
        if self.method != COUNT_TABLE:
            return None
        name_bytes = self._name_bytes if self._named else 0
        return WAYS * table_shape(self._count_bytes, name_bytes, self._counts_amounts)[0]

    def weight(self, item: str | int) -> float:
        """Return the estimate of log(rate in a / rate in b) of any item, held or not.

        >>> diff = Diff("16KiB")
        >>> diff.learn_many(["tea"] * 50, ["milk"] * 50)
        >>> diff.weight("tea") > 0 > diff.weight("milk")
        True
        """
        return self._native.weight(_core.key_of(item, self._name_seed)) if self._native else 0.0

    def weights(self, items: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the estimates of many integer items.

        >>> diff = Diff("16KiB")
        >>> diff.learn_many([7] * 50, [9] * 50)
        >>> diff.weights(np.array([7, 9], dtype=np.uint32)) > 0
        array([ True, False])
        """
        keys = np.ascontiguousarray(items, dtype=np.uint32)
        return np.asarray(self._native.weights(keys)) if self._native else np.zeros(len(keys))

    @alone
    def _differences(self) -> Differences | None:
        """Return what is held now; cached until something is learned."""
        if self._native is None:
            return None
        asked, version = self._asked, self._version  # the version first: a finalizer may learn meanwhile
        if asked is None or asked[0] != version:
            asked = version, differences_of(self._native, self.method)
            self._asked = asked
        return asked[1]

    def rows(self) -> list[Difference]:
        """Return all items held whose name is kept, largest |weight| first.

        >>> diff = Diff("16KiB")
        >>> diff.learn_many(["tea"] * 3, ["milk"])
        >>> len(diff.rows())
        2
        """
        held = self._differences()
        if held is None:
            return []
        order = np.lexsort((held.keys, -np.abs(held.weights)))
        return [held.row(int(i)) for i in order[~held.nameless[order]]]

    def top(self, k: int = 10, *, min_count: float = 0, within_noise: bool = False) -> list[Difference]:
        """Return up to k items that certainly differ most: those beyond noise, by the end of their range nearer to 1.

        `min_count` leaves out items with a smaller count in both streams together. `within_noise` appends the other
        items. No two rows have the same name, and items whose name is not kept are left out. Templates of log lines
        come in the order of urgency: new errors first.

        >>> diff = Diff("16KiB")
        >>> diff.learn_many(["tea"] * 90 + ["milk"] * 50, ["tea"] * 10 + ["milk"] * 50)
        >>> [row.feature for row in diff.top()]
        ['tea', 'milk']
        """
        require_integer("k", k, 0)
        held = self._differences()
        if held is None:
            return []
        wanted = (held.counts[0] + held.counts[1] >= min_count) & (held.beyond_noise | within_noise) & ~held.nameless
        in_order = held.ordered_templates if self.by_template or self._messages else held.ordered
        order = in_order(np.flatnonzero(wanted))
        if self.columns_left_out:  # a merged part may have counted them
            order = np.array([i for i in order if not self._is_left_out(held.feature(int(i)))], dtype=np.intp)
        rows = [held.row(int(i)) for i in order[:k]]
        if not self._named:
            return rows
        names = tell_apart([str(row.feature) for row in rows], [row.key for row in rows])
        return [replace(row, feature=name) for row, name in zip(rows, names, strict=True)]

    def _is_left_out(self, feature: str | int) -> bool:
        return str(feature).partition("=")[0] in self.columns_left_out

    @property
    @alone
    def held(self) -> Held:
        """The number of items held, distinct and exact, and the budget that would hold all."""
        held = self._differences()
        if self._native is None or held is None:
            return Held(0, 0, 0)
        return how_complete(held, self._native, self._name_bytes if self._named else 0, self._counts_amounts)

    @alone
    def statement(self, a: str = "a", b: str = "b") -> str:
        """Return a sentence that says whether the streams differ; `a` and `b` are their names.

        An item is beyond noise if fewer than 5 % of all comparisons of two equal streams with as many items would have
        an item with counts as uneven (a Chernoff bound for each item, with a Bonferroni correction over all tried).

        >>> same = Diff("16KiB")
        >>> same.learn_many(a=["tea", "milk", "jam"] * 50, b=["tea", "jam", "milk"] * 50)
        >>> same.statement()
        'no difference beyond noise: none of the 3 items held differs by more than chance among 3 tried'
        """
        empty = [name for name, total in ((a, self.total_a), (b, self.total_b)) if total == 0]
        if empty or self._native is None:
            which = "both streams are" if len(empty) == 2 else f"stream {empty[0]} is"
            return f"{which} empty: there is nothing to compare"
        return differences_in_words(self._differences(), self._native, self._alone, a, b)

    half_life = property(lambda self: self._settings["half_life"] or None, doc="Rows after which a row counts half.")

    # --- merging and saving ---

    def merge(self, other: Diff) -> Self:
        """Add the counts of another object with the same settings and seed.

        >>> monday, tuesday = Diff("16KiB"), Diff("16KiB")
        >>> monday.learn_many(["tea"] * 3, ["milk"])
        >>> tuesday.learn_many(["tea"] * 2, ["jam"])
        >>> sorted((row.feature, row.count_a, row.count_b) for row in monday.merge(tuesday).rows())
        [('jam', 0, 1), ('milk', 0, 1), ('tea', 5, 0)]
        """
        require_same_settings(self, other)
        if self.method != COUNT_TABLE:
            raise ValueError(f"merge needs the method {COUNT_TABLE}, got {self.method!r}")
        with both_alone(self, other):
            left_out, version = self._left_out, self._version + 1
            if other._left_out is not None:
                left_out = tuple(sorted({*self.columns_left_out, *other._left_out}))
            if self._native is None:
                self.__dict__.update(other.copy().__dict__)
            elif other._native is not None:
                if other._named != self._named:
                    raise MergeError("cannot merge: one has names, the other integers", ("names",))
                self._require_same_words(other)
                merge_in_order(self, other, _join)
            self._left_out, self._version = left_out, version
        return self

    def _parameters(self) -> dict[str, Any]:
        settings = {**self._settings, "half_life": self._settings["half_life"] or None}
        return {"budget": self.budget, "method": self.method, **settings, "name_bytes": self._name_bytes,
                "seed": self._seed}  # fmt: skip

    @alone
    def _document(self) -> Document:
        if self._native is None:
            return self._parameters(), {}, {}
        config: dict[str, Any] = {"named": self._named, "alone": self._alone}
        given = {"left_out": self._left_out, "messages": self._messages, "variable_words": self._variable_words}
        config |= {name: list(texts) for name, texts in given.items() if texts is not None}
        return self._parameters(), {"config": config}, self._native.state()

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        self.__init__(**parameters)  # type: ignore[misc]
        config = state.get("config")
        if config is None:
            return
        if not isinstance(config, dict):
            raise ValueError("config must be an object")
        self._named, self._alone = bool(config["named"]), require_integer("alone", config["alone"], 0)
        self._left_out, self._messages = texts_of(config, "left_out"), texts_of(config, "messages")
        self._variable_words = texts_of(config, "variable_words")
        require_memory(parse_bytes(self.budget), n_bytes)
        self._native = self._new()
        self._native.restore(arrays)


def _rows(name: str, value: float) -> float:
    number = require_real(name, value)
    if number < 1:
        raise ParameterError(name, "must be at least 1 (a row)", value)
    return number


def _join(one: Any, other: Any) -> None:
    one._native.merge(other._native)
    one._alone += other._alone
