"""Learning from files, tables and streams of them, with the label in one of the columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from wmsketch.errors import RowError
from wmsketch.learners.protocols.checks import require_integer
from wmsketch.learners.rows.inputs import is_frame, table_of_frame, warn_of_codes
from wmsketch.learners.rows.unlearnable import all_but_refused
from wmsketch.progress_bar import ProgressBar
from wmsketch.readers import Examples, Position, Schema, expand_paths, open_examples
from wmsketch.readers.arrow_rows import ArrowStream
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.rejects import RejectBatch, Rejection
from wmsketch.readers.survey import can_read_twice, survey

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
    if jobs == 1:
        options.setdefault("missing_label", "skip")
    _find_positive(model, source, format, {**options, **rules}, rules)
    _take_rules(model, rules)
    with _reporting(progress) as report:
        if require_integer("jobs", jobs, 1) > 1:
            from wmsketch.learners.shards.processes import learn_in_shards

            if not _is_paths(source):
                raise ValueError(f"jobs needs files, got {type(source).__name__}")
            learn_in_shards(model, source, format, jobs, options, report)
            return
        try:
            _learn_parts(model, source, format, options, report)
        except BadInput as problem:
            if problem.code == "which_positive":
                problem.message += ": positive=VALUE; MulticlassAWMSketch learns any labels"
            raise


def _learn_parts(
    model: OnlineClassifier, source: Any, format: str | None, options: dict[str, Any], report: Report
) -> None:
    rows, began = 0, model._started
    for part in _parts(source):
        reading = {**options, **model.reading(to_learn=True)}
        with open_examples(part, format, **reading) as examples:
            for block in examples:
                _learn_block(model, block, examples, part, skip=options.get("bad_rows") == "skip")
                rows += len(block)
                report(Progress(rows, examples.bytes_read, examples.bytes_total))
        for note in examples.lacked:
            warnings.warn(note, stacklevel=4)
        if n_missing := examples.rejects.missing_labels:
            warnings.warn(f"{n_missing:,} row{'s' * (n_missing != 1)} without a label left out", stacklevel=5)
        if not began:
            warn_of_codes(examples.doubts + examples.codes, stacklevel=5)
            began = True


def _learn_block(model: OnlineClassifier, block: RowBlock, examples: Examples, source: Any, skip: bool) -> None:
    """Learn a block; an error names the file and the row. With `skip`, rows that cannot be learned are counted."""
    at: Position = block.position
    name = examples.files[at.file] if examples.files else type(source).__name__

    def problem_of(row: int, message: str) -> BadInput:
        return BadInput(f"row {at.file_rows - len(block) + row + 1:,}: {message}", name)

    def refused(row: int, message: str) -> None:
        examples.rejects.add(RejectBatch(1, rows=(Rejection(problem_of(row, message), b""),)))

    def learn(rows: RowBlock, _: slice) -> None:
        model.learn_block(rows, label_names=examples.labels)

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
    if known or not label or model._started or model._multiclass:
        return
    if is_frame(source):
        twice: Any = table_of_frame(source)
    elif _is_paths(source):
        twice = expand_paths(source)
        if not can_read_twice(twice):
            return
    else:
        return
    given = {name: rule for name, rule in before.given().items() if name != "numbers"}
    rules["positive"] = survey(twice, format, **{**given, **options, "label": label}).positive()


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


class _reporting:
    """The function that reports progress: the caller's own, one that draws a bar, or one that does nothing."""

    def __init__(self, progress: Report | bool) -> None:
        self._progress = progress
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Report:
        if callable(self._progress):
            return self._progress
        if not self._progress:
            return lambda progress: None
        self._bar = ProgressBar().__enter__()
        return self._draw

    def _draw(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.update(f"{progress.rows:,} rows", progress.bytes_read, progress.bytes_total)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
