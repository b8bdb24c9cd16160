"""Rows that were skipped because they cannot be read: their number, the first, and all of them in a file.

Rows that a condition left out are counted separately: they are not faulty.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wmsketch._core import ArrowRows, LineParser, RejectedRow
from wmsketch.errors import ParameterError
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.column_notes import ColumnNote
from wmsketch.readers.rejects_file import RejectsFile
from wmsketch.readers.sources.address import Address

NameAt = Callable[[int], tuple[str, int | None]]  # for a line: its file in error messages, and its number


class Rejection(NamedTuple):
    """One row: its position, the problem and, if all rows are kept, the original line (empty if there are no lines)."""

    problem: BadInput
    text: bytes


class RejectBatch(NamedTuple):
    """Rows skipped while a block was read: the first bad one and the first without a label, or all."""

    bad_rows: int = 0
    missing_labels: int = 0
    rows: tuple[Rejection, ...] = ()
    left_out: int = 0  # of the block's own file
    left_out_before: int = 0  # of files before it

    def __add__(self, other: object) -> RejectBatch:
        if not isinstance(other, RejectBatch):
            return NotImplemented
        counts = self.bad_rows + other.bad_rows, self.missing_labels + other.missing_labels
        left_out = self.left_out + other.left_out, self.left_out_before + other.left_out_before
        return RejectBatch(*counts, self.rows + other.rows, *left_out)


class RejectRules(NamedTuple):
    """Which rows are skipped, and whether each of them is reported.

    Without a rule for `bad_rows`, lines that are no rows of the table are skipped, short rows are completed, and bytes
    that are not UTF-8 are read as cp1252.
    """

    bad_rows: str | None = None
    missing_label: str = "stop"
    keep_all: bool = False

    def apply(self, reader: LineParser | ArrowRows) -> None:
        """Configure a native reader."""
        reader.set_rejects(
            skip_bad=self.bad_rows == "skip",
            tolerate=self.bad_rows is None,
            skip_missing=self.missing_label == "skip",
            keep_all=self.keep_all,
        )


STOP = RejectRules()


def problem_of(row: RejectedRow, file: str, name_at: NameAt | None = None) -> BadInput:
    """Return the error for a row that cannot be read. If there are no lines, its number is part of the message."""
    fault, name, value = row.fault, row.name, row.value
    if row.column == 0:
        return BadInput(f"row {row.line}: {row.message}", file, fault=fault, name=name, value=value)
    place, line = name_at(row.line) if name_at else (file, row.line)
    return BadInput(row.message, place, line, row.column, fault=fault, name=name, value=value)


def taken_from(reader: LineParser | ArrowRows, file: str, name_at: NameAt | None = None) -> RejectBatch:
    """Return what a native reader has skipped since the last call."""
    n_bad, n_missing, rows, left_out = reader.take_rejected()
    rejected = tuple(Rejection(problem_of(row, file, name_at), row.text) for row in rows)
    return RejectBatch(n_bad, n_missing, rejected, left_out)


class Rejects:
    """Counts skipped rows and remembers the first of each kind.

    With a path, all of them are written to that file, one per line: position, reason and original line, tab-separated.

    >>> rejects = Rejects()
    >>> rejects.add(RejectBatch(2, 0, (Rejection(BadInput("expected 3 columns, found 2", "a.csv", 7, 4), b"1,2"),)))
    >>> rejects.rows, rejects.notes()
    (2, ['2 bad rows were skipped; the first: a.csv:7:4: expected 3 columns, found 2'])
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, append: bool = False, inputs: Iterable[str] = ()
    ) -> None:
        self.bad_rows = 0
        self.missing_labels = 0
        self.left_out = 0
        self.assumed: tuple[ColumnNote, ...] = ()  # what the reader assumed about the rows that it read
        self._left_out_before = 0  # in files before the current one
        self.first: BadInput | None = None
        self.first_without_label: BadInput | None = None
        self.keeps_all = path is not None
        self._file_bytes = 0
        self._file: RejectsFile | None = None
        self._lock = threading.Lock()
        self._path = path
        if path is not None:
            _require_other(path, inputs)
            self._file = RejectsFile(path, append)

    @property
    def rows(self) -> int:
        """The number of skipped rows, without those left out by a condition."""
        return self.bad_rows + self.missing_labels

    def add(self, batch: RejectBatch, *, next_file: bool = False) -> None:
        """Count a batch, and write it to the file if there is one. `next_file`: it is the first of a new file."""
        with self._lock:  # two streams may be read in parallel
            self._add(batch)
            if next_file:
                self._left_out_before = self.left_out - batch.left_out

    def assume(self, notes: Iterable[ColumnNote]) -> None:
        """Add what the reader of another input assumed."""
        with self._lock:
            self.assumed += tuple(note for note in notes if note not in self.assumed)

    def _add(self, batch: RejectBatch) -> None:
        self.bad_rows += batch.bad_rows
        self.missing_labels += batch.missing_labels
        self.left_out += batch.left_out + batch.left_out_before
        for problem, _ in batch.rows:
            if problem.fault == "label":
                self.first_without_label = self.first_without_label or problem
            else:
                self.first = self.first or problem
        if self._file is not None and batch.rows:
            with self._naming_the_file():
                for line in _lines(batch.rows):
                    self._file.write(line)
                self._file_bytes = self._file.n_bytes

    def notes(self) -> list[str]:
        """Return the messages for the end of the input; none if no row was skipped."""
        said = []
        for count, what, first in (
            (self.bad_rows, "bad row{s}", self.first),
            (self.missing_labels, "row{s} without a label", self.first_without_label),
        ):
            if count:
                rows = what.format(s="s" * (count != 1))
                said.append(f"{count:,} {rows} {'was' if count == 1 else 'were'} skipped; the first: {first}")
        if self.left_out:
            rows = "row was left out: it does" if self.left_out == 1 else "rows were left out: they do"
            said.append(f"{self.left_out:,} {rows} not satisfy the condition (where)")
        return said

    def after(self, before: Rejects) -> Rejects:
        """Continue the counts and the file of another object, and return self."""
        self.bad_rows, self.missing_labels = before.bad_rows, before.missing_labels
        self.left_out = self._left_out_before = before._left_out_before  # those of the current file are read again
        self.first, self.first_without_label = before.first, before.first_without_label
        self._file_bytes = before._file_bytes
        if self._file is not None:
            self._file.go_on(self._file_bytes)
        return self

    def as_record(self) -> dict[str, Any]:
        """Return the counts and the first rows as a JSON record."""
        firsts = {"first": self.first, "first_without_label": self.first_without_label}
        counts = {"bad_rows": self.bad_rows, "missing_labels": self.missing_labels, "file_bytes": self._file_bytes}
        if self.left_out:
            counts |= {"left_out": self.left_out, "left_out_before": self._left_out_before}
        return {**counts, **{name: str(problem) for name, problem in firsts.items() if problem}}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Rejects:
        """Return the object that `as_record` describes."""
        rejects = cls()
        rejects.bad_rows, rejects.missing_labels = record.get("bad_rows", 0), record.get("missing_labels", 0)
        rejects._file_bytes = record.get("file_bytes", 0)
        rejects.left_out, rejects._left_out_before = record.get("left_out", 0), record.get("left_out_before", 0)
        rejects.first = BadInput(record["first"]) if "first" in record else None
        if "first_without_label" in record:
            rejects.first_without_label = BadInput(record["first_without_label"], fault="label")
        return rejects

    def flush(self) -> None:
        """Write what is buffered to the file."""
        with self._lock, self._naming_the_file():
            if self._file is not None:
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            with self._naming_the_file():
                file.close()

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            problem.filename = problem.filename or self._path
            raise


def _require_other(path: str | os.PathLike[str], inputs: Iterable[str]) -> None:
    """Raise an error if the file is an input."""
    if Path(path).exists():
        for file in inputs:
            if not isinstance(file, Address) and Path(file).exists() and Path(file).samefile(path):
                raise ParameterError("rejects", "must differ from the input, which it would overwrite", str(path))


def _lines(rows: Iterable[Rejection]) -> Iterable[bytes]:
    for problem, text in rows:
        place = problem.place.encode("utf-8", "surrogateescape")
        reason = problem.message.encode("utf-8", "backslashreplace")
        yield b"\t".join([place, reason, *([text] if text else [])]) + b"\n"
