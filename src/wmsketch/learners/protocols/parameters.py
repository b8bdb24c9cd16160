"""Parameters as scikit-learn and River both expect them: what the constructor takes, and nothing else."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, cast

_INTERNAL = {"mutate"}  # used by River; hidden from completion


def parameter_names(cls: Any) -> list[str]:
    """Return the names of the parameters of a constructor."""
    made = cast(FunctionType, cls.__init__).__code__  # `inspect` would take a tenth of the start of a command
    return list(made.co_varnames[1 : made.co_argcount + made.co_kwonlyargcount])


class Parameters:
    """Get, set, clone and print the constructor's parameters."""

    if TYPE_CHECKING:
        passes: int | None
        _passes_made: int

        @property
        def _started(self) -> bool: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters (scikit-learn).

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB", l2=1e-4).get_params()["l2"]
        0.0001
        """
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; they take effect when `fit` starts anew, and a model that is learning says so (scikit-learn).

        ``max_iter``, scikit-learn's name for ``passes``, sets those.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB").set_params(budget="16KiB", max_iter=3)
        AWMSketch(budget='16KiB', passes=3)
        """
        names = parameter_names(type(self))
        if "max_iter" in params:
            params["passes"] = params.pop("max_iter")
        for name in params:
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
        later = [name for name, value in params.items() if self._is_in_use(name, value)]
        for name, value in params.items():
            setattr(self, name, value)
        if later:
            warnings.warn(
                f"This {type(self).__name__} has been learning, and goes on as it began: {', '.join(later)} will take "
                "effect with the next fit",
                stacklevel=2,
            )
        return self

    @property
    def max_iter(self) -> Any:
        """scikit-learn's name for ``passes``."""
        return self.passes or 1

    @property
    def n_iter_(self) -> int:
        """How many passes `fit` made, as scikit-learn calls it."""
        if not self._started:
            raise AttributeError(f"{type(self).__name__} has no attribute 'n_iter_' before it has learned")
        return getattr(self, "_passes_made", self.passes or 1)

    def _is_in_use(self, name: str, value: Any) -> bool:
        """Whether a running model has used another value of this parameter."""
        return self._started and name not in ("passes", "shuffle") and not _same(value, getattr(self, name))

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters that has learned nothing (River).

        >>> from wmsketch import AWMSketch
        >>> AWMSketch("8KiB").clone({"seed": 1})
        AWMSketch(budget='8KiB', seed=1)
        """
        params = {**copy.deepcopy(self.get_params()), **(new_params or {})}
        fresh = type(self)(**params)
        if include_attributes:
            learned = {name: value for name, value in copy.deepcopy(self).__dict__.items() if name not in params}
            fresh.__dict__.update(learned)
        return fresh

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Change parameters in place (River).

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.mutate({"l2": 1e-4})
        >>> model
        AWMSketch(budget='8KiB', l2=0.0001)
        """
        self.set_params(**new_attrs)

    def _get_params(self) -> dict[str, Any]:
        return self.get_params()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - _INTERNAL)

    def __repr__(self) -> str:
        import inspect

        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _same(value: Any, other: Any) -> bool:
    """Whether two values of a parameter are equal; arrays are compared by their printed form."""
    return value is other or (type(value) is type(other) and repr(value) == repr(other)) or _equal(value, other)


def _equal(value: Any, other: Any) -> bool:
    try:
        return bool(value == other)
    except ValueError:  # an array with something else
        return False
