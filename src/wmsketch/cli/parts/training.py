"""Learning from files, with stop and resume."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from wmsketch._core import DistinctFeatures, RowBlock, SpreadRows
from wmsketch.cli.parts.column_findings import chosen_budget, late_numbers, warnings_of
from wmsketch.cli.parts.errors import Failed
from wmsketch.cli.parts.held_features import as_text, counting, of_text
from wmsketch.cli.parts.holdout import Holdout, Lesson, NoHoldout, ShareHoldout, make_holdout
from wmsketch.cli.parts.interrupts import Interrupts
from wmsketch.cli.parts.plan import Plan, differences
from wmsketch.cli.parts.progress import ProgressLine
from wmsketch.cli.parts.reader_options import (
    ARRIVAL,
    may_change,
    open_input,
    reader_to_note,
    require_labels,
    require_positive,
    resumed_reader,
)
from wmsketch.cli.parts.shuffle import shuffled
from wmsketch.cli.parts.ticker import Task, Ticker
from wmsketch.errors import RowError
from wmsketch.late import dataclass
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import (
    has_learned,
    is_multiclass,
    label_names_of,
    learn_block,
    reading_of,
    seen_positive,
)
from wmsketch.learners.rows.labels import typed_labels
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.messages import take_words, word_options
from wmsketch.learners.rows.settling import settle
from wmsketch.learners.rows.unlearnable import all_but_refused
from wmsketch.learners.sizes.resize import within
from wmsketch.readers import BadInput, Examples, LabelNames, Position
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.doubtful_columns import doubtful_columns
from wmsketch.readers.rejects import RejectBatch, Rejection, Rejects
from wmsketch.readers.sources.address import Address
from wmsketch.results.description import online_error
from wmsketch.results.description import progress as describe_progress
from wmsketch.results.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch.cli.parts.run_log import RunLog

_CHECKPOINT_SECONDS = 30.0  # of an endless run
_LOG_SECONDS = 60.0  # between the log lines of an endless run


@dataclass
class Training:
    """A model, its plan and its position; `save` writes all of them, so that a later run can continue."""

    model: OnlineClassifier
    plan: Plan
    pass_number: int = 0
    position: Position = field(default_factory=lambda: Position(0, 0, 0))
    save_path: str | None = None
    replaces: bool = False  # there was a file at that path before
    checkpoint_every: int | None = None  # rows
    checkpoint_seconds: float | None = None
    log: RunLog | None = None
    jobs: int = 1
    rejects: Rejects = field(default_factory=Rejects)
    doubts: tuple[ColumnNote, ...] = ()  # of the reader
    codes: tuple[ColumnNote, ...] = ()  # of the reader
    lacked: tuple[str, ...] = ()  # notes on files that lack a column
    late_numbers: tuple[ColumnNote, ...] = ()
    doubtful: tuple[ColumnNote, ...] = ()  # of the first block
    features: DistinctFeatures | None = field(default_factory=DistinctFeatures)  # None if not all learned rows count
    notes: list[str] = field(default_factory=list)  # what was assumed
    order: str = ""  # the order of the rows, if it was chosen
    settles: bool = True  # the rows are all that the model has learned
    first_pass: dict[str, Any] | None = None  # how the model did at the end of the first of several passes
    # rows skipped before each of the last blocks read; some of these blocks are not learned yet
    _rejected_at: deque[tuple[int, dict[str, Any]]] = field(default_factory=deque)
    _unsaved: int = 0  # rows since the last checkpoint
    _spread: SpreadRows | None = None  # of the last pass, if all its rows were learned in this run
    _examples: Examples | None = None
    _whole: threading.Lock = field(default_factory=threading.Lock)  # model and position belong together
    _n_refused: int = 0  # rows that were read but could not be learned; they are among the rejects too

    def column_notes(self) -> list[ColumnNote]:
        """Return one note for each doubtful column; the notes of the reader are the most exact."""
        told = {note.column for note in (*self.doubts, *self.codes)}  # the reader's own notes are with the rejects
        return [
            *chosen_budget(self.model),
            *self.late_numbers,
            *(note for note in self.doubtful if note.column not in told),
        ]

    def fared(self) -> dict[str, Any]:
        """Return how the model did: the online error is that of the first pass, before a row was learned."""
        return self.first_pass or describe_progress(self.model)

    def run(self, progress: ProgressLine, interrupts: Interrupts) -> Score | None:
        """Learn all remaining rows, and score the held-out rows."""
        if self.jobs > 1:
            self._learn_in_shards()
            return None
        holdout = make_holdout(self.plan.holdout)
        while True:
            self._learn_pass(holdout, progress, interrupts)
            if self._last_pass():
                break
            if self.pass_number == 0:
                self.first_pass = describe_progress(self.model)
            self.pass_number += 1
            self.position = Position(0, 0, 0)
            if self.plan.ship and self._last_pass():
                self.model = within(self.model, self.plan.ship)
            progress.next_pass()
        self._settle()
        return self._score(holdout)

    def _last_pass(self) -> bool:
        return self.pass_number + 1 >= self.plan.passes

    def _settle(self) -> None:
        """Correct the intercept by rows of the whole input: where the rates of labels drift, it follows the last."""
        if (
            not self.settles
            or not has_learned(self.model)
            or any(isinstance(file, Address) for file in self.plan.files)
        ):
            return
        rows = self._spread
        if rows is None and self.plan.can_reread():  # this run began in the middle of the rows
            rows = SpreadRows()
            with self._open() as examples:
                for block, weights, *_ in self._in_order(make_holdout(self.plan.holdout).lessons(iter(examples))):
                    rows.add(block, weights)
        if rows is not None and settle(self.model, rows) and self.plan.shuffle is None:
            self.notes.append(
                "the intercept was fitted again to rows from the whole input (--half-life follows the last rows)"
            )

    def _tasks(self) -> list[Task]:
        """Return what to do at intervals: checkpoints by time, and log lines of an endless run."""
        endless = any(isinstance(file, Address) and file.endless for file in self.plan.files)
        seconds = self.checkpoint_seconds
        if seconds is None and endless and self.checkpoint_every is None:
            seconds = _CHECKPOINT_SECONDS
        tasks = [Task(seconds, self._checkpoint)] if seconds and self.save_path is not None else []
        return [*tasks, Task(_LOG_SECONDS, self._log)] if endless and self.log is not None else tasks

    def _checkpoint(self) -> None:
        with self._whole:
            if self._unsaved and self._examples is not None and self._positive_met(self._examples):
                self.save()
                self._unsaved = 0

    def _log(self) -> None:
        with self._whole:
            rows, error_rate = self.position.rows, online_error(self.model)
        lags = [file.source.lag() for file in self.plan.files if isinstance(file, Address) and file.endless]
        known = [lag for lag in lags if lag is not None]
        if self.log is not None:
            self.log.progress(rows, error_rate, sum(known) if known else None)

    def _learn_pass(self, holdout: Holdout, progress: ProgressLine, interrupts: Interrupts) -> None:
        self._unsaved = 0
        self._spread = SpreadRows() if self._last_pass() and not self.position.rows else None
        with self._open(self.position, first=self.pass_number == 0) as examples, Ticker(self._tasks()) as ticker:
            self._examples = examples
            if self.pass_number == 0:
                self.rejects = examples.rejects.after(self.rejects)
            for block, weights, position, origin in self._in_order(holdout.lessons(self._noted(examples))):
                ticker.check()
                with interrupts.whole(), self._whole:
                    take_words(self.model, examples.variable_words)
                    self._learn(block, weights, examples.labels, origin)
                    if self._spread is not None:
                        self._spread.add(block, weights)
                    self._unsaved += position.rows - self.position.rows
                    self.position = position
                    due = self.checkpoint_every and self._unsaved >= self.checkpoint_every
                    if due and self._positive_met(examples):
                        self.save()
                        self._unsaved = 0
                progress.show(examples, position.rows, online_error(self.model), self.model.nbytes)
            if self.pass_number == 0:  # later passes read columns as the first did
                self.doubts, self.codes, self.lacked = examples.doubts, examples.codes, examples.lacked
                self.late_numbers = late_numbers(self.model, examples.numbers())
            if examples.position.rows == self.position.rows:  # rows after the last one learned were skipped
                self.position = examples.position
            if not self._positive_met(examples):
                require_positive(examples, self.plan.files)

    def _learn_in_shards(self) -> None:
        self.notes += warnings_of(partial(self.model.learn_file, self.plan.files, jobs=self.jobs, **self.plan.reader))

    def _noted(self, examples: Examples) -> Iterator[RowBlock]:
        """Yield the blocks; record the rows skipped before each, so that a saved file counts those before its end."""
        self._rejected_at = deque([(self.position.rows, self._rejects_now())])
        for block in examples:
            self._rejected_at.append((block.position.rows, self._rejects_now()))
            while self._rejected_at[1][0] < self.position.rows:
                self._rejected_at.popleft()
            yield block
        self._rejected_at.append((examples.position.rows, self._rejects_now()))

    def _rejected(self) -> dict[str, Any]:
        records = [record for rows, record in self._rejected_at if rows <= self.position.rows or self.pass_number > 0]
        record = dict(records[-1] if records else self._rejects_now())
        record["bad_rows"] += self._n_refused - record.pop("refused")  # those of blocks that were read before
        if self.rejects.first is not None:
            record.setdefault("first", str(self.rejects.first))
        return record

    def _rejects_now(self) -> dict[str, Any]:
        return {**self.rejects.as_record(), "refused": self._n_refused}

    def _in_order(self, lessons: Iterator[Lesson]) -> Iterator[Lesson]:
        if self.plan.shuffle is None:
            return lessons
        seed = self.model.get_params().get("seed") or 0
        return shuffled(lessons, self.plan.shuffle, seed, self.pass_number)

    def _positive_met(self, examples: Examples) -> bool:
        """Return whether the positive label has occurred, in this run or before."""
        if not examples.only_negatives or not has_learned(self.model):
            return True
        return seen_positive(self.model)[1] > 0

    def _open(self, start: Position | None = None, *, first: bool = False) -> Examples:
        reader = {**self.plan.reader, **reading_of(self.model, to_learn=True), **word_options(self.model)}
        if not first:  # a second pass repeats what was reported before
            reader.pop("rejects", None)
        if start is not None and self.plan.shuffle:  # the order depends on the first rows
            start = start._replace(reread=True)
        counts = first and self.features is not None and self.plan.shuffle is None
        return open_input(self.plan.files, reader, start, counting() if counts else None)

    def _learn(
        self,
        block: RowBlock,
        weights: NDArray[np.float32] | None,
        labels: LabelNames,
        origin: Callable[[int], tuple[RowBlock, int]] | None,
    ) -> None:
        file = self.plan.files[block.position.file]
        require_labels(block, file)
        if isinstance(file, Address):
            self._require_same_labels(labels, file)
        if not has_learned(self.model):
            self.doubtful = doubtful_columns(block, self.plan.reader.get("numeric", ()))
            self.model.check_parameters(named=block.named)  # later errors come from the rows
        times = self._times(block)

        def learn(part: RowBlock, rows: slice) -> None:
            own = weights if weights is None else weights[rows]
            learn_block(self.model, part, own, times if times is None else times[rows], labels)

        def problem_of(row: int, message: str) -> BadInput:
            read, place = origin(row) if origin else (block, row)
            number = read.position.file_rows - len(read) + 1 + place
            return BadInput(f"row {number:,}: {message}", self.plan.files[read.position.file])

        def refused(row: int, message: str) -> None:
            if self.pass_number == 0:
                problem = problem_of(row, message)
                self.rejects.add(RejectBatch(1, rows=(Rejection(problem, b""),)))
                self._n_refused += 1

        try:
            all_but_refused(learn, block, refused if self.plan.reader.get("bad_rows") == "skip" else None)
        except RowError as problem:
            raise problem_of(problem.row, problem.message) from problem
        except ValueError as problem:
            raise Failed(f"{file}: {problem}") from problem
        if self.pass_number == 0 and self.features is not None:
            if block.counted is None:
                self.features.add(block)
            else:
                self.features.merge(block.counted)

    def _require_same_labels(self, labels: LabelNames, file: str) -> None:
        """Raise an error for a third label: a reader that resumes in the middle does not know the first two."""
        before = label_names_of(self.model)
        if before is None or is_multiclass(self.model) or self.plan.reader.get("positive") is not None:
            return
        for was, now in ((before.negative, labels.negative), (before.positive, labels.positive)):
            if was is not None and now is not None and typed_labels((was,)) != typed_labels((now,)):
                raise Failed(f"{file}: expected the label {was}, as in the rows before, found {now} (a third label)")

    def _times(self, block: RowBlock) -> NDArray[np.float64] | None:
        """Return the times that replace those of the block."""
        return np.full(len(block), time.time()) if self.plan.reader.get("time") == ARRIVAL else None

    def _score(self, holdout: Holdout) -> Score | None:
        if isinstance(holdout, NoHoldout) or not has_learned(self.model):
            return None
        if not isinstance(holdout, ShareHoldout):
            return holdout.score(self.model, ())
        with self._open() as examples:
            return holdout.score(self.model, examples)

    def partial_path(self) -> str | None:
        """Return where a failed run saves what it learned: never over a model that was there before."""
        return f"{self.save_path}.partial" if self.replaces else self.save_path

    def save(self, path: str | None = None) -> bool:
        """Write model and position atomically, to another file if given; return False if no file was requested."""
        if self.save_path is None or (self.jobs > 1 and not has_learned(self.model)):
            return False
        self.replaces = self.replaces and path is not None  # the model of this run may be replaced
        if self.jobs > 1:  # shards cannot be resumed
            self.model.save(
                path or self.save_path, note={"reader": reader_to_note(self.plan.reader), "jobs": self.jobs}
            )
            return True
        self.rejects.flush()
        training = {**self.plan.as_note(), "position": {"pass": self.pass_number, **self.position.as_note()}}
        if self.rejects.rows or self.rejects.left_out:
            training["rejected"] = self._rejected()
        if self.features is not None:
            training["features"] = as_text(self.features)
        if self.first_pass is not None:
            training["first_pass"] = self.first_pass
        # the options of the reader are stored separately, because predictions need them too
        self.model.save(path or self.save_path, note={"reader": reader_to_note(self.plan.reader), "training": training})
        file = self.plan.files[self.position.file] if self.plan.files else ""
        if path in (None, self.save_path) and isinstance(file, Address) and self.position.mark:
            file.source.saved(self.position.mark["at"])
        return True


def go_on(path: str, model: OnlineClassifier, note: dict[str, Any], plan: Plan, given: set[str]) -> Training:
    """Return the training stored in a file; `given` names the options that must not differ."""
    saved = note.get("training")
    if not isinstance(saved, dict):
        raise Failed(f"{path}: this file has no training to resume; --start-from starts from its weights")
    position = dict(saved["position"])
    pass_number = position.pop("pass")
    reader = resumed_reader(note["reader"], plan.reader)
    before = Plan.of_note(saved, reader, plan.files)
    for name, now, then in _options(plan, before):
        if name in given and now != then and not may_change(name, now):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} was {then!r} when {path} was started and cannot change; got {now!r}")
    if found := differences(plan.inputs, before.inputs):
        raise Failed(f"{path} was trained on other inputs: {'; '.join(found)}")
    rejects = Rejects.of_record(saved.get("rejected", {}))
    features = of_text(saved.get("features"))
    training = Training(model, before, pass_number, Position(**position), rejects=rejects, features=features)
    training.first_pass = saved.get("first_pass")
    _set_extents(path, training)
    return training


def _set_extents(path: str, training: Training) -> None:
    """Continue in each address to its stored end; if that was reached, to the current end."""
    inputs, position = training.plan.inputs, training.position
    for number, (entry, file) in enumerate(zip(inputs, training.plan.files, strict=True)):
        if not isinstance(file, Address):
            continue
        if not file.source.can_seek:
            raise Failed(f"{path} cannot be resumed: {file.source.why_not} ({file})")
        extent = entry.get("extent")
        alone = len(inputs) == 1 and training.plan.passes == 1
        if extent and alone and position.mark and number == position.file:
            extent = entry["extent"] = file.source.extent_after(extent, position.mark["at"])
        file.extent = extent


def _options(plan: Plan, before: Plan) -> list[tuple[str, Any, Any]]:
    readers = [(name, value, before.reader.get(name)) for name, value in plan.reader.items()]
    own_ignored = set(before.reader.get("ignore", ()))  # training left out more by itself
    readers = [each for each in readers if each[0] != "ignore" or not set(each[1]) <= own_ignored]
    own = [(name, getattr(plan, name), getattr(before, name)) for name in ("passes", "holdout", "shuffle", "ship")]
    return [*readers, *own]
