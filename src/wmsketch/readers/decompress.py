"""Decompression in bounded memory: gzip, bzip2, xz and zstd, with one or several members."""

import importlib
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from wmsketch.readers.bad_input import BadInput

# First bytes of each kind. The magic of bzip2 is three letters that a text may begin with, so check its block too.
MAGIC = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
}
SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # a block, or the end of an empty file
LONGEST_MAGIC = 10


def compression_of(head: bytes) -> str | None:
    """Return the compression of data with these first bytes, or None.

    >>> compression_of(b"\\x1f\\x8b\\x08\\x00")
    'gzip'
    """
    for name, magic in MAGIC.items():
        if head.startswith(magic) and (name != "bzip2" or head[4:10] in _BZIP2_BLOCKS):
            return name
    # zstd files may begin with skippable frames, as from parallel compressors
    return "zstd" if len(head) >= 4 and head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5 else None


def may_be_compressed(head: bytes) -> bool:
    """Return whether this could be the beginning of compressed data, given more bytes."""
    if len(head) >= LONGEST_MAGIC:
        return False
    if head.startswith(MAGIC["bzip2"]):
        return True
    begins = [*MAGIC.values(), *(bytes([0x50 + i]) + b"\x2a\x4d\x18" for i in range(16))]
    return any(magic.startswith(head) and len(head) < len(magic) for magic in begins)


class _Member(Protocol):
    """One compressed member; the common interface of bz2 and lzma."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    # of the standard library
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        tail = self._inner.unconsumed_tail
        out = self._inner.decompress(tail + data if tail else data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(out) < max_length
        return out


class _Zstd:
    # zstandard cannot limit its output, but 4 bytes of input give at most 128 KiB: feed it small pieces
    _PIECE = 2048

    def __init__(self, decompressor: Any) -> None:
        self._inner = decompressor.decompressobj()
        self._pending = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._pending

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._pending

    def decompress(self, data: bytes, max_length: int) -> bytes:
        pending = self._pending + data
        out: list[bytes] = []
        at = size = 0
        while at < len(pending) and size < max_length and not self._inner.eof:
            out.append(self._inner.decompress(pending[at : at + self._PIECE]))
            size += len(out[-1])
            at += self._PIECE
        self._pending = pending[at:]
        return b"".join(out)


def zstd_module(file: str | None = None) -> Any:
    """Return the module that reads zstd: the standard library's from Python 3.14 on, else the package zstandard."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise BadInput("zstd data needs Python 3.14 or newer, or the package zstandard (pip install zstandard)", file)


# A file may require a dictionary of gigabytes. xz -9 needs 65 MiB; the limit of zstd without --long is 128 MiB.
_MOST_MEMORY = 256 * 2**20

# A member gets a little input first and then more, because what it leaves behind its end is copied: a file may have
# many small members.
_FIRST_PIECE, _LARGEST_PIECE = 1 << 11, 1 << 17


def _members(compression: str, file: str) -> tuple[Callable[[], _Member], type[Exception]]:
    """What makes a member, and the error of damaged data. A module is imported for the first file that needs it."""
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    if compression == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY), lzma.LZMAError
    return _gzip() if compression == "gzip" else _zstd(file)


def _gzip() -> tuple[Callable[[], _Member], type[Exception]]:
    """Those of isal where it is installed: it takes half of the time."""
    try:
        isal = importlib.import_module("isal.igzip_lib")
    except ImportError:
        return _Gzip, zlib.error
    return lambda: isal.IgzipDecompressor(flag=isal.DECOMP_GZIP), isal.IsalError


def _zstd(file: str) -> tuple[Callable[[], _Member], type[Exception]]:
    """What makes a member, and the error of damaged data; the module is looked for once in a file."""
    module = zstd_module(file)
    if module.__name__ == "compression.zstd":
        return module.ZstdDecompressor, module.ZstdError
    shared = module.ZstdDecompressor()
    return lambda: _Zstd(shared), module.ZstdError


class Decompressor:
    """Decompresses bytes from `read_raw`; damage and truncation raise BadInput."""

    def __init__(self, compression: str, read_raw: Callable[[], bytes], file: str) -> None:
        self._compression = compression
        self._read_raw = read_raw
        self._file = file
        self._new_member, error = _members(compression, file)
        self._errors = (OSError, EOFError, error)
        self._member: _Member | None = self._new_member()
        self._input, self._at = b"", 0  # the bytes from _at on are new
        self._piece = _FIRST_PIECE

    @property
    def needs_input(self) -> bool:
        """Whether more compressed bytes are needed for the next plain bytes."""
        return self._at == len(self._input) and (self._member is None or self._member.needs_input)

    def read(self, size: int) -> bytes:
        """Return at most about `size` bytes; empty only at the end."""
        while True:
            if self._member is None and not self._start_member():
                return b""
            assert self._member is not None
            data = b""
            if self._member.needs_input:
                if not self._has_input():
                    raise BadInput(f"the {self._compression} data ends too early: the file is truncated", self._file)
                data = self._input[self._at : self._at + self._piece]
                self._at += len(data)
                self._piece = min(2 * self._piece, _LARGEST_PIECE)
            try:
                out = self._member.decompress(data, size)
            except self._errors as problem:
                raise BadInput(f"damaged {self._compression} data: {problem}", self._file) from problem
            if self._member.eof:
                self._at -= len(self._member.unused_data)
                self._member, self._piece = None, _FIRST_PIECE
            if out:
                return out

    def _has_input(self) -> bool:
        if self._at == len(self._input):
            self._input, self._at = self._read_raw(), 0
        return bool(self._input)

    def _start_member(self) -> bool:
        while self._has_input():
            if self._compression in ("gzip", "xz"):  # padding is allowed between members
                while self._at < len(self._input) and not self._input[self._at]:
                    self._at += 1
            if self._at < len(self._input):
                self._member = self._new_member()
                return True
        return False
