"""Any input as a stream of plain bytes: files, globs, pipes, stdin and addresses, compressed or not."""

import errno
import io
import os
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from wmsketch.formats import SUFFIXES as FORMAT_SUFFIXES
from wmsketch.readers.archives import is_packed, open_packed
from wmsketch.readers.bad_input import BadInput
from wmsketch.readers.decompress import LONGEST_MAGIC, SUFFIXES, Decompressor, compression_of, may_be_compressed
from wmsketch.readers.sources.address import file_name
from wmsketch.readers.sources.schemes import address_of
from wmsketch.readers.transcode import Transcoder, encoding_of, ends_lines_with_cr, require_encoding

CHUNK_BYTES = 1 << 20
STDIN = "-"
_WILDCARDS = frozenset("*?[")

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class ByteStream(io.RawIOBase):
    """The plain bytes of one input; a readable binary file that also knows its position.

    `bytes_read` counts stored (compressed) bytes, so that it can be compared with `bytes_total`, which is None if the
    size is unknown (pipes).

    A stream of an address may know more: its `place` after everything that was `taken`; or that it has none, so that
    rows read again must be `checked`. Tables come as `batches`, without bytes.
    """

    table_name: str | None = None  # the name of the table in an archive
    encoding: str | None = None  # recognised, if it is not UTF-8
    place: dict[str, Any] | None = None
    checked = False
    batches: Iterator[Any] | None = None

    def __init__(
        self,
        source: BinaryIO,
        name: str,
        bytes_total: int | None = None,
        owned: bool = True,
        encoding: str | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.bytes_read = 0
        self.bytes_total = bytes_total
        self.compression: str | None = None
        self._owned = owned
        self._source = source
        # one system call per read, so that a slow pipe returns what it has
        self._read_source = getattr(source, "read1", source.read)
        plain: Any = source  # typing does not know readinto
        self._readinto_source: Callable[[Any], int | None] = getattr(source, "readinto1", None) or plain.readinto
        self._raw_head = b""  # stored bytes read ahead
        self._head = b""  # plain bytes read ahead
        self._decompressor: Decompressor | None = None
        self._transcoder = Transcoder(encoding, name) if encoding else None
        self._begins = True
        self._filters: list[Callable[[bytes], bytes]] = []
        self._broken: Exception | None = None  # an error to raise once all that was read before it is used
        try:
            self._detect_compression()
        except BaseException:
            self.close()
            raise

    def _detect_compression(self) -> None:
        head = b""
        while may_be_compressed(head) and (more := self._read_raw()):
            head += more
        self._raw_head = head
        self.compression = compression_of(head)
        claimed = SUFFIXES.get(Path(file_name(self.name)).suffix.lower())
        if claimed and claimed != self.compression:
            found = f"{self.compression} data" if self.compression else "other data" if head else "an empty file"
            raise BadInput(f"expected {claimed} data because of the name, found {found}", self.name)
        if self.compression:
            self._decompressor = Decompressor(self.compression, self._read_raw, self.name)

    def _read_raw(self, size: int = CHUNK_BYTES) -> bytes:
        if self._raw_head:
            data, self._raw_head = self._raw_head, b""
            return data
        while (data := self._read_source(size)) is None:  # nothing available in a non-blocking pipe
            self._comes_within(None)
        self.bytes_read += len(data)
        return bytes(data)

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read up to `size` bytes, or all that is left if negative; empty only at the end."""
        if size is None or size < 0:
            return b"".join(self.chunks())
        if not self._head:
            return self._read_plain(size)
        data, self._head = self._head[:size], self._head[size:]
        return data

    def _read_plain(self, size: int) -> bytes:
        if size == 0:
            return b""
        if self._broken is not None:
            raise self._broken
        while True:
            data = self._transcoded(size) if self._transcoder else self._read_stored(size)
            if self._begins and data:
                data = self._recognised(data)
            if not data:
                return b""
            for each in self._filters:
                data = each(data)
            if data:
                break
        data, self._head = data[:size], data[size:]
        return data

    def _recognised(self, data: bytes) -> bytes:
        """Recognise the encoding and the ends of lines by the first bytes."""
        self._begins = False
        if not self._transcoder and (encoding := encoding_of(data)):
            self.encoding = encoding
            self._transcoder = Transcoder(encoding, self.name)
            data = self._transcoder.feed(data)
        if ends_lines_with_cr(data):
            self._filters.append(lambda more: more.replace(b"\r", b"\n"))
        return data

    def convert(self, change: Callable[[bytes], bytes]) -> None:
        """Pass all bytes from here on through a function, also those that were looked at."""
        self._filters.append(change)
        self._head = change(self._head)

    def _read_stored(self, size: int) -> bytes:
        return self._decompressor.read(size) if self._decompressor else self._read_raw(size)

    def _transcoded(self, size: int) -> bytes:
        """Read some bytes of UTF-8; empty only at the end."""
        assert self._transcoder is not None
        while stored := self._read_stored(size):
            if data := self._transcoder.feed(stored):
                return data
        return self._transcoder.feed(b"", final=True)

    def readinto(self, buffer: Any) -> int:
        """Read at least one byte, except at the end. Plain files and pipes are not copied twice."""
        if self._begins or self._head or self._raw_head or self._decompressor or self._transcoder or self._filters:
            data = self.read(len(buffer))
            buffer[: len(data)] = data
            return len(data)
        while (size := self._readinto_source(buffer)) is None:
            self._comes_within(None)
        self.bytes_read += size
        return size

    def fill(self, buffer: memoryview, patience: float = 0.0) -> int:
        """Read into all of the buffer; 0 at the end.

        If a pipe has nothing more, return what has arrived, `patience` seconds after its first bytes.
        """
        if self._broken is not None and not self._head:
            raise self._broken
        size = self.readinto(buffer)
        deadline = time.monotonic() + patience
        while 0 < size < len(buffer) and self._comes_within(deadline - time.monotonic()):
            try:
                more = self.readinto(buffer[size:])
            except (OSError, BadInput) as problem:  # what was read before is used; the next call raises
                self._broken = problem
                break
            if not more:
                break
            size += more
        return size

    def _comes_within(self, seconds: float | None) -> bool:
        """Return whether a read returns within this time; True if the system cannot tell."""
        here = self._head or self._raw_head or (self._decompressor and not self._decompressor.needs_input)
        if here or self.bytes_total is not None:
            return True
        try:
            import select  # only pipes need it

            poll = select.poll()
            poll.register(self._source.fileno(), select.POLLIN)
            return bool(poll.poll(None if seconds is None else max(0.0, seconds) * 1000))
        except (AttributeError, OSError):  # not supported by the system or the file
            return True

    def look(self, size: int = 1 << 16, *, lines: bool = False, patience: float = 0.0) -> bytes:
        """Peek at the next bytes: a whole line, or up to about `size` bytes; with `lines`, all that do not wait.

        What a pipe sends within `patience` seconds after its first line does not wait either.
        """
        deadline: float | None = None
        while len(self._head) < size:
            has_line = b"\n" in self._head.lstrip()
            if has_line and not lines:
                break
            head, self._head = self._head, b""
            if has_line and self.bytes_total is None:
                now = time.monotonic()
                deadline = now + patience if deadline is None else deadline
                if not patience or not self._comes_within(deadline - now):
                    self._head = head
                    break
            try:
                more = self._read_plain(size)
            except (OSError, BadInput) as problem:
                self._head = head
                if not head:
                    raise
                self._broken = problem
                break
            self._head = head + more + self._head
            if not more:
                break
        return self._head

    def taken(self) -> None:
        """Record that everything read so far is in rows, so that a resumed run may start after it."""

    def name_at(self, line: int) -> tuple[str, int | None]:
        """Return the name of a line in errors: the file and its number, or the record of a log."""
        return self.name, line

    def stop(self) -> None:
        """Stop a read that waits for a server; called from another thread."""

    def random_access(self) -> Any:
        """Return what pyarrow can open and seek in: a path, or one of its own files."""
        return self.name

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Yield the rest of the stream in pieces, as they arrive."""
        while data := self.read(size):
            yield data

    def close(self) -> None:
        """Close the underlying file, except stdin."""
        if not self.closed:
            super().close()
            if self._owned:
                self._source.close()


def open_stream(
    path: str | os.PathLike[str], encoding: str | None = None, place: dict[str, Any] | None = None
) -> ByteStream:
    """Open one file, stdin for `-`, or an address.

    Compression is recognised by the first bytes and must match the suffix.

    An address is opened at the `place` of an earlier stream. Text in an `encoding` other than UTF-8 is converted to
    UTF-8.

    >>> import gzip, tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".gz") as file:
    ...     _ = file.write(gzip.compress(b"1 2:3")), file.flush()
    ...     with open_stream(file.name) as stream:
    ...         print(stream.compression, stream.read())
    gzip b'1 2:3'
    """
    name = os.fspath(path)
    if encoding:
        require_encoding(encoding)
    if address := address_of(name):
        return address.source.open(place, encoding)
    if name == STDIN:
        return ByteStream(_stdin(), "stdin", owned=False, encoding=encoding)
    size = stored_size(name)
    file: Any = open(name, "rb", buffering=0)  # noqa: PTH123, SIM115 -- the stream closes it
    if size is not None and is_packed(file.read(LONGEST_MAGIC)):
        file.close()
        table, table_name = open_packed(name)
        stream = ByteStream(table, name, encoding=encoding)
        stream.table_name, stream.bytes_total = table_name, size
        return stream
    if size is not None:
        file.seek(0)
    return ByteStream(file, name, size, encoding=encoding)


def stored_size(path: str) -> int | None:
    """Return the size of a file, None for a pipe or stdin; raise an error if it cannot be read.

    >>> stored_size("-") is None
    True
    """
    if path == STDIN:
        return None
    if address := address_of(path):
        return address.source.size()
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "no such file", path) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(
            errno.EISDIR, f"expected a file, found a folder; name its files: {files_in(path)}", path
        )
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def files_in(folder: str) -> str:
    """Return a pattern for the tables of a folder: the commonest suffix of a known format.

    >>> files_in("no/such/folder")
    "'no/such/folder/*.csv'"
    """
    names = os.listdir(folder) if Path(folder).is_dir() else []  # noqa: PTH208 -- only names
    endings = Counter("".join(Path(name).suffixes[-2:]) for name in names)
    known = [
        end for end, _ in endings.most_common() if any(part in FORMAT_SUFFIXES for part in Path(f"a{end}").suffixes)
    ]
    return _quoted(Path(folder) / f"*{known[0] if known else '.csv'}")


def _plain_folder(pattern: str) -> str:
    """The innermost folder of a pattern that has no wildcard.

    >>> _plain_folder("data/2024*/a.csv")
    'data'
    """
    folder = Path(pattern).parent
    while _is_pattern(str(folder)):
        folder = folder.parent
    return _quoted(folder)


def _quoted(path: Path) -> str:
    import shlex  # only errors need it

    return shlex.quote(str(path))


def _is_pattern(path: str) -> bool:
    return not _WILDCARDS.isdisjoint(path)


def stored_size_of_all(paths: Iterable[str]) -> int | None:
    """Return the total size of all files, None if one is a pipe."""
    sizes = [stored_size(path) for path in paths]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _stdin() -> BinaryIO:
    # bypass Python's buffer: a thread waiting in it would keep the interpreter from exiting
    try:
        return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    except (OSError, ValueError):
        return sys.stdin.buffer


def expand_paths(paths: Paths) -> list[str]:
    """Return paths and addresses in the order given, with globs replaced by the matching files, in order of name.

    >>> expand_paths(["-", "train.svm"])
    ['-', 'train.svm']
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    expanded: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if address := address_of(path):
            expanded += address.source.matches()
        elif _is_pattern(path) and not Path(path).exists():
            import glob

            matches = sorted(match for match in glob.glob(path, recursive=True) if not Path(match).is_dir())  # noqa: PTH207
            if not matches:
                raise FileNotFoundError(errno.ENOENT, f"no file matches; to see others: ls {_plain_folder(path)}", path)
            expanded += matches
        else:
            expanded.append(path)
    if not expanded:
        raise ValueError("paths must name at least one file, or - for stdin")
    return expanded
