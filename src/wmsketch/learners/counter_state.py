"""The state of a native counter, which is a tuple of bytes and numbers, as named arrays, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wmsketch.learners.saveable import Arrays


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes that are an array of this type, or a single number."""

    name: str
    dtype: Any
    single: bool = False


NAMES = (Part("name_bytes", np.uint8), Part("name_ends", np.uint64), Part("name_shortened", np.uint8))
Parts = tuple[Any, ...]  # of Part, NAMES and Parts, as the native state is


def parts_of(parts: Parts) -> Iterator[Part]:
    """All parts, one after the other."""
    for part in parts:
        if isinstance(part, Part):
            yield part
        else:
            yield from parts_of(part)


def arrays_of(parts: Parts, state: Any) -> Iterator[tuple[str, Any]]:
    """Return the names and arrays of a native state."""
    for part, value in zip(parts, state, strict=True):
        if part is NAMES:
            names, shortened = value
            yield "name_bytes", np.frombuffer(b"".join(names), dtype=np.uint8)
            yield "name_ends", np.cumsum([len(name) for name in names], dtype=np.uint64)
            yield "name_shortened", np.frombuffer(shortened, dtype=np.uint8)
        elif isinstance(part, Part):
            yield part.name, np.array([value], part.dtype) if part.single else np.frombuffer(value, part.dtype)
        else:
            yield from arrays_of(part, value)


def state_of(parts: Parts, arrays: Arrays) -> Any:
    """Return the native state of such arrays, each of which must be there and of its type."""
    expected = {part.name: part for part in parts_of(parts)}
    if set(arrays) != set(expected):
        raise ValueError(f"expected the arrays {sorted(expected)}, got {sorted(arrays)}")
    for name, part in expected.items():
        array = arrays[name]
        if array.dtype != part.dtype or array.ndim != 1 or (part.single and len(array) != 1):
            raise ValueError(f"the saved array {name!r} has another type or shape")
        if part.dtype == np.float64 and not np.all(np.isfinite(array)):
            raise ValueError(f"the saved array {name!r} holds a number that is not finite")
    return _state_of(parts, arrays)


def _state_of(parts: Parts, arrays: Arrays) -> Any:
    found: list[Any] = []
    for part in parts:
        if part is NAMES:
            found.append((_names_of(arrays), arrays["name_shortened"].tobytes()))
        elif isinstance(part, Part):
            found.append(arrays[part.name].item() if part.single else arrays[part.name].tobytes())
        else:
            found.append(_state_of(part, arrays))
    return tuple(found)


def _names_of(arrays: Arrays) -> list[bytes]:
    data, ends = arrays["name_bytes"].tobytes(), [0, *arrays["name_ends"].tolist()]
    if ends != sorted(ends) or ends[-1] != len(data):
        raise ValueError("name_ends must rise from 0 to the length of name_bytes")
    names = [data[first:last] for first, last in pairwise(ends)]
    for name in names:
        name.decode()  # text, or an error
    return names
