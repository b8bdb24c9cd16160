"""The errors of this package. Each has a code and fields; the message is made here, for Python or the command line.

Other packages can use `code` and the fields, and need not parse the message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wmsketch.late import pattern

Say = Callable[..., str]  # formats a parameter, and its value if there is one

_NOTHING = object()
# In a rule, {name} is another parameter, {name=value} a setting, {=value} a value.
_MARK = pattern(r"\{([a-z_0-9]*)(?:=([^{}]*))?\}")


def say_in_python(parameter: str, value: object = _NOTHING) -> str:
    """Format a parameter, a setting or a value as in Python.

    >>> say_in_python("step"), say_in_python("step", "plain"), say_in_python("", "plain")
    ('step', "step='plain'", "'plain'")
    """
    if value is _NOTHING:
        return parameter
    return f"{parameter}={value!r}" if parameter else repr(value)


def with_marks(text: str, say: Say) -> str:
    """The text, with its marks as the caller writes them.

    >>> with_marks("must be 1: set {step=plain}", say_in_python)
    "must be 1: set step='plain'"
    """
    return _MARK.sub(lambda mark: say(mark[1]) if mark[2] is None else say(mark[1], mark[2]), text)


def marks_in(text: str) -> list[str]:
    """The parameters that a text names.

    >>> marks_in("set {step=plain} or {eta0}")
    ['step', 'eta0']
    """
    return [mark[1] for mark in _MARK.finditer(text)]


class CodedError(Exception):
    """Base class of all errors of this package."""

    code = "error"

    def told(self, say: Say = say_in_python) -> str:
        """Return the message, with the parameters as the caller writes them."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        return self.told()


class ParameterError(CodedError, ValueError):
    """A parameter that breaks its rule. The text after a colon in a rule is a remedy.

    >>> problem = ParameterError("depth", "must be 1 with adaptive steps: set {step=plain}", 3)
    >>> print(problem)
    depth must be 1 with adaptive steps, got 3: set step='plain'
    >>> problem.code, problem.parameter, problem.value
    ('parameter', 'depth', 3)
    """

    code = "parameter"

    def __init__(self, parameter: str, rule: str, value: Any = ..., place: str = "") -> None:
        super().__init__(parameter, rule, value, place)
        self.parameter = parameter
        self.rule = rule
        self.value = None if value is ... else value  # the value given, if it matters
        self.place = place  # the file concerned

    def told(self, say: Say = say_in_python) -> str:
        """Return the message, with the parameters as the caller writes them."""
        rule, colon, way_out = with_marks(self.rule, say).partition(": ")
        got = "" if self.args[2] is ... else f", got {say('', self.value)}"
        place = f" ({self.place})" if self.place else ""
        return f"{say(self.parameter)} {rule}{place}{got}{colon}{way_out}"


class ParameterTypeError(ParameterError, TypeError):
    """A parameter of the wrong type."""


class ConditionError(ParameterError):
    """A condition that cannot be read; the rule says what was expected at which position.

    >>> print(ConditionError("where", "expected a number at position 3 of 'a>'"))
    where: expected a number at position 3 of 'a>'
    """

    def told(self, say: Say = say_in_python) -> str:
        """Return the message, with the parameter as the caller writes it."""
        return f"{say(self.parameter)}: {self.rule}"


def require_utf8(parameter: str, text: str) -> str:
    """Return the text, or raise an error if UTF-8 cannot encode it, as for arguments that are not UTF-8.

    >>> require_utf8("label", "bought")
    'bought'
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ParameterError(parameter, "must be text that UTF-8 can encode", text) from None
    return text


class RowError(CodedError, ValueError):
    """A row that cannot be learned; `row` is its index within the call.

    >>> print(RowError(3, "the time must be finite, got nan"))
    row 3: the time must be finite, got nan
    """

    code = "row"

    def __init__(self, row: int, message: str) -> None:
        super().__init__(row, message)
        self.row = row
        self.message = message

    def told(self, say: Say = say_in_python) -> str:
        """The message."""
        return f"row {self.row}: {self.message}"


class MergeError(CodedError, ValueError):
    """Models that cannot be merged. `differs` names the reasons: parameters, or "class", "rows", "base".

    >>> problem = MergeError("cannot merge: seed differs (1 and 2)", ("seed",))
    >>> problem.code, problem.differs
    ('merge', ('seed',))
    """

    code = "merge"

    def __init__(self, message: str, differs: tuple[str, ...] = ()) -> None:
        super().__init__(message, differs)
        self.differs = differs


class DamagedError(CodedError, ValueError):
    """A saved state that contradicts itself."""

    code = "damaged"
