"""A call that fails leaves a model as it was, and only one thread at a time makes a call that must be whole."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from wmsketch import _core

# The attributes that a learning call may set, in addition to the state of the native model. They are listed, because
# reading the whole __dict__ of an object makes every later access to its attributes slower.
SET_BY_CALLS = (
    "_labels",
    "_started_as",
    "_native",
    "_columns",
    "n_features_in_",
    "feature_names_in_",
    "_passes_made",
)
_MISSING = object()
_Model = TypeVar("_Model")
_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")

_LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_OF_LOCKS = threading.Lock()


def lock_of(model: Any) -> Any:
    """The lock of an object, which the thread that has it may take again."""
    lock = _LOCKS.get(model)
    if lock is None:
        with _OF_LOCKS:
            lock = _LOCKS.setdefault(model, threading.RLock())
    return lock


class _HalfChanged:
    """The lock of an object that another thread was changing when the process forked: the child has no such thread."""

    def acquire(self, blocking: bool = True) -> bool:
        raise RuntimeError(_core.HALF_DONE)

    __enter__ = acquire

    def release(self) -> None:
        """There is nothing to release."""

    def __exit__(self, *_: object) -> None:
        self.release()


def _after_fork() -> None:
    """Free all locks in the child, which has one thread: no other one could release them."""
    global _OF_LOCKS
    _OF_LOCKS = threading.Lock()
    for model, lock in list(_LOCKS.items()):
        if not isinstance(lock, _HalfChanged) and not lock.acquire(blocking=False):
            _LOCKS[model] = _HalfChanged()
        else:
            lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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
        lock = lock_of(self._model)
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


def alone(
    method: Callable[Concatenate[_Model, _Arguments], _Result],
) -> Callable[Concatenate[_Model, _Arguments], _Result]:
    """Let one thread at a time into the methods of an object that have this decorator.

    >>> class Model:
    ...     @alone
    ...     def learn(self): return "learned"
    >>> Model().learn()
    'learned'
    """

    @functools.wraps(method)
    def locked(self: _Model, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with lock_of(self):
            return method(self, *args, **kwargs)

    return locked


@contextmanager
def both_alone(one: Any, other: Any) -> Iterator[None]:
    """Hold the locks of two objects, always in the same order: two threads may merge them into each other."""
    first, second = sorted((one, other), key=id)
    with lock_of(first), lock_of(second):
        yield
