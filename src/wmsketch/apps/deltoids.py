"""What is different between two streams? Relative deltoids: the items whose rates differ most."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wmsketch import _core
from wmsketch.apps.deltoids_input import ItemOptions, Side, arrivals, share_of, sides_of_column, sides_of_files
from wmsketch.apps.deltoids_rows import Difference, difference_of
from wmsketch.apps.deltoids_shape import METHODS, new_deltoids
from wmsketch.learners.budget import parse_bytes
from wmsketch.learners.checks import require_integer
from wmsketch.readers.open_stream import Paths

LEVEL = 0.05  # the chance that "beyond noise" is wrong about any of the items
_NOTABLE = 0.05  # share of rows that came alone above which one should know


class Deltoids:
    """Find the items whose rates differ most between streams a and b, in a fixed number of bytes.

    `budget` is a promise about everything that stays: the classifier, the names and the counters (`nbytes`).
    `method`: "awm" (the AWM-Sketch), "paired-count-min" (the baseline of the paper) or "lr" (no limit, all items
    exactly). `weighted`: items come with amounts (bytes, money). `per_item`: a rate is a share of all items, as for
    words; else of all rows. An object is for one thread at a time.

    >>> deltoids = Deltoids("16KiB")
    >>> deltoids.update(a=["tea"] * 60 + ["milk"] * 30, b=["tea"] * 20 + ["milk"] * 30 + ["jam"] * 40)
    >>> [(row.feature, row.count_a, row.count_b) for row in deltoids.top(2)]
    [('jam', 0, 40), ('tea', 60, 20)]
    >>> deltoids.nbytes <= 16384
    True
    """

    def __init__(
        self,
        budget: int | str = "32KiB",
        *,
        method: str = "awm",
        weighted: bool = False,
        per_item: bool = False,
        name_bytes: int = 24,
        seed: int = 0,
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        self.budget = budget
        self.method = method
        self._settings = {"weighted": weighted, "per_item": per_item}
        self._name_bytes = require_integer("name_bytes", name_bytes, 5, 8192)
        self._seed = require_integer("seed", seed, 0, 2**64 - 1)
        self._native: _core.Deltoids | None = None
        self._alone = 0  # rows of one stream that came when the other was over
        self._new(named=True)  # refuses a budget that is too small at once

    def _new(self, named: bool) -> _core.Deltoids:
        name_bytes = self._name_bytes if named else 0
        return new_deltoids(self.method, parse_bytes(self.budget), name_bytes, self._seed, **self._settings)

    # --- learning ---

    def update(
        self,
        a: Sequence[str] | ArrayLike = (),
        b: Sequence[str] | ArrayLike = (),
        *,
        amounts_a: ArrayLike | None = None,
        amounts_b: ArrayLike | None = None,
    ) -> None:
        """Learn items (all strings, or all integers below 2^32) of both streams, evenly mixed, each in its order.

        Give both streams a part at a time: what is learned of one without the other cannot be balanced.
        """
        block_a, block_b = _rows_of(a, amounts_a), _rows_of(b, amounts_b)
        share = len(block_a) / max(1, len(block_a) + len(block_b))
        row_a, row_b, _, _ = self._mix(block_a, 0, block_b, 0, share)
        self._mix(block_a if row_a < len(block_a) else None, row_a, block_b if row_b < len(block_b) else None, row_b, 0)

    def read(
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
            self._native = self._new(named=any(block.named for block in filled))
        return self._native.mix(a, row_a, b, row_b, share, only_a, only_b)

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
        """True bytes of all that stays: classifier, names and counters; for "lr" they grow with the items."""
        return (self._native or self._new(named=True)).nbytes

    def weight(self, item: str | int) -> float:
        """Return the estimate of log(rate in a / rate in b) of any item, held or not."""
        return self._native.weight(_core.key_of(item)) if self._native else 0.0

    def weights(self, items: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the estimates of many integer items at once."""
        keys = np.ascontiguousarray(items, dtype=np.uint32)
        return np.asarray(self._native.weights(keys)) if self._native else np.zeros(len(keys))

    def rows(self) -> list[Difference]:
        """Return all items that are held, those of the largest |weight| first."""
        if self._native is None:
            return []
        totals = self._native.totals
        needed = math.log(2 * max(1, self._native.n_tried) / LEVEL)
        rows = [difference_of(row, totals, needed, self.method) for row in self._native.rows()]
        return sorted(rows, key=lambda row: -abs(row.weight))

    def top(self, k: int = 10, *, min_count: float = 0, within_noise: bool = False) -> list[Difference]:
        """Return up to k items that surely differ most: those beyond noise, by the least ratio their counts allow.

        `min_count`: leave out items counted fewer times in both streams together. `within_noise`: have the other items
        too, behind them.
        """
        require_integer("k", k, 0)
        rows = [row for row in self.rows() if within_noise or row.beyond_noise]
        rows = [row for row in rows if (row.count_a or 0) + (row.count_b or 0) >= min_count]
        return sorted(rows, key=lambda row: (not row.beyond_noise, -row.sure_log_ratio))[:k]

    def statement(self) -> str:
        """Say in a sentence whether the streams differ.

        An item is beyond noise if its counts would be as uneven as they are in less than 5 % of all comparisons of two
        equal streams with as many items (Chernoff's bound on each item, Bonferroni's over all that were tried).

        >>> same = Deltoids("16KiB")
        >>> same.update(a=["tea", "milk", "jam"] * 50, b=["tea", "jam", "milk"] * 50)
        >>> same.statement()
        'no difference beyond noise: none of the 3 items held differs more than chance would have it among 3 tried'
        """
        empty = [name for name, total in (("a", self.total_a), ("b", self.total_b)) if total == 0]
        if empty or self._native is None:
            which = "both streams are" if len(empty) == 2 else f"stream {empty[0]} is"
            return f"{which} empty: there is nothing to compare"
        rows = self.rows()
        if not rows:
            return "no items were found in either stream"
        beyond = [row for row in rows if row.beyond_noise]
        tried = f"among {self._native.n_tried:,} tried"
        many = self._alone > max(100, _NOTABLE * sum(self._native.n_rows))
        alone = f"; {self._alone:,} rows came alone, when the other stream was over" if many else ""
        if not beyond:
            return (
                f"no difference beyond noise: none of the {len(rows):,} items held differs more than chance would have "
                f"it {tried}{alone}"
            )
        more_a = sum((row.log_ratio or 0) > 0 for row in beyond)
        return (
            f"{len(beyond):,} of {len(rows):,} items held differ beyond noise ({tried}): {more_a:,} more frequent "
            f"in a, {len(beyond) - more_a:,} in b{alone}"
        )


def _rows_of(items: Any, amounts: ArrayLike | None) -> _core.RowBlock:
    weights = None if amounts is None else np.ascontiguousarray(amounts, dtype=np.float32)
    array = np.asarray(items) if isinstance(items, np.ndarray) else None
    if array is not None and array.dtype.kind in "iu":
        if array.ndim != 1 or (array.size and not 0 <= int(array.min()) <= int(array.max()) < 2**32):
            raise ValueError("integer items must be a 1-d array of numbers from 0 to 2^32 - 1")
        return _core.item_rows(np.ascontiguousarray(array, dtype=np.uint32), weights)
    names = tuple(items.tolist() if array is not None else items)
    if names and all(isinstance(name, int) for name in names):
        return _rows_of(np.array(names), amounts)
    wrong = next((i for i, name in enumerate(names) if not isinstance(name, str)), None)
    if wrong is not None:
        raise ValueError(f"items must be all strings or all integers, but items[{wrong}] is {names[wrong]!r}")
    return _core.item_rows(names, weights)
