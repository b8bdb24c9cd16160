"""Files of object stores, s3:// and gs://, through the filesystems of pyarrow."""

from __future__ import annotations

import fnmatch
from typing import Any

from wmsketch.readers.open_stream import ByteStream
from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.source import Place, Source, SourceFile


class ObjectSource(Source):
    """s3://bucket/key or gs://bucket/key; a pattern like s3://bucket/day-*.csv means all matching keys.

    Parameters are those of pyarrow, like ``region`` and ``endpoint_override``.
    """

    def _files(self) -> tuple[Any, str]:
        fs = self.need("pyarrow.fs", "remote")
        with self.naming(self.need("pyarrow", "remote").ArrowException):
            system, path = fs.FileSystem.from_uri(self.address.without_query)
        return system, path

    def size(self) -> int | None:
        """Return the size of the object."""
        fs = self.need("pyarrow.fs", "remote")
        system, path = self._files()
        with self.naming(self.need("pyarrow", "remote").ArrowException):
            info = system.get_file_info(path)
        if info.type != fs.FileType.File:
            raise self.bad("there is no such object")
        return int(info.size)

    def open(self, place: Place | None = None, encoding: str | None = None) -> ByteStream:
        """Open the object at its beginning."""
        size = self.size()
        system, path = self._files()
        with self.naming(self.need("pyarrow", "remote").ArrowException):
            file = system.open_input_file(path)
        return ObjectStream(_ObjectFile(file, self), self.address, size, encoding=encoding)  # type: ignore[arg-type]

    def matches(self) -> list[Address]:
        """Return the objects with matching keys, in order of name."""
        if not set(self.address.path) & set("*?["):
            return [self.address]
        fs = self.need("pyarrow.fs", "remote")
        bucket = self.address.servers
        before, _, pattern = (bucket + self.address.parts.path).partition("*")
        system, _ = self._files()
        wanted = bucket + self.address.path
        folder = before.rpartition("/")[0]
        with self.naming(self.need("pyarrow", "remote").ArrowException):
            found = system.get_file_info(fs.FileSelector(folder, recursive="/" in pattern))
        keys = sorted(info.path for info in found if info.type == fs.FileType.File)
        keys = [key for key in keys if fnmatch.fnmatchcase(key, wanted)]
        if not keys:
            raise self.bad("no object matches")
        _, mark, parameters = self.address.given.partition("?")
        start = self.address.given[: self.address.given.index(self.address.parts.servers + self.address.parts.path)]
        return [Address(f"{start}{key}{mark}{parameters}") for key in keys]


class ObjectStream(ByteStream):
    """A stream of an object; pyarrow can seek in it."""

    def random_access(self) -> Any:
        """Return the pyarrow file."""
        file: Any = self._source
        return file.file


class _ObjectFile(SourceFile):
    """A pyarrow file whose errors name the address."""

    def read(self, size: int) -> bytes:
        with self._source.naming():
            data: bytes = self.file.read(size)
        return data
