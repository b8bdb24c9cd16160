"""Sizes in bytes, as people write them."""

import re
from collections.abc import Callable

from wmsketch.errors import ParameterError

DEFAULT_BUDGET = "32KiB"
_MOST_COUNT_BYTES = 2**36  # of the counts of items or pairs

# Case does not matter. A letter alone counts in 1024s, as it does for head, ls and dd.
UNITS = {
    "": 1,
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "TB": 1000**4,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
    "TiB": 1024**4,
    "K": 1024,
    "M": 1024**2,
    "G": 1024**3,
    "T": 1024**4,
}
_FACTORS = {unit.lower(): factor for unit, factor in UNITS.items()}


def parse_bytes(size: float | str, name: str = "budget") -> int:
    """Return a size in bytes; `KiB` and `K` count in 1024s, `KB` in 1000s.

    >>> parse_bytes("8KiB"), parse_bytes("8k"), parse_bytes("8KB"), parse_bytes("1.5MiB"), parse_bytes(512.0)
    (8192, 8192, 8000, 1572864, 512)
    """
    n_bytes = 0
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", size, re.ASCII)
        if match and match[2].lower() in _FACTORS:
            n_bytes = _times(match[1], _FACTORS[match[2].lower()])
    elif _is_number(size) and size == size // 1:
        n_bytes = int(size)
    if n_bytes > 0:
        return n_bytes
    units = ", ".join(unit for unit in UNITS if unit)
    raise ParameterError(name, f"must be a number of bytes above 0 with or without a unit ({units})", size)


def _times(number: str, factor: int) -> int:
    if len(number) < 20 and number.isdigit():
        return int(number) * factor
    from decimal import Decimal

    return int(Decimal(number) * factor)


def _is_number(size: object) -> bool:
    from numbers import Real

    return isinstance(size, Real) and not isinstance(size, bool)


def require_countable(n_bytes: int) -> int:
    """Return the bytes for counts of items or pairs, or raise an error if they are more than the core can address."""
    if n_bytes > _MOST_COUNT_BYTES:
        raise ParameterError("budget", f"must be at most {_MOST_COUNT_BYTES} bytes", n_bytes)
    return n_bytes


def largest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest number from least to most that fits, or least if none does.

    If a number fits, all smaller ones must fit too.

    >>> largest(lambda n: 10 * n <= 105, 0, 1000)
    10
    """
    low, high = least, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def largest_that_fits(bytes_for: Callable[[int], int], limit: int) -> int:
    """Return the largest n whose bytes_for(n), which never falls, is within the limit.

    >>> largest_that_fits(lambda n: 10 * n, 105)
    10
    """
    return largest(lambda n: bytes_for(n) <= limit, 0, min(limit, 2**24))
