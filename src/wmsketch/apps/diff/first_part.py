"""The first part of each input, to decide how all of it is compared; of a pipe, before it is read."""

from __future__ import annotations

import io

from wmsketch.readers import ByteStream, open_stream
from wmsketch.readers.open_stream import stored_size
from wmsketch.readers.sources.schemes import address_of
from wmsketch.readers.variable_words import LOOKED_AT, PATIENCE


class FirstPart:
    """Opens inputs to look at their first rows. A pipe stays open, and `taken` returns it to be read from its start."""

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._open: dict[str, ByteStream] = {}

    def can_open(self, *paths: str) -> bool:
        """Return whether these can be looked at: all but addresses, whose rows may come one at a time, or never."""
        return all(stored_size(path) is not None or address_of(path) is None for path in paths)

    def open(self, path: str) -> ByteStream:
        """Open a file, or the whole lines that a pipe sends within a second, at most a megabyte."""
        if stored_size(path) is not None:
            return open_stream(path, self._encoding)
        stream = self._open.get(path)
        if stream is None:
            stream = self._open[path] = open_stream(path, self._encoding)
        head = stream.look(LOOKED_AT, lines=True, patience=PATIENCE)
        return ByteStream(io.BytesIO(head[: head.rfind(b"\n") + 1] or head), stream.name)

    def lines(self, n_bytes: int, *paths: str) -> list[bytes]:
        """Return the whole lines at the beginning of each input."""
        lines: list[bytes] = []
        for path in paths:
            with self.open(path) as stream:
                first = next(stream.chunks(max(1, n_bytes)), b"")
            lines += (first if len(first) < n_bytes else first[: first.rfind(b"\n") + 1]).splitlines()
        return lines

    def taken(self) -> dict[str, ByteStream]:
        """Return the pipes that were opened, by their paths."""
        taken, self._open = self._open, {}
        return taken
