"""What is made when it is first used, so that a command starts without it: patterns, methods of records, `inspect`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, AnyStr, cast

__all__ = ["dataclass", "pattern", "without_inspect"]


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


class _Inspect(ModuleType):
    """Stands in for `inspect`, and loads it when anything but `cleandoc` is asked for."""

    @staticmethod
    def cleandoc(text: str) -> str:
        """Return a docstring without its indentation, and without empty lines around it."""
        first, *rest = text.expandtabs().split("\n")
        margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
        return "\n".join([first.lstrip(), *(line[margin:] for line in rest)]).strip("\n")

    def __getattr__(self, name: str) -> Any:
        import inspect

        return getattr(inspect, name)


@contextmanager
def without_inspect() -> Iterator[None]:
    """Let modules be imported without `inspect`, which costs as much as a third of click.

    click uses `cleandoc` of it and `dataclasses` nothing, unless help is printed or a docstring is missing. What is
    imported later gets the module itself.
    """
    if "inspect" in sys.modules:
        yield
        return
    stand_in = sys.modules["inspect"] = _Inspect("inspect")
    try:
        yield
    finally:
        if sys.modules.get("inspect") is stand_in:
            del sys.modules["inspect"]


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
