"""Positions in an input: stored with a model, to resume its training."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from wmsketch._core import RowBlock
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.open_stream import ByteStream

Mark = dict[str, Any]  # after `rows` rows, and `left_out` others, an address was `at` this position


class Position(NamedTuple):
    """The end of a block: `file_rows` rows of file number `file` (from 0), `rows` in total.

    Files are read again from their beginning. An address may know more: `mark` is its position after the block, and
    `before` its position before it. With `reread` its rows are read from the beginning nevertheless.
    """

    file: int
    file_rows: int
    rows: int
    mark: Mark | None = None
    before: Mark | None = None
    reread: bool = False

    def back(self, rows: int) -> Position:
        """Return the position some rows earlier, inside the block.

        >>> Position(0, 10, 10, {"rows": 10, "at": {"id": "7-0"}}, {"rows": 6, "at": {"id": "3-0"}}).back(2).mark
        {'rows': 6, 'at': {'id': '3-0'}}
        """
        if rows == 0:
            return self
        return Position(self.file, self.file_rows - rows, self.rows - rows, self.before)

    def as_note(self) -> dict[str, Any]:
        """Return the position as stored in a model file.

        >>> Position(0, 10, 10).as_note()
        {'file': 0, 'file_rows': 10, 'rows': 10}
        """
        mark = {"mark": self.mark} if self.mark else {}
        return {"file": self.file, "file_rows": self.file_rows, "rows": self.rows, **mark}


class Numbering:
    """Assigns positions to the blocks of one input, without the rows before a start."""

    def __init__(self, start: Position, opened_at: Mark | None) -> None:
        self._start = start
        self._mark = opened_at
        self._sum = RowSum()
        self._file_rows = opened_at["rows"] if opened_at else 0
        self._rows = start.rows
        self._left_out = 0

    def of(
        self,
        blocks: Iterator[RowBlock],
        stream: ByteStream | None,
        pass_over: Callable[[], object],
        left_out: Callable[[], int] = lambda: 0,
    ) -> Iterator[RowBlock]:
        """Yield the blocks; `pass_over` is called if nothing is left of one, and `left_out` after each, for a count."""
        start = self._start
        for block in blocks:
            self._left_out = left_out()
            dropped = min(len(block), max(0, start.file_rows - self._file_rows))
            if stream is not None and stream.checked:
                self._check(block, stream)
            rows_before = self._file_rows
            self._file_rows += len(block)
            before, self._mark = self._mark, self._mark_at(stream)
            if start.mark and stream is not None and rows_before < start.mark["rows"] <= self._file_rows:
                self._require_same_place(stream)
            block.drop_rows(dropped)
            if len(block):
                self._rows += len(block)
                block.position = Position(start.file, self._file_rows, self._rows, self._mark, before)
                yield block
            else:
                pass_over()
        if stream is not None and (stream.checked or stream.place) and self._file_rows < start.file_rows:
            raise self._other_rows(stream, f"there are only {self._file_rows:,} now")

    def end(self, stream: ByteStream, left_out: int = 0) -> Position:
        """Return the end of the input: rows after the last block may have been skipped or left out."""
        self._left_out = left_out
        return Position(self._start.file, self._file_rows, self._rows, self._mark_at(stream))

    def _mark_at(self, stream: ByteStream | None) -> Mark | None:
        if stream is not None and stream.checked:
            return {"rows": self._file_rows, "at": self._sum.as_place()}
        if stream is None or stream.place is None or (self._mark and self._mark["at"] == stream.place):
            return self._mark
        left_out = {"left_out": self._left_out} if self._left_out else {}
        return {"rows": self._file_rows, **left_out, "at": stream.place}

    def _require_same_place(self, stream: ByteStream) -> None:
        """Check that counting the rows again leads to the same position."""
        now, then = self._mark or {}, self._start.mark or {}
        if not stream.checked and (now.get("rows"), now.get("at")) != (then.get("rows"), then.get("at")):
            raise self._other_rows(stream, "some were deleted")

    def _check(self, block: RowBlock, stream: ByteStream) -> None:
        """Add a block to the checksum; at the end of the learned rows it must equal the stored one."""
        mark = self._start.mark
        left = mark["rows"] - self._file_rows if mark else 0
        if mark and 0 < left <= len(block):
            self._sum.add(block, 0, left)
            if self._sum.as_place() != mark["at"]:
                raise self._other_rows(stream, "the rows differ now: order and old rows must not change")
            self._sum.add(block, left, len(block))
        else:
            self._sum.add(block, 0, len(block))

    def _other_rows(self, stream: ByteStream, found: str) -> BadInput:
        return BadInput(f"expected the {self._start.file_rows:,} rows that were learned, but {found}", stream.name)


class RowSum:
    """Checksums of rows, independent of the blocks."""

    def __init__(self) -> None:
        self._sums = [0] * 7

    def add(self, block: RowBlock, first: int, last: int) -> None:
        """Add the rows from `first` up to, but not including, `last`."""
        if last <= first:
            return
        starts = block.starts[first : last + 1]
        features = slice(int(starts[0]), int(starts[-1]))
        texts = block.class_texts
        classes = "".join(f"{texts[number]}\n" for number in block.classes[first:last].tolist())
        arrays = [starts[1:] - starts[:-1], block.keys[features], block.values[features]]
        arrays += [each[first:last] for each in (block.labels, block.weights, block.times)]
        parts = [*(array.tobytes() for array in arrays), classes.encode()]
        self._sums = [zlib.crc32(part, total) for part, total in zip(parts, self._sums, strict=True)]

    def as_place(self) -> dict[str, Any]:
        """Return the checksums for a position."""
        return {"crc32": list(self._sums)}
