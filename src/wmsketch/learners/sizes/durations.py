"""Durations as people write them, for every parameter and option that takes one."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from wmsketch.errors import ParameterError

UNITS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "min": Decimal(60),
    "m": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
_SHOWN = ", ".join(unit for unit in UNITS if unit != "m")


def seconds_of(duration: Any) -> float | None:
    """Return the seconds of a text with a time and its unit; None for anything else.

    >>> seconds_of("2min"), seconds_of("2m"), seconds_of("1.5 h"), seconds_of("500ms"), seconds_of("1d")
    (120.0, 120.0, 5400.0, 0.5, 86400.0)
    >>> seconds_of("10"), seconds_of("soon")
    (None, None)
    """
    if not isinstance(duration, str):
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", duration.lower(), re.ASCII)
    return float(Decimal(match[1]) * UNITS[match[2]]) if match and match[2] in UNITS else None


def parse_seconds(text: str, name: str = "every") -> float:
    """Return the seconds of a time, above 0; a bare number is one of seconds.

    >>> parse_seconds("10s"), parse_seconds("500ms"), parse_seconds("2min"), parse_seconds("2m"), parse_seconds("3")
    (10.0, 0.5, 120.0, 120.0, 3.0)
    """
    found = seconds_of(text)
    try:
        seconds = float(text) if found is None else found
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ParameterError(name, "must be a time like 10s, 500ms, 2min or 1h", text)
    return seconds


def units_shown() -> str:
    """The units, for messages.

    >>> units_shown()
    'ms, s, min, h, d'
    """
    return _SHOWN
