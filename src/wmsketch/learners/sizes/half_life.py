"""Half-lives: a number counts rows, a text like "10min" is a time."""

from __future__ import annotations

from numbers import Real
from typing import Any

from wmsketch.errors import ParameterError
from wmsketch.learners.protocols.checks import require_real
from wmsketch.learners.sizes.durations import seconds_of, units_shown


def half_life_config(half_life: float | str | None) -> dict[str, Any]:
    """Return a half-life as the core takes it; 0 means none.

    >>> half_life_config(10_000)
    {'half_life': 10000.0, 'half_life_in': 'examples'}
    >>> half_life_config("10min")
    {'half_life': 600.0, 'half_life_in': 'seconds'}
    """
    if half_life is None:
        return {"half_life": 0.0, "half_life_in": "examples"}
    seconds = seconds_of(half_life)
    if seconds is None and not isinstance(half_life, Real):
        expected = f"a number of rows, or a text like {{=10min}} with a unit of time ({units_shown()})"
        raise ParameterError("half_life", f"must be {expected}", half_life)
    number = require_real("half_life", half_life) if seconds is None else seconds
    if not number > 0:
        raise ParameterError("half_life", "must be above 0 (without one nothing is forgotten)", half_life)
    return {"half_life": number, "half_life_in": "examples" if seconds is None else "seconds"}
