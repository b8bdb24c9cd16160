"""The interface of a source: an address that can be opened, at a position if it can seek."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address

Place = dict[str, Any]  # a position in a source, as JSON
Extent = dict[str, Any]  # the part of a source to read


class Source:
    """The target of an address; opened, it is a stream of bytes or of record batches, like a file.

    `format` is that of the rows; None: it follows from their name or content. `can_seek`: the same rows can be read
    again, which `--resume` and a second pass need; `why_not` is the reason if they cannot.
    """

    format: str | None = None
    formats: tuple[str, ...] = ()  # other supported formats
    can_seek = True
    has_places = False  # can be opened at a position; otherwise rows are read again from the beginning
    why_not = ""

    def __init__(self, address: Address) -> None:
        self.address = address

    def size(self) -> int | None:
        """Return the stored bytes, None if unknown."""
        return None

    def extent(self) -> Extent | None:
        """Return what is available now; None if it is fixed."""
        return None

    def awaited_extent(self) -> Extent | None:
        """Return what is available, as soon as an endless source can be reached."""
        return self.extent()

    def extent_after(self, extent: Extent, place: Place) -> Extent:
        """Return the extent for a resumed training: the rest of its extent, or, at its end, what has arrived since."""
        return self.awaited_extent() or extent if self.is_end(extent, place) else extent

    def is_end(self, extent: Extent, place: Place) -> bool:
        """Return whether all of an extent was read."""
        return False

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """Open the address's extent at a position of an earlier stream; text may be in another encoding."""
        raise NotImplementedError

    def saved(self, place: Place) -> None:
        """Note that a model that has learned up to a position was saved. A server may be told."""

    def lag(self) -> int | None:
        """Return how many rows of an endless stream wait to be read; None if unknown."""
        return None

    def matches(self) -> list[Address]:
        """Return the addresses that match a pattern."""
        return [self.address]

    def need(self, module: str, extra: str) -> Any:
        """Return a module that this source needs, or raise an error with the install command."""
        try:
            return importlib.import_module(module)
        except ImportError as problem:
            package = module.partition(".")[0]
            raise ImportError(
                f"{self.address.scheme}:// needs it: pip install 'wmsketch[{extra}]'", name=package
            ) from problem

    @contextmanager
    def naming(self, *errors: type[Exception]) -> Iterator[None]:
        """Turn errors of a driver into errors of readers, which name the address and hide its secrets."""
        try:
            yield
        except BadInput:
            raise
        except (OSError, *errors) as problem:  # type: ignore[misc]
            raise self.bad(self.message_of(problem)) from None

    def message_of(self, problem: Exception) -> str:
        """Return the message of a driver."""
        return str(problem) or type(problem).__name__

    def bad(self, message: str) -> BadInput:
        """Return an error about this source."""
        return BadInput(self.address.scrubbed(message), self.address)


class SourceFile:
    """A file of a source, as `ByteStream` reads one. A subclass says how `read` works."""

    def __init__(self, file: Any, source: Source) -> None:
        self.file = file
        self._source = source

    def read(self, size: int) -> bytes:
        """Up to so many bytes; none at the end."""
        raise NotImplementedError

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as one read goes, and return how far that is."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file."""
        self.file.close()
