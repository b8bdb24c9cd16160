"""Sizes in bytes, as people write them."""

import re
from collections.abc import Callable
from decimal import Decimal

DEFAULT_BUDGET = "32KiB"

UNITS = {
    "": 1,
    "B": 1,
    "kB": 1000,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}


def parse_bytes(size: int | str, name: str = "budget") -> int:
    """Return a size in bytes; `KiB` counts in 1024s, `KB` in 1000s.

    >>> parse_bytes("8KiB"), parse_bytes("8KB"), parse_bytes("1.5MiB"), parse_bytes("512"), parse_bytes(512)
    (8192, 8000, 1572864, 512, 512)
    """
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", size, re.ASCII)
        if match and match[2] in UNITS:
            n_bytes = int(Decimal(match[1]) * UNITS[match[2]])
            if n_bytes > 0:
                return n_bytes
    elif isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    units = ", ".join(unit for unit in UNITS if unit)
    raise ValueError(f"{name} must be a number of bytes above 0 with or without a unit ({units}), got {size!r}")


def largest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest number from least to most that fits, where all below one that fits do; least where none does.

    >>> largest(lambda n: 10 * n <= 105, 0, 1000)
    10
    """
    low, high = least, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
