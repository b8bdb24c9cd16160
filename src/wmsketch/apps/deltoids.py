"""What is different between two streams? Relative deltoids: the items whose rates differ most."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wmsketch import _core
from wmsketch.apps.deltoids_input import ItemOptions, Side, arrivals, share_of, sides_of_column, sides_of_files
from wmsketch.apps.deltoids_items import Items, blocks_of
from wmsketch.apps.deltoids_rows import Difference, Differences
from wmsketch.apps.deltoids_shape import awm_shape, budget_for, new_deltoids
from wmsketch.apps.held import Held, round_budget, tell_apart
from wmsketch.apps.merging import require_same_settings
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.checks import require_integer, require_real
from wmsketch.learners.saveable import Arrays, Document, Saveable, require_memory
from wmsketch.methods import DELTOIDS
from wmsketch.readers.open_stream import Paths

LEVEL = 0.05  # the chance that "beyond noise" is wrong about any of the items
DEFAULT_BUDGET = "16MiB"  # every item of tables people have finds a place
_NOTABLE = 0.05  # share of rows that came alone above which one should know


class Deltoids(Saveable):
    """Find the items whose rates differ most between streams a and b, in a fixed number of bytes.

    `budget` is a promise about everything that stays: places, names, counts and bounds (`nbytes`). While every item has
    a place all counts are exact; `held` says how far that is so. `method`: "awm" (the AWM-Sketch), "paired-count-min"
    (the baseline of the paper) or "lr" (no limit, all items exactly). `weighted`: items come with amounts (bytes,
    money). `per_item`: a rate is a share of all items, as for words; else of all rows. `half_life`: after so many rows,
    of both streams together, a row counts half. An object is for one thread at a time.

    >>> deltoids = Deltoids("16KiB")
    >>> deltoids.learn_many(a=["tea"] * 60 + ["milk"] * 30, b=["tea"] * 20 + ["milk"] * 30 + ["jam"] * 40)
    >>> [(row.feature, row.count_a, row.count_b) for row in deltoids.top(2)]
    [('jam', 0, 40), ('tea', 60, 20)]
    >>> deltoids.held.line(), deltoids.nbytes <= 16384
    ('held all 3 items: every count is exact', True)
    """

    def __init__(
        self,
        budget: int | str = DEFAULT_BUDGET,
        *,
        method: Literal["awm", "paired-count-min", "lr"] = "awm",
        weighted: bool = False,
        per_item: bool = False,
        half_life: float | None = None,
        name_bytes: int = 24,
        seed: int = 0,
    ) -> None:
        if method not in DELTOIDS:
            raise ValueError(f"method must be one of {', '.join(DELTOIDS)}, got {method!r}")
        if half_life is not None and method != "awm":
            raise ValueError(f"half_life needs the method awm, got {method!r}")
        self.budget = budget
        self.method = method
        self._settings: dict[str, Any] = {
            "weighted": bool(weighted),
            "per_item": bool(per_item),
            "half_life": 0.0 if half_life is None else _rows("half_life", half_life),
        }
        self._name_bytes = require_integer("name_bytes", name_bytes, 5, 8192)
        self._seed = require_integer("seed", seed, 0, 2**64 - 1)
        self._native: _core.Deltoids | None = None
        self._named = True  # the first items may be integers, which need no names
        self._asked: Differences | None = None
        self._alone = 0  # rows of one stream that came when the other was over
        if method == "awm":  # a budget that is too small is refused at once
            awm_shape(parse_bytes(budget), self._name_bytes, self._counts_amounts)
        else:
            self._new()

    @property
    def _counts_amounts(self) -> bool:
        return bool(self._settings["weighted"] or self._settings["half_life"])

    def _new(self) -> _core.Deltoids:
        name_bytes = self._name_bytes if self._named else 0
        return new_deltoids(self.method, parse_bytes(self.budget), name_bytes, self._seed, **self._settings)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._parameters().items() if name != "budget")
        return f"Deltoids({self.budget!r}, {shown})"

    # --- learning ---

    def learn_one(self, item: str | int, stream: Literal["a", "b"]) -> None:
        """Learn one item of stream "a" or "b".

        >>> deltoids = Deltoids("16KiB")
        >>> deltoids.learn_one("tea", "a")
        >>> deltoids.total_a, deltoids.total_b
        (1.0, 0.0)
        """
        if stream not in ("a", "b"):
            raise ValueError(f"stream must be 'a' or 'b', got {stream!r}")
        self.learn_many(**{stream: [item]})

    def learn_many(
        self,
        a: Items = (),
        b: Items = (),
        *,
        amounts_a: ArrayLike | None = None,
        amounts_b: ArrayLike | None = None,
    ) -> None:
        """Learn items (all strings, or all integers below 2^32) of both streams, evenly mixed, each in its order.

        A table (pandas, polars, Arrow) is rows of items, `column=value` for each of its columns. Give both streams a
        part at a time where there are more items than places: that finds more of what differs.
        """
        blocks_a, blocks_b = list(blocks_of("a", a, amounts_a)), list(blocks_of("b", b, amounts_b))
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
        """Learn the rows of one block of a reader, all of one stream."""
        if stream == "a":
            self._mix(block, 0, None, 0, 1.0)
        else:
            self._mix(None, 0, block, 0, 0.0)

    def learn_file(
        self,
        a: Paths,
        b: Paths,
        *,
        tick: Callable[[Side, Side], None] | None = None,
        live: bool = False,
        **options: Any,
    ) -> Self:
        """Learn two inputs (files, globs, pipes, `-` for one of them), mixed in proportion to their sizes.

        The options are those of `ItemOptions`. `tick` is called now and then. Bad input ends its stream; it is raised
        when the other stream is over too, and all that came before it counts. Of pipes the sizes are unknown: they are
        mixed row by row, each waiting for the other, or with `live`, two pipes as their rows arrive.
        """
        side_a, side_b = sides_of_files(a, b, ItemOptions(**options))
        if live and side_a.is_pipe and side_b.is_pipe:
            return self._read_live(side_a, side_b, tick)
        return self._read(side_a, side_b, tick)

    read = learn_file  # its name in earlier versions

    def read_split(
        self,
        paths: Paths,
        column: str,
        a: str,
        b: str,
        *,
        tick: Callable[[Side, Side], None] | None = None,
        **options: Any,
    ) -> Self:
        """Learn the rows of one input: stream a are those with one value of a column, b those with another."""
        sides = sides_of_column(paths, column, a, b, ItemOptions(**options))
        if sides[0].total is None:
            return self._read_pipe(*sides, tick)
        return self._read(*sides, tick)

    def _read(self, a: Side, b: Side, tick: Callable[[Side, Side], None] | None) -> Self:
        try:
            for side in (a, b):
                side.open()
            has_a, has_b = a.advance(), b.advance()
            while has_a or has_b:
                row_a, row_b, n_a, n_b = self._mix(a.block, a.row, b.block, b.row, share_of(a, b), a.only, b.only)
                self._alone += 0 if has_a and has_b else n_a + n_b
                a.took(row_a, n_a)
                b.took(row_b, n_b)
                has_a, has_b = a.advance(), b.advance()
                if tick is not None:
                    tick(a, b)
        finally:
            a.close()
            b.close()
        return self._raise_problem(a, b)

    def _raise_problem(self, *sides: Side) -> Self:
        for side in sides:
            if side.problem is not None:
                raise side.problem
        return self

    def _read_live(self, a: Side, b: Side, tick: Callable[[Side, Side], None] | None) -> Self:
        for blocks in arrivals(a, b):
            n_a, n_b = len(blocks[0] or ()), len(blocks[1] or ())
            row_a, row_b, _, _ = self._mix(blocks[0], 0, blocks[1], 0, n_a / max(1, n_a + n_b))
            rest_a, rest_b = blocks[0] if row_a < n_a else None, blocks[1] if row_b < n_b else None
            self._mix(rest_a, row_a, rest_b, row_b, 0.5)
            if tick is not None:
                tick(a, b)
        return self._raise_problem(a, b)

    def _read_pipe(self, a: Side, b: Side, tick: Callable[[Side, Side], None] | None) -> Self:
        """One pipe cannot be read twice: its rows are mixed as far as a block reaches."""
        key_a, key_b = a.only, b.only
        assert key_a is not None and key_b is not None
        a.only = None
        a.open(ahead=False)
        try:
            while a.advance():
                block = a.block
                assert block is not None
                n_a, n_b = (_core.count_rows_with(block, key) for key in (key_a, key_b))
                row_a, row_b, _, _ = self._mix(block, 0, block, 0, n_a / max(1, n_a + n_b), key_a, key_b)
                self._mix(block, row_a, None, 0, 1.0, key_a, None)
                self._mix(None, 0, block, row_b, 0.0, None, key_b)
                a.took(len(block), len(block))
                if tick is not None:
                    tick(a, b)
        finally:
            a.close()
        return self._raise_problem(a)

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
        if self._native is None:
            filled = [block for block in (a, b) if block is not None and len(block)]
            if not filled:
                return row_a, row_b, 0, 0
            self._named = any(block.named for block in filled)
            self._native = self._new()
        self._require_kind(a, b)
        self._asked = None
        return self._native.mix(a, row_a, b, row_b, share, only_a, only_b)

    def _require_kind(self, *blocks: _core.RowBlock | None) -> None:
        """Integers and names are not mixed: a name's key would look like an integer."""
        for block in blocks:
            if block is not None and len(block) and len(block.keys) and block.named != self._named:
                kinds = ("names", "integers") if self._named else ("integers", "names")
                raise ValueError(f"items must be {kinds[0]}, as those before, got {kinds[1]}")

    # --- questions ---

    @property
    def total_a(self) -> float:
        """The rows (or their amounts) of stream a."""
        return self._native.totals[0] if self._native else 0.0

    @property
    def total_b(self) -> float:
        """The rows (or their amounts) of stream b."""
        return self._native.totals[1] if self._native else 0.0

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays: places, names, counts and bounds; for "lr" they grow with the items."""
        return (self._native or self._new()).nbytes

    def weight(self, item: str | int) -> float:
        """Return the estimate of log(rate in a / rate in b) of any item, held or not."""
        return self._native.weight(_core.key_of(item)) if self._native else 0.0

    def weights(self, items: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the estimates of many integer items at once."""
        keys = np.ascontiguousarray(items, dtype=np.uint32)
        return np.asarray(self._native.weights(keys)) if self._native else np.zeros(len(keys))

    def _differences(self) -> Differences | None:
        """What is held now; kept until something is learned."""
        if self._native is None:
            return None
        if self._asked is None:
            needed = math.log(2 * max(1, self._native.n_tried) / LEVEL)
            self._asked = Differences(self._native.table(), self._native.totals, needed, self.method)
        return self._asked

    def rows(self) -> list[Difference]:
        """Return all items that are held, those of the largest |weight| first."""
        held = self._differences()
        if held is None:
            return []
        return [held.row(int(i)) for i in np.lexsort((held.keys, -np.abs(held.weights)))]

    def top(self, k: int = 10, *, min_count: float = 0, within_noise: bool = False) -> list[Difference]:
        """Return up to k items that surely differ most: those beyond noise, by the least ratio within their range.

        `min_count`: leave out items counted fewer times in both streams together. `within_noise`: have the other items
        too, behind them. No two rows have the same name.
        """
        require_integer("k", k, 0)
        held = self._differences()
        if held is None:
            return []
        wanted = (held.counts[0] + held.counts[1] >= min_count) & (held.beyond_noise | within_noise)
        order = np.lexsort((held.keys, -np.abs(held.weights), -held.sure, ~held.beyond_noise))
        rows = [held.row(int(i)) for i in order[wanted[order]][:k]]
        if not self._named:
            return rows
        names = tell_apart([str(row.feature) for row in rows], [row.key for row in rows])
        return [replace(row, feature=name) for row, name in zip(rows, names, strict=True)]

    @property
    def held(self) -> Held:
        """How many items are held of how many, how many of them are exact, and which budget would hold all."""
        held = self._differences()
        if self._native is None or held is None:
            return Held(0, 0, 0)
        distinct, n = self._native.n_distinct, len(held)
        exact, cut = int(held.exact.sum()), int(held.shortened.sum())
        if distinct is None or self._native.is_whole:
            return Held(n, None if distinct is None else n, exact, cut)
        name_bytes = self._name_bytes if self._named else 0
        needed = budget_for(1.1 * max(distinct, n), name_bytes, self._counts_amounts)  # the estimate may be low
        return Held(n, max(round(distinct), n + 1), exact, cut, round_budget(needed))

    def statement(self, a: str = "a", b: str = "b") -> str:
        """Say in a sentence whether the streams differ; `a` and `b` are their names.

        An item is beyond noise if its counts would be as uneven as they are in less than 5 % of all comparisons of two
        equal streams with as many items (Chernoff's bound on each item, Bonferroni's over all that were tried).

        >>> same = Deltoids("16KiB")
        >>> same.learn_many(a=["tea", "milk", "jam"] * 50, b=["tea", "jam", "milk"] * 50)
        >>> same.statement()
        'no difference beyond noise: none of the 3 items held differs more than chance would have it among 3 tried'
        """
        empty = [name for name, total in ((a, self.total_a), (b, self.total_b)) if total == 0]
        if empty or self._native is None:
            which = "both streams are" if len(empty) == 2 else f"stream {empty[0]} is"
            return f"{which} empty: there is nothing to compare"
        held = self._differences()
        if not held:
            return "no items were found in either stream"
        n_beyond = int(held.beyond_noise.sum())
        tried = f"among {self._native.n_tried:,} tried"
        many = not self._native.is_whole and self._alone > max(100, _NOTABLE * sum(self._native.n_rows))
        alone = f"; {self._alone:,} rows came alone, when the other stream was over" if many else ""
        if not n_beyond:
            return (
                f"no difference beyond noise: none of the {len(held):,} items held differs more than chance would have "
                f"it {tried}{alone}"
            )
        more_a = int((held.log_ratios[held.beyond_noise] > 0).sum())
        return (
            f"{n_beyond:,} of {len(held):,} items held differ beyond noise ({tried}): {more_a:,} more frequent "
            f"in {a}, {n_beyond - more_a:,} in {b}{alone}"
        )

    # --- merging and saving ---

    def merge(self, other: Deltoids) -> Self:
        """Add what another one, of the same settings and seed, has learned.

        >>> monday, tuesday = Deltoids("16KiB"), Deltoids("16KiB")
        >>> monday.learn_many(["tea"] * 3, ["milk"])
        >>> tuesday.learn_many(["tea"] * 2, ["jam"])
        >>> sorted((row.feature, row.count_a, row.count_b) for row in monday.merge(tuesday).rows())
        [('jam', 0, 1), ('milk', 0, 1), ('tea', 5, 0)]
        """
        require_same_settings(self, other, self._parameters(), getattr(other, "_parameters", dict)())
        if self.method != "awm":
            raise ValueError(f"merge needs the method awm, got {self.method!r}")
        if other._native is None:
            return self
        if self._native is None:
            self._named, self._native = other._named, None
            self._native = self._new()
        if other._named != self._named:
            raise ValueError("cannot merge: one has learned names, the other integers")
        self._native.merge(other._native)
        self._asked = None
        self._alone += other._alone
        return self

    def _parameters(self) -> dict[str, Any]:
        settings = {**self._settings, "half_life": self._settings["half_life"] or None}
        return {"budget": self.budget, "method": self.method, **settings, "name_bytes": self._name_bytes,
                "seed": self._seed}  # fmt: skip

    def _document(self) -> Document:
        if self._native is None:
            return self._parameters(), {}, {}
        return self._parameters(), {"config": {"named": self._named, "alone": self._alone}}, self._native.state()

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        self.__init__(**parameters)  # type: ignore[misc]
        config = state.get("config")
        if config is None:
            return
        self._named, self._alone = bool(config["named"]), require_integer("alone", config["alone"], 0)
        require_memory(parse_bytes(self.budget), n_bytes)
        self._native = self._new()
        self._native.restore(arrays)


def _rows(name: str, value: float) -> float:
    number = require_real(name, value)
    if number < 1:
        raise ValueError(f"{name} must be at least 1 (a row), got {value}")
    return number
