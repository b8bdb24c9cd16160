"""What a source is: an address that can be opened, at a place if it can seek."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address

Place = dict[str, Any]  # how far a source was read, as JSON has it
Extent = dict[str, Any]  # the part of it that is to be read


class Source:
    """Where an address leads; opened, it is a stream of bytes or of record batches, like a file.

    `format` is that of the rows; None: their name or content says it. `can_seek`: it can be read again to the same
    rows, which `--resume` and a second pass need; `why_not` says why it cannot.
    """

    format: str | None = None
    formats: tuple[str, ...] = ()  # others that may be asked for
    can_seek = True
    has_places = False  # it is opened at a place; else its rows are read again from the beginning
    why_not = ""

    def __init__(self, address: Address) -> None:
        self.address = address

    def size(self) -> int | None:
        """Stored bytes, None where nobody can say."""
        return None

    def extent(self) -> Extent | None:
        """What there is now; None where that needs no saying."""
        return None

    def extent_after(self, extent: Extent, place: Place) -> Extent:
        """What a training that was to read an extent and is at a place goes on with: its rest, else what came since."""
        return self.extent() or extent if self.is_end(extent, place) else extent

    def is_end(self, extent: Extent, place: Place) -> bool:
        """Whether all of an extent was read."""
        return False

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """The rows of the address's extent, from a place of an earlier stream on; text may be in another encoding."""
        raise NotImplementedError

    def matches(self) -> list[Address]:
        """The addresses that a pattern stands for."""
        return [self.address]

    def need(self, module: str, extra: str) -> Any:
        """A module that this kind of source needs, or an error that says how to get it."""
        try:
            return importlib.import_module(module)
        except ImportError as problem:
            package = module.partition(".")[0]
            raise ImportError(
                f"{self.address.scheme}:// needs it: pip install 'wmsketch[{extra}]'", name=package
            ) from problem

    @contextmanager
    def naming(self, *errors: type[Exception]) -> Iterator[None]:
        """Errors of a driver become those of readers: they name the address, and hide its secrets."""
        try:
            yield
        except BadInput:
            raise
        except (OSError, *errors) as problem:  # type: ignore[misc]
            raise self.bad(self.message_of(problem)) from None

    def message_of(self, problem: Exception) -> str:
        """What a driver says is wrong."""
        return str(problem) or type(problem).__name__

    def bad(self, message: str) -> BadInput:
        """An error about this source."""
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
