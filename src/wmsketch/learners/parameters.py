"""Parameters as scikit-learn and River both expect them: what the constructor takes, and nothing else."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from typing import Any, Self


class Parameters:
    """Get, set, clone and print the constructor's parameters."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters (scikit-learn)."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; they take effect when learning starts anew (scikit-learn)."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
            setattr(self, name, value)
        return self

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters that has learned nothing (River)."""
        params = {**copy.deepcopy(self.get_params()), **(new_params or {})}
        fresh = type(self)(**params)
        if include_attributes:
            learned = {name: value for name, value in copy.deepcopy(self).__dict__.items() if name not in params}
            fresh.__dict__.update(learned)
        return fresh

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Change parameters in place (River)."""
        self.set_params(**new_attrs)

    def _get_params(self) -> dict[str, Any]:
        return self.get_params()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not (value is defaults[name].default or value == defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
