"""Two inputs into Deltoids: files in parallel, pipes as they arrive, or one input split by a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.deltoids_input import ItemOptions, Side, arrivals, share_of, sides_of_column, sides_of_files
from wmsketch.learners.whole_calls import lock_of
from wmsketch.readers.open_stream import Paths


class ReadsSides:
    """The reading part of Deltoids."""

    _alone: int
    _mix: Callable[..., tuple[int, int, int, int]]  # of Deltoids

    @property
    def _name_seed(self) -> int | None:
        raise NotImplementedError

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

        The options are those of `ItemOptions`. `tick` is called regularly. Bad input ends its stream; the error is
        raised after the end of the other stream, and all rows before it count. The sizes of pipes are unknown: pipes
        are mixed row by row, each waiting for the other. With `live`, two pipes are read as their rows arrive.
        """
        side_a, side_b = sides_of_files(a, b, ItemOptions(name_seed=self._name_seed, **options))
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
        """Learn one input: stream a is the rows with one value of a column, stream b those with another."""
        sides = sides_of_column(paths, column, a, b, ItemOptions(name_seed=self._name_seed, **options))
        if sides[0].total is None:
            return self._read_pipe(*sides, tick)
        return self._read(*sides, tick)

    def _read(self, a: Side, b: Side, tick: Callable[[Side, Side], None] | None) -> Self:
        try:
            for side in (a, b):
                side.open()
            has_a, has_b = a.advance(), b.advance()
            while has_a or has_b:
                with lock_of(self):
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
        """Mix the rows of one pipe within each block, because a pipe cannot be read twice."""
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
