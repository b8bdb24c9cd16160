"""Learning from files, tables and streams of them, with the label in one of the columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from wmsketch._core import SpreadRows
from wmsketch.errors import ParameterError, RowError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.found_pairs import find_pairs
from wmsketch.learners.rows.frames import is_frame, table_of_frame
from wmsketch.learners.rows.inputs import warn_of_codes
from wmsketch.learners.rows.messages import find_words, take_words, word_options
from wmsketch.learners.rows.settling import settle
from wmsketch.learners.rows.shuffled import Origins, passes_over, shuffled, window_rows, windows
from wmsketch.learners.rows.unlearnable import all_but_refused
from wmsketch.learners.sizes.shipping import passes_of
from wmsketch.progress_bar import ProgressBar
from wmsketch.readers import Examples, Position, Schema, expand_paths, open_examples
from wmsketch.readers.arrow_rows import ArrowStream
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.rejects import RejectBatch, Rejection, Rejects
from wmsketch.readers.schema import AUTO
from wmsketch.readers.survey import Survey, can_read_twice, survey

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.learners.models.base import OnlineClassifier

_RULES = frozenset(field.name for field in fields(Schema))


class Progress(NamedTuple):
    """How far a file was read: rows in all, and stored bytes; ``bytes_total`` is None where it is not known."""

    rows: int
    bytes_read: int
    bytes_total: int | None


Report = Callable[[Progress], None]


def learn_from(
    model: OnlineClassifier,
    source: Any,
    format: str | None,
    progress: Report | bool,
    options: dict[str, Any],
    jobs: int = 1,
) -> None:
    """Learn all rows of a source; see `OnlineClassifier.learn_file`."""
    rules = {name: options.pop(name) for name in list(options) if name in _RULES}
    options.setdefault("missing_label", "skip")
    _find_positive(model, source, format, {**options, **rules}, rules)
    _take_rules(model, rules)
    with _reporting(progress) as report:
        if require_integer("jobs", jobs, 1) > 1:
            from wmsketch.learners.shards.processes import learn_in_shards

            if not _is_paths(source):
                raise ValueError(f"jobs needs files, got {type(source).__name__}")
            find_words(model, source, format, options)
            rejects = Rejects()
            rejects.add(learn_in_shards(model, source, format, jobs, options, report))
            for note in _left_out(rejects):
                warnings.warn(note, stacklevel=3)
            return
        with _ways_out():
            _learn_parts(model, source, format, options, report)


@contextmanager
def _ways_out() -> Iterator[None]:
    try:
        yield
    except BadInput as problem:
        if problem.code == "which_positive":
            problem.message += ": positive=VALUE; MulticlassAWMSketch learns any labels"
        raise


def fit_from(model: OnlineClassifier, source: Any, label: str, positive: Any, shuffle: bool | None) -> None:
    """Learn a source whose column `label` is to be predicted, ``passes`` times; the model has learned nothing.

    What can be read twice is shuffled, unless `shuffle` is False, and learned several times if it is small and no
    ``passes`` are given. Columns that number its rows are left out.
    """
    given, found_before = model.__dict__.pop("_schema_of_fit", (model.schema, None))
    if model.schema is found_before and found_before is not None:
        model.schema = given  # what an earlier call found out is not a rule
    before = model.schema
    auto = AUTO in Schema.of(before).interactions
    source = table_of_frame(source) if is_frame(source) else source  # once, because wide ones take long
    try:
        if auto:
            others = [pair for pair in Schema.of(before).interactions if pair != AUTO]
            model.schema = Schema.of(before).with_rules(interactions=others)
        rules: dict[str, Any] = {"label": label, **({} if positive is None else {"positive": positive})}
        found = None if shuffle is False else _surveyed(model, source, None, rules)
        if found is None:
            _find_positive(model, source, None, rules, rules)
        else:
            rules |= _found_rules(model, found, rules)
        _take_rules(model, rules)
        if auto:
            _take_pairs(model, source)
        width = 0.0 if found is None else found.features / max(1, found.first_rows)
        window = None if found is None else window_rows(width)
        with _ways_out():
            passes = model.passes or (1 if found is None else passes_over(found.rows, width))
            for number in passes_of(model, passes):
                caller, spread, order = None if number else 5, SpreadRows(), (window, number)
                _learn_parts(model, source, None, {"missing_label": "skip"}, _no_report, order, caller, spread)
            settle(model, spread)
    except BaseException:
        model.schema = before
        raise
    model.__dict__["_schema_of_fit"] = before, model.schema


def _take_pairs(model: OnlineClassifier, source: Any) -> None:
    """Add the interactions that pay to the rules."""
    rules, params = Schema.of(model.schema), model.get_params()
    if not _can_read_twice(source):
        raise ParameterError("interactions", "'auto' needs rows that can be read twice", type(source).__name__)

    def make(pairs: list[str]) -> OnlineClassifier:
        return type(model)(**{**params, "schema": rules.with_rules(interactions=pairs)})

    given = list(rules.interactions)
    reading = {name: value for name, value in model._reading(to_learn=True).items() if name != "interactions"}
    found = find_pairs(make, source, given, missing_label="skip", **reading)
    _take_rules(model, {"interactions": [*given, *found.pairs]})


def _found_rules(model: OnlineClassifier, found: Survey, rules: dict[str, Any]) -> dict[str, Any]:
    """Return the rules that a first pass found: the positive label, and columns to leave out, which a warning names."""
    before = Schema.of(model.schema)
    known = "positive" in rules or before.positive is not None or model._multiclass or model._numeric
    more: dict[str, Any] = {} if known or found.positive() is None else {"positive": found.positive()}
    numbering = [note for note in found.numbering if note.column not in before.ignore]
    if numbering:
        more["ignore"] = [*before.ignore, *(note.column for note in numbering)]
        warn_of_codes([note for note in numbering if note.code != "one_part_left_out"], stacklevel=6)
    return more


def _learn_parts(
    model: OnlineClassifier,
    source: Any,
    format: str | None,
    options: dict[str, Any],
    report: Report,
    shuffle: tuple[int | None, int] = (None, 0),
    caller: int | None = 4,
    spread: SpreadRows | None = None,
) -> None:
    """Learn all parts; `shuffle` is the window of rows, if any, and the pass. `caller` is warned, unless None.

    `spread` takes a sample of the rows.
    """
    rows, began = 0, model._started
    skip = options.get("bad_rows") == "skip"
    for part in _parts(source):
        reading = {**options, **model._reading(to_learn=True), **word_options(model)}
        with open_examples(part, format, **reading) as examples:
            for block, origins in _in_order(model, examples, *shuffle):
                take_words(model, examples.variable_words)
                _learn_block(model, block, examples, part, skip, origins)
                if spread is not None:
                    spread.add(block)
                rows += len(block)
                report(Progress(rows, examples.bytes_read, examples.bytes_total))
        if caller is None:
            continue
        for note in [*examples.lacked, *_left_out(examples.rejects, skip)]:
            warnings.warn(note, stacklevel=caller)
        if not began:
            warn_of_codes(examples.doubts + examples.codes, stacklevel=caller + 1)
            began = True


def _in_order(
    model: OnlineClassifier, examples: Examples, window: int | None, pass_number: int
) -> Iterator[tuple[RowBlock, Origins | None]]:
    if window is None:
        yield from ((block, None) for block in examples)
        return
    for blocks in windows(examples, window):
        yield shuffled(blocks, [None] * len(blocks), model.get_params().get("seed") or 0, pass_number)


def _left_out(rejects: Rejects, skip: bool = False) -> list[str]:
    """Return what to say about rows that were left out; bad rows that an option skips were expected."""
    found = []
    if rejects.missing_labels:
        found.append(f"{rejects.missing_labels:,} row{'s' * (rejects.missing_labels != 1)} without a label left out")
    if rejects.bad_rows and not skip:
        found.append(
            f"{rejects.bad_rows:,} bad row{'s' * (rejects.bad_rows != 1)} left out; the first: {rejects.first}"
        )
    return found


def _learn_block(
    model: OnlineClassifier, block: RowBlock, examples: Examples, source: Any, skip: bool, origins: Origins | None
) -> None:
    """Learn a block; an error names the file and the row. With `skip`, rows that cannot be learned are counted."""

    def problem_of(row: int, message: str) -> BadInput:
        read, place = origins(row) if origins else (block, row)
        at: Position = read.position
        name = examples.files[at.file] if examples.files else type(source).__name__
        return BadInput(f"row {at.file_rows - len(read) + place + 1:,}: {message}", name)

    def refused(row: int, message: str) -> None:
        examples.rejects.add(RejectBatch(1, rows=(Rejection(problem_of(row, message), b""),)))

    def learn(rows: RowBlock, _: slice) -> None:
        model._learn_block(rows, label_names=examples.labels)

    try:
        all_but_refused(learn, block, refused if skip else None)
    except RowError as problem:
        raise problem_of(problem.row, problem.message) from problem


def _is_paths(source: Any) -> bool:
    return isinstance(source, (str, PathLike)) or (isinstance(source, (list, tuple)) and _all_paths(source))


def _find_positive(
    model: OnlineClassifier, source: Any, format: str | None, options: dict[str, Any], rules: dict[str, Any]
) -> None:
    """Find the two labels in a first pass, where the source can be read twice, and add the positive one to the rules.

    It is the second in order, as in scikit-learn.
    """
    before = Schema.of(model.schema)
    label = rules.get("label", before.label)
    known = "positive" in rules or (before.positive is not None and label == before.label)
    if known or not label or model._started or model._multiclass or model._numeric:
        return
    found = _surveyed(model, source, format, {**options, "label": label})
    if found is not None:
        rules["positive"] = found.positive()


def _can_read_twice(source: Any) -> bool:
    if is_frame(source) or (isinstance(source, ArrowStream) and hasattr(source, "shape")):
        return True
    return _is_paths(source) and can_read_twice(expand_paths(source))


def _surveyed(model: OnlineClassifier, source: Any, format: str | None, options: dict[str, Any]) -> Survey | None:
    """Return what a first pass finds; None if the source can be read only once."""
    if not _can_read_twice(source):
        return None
    twice = expand_paths(source) if _is_paths(source) else table_of_frame(source)
    given = {name: rule for name, rule in Schema.of(model.schema).given().items() if name != "numbers"}
    return survey(twice, format, **{**given, **options, "numeric_label": model._numeric})


def _take_rules(model: OnlineClassifier, rules: dict[str, Any]) -> None:
    before = Schema.of(model.schema)
    wanted = before.with_rules(**rules)
    if wanted == before:
        return
    if model._started:
        raise ValueError(f"the schema of a model that has learned stays as it is: it is {before!r}, got {wanted!r}")
    model.schema = wanted


def _parts(source: Any) -> Iterator[Any]:
    """The parts of a source that can be opened: all paths together, one table, or each batch of a stream."""
    if _is_paths(source):
        yield source
    elif is_frame(source):
        yield table_of_frame(source)
    elif hasattr(source, "collect_batches"):  # a LazyFrame of polars
        yield from source.collect_batches(maintain_order=True)
    elif isinstance(source, ArrowStream):
        yield source
    elif isinstance(source, Iterable):
        for part in source:
            yield from _parts(part)
    else:
        raise TypeError(f"expected paths, a table or batches of one, got {source!r}")


def _all_paths(source: Iterable[Any]) -> bool:
    return all(isinstance(path, (str, PathLike)) for path in source)


def _no_report(progress: Progress) -> None:
    pass


class _reporting:
    """The function that reports progress: the caller's own, one that draws a bar, or one that does nothing."""

    def __init__(self, progress: Report | bool) -> None:
        self._progress = progress
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Report:
        if callable(self._progress):
            return self._progress
        if not self._progress:
            return _no_report
        self._bar = ProgressBar().__enter__()
        return self._draw

    def _draw(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.update(f"{progress.rows:,} rows", progress.bytes_read, progress.bytes_total)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
