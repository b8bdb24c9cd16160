"""The items of a row: `column=value` for each attribute, with numbers in bins that never change."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator
from typing import Any

SEPARATOR = "\x1f"  # between column and value; values cannot contain it
LONGEST = 96  # characters of a name
_STEPS = (1, 2, 5)
_CODES = range(1000)


def flat(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield columns and values; a nested value has a dotted name, and a list gives each of its elements.

    >>> list(flat({"http": {"status": 500}, "tags": ["a", "b"], "user": None}))
    [('http.status', 500), ('tags', 'a'), ('tags', 'b')]
    """
    for name, value in row.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            for each in value:
                if each is not None and not isinstance(each, (dict, list)):
                    yield prefix + name, each
        elif value is not None and value != "":
            yield prefix + name, value


def value_text(value: Any, numeric: bool, categorical: bool) -> str:
    """Return the text of a value. A number is put into a fixed bin (1, 2, 5, 10, ...), a code from 0 to 999 is kept.

    >>> value_text(503, False, False), value_text(137.5, False, False), value_text(12, True, False)
    ('503', '100 to 200', '10 to 20')
    >>> value_text(40211, False, True), value_text(True, False, False), value_text(-0.3, False, False)
    ('40211', 'true', '-0.5 to -0.2')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if numeric and isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return str(value)
    if isinstance(value, str) or categorical:
        return str(value)
    if not isinstance(value, (int, float)) or abs(value) > 1e300:
        return str(value)
    if isinstance(value, int) and value in _CODES and not numeric:
        return str(value)
    return _bin(float(value))


def _bin(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = abs(value)
    power = 10.0 ** math.floor(math.log10(size))
    if size < power:  # rounding of the logarithm
        power /= 10
    step = max(each for each in _STEPS if size >= each * power * (1 - 1e-12))
    low, high = step * power, {1: 2, 2: 5, 5: 10}[step] * power
    return f"{low:g} to {high:g}" if value > 0 else f"{-high:g} to {-low:g}"


def item_name(column: str, value: str) -> str:
    """Return the name of an item; one that is too long is cut, and a hash of the whole tells it apart.

    >>> item_name("device", "phone").split(SEPARATOR)
    ['device', 'phone']
    >>> len(item_name("url", "x" * 500)) <= LONGEST
    True
    """
    column, value = (text.replace(SEPARATOR, " ") for text in (column, value))
    name = f"{column}{SEPARATOR}{value}"
    if len(name) <= LONGEST:
        return name
    mark = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    if len(column) > LONGEST // 2:
        column = column[: LONGEST // 2 - 1] + "…"
    return f"{column}{SEPARATOR}{value[: LONGEST - len(column) - len(mark) - 3]}…#{mark}"


def wanted(column: str, attributes: Collection[str], ignored: Collection[str]) -> bool:
    """Return whether a column is explained with."""
    return (not attributes or column in attributes) and column not in ignored
