"""The container of model files: safetensors, a JSON header and aligned arrays. docs/model-file.md has the bytes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from wmsketch.learners.saving.saveable import Arrays

LENGTH_BYTES = 8
LONGEST_HEADER = 100_000_000  # safetensors' own limit
# Largest items first, and so every array is aligned: this is the order of arrays in a file.
_TYPES = {"U64": "<u8", "I64": "<i8", "F64": "<f8", "F32": "<f4", "U32": "<u4", "I32": "<i4"}
_TYPES |= {"F16": "<f2", "U16": "<u2", "I16": "<i2", "I8": "<i1", "U8": "<u1", "BOOL": "?"}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}
_ORDER = {name: place for place, name in enumerate(_TYPES)}


def pack(arrays: Arrays, metadata: dict[str, str]) -> bytearray:
    """Return the bytes of a file with these arrays of one dimension.

    >>> data = pack({"cells": np.zeros(2, np.float32)}, {"a": "b"})
    >>> len(data), bytes(data[8:36])
    (104, b'{"__metadata__":{"a":"b"},"c')
    """
    named = sorted(((_NAMES[a.dtype.newbyteorder("<")], name, a) for name, a in arrays.items()), key=_place)
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for kind, name, array in named:
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    data = bytearray(LENGTH_BYTES + len(text) + end)
    data[:LENGTH_BYTES] = len(text).to_bytes(LENGTH_BYTES, "little")
    at = LENGTH_BYTES + len(text)
    data[LENGTH_BYTES:at] = text
    for kind, _, array in named:
        np.frombuffer(data, _TYPES[kind], array.size, at)[:] = array.ravel()
        at += array.nbytes
    return data


def header_length(data: bytes | bytearray) -> int:
    """Return the length that the first bytes of a file state."""
    return int.from_bytes(data[:LENGTH_BYTES], "little")


def unpack(data: bytes) -> tuple[dict[str, str], Arrays]:
    """Return the metadata and the arrays of a file: views, which cannot be written to. A ValueError for anything else.

    >>> unpack(bytes(pack({"cells": np.ones(2, np.float32)}, {"a": "b"})))
    ({'a': 'b'}, {'cells': array([1., 1.], dtype=float32)})
    """
    length = header_length(data)
    begin = LENGTH_BYTES + length
    if length > LONGEST_HEADER or begin > len(data):
        raise ValueError(f"expected a header of at most {LONGEST_HEADER:,} bytes inside the file, got {length:,}")
    header = json.loads(data[LENGTH_BYTES:begin])
    metadata = header.pop("__metadata__")
    arrays: Arrays = {}
    at = 0
    for name, entry in sorted(header.items(), key=lambda item: tuple(item[1]["data_offsets"])):
        first, last = entry["data_offsets"]
        sizes = [*entry["shape"], first, last]
        if not all(type(size) is int and size >= 0 for size in sizes) or len(entry["shape"]) != 1:
            raise ValueError(f"array {name!r}: expected one length and two offsets, got {sizes}")
        code = _TYPES.get(entry["dtype"])
        if not code:
            raise ValueError(f"array {name!r}: unknown type {entry['dtype']!r}")
        count = entry["shape"][0]
        if first != at or last - first != count * np.dtype(code).itemsize or begin + last > len(data):
            raise ValueError(
                f"array {name!r}: {count:,} items of {entry['dtype']} do not lie at bytes {first} to {last}"
            )
        arrays[name] = np.frombuffer(data, code, count, begin + first)
        at = last
    if begin + at != len(data):
        raise ValueError(f"expected {begin + at:,} bytes, got {len(data):,}")
    return metadata, arrays


def _place(entry: tuple[str, str, np.ndarray[Any, Any]]) -> tuple[int, bytes]:
    return _ORDER[entry[0]], entry[1].encode()
