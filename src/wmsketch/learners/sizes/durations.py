"""Durations as people write them, for every parameter and option that takes one."""

from __future__ import annotations

import math
import re
from typing import Any

from wmsketch.errors import ParameterError

UNITS = {"ms": "0.001", "s": "1", "min": "60", "m": "60", "h": "3600", "d": "86400"}  # decimal numbers of seconds
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
    if not match or match[2] not in UNITS:
        return None
    from decimal import Decimal  # few commands are given a duration

    return float(Decimal(match[1]) * Decimal(UNITS[match[2]]))


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
