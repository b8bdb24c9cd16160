"""Half-lives as people write them: a number of examples, or a time."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from wmsketch.learners.checks import require_real

UNITS = {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}


def half_life_config(half_life: float | str | None) -> dict[str, Any]:
    """Return a half-life as the core takes it; 0 is none.

    >>> half_life_config(10_000)
    {'half_life': 10000.0, 'half_life_in': 'examples'}
    >>> half_life_config("10min")
    {'half_life': 600.0, 'half_life_in': 'seconds'}
    """
    if half_life is None:
        return {"half_life": 0.0, "half_life_in": "examples"}
    in_seconds = isinstance(half_life, str)
    number = _seconds(half_life) if isinstance(half_life, str) else require_real("half_life", half_life)
    if not number > 0:
        raise ValueError(f"half_life must be above 0, or None to forget nothing, got {half_life!r}")
    return {"half_life": number, "half_life_in": "seconds" if in_seconds else "examples"}


def _seconds(text: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text, re.ASCII)
    if match is None or match[2] not in UNITS:
        units = ", ".join(UNITS)
        raise ValueError(f"half_life must be a number of examples, or a time with a unit ({units}), got {text!r}")
    return float(Decimal(match[1]) * UNITS[match[2]])
