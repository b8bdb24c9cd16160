"""What is made when it is first used, so that a command starts without it: patterns and methods of records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, cast

__all__ = ["dataclass", "pattern"]


class _Pattern:
    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(*self._given), name)
        setattr(self, name, method)  # found at once the next time
        return method


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when one of its methods is used.

    >>> pattern(r"[a-z]+").fullmatch("rome") is not None
    True
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, kw_only=False, repr=True, eq=True):
        """Make a class like `dataclasses.dataclass`, whose methods are not written and compiled at import.

        An instance takes some microseconds more to make. So this is for classes with few instances.

        >>> @dataclass(frozen=True)
        ... class Town:
        ...     name: str
        ...     rows: int = 0
        >>> Town("Rome"), Town("Rome") == Town(name="Rome", rows=0)
        (Town(name='Rome', rows=0), True)
        """
        from wmsketch.late_methods import add_to

        def make(cls):
            return add_to(cls, frozen=frozen, kw_only=kw_only, repr=repr, eq=eq)

        return make if cls is None else make(cls)
