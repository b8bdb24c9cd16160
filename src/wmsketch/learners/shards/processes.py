"""Learning in several processes: each parses and learns some of the rows; their models are merged now and then."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from wmsketch.errors import ParameterError
from wmsketch.learners.shards.merging import merge_models
from wmsketch.learners.shards.relearning import SampledRows
from wmsketch.learners.sizes.resize import narrowed, widened
from wmsketch.methods import forgets_features
from wmsketch.readers import LabelNames, expand_paths
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.chunks import Chunk, chunks_of
from wmsketch.readers.number_style import number_style_of
from wmsketch.readers.open_stream import CHUNK_BYTES
from wmsketch.readers.options import ReaderOptions
from wmsketch.readers.pipeline import read_ahead
from wmsketch.readers.recognise import Layout, layout_of
from wmsketch.readers.rejects import RejectBatch, Rejection
from wmsketch.readers.rows_of_format import Rows, rows_of_format

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier
    from wmsketch.learners.rows.files import Report

_LOOKED_AT = 1 << 16  # bytes of the first rows
_MOST_CHUNKS = 16  # that a process learns between two merges
_STATELESS = ("bad_rows", "rejects")


def require_shardable(model: OnlineClassifier, options: dict[str, Any]) -> None:
    """Refuse what several processes cannot do."""
    if forgets_features(model.kind):
        raise ParameterError("jobs", f"must be 1 for a method that forgets features, as {type(model).__name__} does")
    if model.half_life is not None:
        raise ParameterError("jobs", "must be 1 with {half_life}, because each process sees only some of the rows")
    for name in _STATELESS:
        if options.get(name) not in (None, "stop"):
            raise ParameterError("jobs", f"must be 1 with {{{name}}}, because one process counts the rows passed over")


def learn_in_shards(
    model: OnlineClassifier, source: Any, format: str | None, jobs: int, options: dict[str, Any], report: Report
) -> RejectBatch:
    """Learn files in ``jobs`` processes; returns how many rows were left out, and the first of them.

    A new model learns the first chunk here, so that all begin with one schema. Chunks are then dealt out in turn, so
    that each process sees rows of the whole stream. The models are merged after 1, 2, 4, ... and later every 16 chunks
    of each process, and all go on from the merged one. They learn in more bytes than the model has; it gets the result
    at the end. The first process has kept a sample of its rows, from which this model learns again.
    """
    from wmsketch.learners.rows.files import Progress

    require_shardable(model, options)
    reading = {**options, **model._reading(to_learn=True)}
    cut = {name: reading.get(name) for name in ("encoding", "quoting", "delimiter")}
    headless = bool(reading.get("columns"))
    chunks = chunks_of(expand_paths(source), format, headless=headless, chunk_bytes=CHUNK_BYTES, **cut)
    first = next(chunks, None)
    if first is None:
        return RejectBatch()
    chunks = chain([first], chunks)
    style = {} if first.format not in ("csv", "tsv") else _number_style(first, reading)
    options, reading = {**options, **style}, {**reading, **style}
    bytes_read = 0
    learner = _ShardLearner(model, reading)
    while not (model._started and model._native.decided):
        if (chunk := next(chunks, None)) is None:
            return learner.rejected
        learner.learn(chunk)
        bytes_read += len(chunk.rows)
        if learner.problem is not None:
            raise learner.problem
    rows, wide, rejected = learner.rows, model, learner.rejected
    crew: list[_Process] = []
    try:
        dealt, until_merge = 0, 1
        for chunk in chunks:
            if not crew:
                reading = {**options, **model._reading(to_learn=True)}
                wide = widened(model)
                crew = [_Process((wide, reading, learner.labels, number == 0)) for number in range(jobs)]
            crew[dealt % jobs].send(chunk)
            dealt += 1
            bytes_read += len(chunk.rows)
            if dealt == jobs * until_merge:
                wide, learned, left_out = _merge(wide, crew)
                rows, rejected = rows + learned, rejected + left_out
                dealt, until_merge = 0, min(2 * until_merge, _MOST_CHUNKS)
                report(Progress(rows, bytes_read, None))
        if dealt:
            wide, learned, left_out = _merge(wide, crew)
            rows, rejected = rows + learned, rejected + left_out
            report(Progress(rows, bytes_read, None))
        merged = narrowed(wide, model)
        model.__dict__.update((_relearned(merged, crew[0]) if crew else merged).__dict__)
    finally:
        for process in crew:
            process.end()
    return rejected


def _number_style(first: Chunk, reading: dict[str, Any]) -> dict[str, Any]:
    """The options for numbers as the first rows write them, unless options say it."""
    if reading.get("decimal") or reading.get("thousands"):
        return {}
    head = first.header + first.rows[:_LOOKED_AT]
    delimiter = "\t" if first.format == "tsv" else layout_of(head).delimiter
    style = number_style_of(head, Layout(reading.get("delimiter") or delimiter))
    return {"decimal": style.decimal, "thousands": style.thousands} if style.columns else {}


def _merge(base: OnlineClassifier, crew: list[_Process]) -> tuple[OnlineClassifier, int, RejectBatch]:
    """Return the merged model, from which all processes go on, and how many rows they have learned and left out."""
    for process in crew:
        process.send(None)
    answers = [process.answer() for process in crew]
    problems = [problem for _, _, problem, _ in answers if problem is not None]
    if problems:
        raise min(problems, key=lambda problem: getattr(problem, "line", None) or 0)
    merged = merge_models([part for part, _, _, _ in answers], base=base)
    for process in crew:
        process.send(merged)
    left_out = sum((rejected for _, _, _, rejected in answers), RejectBatch())
    return merged, sum(rows for _, rows, _, _ in answers), left_out


def _relearned(model: OnlineClassifier, process: _Process) -> OnlineClassifier:
    """Return the model after the process has let it learn its sample again."""
    process.send(_Again(model))
    answer: OnlineClassifier = process.answer()
    return answer


class _Again(NamedTuple):
    """A message: this model is to learn the sample again."""

    model: OnlineClassifier


class _ShardLearner:
    """Parses chunks and learns them; with `samples` it keeps a sample of the rows."""

    def __init__(
        self,
        model: OnlineClassifier,
        reading: dict[str, Any],
        labels: LabelNames | None = None,
        samples: bool = False,
    ) -> None:
        self.model = model
        self.sample = SampledRows() if samples else None
        self.rows = 0
        self.rejected = RejectBatch()
        self.problem: Exception | None = None
        self.labels = labels or LabelNames()
        self._options = ReaderOptions(**reading)
        self._parser: Rows | None = None

    def learn(self, chunk: Chunk) -> None:
        """Learn the rows of a chunk; an error is kept, and nothing is learned after it."""
        if self.problem is not None:
            return
        stream = _ChunkStream(chunk, is_first=not self.model._started)
        try:
            self._parser = self._parser or rows_of_format(chunk.format, stream, self._options, len(chunk.rows) + 1)  # type: ignore[arg-type]
            for block in self._parser.blocks(stream):  # type: ignore[arg-type]
                labels = self._parser.findings().labels.after(self.labels)
                self.model._learn_block(block, label_names=labels)
                if self.sample is not None:
                    self.sample.add(block, labels)
                self.rows += len(block)
            left_out = self._parser.take_rejected()
            rows = tuple(Rejection(_at_its_line(row.problem, chunk), b"") for row in left_out.rows)
            self.rejected += left_out._replace(rows=rows)
        except BadInput as problem:
            self.problem = _at_its_line(problem, chunk)
        except Exception as problem:
            self.problem = problem


class _ChunkStream:
    """A chunk, for parsers: its header and rows, as one file of UTF-8 with a row on each line."""

    encoding = None  # the file was decoded before it was cut into chunks
    bytes_total = None  # and a JSON document was split into rows

    def __init__(self, chunk: Chunk, is_first: bool) -> None:
        self.name = chunk.file
        self._bytes = chunk.header + chunk.rows
        line = chunk.header or chunk.rows[: chunk.rows.find(b"\n") + 1] or chunk.rows
        self._first = chunk.header + chunk.rows[:_LOOKED_AT] if is_first else line
        self._at = 0

    def look(self, size: int = 1 << 16, *, lines: bool = False) -> bytes:
        """The header, or a line: what comes before the header is cut off, and must not be found among the rows.

        Of the first chunk, the beginning, from which kinds of columns are guessed.
        """
        return self._first

    def fill(self, buffer: memoryview, patience: float = 0.0) -> int:
        part = self._bytes[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def taken(self) -> None:
        """Nothing to do: a chunk is never resumed."""

    def name_at(self, line: int) -> tuple[str, int | None]:
        return self.name, line


def _at_its_line(problem: BadInput, chunk: Chunk) -> BadInput:
    """The problem, with the line in the file and not in the chunk."""
    in_header = chunk.header.count(b"\n")
    line = problem.line
    if line is not None and line > in_header:
        line += chunk.first_line - 1 - in_header
    words = {"fault": problem.fault, "name": problem.name, "value": problem.value}
    return BadInput(problem.message, problem.file, line, problem.column, **words)


class _Process:
    """Another Python that learns what it is sent. A script need not be guarded against being run again."""

    def __init__(self, start: tuple[Any, ...]) -> None:
        command = [sys.executable, "-c", "from wmsketch.learners.shards.processes import work; work()"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self.send(start)

    def send(self, message: Any) -> None:
        try:
            _write(self._to, message)
        except BrokenPipeError:
            raise RuntimeError("a process of jobs has ended before its work") from None

    def answer(self) -> Any:
        try:
            return pickle.load(self._from)
        except EOFError:
            raise RuntimeError("a process of jobs has ended before its work") from None

    def end(self) -> None:
        """End the process; its unfinished work is dropped."""
        with suppress(BrokenPipeError):
            self._to.close()
        self._from.close()
        self._process.terminate()
        self._process.wait()


def _write(to: IO[bytes], message: Any) -> None:
    pickle.dump(message, to, protocol=pickle.HIGHEST_PROTOCOL)
    to.flush()


def _messages(source: IO[bytes]) -> Iterator[Any]:
    while True:
        try:
            yield pickle.load(source)
        except EOFError:
            return


def work() -> None:
    """What a process does: learn chunks; at None, send the model and go on from the one that comes back.

    At the end, one process lets the finished model learn its sample again.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    messages = read_ahead(_messages(sys.stdin.buffer), 2)
    learner = _ShardLearner(*next(messages))
    for message in messages:
        if isinstance(message, Chunk):
            learner.learn(message)
        elif message is None:
            _write(sys.stdout.buffer, (learner.model, learner.rows, learner.problem, learner.rejected))
            learner.rows, learner.rejected = 0, RejectBatch()
        elif isinstance(message, _Again):
            assert learner.sample is not None
            learner.sample.teach(message.model)
            _write(sys.stdout.buffer, message.model)
        else:
            learner.model = message
