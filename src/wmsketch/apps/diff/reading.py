"""Two inputs into a Diff: files in parallel, pipes as they arrive, or one input split by a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

from wmsketch import _core
from wmsketch.apps.diff.columns import require_comparable, special_columns, with_format_of_other
from wmsketch.apps.diff.first_part import FirstPart
from wmsketch.apps.diff.inputs import (
    ItemOptions,
    Side,
    arrivals,
    fresh,
    open_both,
    share_of,
    sides_of_column,
    sides_of_files,
)
from wmsketch.apps.diff.log_lines import by_template
from wmsketch.errors import MergeError, ParameterError
from wmsketch.learners.rows.whole_calls import lock_of
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.readers import expand_paths
from wmsketch.readers.open_stream import Paths
from wmsketch.readers.variable_words import bytes_for_words, size_of_words

Tick = Callable[[Side, Side], None] | None
Mix = Callable[..., tuple[int, int, int, int]]


class ReadsSides:
    """The part of `Diff` that reads."""

    _messages: tuple[str, ...] | None = None  # columns that are compared by their templates
    _variable_words: tuple[str, ...] | None = None  # once lines of logs were compared by their templates
    budget: int | str
    _alone: int
    _native: _core.Diff | None
    _counts_exactly: bool
    _finder: Callable[[], _core.Diff]
    _counter: Callable[[_core.Diff], _core.Diff]
    _reserve: Callable[[_core.Diff], None]
    _open: Callable[[], None]
    _left_out: tuple[str, ...] | None
    _mix: Callable[..., tuple[int, int, int, int]]  # of Diff
    learn_many: Callable[..., None]

    @property
    def _name_seed(self) -> int | None:
        raise NotImplementedError

    @property
    def _count_bytes(self) -> int:
        return parse_bytes(self.budget) - size_of_words(self.variable_words)  # which are in the budget too

    def learn_one(self, item: str | int, stream: Literal["a", "b"]) -> None:
        """Learn one item of stream "a" or "b".

        >>> from wmsketch.apps import Diff
        >>> diff = Diff("16KiB")
        >>> diff.learn_one("tea", "a")
        >>> diff.total_a, diff.total_b
        (1.0, 0.0)
        """
        if stream not in ("a", "b"):
            raise ParameterError("stream", "must be 'a' or 'b'", stream)
        self.learn_many(**{stream: [item]})

    def learn_file(
        self,
        a: Paths,
        b: Paths,
        *,
        tick: Tick = None,
        live: bool = False,
        **options: Any,
    ) -> Self:
        """Learn two inputs (files, globs, pipes, `-` for one of them), mixed in proportion to their sizes.

        The options are those of `ItemOptions`. `tick` is called regularly. Bad input ends its stream; the error is
        raised after the end of the other stream, and all rows before it count. The sizes of pipes are unknown: pipes
        are mixed row by row, each waiting for the other. With `live`, two pipes are read as their rows arrive.

        >>> import pathlib, tempfile
        >>> from wmsketch.apps import Diff
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     before, after = (pathlib.Path(folder, name) for name in ("before.txt", "after.txt"))
        ...     _ = before.write_text("tea milk\\n" * 50), after.write_text("tea jam\\n" * 50)
        ...     found = Diff("64KiB").learn_file(before, after).top()
        >>> sorted(row.feature for row in found)
        ['tea jam', 'tea milk']
        """
        paths_a, paths_b = expand_paths(a), expand_paths(b)
        if "-" in paths_a and "-" in paths_b:
            raise ValueError("only one of the two streams can be stdin (-)")
        given = with_format_of_other(paths_a, paths_b, ItemOptions(name_seed=self._name_seed, **options))
        given = self._with_known_words(given)
        first = FirstPart(given.encoding)
        require_comparable(paths_a[0], paths_b[0], given, first)
        given = by_template(paths_a, paths_b, given, first, self._most_word_bytes)
        if given.templates:
            self._variable_words = tuple(given.variable_words or ())
        trial = self._trial_of(Side(paths_a, given), Side(paths_b, given))
        chosen = self._leave_out([paths_a, paths_b], given, first, ahead=trial)
        if trial and chosen != given:
            for side in trial:
                side.close()
            trial = None
        side_a, side_b = sides_of_files(paths_a, paths_b, chosen, first.taken())
        if live and side_a.is_pipe and side_b.is_pipe:
            return self._read_live(side_a, side_b, tick)
        return self._read_files(side_a, side_b, tick, trial)

    @property
    def by_template(self) -> bool:
        """Whether lines of logs were compared by their templates."""
        return self._variable_words is not None and not self._messages

    @property
    def columns_by_template(self) -> tuple[str, ...]:
        """The columns of tables that hold messages of a log, and are compared by their templates."""
        return self._messages or ()

    @property
    def variable_words(self) -> tuple[str, ...]:
        """The templates of log lines or messages in which words vary, like ``user <word> logged in``.

        They are found in the first lines of the first inputs. Logs that are read in parts and merged need the same:
        `learn_file(a, b, variable_words=first.variable_words)`.
        """
        return self._variable_words or ()

    @property
    def columns_left_out(self) -> tuple[str, ...]:
        """The columns of tables that are not compared, because nearly every row has its own value there."""
        return self._left_out or ()

    def _require_same_words(self, other: ReadsSides) -> None:
        if other.variable_words != self.variable_words:
            message = "cannot merge: words vary in other templates; read both with the variable_words of one"
            raise MergeError(message, ("variable_words",))
        if None not in (self._messages, other._messages) and self._messages != other._messages:
            message = "cannot merge: other columns were compared by their templates; name the columns as items"
            raise MergeError(message, ("messages",))

    def _with_known_words(self, options: ItemOptions) -> ItemOptions:
        """Return the options with the words of the first logs, which decide."""
        if self._variable_words is None or options.variable_words is not None:
            return options
        return replace(options, variable_words=self._variable_words)

    @property
    def _most_word_bytes(self) -> int:
        """The bytes for templates with <word>; none once items are counted, because the budget is used."""
        return 0 if self._native is not None else bytes_for_words(parse_bytes(self.budget))

    def _leave_out(
        self,
        inputs: list[list[str]],
        options: ItemOptions,
        first: FirstPart,
        split: str | None = None,
        ahead: tuple[Side, Side] | None = None,
    ) -> ItemOptions:
        """Return the options without nearly unique columns, and with templates of messages.

        The first tables decide, so that all counts agree.
        """
        if not options.takes_all_columns:
            return options
        if self._left_out is None:
            found = special_columns(inputs, options, first, self._most_word_bytes, split, ahead)
            self._left_out, self._messages = found.unique, found.messages
            if found.messages and self._variable_words is None:
                given = options.variable_words
                self._variable_words = found.variable_words if given is None else tuple(given)
        options = replace(options, left_out=self._left_out, messages=self._messages or ())
        return self._with_known_words(options) if self._messages else options

    read = learn_file  # its name in earlier versions

    def read_split(
        self,
        paths: Paths,
        column: str,
        a: str,
        b: str,
        *,
        tick: Tick = None,
        **options: Any,
    ) -> Self:
        """Learn one input: stream a is the rows with one value of a column, stream b those with another.

        >>> import pathlib, tempfile
        >>> from wmsketch.apps import Diff
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "cups.csv")
        ...     _ = path.write_text("day,drink\\n" + "mon,tea\\ntue,milk\\n" * 50)
        ...     found = Diff("64KiB").read_split(path, "day", "mon", "tue").top()
        >>> sorted(row.feature for row in found)
        ['drink=milk', 'drink=tea']
        """
        given = self._with_known_words(ItemOptions(name_seed=self._name_seed, **options))
        expanded, first = expand_paths(paths), FirstPart(given.encoding)
        given = self._leave_out([expanded], given, first, column)
        sides = sides_of_column(expanded, column, a, b, given, first.taken())
        if sides[0].total is None:
            return self._read_pipe(*sides, tick)
        return self._read_files(*sides, tick)

    def _trial_of(self, a: Side, b: Side) -> tuple[Side, Side] | None:
        """Return the same sides, to see if every item finds a slot, if they can be read again when some do not."""
        again = self._native is None and self._counts_exactly and not a.is_pipe and not b.is_pipe
        if not again or (a.options.rejects is not None and a.options.rejects.keeps_all):
            return None
        return fresh(a, holds_rejects=True), fresh(b, holds_rejects=True)

    def _read_files(self, a: Side, b: Side, tick: Tick, trial: tuple[Side, Side] | None = None) -> Self:
        """Read once if every item finds a slot. Otherwise find candidates, count these, and then the best by name.

        `trial`: the same sides, of which the first blocks may be read.
        """
        if trial := trial or self._trial_of(a, b):
            trial_a, trial_b = trial
            if self._read(trial_a, trial_b, self._mix, tick, self._lost):
                for side in (trial_a, trial_b):
                    side.tell_rejects()
                return self._raise_problem(trial_a, trial_b)
            self._native = None
            finder = self._finder()
            self._read(fresh(a, holds_rejects=True), fresh(b, holds_rejects=True), finder.mix, tick)
            counter = self._counter(finder)
            del finder
            self._read(fresh(a, holds_rejects=True), fresh(b, holds_rejects=True), counter.mix, tick)
            self._reserve(counter)
            del counter
            self._alone = 0
            self._read(a, b, self._mix, tick)
            self._open()
            return self._raise_problem(a, b)
        self._read(a, b, self._mix, tick)
        return self._raise_problem(a, b)

    def _lost(self) -> bool:
        return self._native is not None and not self._native.is_whole

    def _read(self, a: Side, b: Side, mix: Mix, tick: Tick, until: Callable[[], bool] | None = None) -> bool:
        """Pass both streams to `mix`. Return False if `until` became true before the end."""
        try:
            open_both(a, b)
            has_a, has_b = a.advance(), b.advance()
            while has_a or has_b:
                with lock_of(self):
                    row_a, row_b, n_a, n_b = mix(a.block, a.row, b.block, b.row, share_of(a, b), a.only, b.only)
                    self._alone += 0 if has_a and has_b else n_a + n_b
                a.took(row_a, n_a)
                b.took(row_b, n_b)
                has_a, has_b = a.advance(), b.advance()
                if until is not None and until():
                    return False
                if tick is not None:
                    tick(a, b)
        finally:
            a.close()
            b.close()
        return True

    def _raise_problem(self, *sides: Side) -> Self:
        for side in sides:
            if side.problem is not None:
                raise side.problem
        return self

    def _read_live(self, a: Side, b: Side, tick: Tick) -> Self:
        for blocks in arrivals(a, b):
            n_a, n_b = len(blocks[0] or ()), len(blocks[1] or ())
            row_a, row_b, _, _ = self._mix(blocks[0], 0, blocks[1], 0, n_a / max(1, n_a + n_b))
            rest_a, rest_b = blocks[0] if row_a < n_a else None, blocks[1] if row_b < n_b else None
            self._mix(rest_a, row_a, rest_b, row_b, 0.5)
            if tick is not None:
                tick(a, b)
        return self._raise_problem(a, b)

    def _read_pipe(self, a: Side, b: Side, tick: Tick) -> Self:
        """Mix the rows of one pipe within each block, because a pipe cannot be read twice."""
        key_a, key_b = a.only, b.only
        assert key_a is not None and key_b is not None
        a.only = None
        a.open()
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
