"""The bytes of a fuzzer as a source of choices."""

from __future__ import annotations


class Bytes:
    """Reads values from the input of a fuzzer; zeros when it is used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0
