"""The lines that an interrupted `predict` wrote, which `--resume` keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from wmsketch.cli.parts.errors import Failed

_PIECE = 1 << 20
_LONGEST = 1 << 24  # of a line


class EarlierLines:
    """The whole lines of a file, and how many of them belong to rows that are still to come.

    Nothing is written before the last whole line, and the begin of one that was not finished, are those that the model
    predicts for their rows: a file of another model, of other options or of anything else stays as it is.
    """

    def __init__(self, path: str, resumed: bool) -> None:
        self.count = self._left = self._end = 0
        self._path, self._last, self._begun = path, b"", b""
        if resumed and Path(path).exists():
            self._look(Path(path))

    def _look(self, path: Path) -> None:
        with path.open("rb") as file:
            at = last_at = 0
            while piece := file.read(_PIECE):
                newline = piece.rfind(b"\n")
                if newline >= 0:
                    before = piece.rfind(b"\n", 0, newline)
                    last_at = at + before + 1 if before >= 0 else self._end
                    self._end = at + newline + 1
                self.count += piece.count(b"\n")
                at += len(piece)
            if max(at - self._end, self._end - last_at) > _LONGEST:
                raise self._other(self.count + 1)
            file.seek(last_at)
            self._last, self._begun = file.read(self._end - last_at), file.read()
        self._left = self.count

    def passes(self, n_rows: int) -> bool:
        """Return whether the next rows were all predicted, and more after them."""
        if self._left <= n_rows:
            return False
        self._left -= n_rows
        return True

    def rest(self, lines: Iterator[str], file: IO[str]) -> Iterator[str]:
        """Yield the lines that are not in the file yet. Its unfinished line is removed before the first one."""
        line = ""
        while self._left:
            line = next(lines)
            self._left -= 1
            if not self._left and _text(line.encode()) != _text(self._last):
                raise self._other(self.count)
        for line in lines:
            if self._begun:
                if not line.encode().startswith(_text(self._begun)):
                    raise self._other(self.count + 1)
                file.truncate(self._end)
                self._begun = b""
            yield line

    def require_rows(self, rows: int) -> None:
        """Raise an error if there were fewer rows than lines."""
        lines = self.count + bool(self._begun)
        if rows < lines:
            what = f"the file has {lines:,} lines, but there are only {rows:,} rows"
            raise Failed(f"{self._path}: {what}: it is not of this input")

    def _other(self, number: int) -> Failed:
        what = f"line {number:,} is not what this model predicts for row {number:,} with these options"
        return Failed(f"{self._path}: {what}: the file was left as it is; without --resume it is written anew")


def _text(line: bytes) -> bytes:
    return line.rstrip(b"\r\n")
