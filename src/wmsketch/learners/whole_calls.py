"""A call that fails leaves a model as it was, and only one thread makes the first call."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

_LOCKS: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_OF_LOCKS = threading.Lock()


@contextlib.contextmanager
def whole_call(model: Any) -> Iterator[None]:
    """Let one thread at a time into a call that may start the model; an error inside takes back what it set.

    >>> class Model: pass
    >>> model = Model()
    >>> try:
    ...     with whole_call(model):
    ...         model.columns = 3
    ...         raise ValueError
    ... except ValueError:
    ...     hasattr(model, "columns")
    False
    """
    with _OF_LOCKS:
        lock = _LOCKS.setdefault(model, threading.RLock())
    with lock:
        before = dict(model.__dict__)
        try:
            yield
        except BaseException:
            if "_native" in before:  # it takes care of itself: a batch is learned whole or not at all
                before["_native"] = model.__dict__["_native"]
            model.__dict__.clear()
            model.__dict__.update(before)
            raise
