"""Errors that say name, rule and value."""

from __future__ import annotations

import math
import operator
from typing import Any

from wmsketch.errors import ParameterError, ParameterTypeError


def require_integer(name: str, value: Any, minimum: int, maximum: int = 2**32 - 1) -> int:
    """Return ``value`` as an int, or raise an error that names the parameter. A float with a whole value is accepted.

    >>> require_integer("width", 0, 1)
    Traceback (most recent call last):
        ...
    wmsketch.errors.ParameterError: width must be at least 1, got 0
    """
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        raise ParameterTypeError(name, "must be an integer", value) from None
    if number < minimum:
        raise ParameterError(name, f"must be at least {minimum}", number)
    if number > maximum:
        raise ParameterError(name, f"must be at most {maximum}", number)
    return number


def require_real(name: str, value: Any) -> float:
    """Return ``value`` as a finite float, or raise an error that names the parameter."""
    if isinstance(value, (str, bytes)):
        raise ParameterTypeError(name, "must be a number", value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterTypeError(name, "must be a number", value) from None
    if not math.isfinite(number):
        raise ParameterError(name, "must be finite", number)
    return number


def require_flag(name: str, value: Any) -> bool:
    """Return ``value`` as a bool, or raise an error that names the parameter."""
    if (isinstance(value, int) or type(value).__name__ in ("bool", "bool_")) and value in (0, 1):
        return bool(value)
    raise ParameterError(name, "must be True or False", value)


def not_fitted(model: object) -> Exception:
    """The error for a question to a model that has learned nothing, of scikit-learn's own type where it is loaded."""
    message = (
        f"This {type(model).__name__} has not learned anything yet: call 'fit', 'partial_fit' or 'learn_one' first."
    )
    import sys

    if "sklearn" in sys.modules:
        from sklearn.exceptions import NotFittedError

        return NotFittedError(message)  # type: ignore[no-any-return]
    return ValueError(message)
