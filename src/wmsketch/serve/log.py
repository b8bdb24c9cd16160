"""The write-ahead log of a job: batches of rows are on disk before they are acknowledged and learned.

A segment is a file of records. A record is a header (bytes of the body, CRC-32 of everything behind it, number, time of
arrival, bytes of the key) and a body (the sender's key, then rows as JSON lines). A record that is cut short can only
be the last one, because a process ended while it was written: it was not acknowledged, and is removed.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wmsketch.errors import DamagedError

_HEADER = struct.Struct("<IIQdH")
_BEHIND_CRC = 8  # the header's first bytes: length and CRC
_LONGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Entry:
    """A batch of rows as it was acknowledged."""

    number: int
    at: float
    key: str
    payload: bytes

    def encoded(self) -> bytes:
        """Return the bytes of the record."""
        key = self.key.encode()
        body = key + self.payload
        rest = struct.pack("<QdH", self.number, self.at, len(key)) + body
        return struct.pack("<II", len(body), zlib.crc32(rest)) + rest


class Log:
    """The segments in a folder, oldest first; new entries go to the last.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(Path(folder))
    ...     log.append([Entry(1, 0.0, "", b"{}"), Entry(2, 0.0, "", b"{}")])
    ...     log.close()
    ...     [entry.number for entry in Log(Path(folder)).entries(after=1)]
    [2]
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None
        self.nbytes = 0  # of the open segment

    def _segments(self) -> list[Path]:
        return sorted(self._folder.glob("log-*.wal"))

    def entries(self, after: int) -> Iterator[Entry]:
        """Yield the entries behind a number. A record that is cut short at the very end is removed."""
        segments = self._segments()
        for path in segments:
            with path.open("rb") as file:
                good = 0
                while (entry := _read(file)) is not None:
                    good = file.tell()
                    if entry.number > after:
                        yield entry
                size = os.fstat(file.fileno()).st_size
            if good < size:
                if path != segments[-1]:
                    raise DamagedError(f"{path}: a record is damaged at byte {good:,}, and other segments follow")
                with path.open("r+b") as file:
                    file.truncate(good)
                    os.fsync(file.fileno())

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries and wait until they are on disk. An OSError means that none of them is in the log."""
        if not entries:
            return
        if self._file is None:
            self._open(entries[0].number)
        file = self._file
        assert file is not None
        before = self.nbytes
        try:
            for entry in entries:
                self.nbytes += file.write(entry.encoded())
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            self._file = None  # the next entries go to a new segment
            self.nbytes = before
            os.truncate(file.name, before)
            raise

    def _open(self, number: int) -> None:
        path = self._folder / f"log-{number:020d}.wal"
        self._file = path.open("wb", buffering=0)
        self.nbytes = 0
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # the name of the segment must survive too
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """Remove all entries, which a checkpoint holds now."""
        self.close()
        for path in self._segments():
            path.unlink()

    def close(self) -> None:
        """Close the open segment."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.nbytes = 0


def _read(file: BinaryIO) -> Entry | None:
    """Return the next record; None at the end, and where a record is cut short or damaged."""
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    length, checksum, number, at, key_length = _HEADER.unpack(header)
    if length > _LONGEST or key_length > length:
        return None
    body = file.read(length)
    if len(body) < length or zlib.crc32(header[_BEHIND_CRC:] + body) != checksum:
        return None
    return Entry(number, at, body[:key_length].decode("utf-8", "replace"), body[key_length:])
