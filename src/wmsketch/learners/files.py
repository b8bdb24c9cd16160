"""Learning from files, tables and streams of them, with the label in one of the columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from wmsketch.learners.checks import require_integer
from wmsketch.learners.inputs import is_frame, table_of_frame, warn_of_codes
from wmsketch.progress_bar import ProgressBar
from wmsketch.readers import Schema, open_examples
from wmsketch.readers.arrow_rows import ArrowStream
from wmsketch.readers.bad_input import BadInput

if TYPE_CHECKING:
    from wmsketch.learners.base import OnlineClassifier

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
    _take_rules(model, rules)
    with _reporting(progress) as report:
        if require_integer("jobs", jobs, 1) > 1:
            from wmsketch.learners.sharded import learn_in_shards

            if not (isinstance(source, (str, PathLike)) or (isinstance(source, (list, tuple)) and _all_paths(source))):
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
                model.learn_block(block, label_names=examples.labels)
                rows += len(block)
                report(Progress(rows, examples.bytes_read, examples.bytes_total))
        for note in examples.lacked:
            warnings.warn(note, stacklevel=4)
        if not began:
            warn_of_codes(examples.codes, stacklevel=5)
            began = True


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
    if isinstance(source, (str, PathLike)) or (isinstance(source, (list, tuple)) and _all_paths(source)):
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
