"""The methods of a dataclass, written once for all classes. `late.dataclass` uses them."""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature


def add_to(cls: type, *, frozen: bool, kw_only: bool, repr: bool, eq: bool) -> type:
    """Make a class a dataclass whose methods are those of this module, where it has none of its own."""
    dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    methods: dict[str, Any] = {"__init__": _init, "__signature__": _SignatureOfFields()}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    own = set(vars(cls))
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


@cache
def _values_of(cls: type) -> tuple[frozenset[str], dict[str, Any], dict[str, Any]]:
    """Return the names of all arguments, the default values, and the functions that make other values."""
    own = fields(cls)
    defaults = {each.name: each.default for each in own if each.default is not MISSING}
    made = {each.name: each.default_factory for each in own if each.default_factory is not MISSING}
    return frozenset(each.name for each in own if each.init), defaults, made


def _init(self: Any, /, *given: Any, **named: Any) -> None:
    cls: Any = type(self)
    arguments, defaults, made = _values_of(cls)
    names = cls.__match_args__  # the arguments that need no name
    values = dict(zip(names, given), **named) if given else named  # noqa: B905 -- fewer may be given
    if len(given) > len(names):
        raise TypeError(f"{cls.__name__}() takes {len(names)} positional arguments but {len(given)} were given")
    if len(values) < len(given) + len(named):
        raise TypeError(f"{cls.__name__}() got multiple values for {next(name for name in names if name in named)}")
    if not values.keys() <= arguments:
        unknown = ", ".join(name for name in values if name not in arguments)
        raise TypeError(f"{cls.__name__}() has no argument {unknown}")
    own = self.__dict__
    own.update(defaults)
    own.update(values)
    for name, make in made.items():
        if name not in values:
            own[name] = make()
    if not arguments <= own.keys():
        raise TypeError(f"{cls.__name__}() needs {', '.join(name for name in names if name not in own) or 'more'}")
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, each.name) for each in fields(self) if each.compare)


def _eq(self: Any, other: Any) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


class _SignatureOfFields:
    """What `inspect` and help show as the arguments of a class, made when they ask."""

    def __get__(self, instance: Any, cls: type) -> Signature:
        from inspect import Parameter, Signature

        def default_of(each: Any) -> Any:
            made = Parameter.empty if each.default_factory is MISSING else each.default_factory()
            return made if each.default is MISSING else each.default

        return Signature([
            Parameter(
                each.name,
                Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                default=default_of(each),
                annotation=each.type,
            )
            for each in sorted(fields(cls), key=lambda each: bool(each.kw_only))
            if each.init
        ])  # fmt: skip
