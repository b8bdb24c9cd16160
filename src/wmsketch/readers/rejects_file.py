"""The file of skipped rows."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import BinaryIO


class RejectsFile:
    """Skipped rows, one after the other. A resumed run completes the file: nothing that is there is cut off.

    `go_on` says how many bytes of the file are known. The rows after them are compared with the next rows written, and
    those that are there already are not written again.
    """

    def __init__(self, path: str | os.PathLike[str], append: bool) -> None:
        self._file: BinaryIO = open(path, "ab" if append else "wb")  # noqa: PTH123, SIM115 -- closed by `close`
        self._there: BinaryIO | None = None
        if append and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            with suppress(OSError):  # a file that may be written but not read
                self._there = open(path, "rb")  # noqa: PTH123, SIM115
        self.n_bytes = 0  # written so far, or found there

    def go_on(self, n_bytes: int) -> None:
        """Continue the file after this many bytes."""
        self.n_bytes = n_bytes
        if self._there is not None:
            self._there.seek(min(n_bytes, os.fstat(self._there.fileno()).st_size))

    def write(self, line: bytes) -> None:
        """Write a row, unless it is there already."""
        self.n_bytes += len(line)
        if self._there is not None:
            found = self._there.read(len(line))
            if found == line:
                return
            whole_lines = self._ends_a_line()
            self._there.close()
            self._there = None
            if line.startswith(found):  # the file ends here, perhaps within a row
                line = line[len(found) :]
            elif not whole_lines:
                self._file.write(b"\n")
        self._file.write(line)

    def _ends_a_line(self) -> bool:
        assert self._there is not None
        size = self._there.seek(0, os.SEEK_END)
        self._there.seek(max(0, size - 1))
        return self._there.read(1) in (b"", b"\n")

    def flush(self) -> None:
        """Write what is buffered."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._there is not None:
            self._there.close()
        self._file.close()
