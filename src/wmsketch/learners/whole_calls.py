"""A call that fails leaves a model as it was, and only one thread makes the first call."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

# The attributes that a learning call may set, beside the state of the native model. They are listed, because reading
# the whole __dict__ of an object makes every later access to its attributes slower.
SET_BY_CALLS = ("_labels", "_started_as", "_native", "_columns", "n_features_in_", "feature_names_in_")
_MISSING = object()
_Model = TypeVar("_Model")
_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")

_LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_OF_LOCKS = threading.Lock()


class whole_call:
    """Let one thread at a time make a call that may start the model; an error undoes what the call set.

    A native model needs no help: it learns a batch whole or not at all. A call that starts ``anew`` has replaced it.

    >>> class Model: pass
    >>> model = Model()
    >>> try:
    ...     with whole_call(model):
    ...         model.n_features_in_ = 3
    ...         raise ValueError
    ... except ValueError:
    ...     hasattr(model, "n_features_in_")
    False
    """

    __slots__ = ("_anew", "_before", "_lock", "_model")
    _lock: Any

    def __init__(self, model: Any, *, anew: bool = False) -> None:
        self._model, self._anew = model, anew

    def __enter__(self) -> None:
        lock = _LOCKS.get(self._model)
        if lock is None:
            with _OF_LOCKS:
                lock = _LOCKS.setdefault(self._model, threading.RLock())
        lock.acquire()
        self._lock = lock
        self._before = [getattr(self._model, name, _MISSING) for name in SET_BY_CALLS]

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._take_back()
        self._lock.release()

    def _take_back(self) -> None:
        model = self._model
        for name, value in zip(SET_BY_CALLS, self._before, strict=True):
            if value is _MISSING:
                if hasattr(model, name):
                    delattr(model, name)
            elif name != "_native" or self._anew:
                setattr(model, name, value)


def as_whole_call(
    method: Callable[Concatenate[_Model, _Arguments], _Result],
) -> Callable[Concatenate[_Model, _Arguments], _Result]:
    """Make every call of a method a `whole_call`."""

    @functools.wraps(method)
    def whole(self: _Model, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with whole_call(self):
            return method(self, *args, **kwargs)

    return whole
