"""The reading part of an explainer: rows in, the first of them held until bins, columns and percentiles are chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.explain.candidates import candidates_of
from wmsketch.apps.explain.first_rows import judge_columns
from wmsketch.apps.explain.inputs import DictRows, lacks_label, warn_of_unlabelled
from wmsketch.apps.explain.messages import ReadsMessages
from wmsketch.apps.explain.opening import look_at_first_rows, may_look
from wmsketch.apps.explain.percentiles import can_be_read_again, name_of, percentiles_of
from wmsketch.learners.rows.whole_calls import alone
from wmsketch.readers import BadInput, Examples, open_examples
from wmsketch.readers.condition import Condition
from wmsketch.readers.survey import Survey, survey


class ReadsRows(ReadsMessages):
    """The reading part of Explainer."""

    condition: Condition
    where_condition: Condition
    attributes: Sequence[str]
    include: Sequence[str]
    ignore: Sequence[str]
    categorical: Sequence[str]
    numeric: Sequence[str]
    weight: str | None
    time: str | None
    seed: int
    label: str | None
    positive: str | float | bool | None
    _stream: _core.AttributeStream
    _waiting: list[_core.RowBlock]  # the first rows, until bins and percentiles are chosen
    _dicts: DictRows
    _left_out: dict[str, str]  # columns that are no attributes, and why
    _held_percentiles: bool  # whether percentiles stay while rows are learned
    _moved_percentiles: bool  # whether rows were compared with percentiles of other rows

    labels_found: tuple[str, str] | None = None  # the two values of the label, the one of outliers last
    labels_balanced: bool = False  # whether both are as frequent

    _finished: Any

    def finished(self) -> Self:
        """Return the object that has learned the waiting rows too."""
        raise NotImplementedError

    _fades: bool
    _n_candidates: int
    _candidates: tuple[Any, float] | None  # ids, and the most outliers of any other, of the rows that come now
    _finder: Callable[[], Any]  # an explainer that counts the values of outliers, without names
    _restart: Callable[[], None]

    def _reader_options(self) -> dict[str, Any]:
        asked = {*self.condition.columns, *self.where_condition.columns, *self._metric_columns}
        return {
            "features": [*self.attributes, *sorted(asked - {*self.attributes})] if self.attributes else [],
            "ignore": [name for name in (*self.ignore, *self._unread) if name not in asked],
            "categorical": [*self.categorical, *sorted(asked - {*self.categorical})],  # as exact text
            "numeric": [name for name in self.numeric if name not in asked],
            **self._template_options(asked),
            "weight": self.weight or "",
            "time": self.time or "",
            "name_seed": self.seed,
            **({"label": self.label, "positive": self.positive} if self.label else {}),
        }

    _metric_columns: Sequence[str] = ()  # that are added up
    _unread: Sequence[str] = ()  # columns that are no attributes, and need not be read
    _judged = False  # whether the first rows were looked at before
    _both_sides = False  # whether values of other rows are candidates too

    def open(self, source: Any, format: str | None = None, **options: Any) -> Examples:
        """Open files, or a data frame, for `learn_block`, with every column as this explainer needs it."""
        if hasattr(source, "reset_index"):
            source = source.reset_index(drop=True)  # pandas would add its index as a column
        unlabelled = {"missing_label": "skip"} if self.label else {}
        return self._watched(open_examples(source, format, **self._reader_options(), **{**unlabelled, **options}))

    def learn_one(self, row: Mapping[str, Any]) -> None:
        """Learn one row: a value for each column.

        >>> from wmsketch.apps import Explainer
        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_one({"ms": 250, "host": "a"})
        >>> explainer.learn_one({"ms": 20, "host": None})
        >>> explainer.examples, explainer.outliers
        (2, 1)
        """
        self.learn_many([row])

    def learn_many(self, rows: Any, **options: Any) -> None:
        """Learn the rows of a data frame, an Arrow table or an iterable of dicts. The options are those of a reader.

        >>> from wmsketch.apps import Explainer
        >>> explainer = Explainer("ms>100")
        >>> explainer.learn_many([{"ms": 250, "host": "a"}, {"ms": 20, "host": "b"}] * 50)
        >>> explainer.examples
        100
        """
        if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "reset_index"):
            self.learn_file(rows, **options)
            return
        self._look_into(rows)
        self._release_percentiles()
        if self.label is not None and isinstance(rows, Sequence):
            rows = self._labelled(rows)
        for block in self._dicts.blocks(rows):
            self.learn_block(block)

    def _labelled(self, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Return the rows that have a label, after a look at all labels."""
        known = [row for row in rows if not isinstance(row, Mapping) or not lacks_label(row.get(self.label or ""))]
        warn_of_unlabelled(len(rows) - len(known))
        found = Survey()
        if self.positive is None:
            options = {"label": self.label, "features": [self.label], "many_classes": True}
            for block in DictRows(options).blocks(known):
                found.add(block)
            self._choose_positive(found, None)
        return known

    def learn_file(self, source: Any, format: str | None = None, **options: Any) -> None:
        """Learn all rows of files (paths, globs, ``-``) or of a data frame. The options are those of a reader.

        What can be read twice is read twice if the condition has percentiles: they are those of all its rows. It is
        read again if not all attribute values fit the budget (`choose_candidates`).

        >>> import pathlib, tempfile
        >>> from wmsketch.apps import Explainer
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "requests.csv")
        ...     _ = path.write_text("ms,host\\n" + "250,a\\n20,b\\n" * 50)
        ...     explainer = Explainer("ms>100")
        ...     explainer.learn_file(path)
        >>> explainer.examples
        100
        """
        file = name_of(source)
        try:
            self.choose_positive(source, format, **options)
            self.choose_percentiles(source, format, **options)
            self.choose_columns(source, format, **options)
            first = self._candidates is None and self._n_read == 0 and can_be_read_again(source)
            if not self._learn_rows(source, format, file, options, first):
                self.choose_candidates(source, format, **options)
                self._learn_rows(source, format, file, options, False)
            if self._candidates is not None:  # these were their rows
                self.finish_warm_up()
                self._stream.open()
                self._candidates = None
        except BadInput as problem:
            raise self.in_own_words(problem) from problem

    learn = learn_file

    def _learn_rows(self, source: Any, format: str | None, file: str | None, options: Any, until_full: bool) -> bool:
        """Learn all rows. Return False if it stopped because not all attributes fit."""
        with self.open(source, format, **options) as examples:
            for block in examples:
                self.learn_block(block, file=file)
                if until_full and self.wants_candidates:
                    return False
            warn_of_unlabelled(examples.rejects.missing_labels if "missing_label" not in options else 0)
        return True

    @property
    def wants_candidates(self) -> bool:
        """Whether values were lost that a second reading of all rows would count; see `choose_candidates`."""
        return self._stream.warm and not self._stream.complete and not self._fades

    def choose_candidates(self, source: Any, format: str | None = None, **options: Any) -> Self:
        """Start again, and count exactly the values that most outliers of these rows have; return self.

        The next rows must be the same. Other values are counted in a sketch only.

        >>> from wmsketch.apps import Explainer
        >>> import pandas as pd
        >>> rows = pd.DataFrame({"ms": [i % 100 for i in range(9000)], "host": [f"h{i % 900}" for i in range(9000)]})
        >>> explainer = Explainer("ms>90", budget="32KiB")
        >>> explainer.choose_candidates(rows).learn_many(rows)
        >>> explainer.held.exact == explainer.held.held
        True
        """
        finder = self._finder()
        finder._take_columns_of(self)
        with finder.open(source, format, **{**options, "rejects": None}) as examples:
            for block in examples:
                finder.learn_block(block)
        finder.finish_warm_up()
        self._restart()
        self._candidates = candidates_of(finder._stream, self._n_candidates, self._both_sides)
        self._stream.seal(*self._candidates)
        return self

    def in_own_words(self, problem: BadInput) -> BadInput:
        """Return a reader's error about a column, with the parameter that names the column here."""
        conditions = {"where": self.where_condition.columns, "outlier": self.condition.columns}
        return problem.as_asked(**conditions, attributes=self.attributes)

    @alone
    def learn_block(self, block: _core.RowBlock, file: str | None = None) -> None:
        """Learn the rows of one block from `open`."""
        self._take_found_words()
        try:
            if self._stream.warm:
                self._learn(block)
                return
            self._waiting.append(block)
            if self._stream.observe(block):
                self.finish_warm_up()
        except ValueError as problem:
            if isinstance(problem, BadInput):
                raise
            raise BadInput(str(problem), file) from problem

    def choose_bins(self, source: Any, **options: Any) -> Self:
        """Choose the bins of numbers from these rows without counting them; return self.

        Explainers that start as copies of this one have the same bins, so they can be merged.

        >>> import pandas as pd
        >>> from wmsketch.apps import Explainer
        >>> explainer = Explainer("ms>100").choose_bins(pd.DataFrame({"ms": [250, 20], "load": [0.5, 0.1]}))
        >>> explainer.copy().examples
        0
        """
        first: list[_core.RowBlock] = []
        with self.open(source, **options) as examples:
            for block in examples:
                first.append(block)
                if self._stream.observe(block):
                    break
        self._take_found_words()
        self._leave_out(first)
        self._stream.finish_warm_up()
        return self

    def choose_positive(self, source: Any, format: str | None = None, **options: Any) -> Self:
        """Find the two values of the label, without counting rows; return self.

        The rarer one marks outliers, unless `positive` says it; of two as frequent, the second in order.
        Labels that can be read only once, like those of a pipe, are left alone: true, or a number above 0, is positive.

        >>> import pandas as pd
        >>> from wmsketch.apps import Explainer
        >>> Explainer(label="end").choose_positive(pd.DataFrame({"end": ["ok", "failed", "ok", None]})).positive
        'failed'
        """
        if self.label is not None and self.positive is None and can_be_read_again(source):
            if hasattr(source, "reset_index"):
                source = source.reset_index(drop=True)
            again = {**self._reader_options(), "features": [], "ignore": []}
            self._choose_positive(survey(source, format, **again | options), name_of(source))
        return self

    def _choose_positive(self, found: Survey, file: str | None) -> None:
        if len(found.labels) > 2:
            like = ", ".join(found.words[:3])
            said = f"the label {self.label!r} has more than two values, like {like}: say which value marks the outliers"
            raise BadInput(said, file, fault="which_positive")
        if found.only_word:
            same = f"is {found.only_word!r} in every row that has one"
            raise BadInput(f"the label {self.label!r} {same}, so there is nothing to compare", file)
        if (positive := found.rarer()) is not None:
            (other,) = (word for word in found.words if word != positive)
            self.positive, self.labels_found = positive, (other, positive)
            self.labels_balanced = len(set(found.labels.values())) == 1
            self._dicts = DictRows(self._reader_options())

    def choose_columns(self, source: Any, format: str | None = None, **options: Any) -> Self:
        """Look at the first rows of a file for columns that are no attributes, which are then not read; return self.

        They are those of `columns_not_used`, without counting rows. Other sources are left alone.

        >>> import pathlib, tempfile
        >>> from wmsketch.apps import Explainer
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "requests.csv")
        ...     _ = path.write_text("ms,id\\n" + "".join(f"{i % 90},id{i}\\n" for i in range(200)))
        ...     Explainer("ms>80").choose_columns(path).columns_not_used
        {'id': 'unique'}
        """
        if may_look(self, source):
            with self.open(source, format, **{**options, "rejects": None, "depth": 0}) as examples:
                look_at_first_rows(self, examples)
        return self

    def choose_percentiles(self, source: Any, format: str | None = None, **options: Any) -> Self:
        """Take the percentiles of the conditions from these rows and all before, without counting them; return self.

        All later rows are compared with them. Rows that cannot be read twice, like those of a pipe, are left alone, and
        percentiles are those of the rows so far. They are exact for the first rows that are chosen from.

        >>> import pandas as pd
        >>> from wmsketch.apps import Explainer
        >>> explainer = Explainer("ms>p90")
        >>> explainer.choose_percentiles(pd.DataFrame({"ms": range(101)})).thresholds
        {'ms>p90': 90.0}
        """
        self._release_percentiles()
        conditions = (self.where_condition, self.condition)
        if not any(each.n_percentiles for each in conditions) or not can_be_read_again(source):
            return self
        columns = sorted({*self.condition.columns, *self.where_condition.columns})
        again = {**self._reader_options(), "features": columns, "categorical": columns, "numeric": [], "ignore": []}
        again |= options | {"rejects": None}
        if hasattr(source, "reset_index"):
            source = source.reset_index(drop=True)
        first = self._n_read == 0

        def blocks() -> Iterable[_core.RowBlock]:
            return open_examples(source, format, **again)

        found = []
        for of_where, condition in ((True, self.where_condition), (False, self.condition)):
            asked = [each.percentile for each in condition.comparisons if each.percentile is not None]
            values = percentiles_of(blocks, self._stream, of_where, asked, self.budget_bytes // 16) if asked else []
            if asked and not first:
                self._stream.release_percentiles()
                self._stream.refresh_percentiles()
                values = self._stream.percentiles(of_where)
            found.append(values)
            self._stream.hold_percentiles(*(found if len(found) == 2 else [values, self._stream.percentiles(False)]))
        self._held_percentiles, self._moved_percentiles = True, self._moved_percentiles or not first
        return self

    @property
    def _n_read(self) -> int:
        counts = self._stream.counts
        return int(counts[0] + counts[2] + counts[3]) + sum(map(len, self._waiting))

    def _release_percentiles(self) -> None:
        """Let percentiles follow the rows that come now; those before were compared with theirs."""
        if self._held_percentiles:
            self.finish_warm_up()
            self._stream.release_percentiles()
            self._held_percentiles, self._moved_percentiles = False, True

    @property
    def percentiles_moved(self) -> bool:
        """Whether rows were compared with the percentiles of the rows so far, and not with those of all rows."""
        asked = self.condition.n_percentiles + self.where_condition.n_percentiles
        return bool(asked) and (self._moved_percentiles or not self._held_percentiles)

    @alone
    def finish_warm_up(self) -> None:
        """Choose bins from the rows so far, and learn the waiting rows."""
        waiting, self._waiting, self._finished = self._waiting, [], None
        if not self._stream.warm:
            self._leave_out(waiting)
            self._stream.finish_warm_up()
        for block in waiting:
            self._learn(block)

    def _leave_out(self, blocks: Sequence[_core.RowBlock]) -> None:
        """Leave out columns whose values are nearly unique, or that restate the condition."""
        if self.attributes:
            return
        if not self._judged:
            asked = [each.column for each in self.condition.comparisons if each.operator != "missing"]
            asked += [column for column in self._metric_columns if column not in asked]
            found = judge_columns(blocks, asked)
            kept = {*self.include, *asked, *self.condition.columns, *self.categorical, *self.numeric, *self.templates}
            self._left_out |= {column: why for column, why in found.items() if column not in kept}
        self._stream.leave_out(list(self._left_out))

    def _take_columns_of(self, other: ReadsRows) -> None:
        """Leave out the same columns, without another look at the first rows."""
        self._left_out, self._unread, self._judged = dict(other._left_out), other._unread, other._judged
        self.variable_words = other.variable_words

    @property
    @alone
    def columns_not_used(self) -> dict[str, str]:
        """Columns that explain nothing: "unique" (a value in nearly every row) or "restates" (the condition)."""
        return dict(self.finished()._left_out)

    def _learn(self, block: _core.RowBlock) -> None:
        self._stream.learn(block)
