"""Read on one thread while the caller works on another."""

import queue
import threading
from collections.abc import Generator, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_END = object()
_PATIENCE = 1.0  # seconds to wait for a reader that hangs in a pipe; it is a daemon thread, so nothing depends on it


class _Failure:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def read_ahead(items: Iterator[Item], depth: int = 4) -> Generator[Item, None, None]:
    """Yield the same items in the same order; another thread prepares up to `depth` of them in advance.

    An error of `items` is raised at its place in the sequence. Leaving early (an exception, Ctrl-C, `close`) stops the
    thread and closes `items` if it is a generator, so that its files are closed. `depth=0` uses no thread.

    >>> list(read_ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    if depth == 0:
        yield from items
        return
    # If a signal raises an error inside `queue.Queue`, its lock may stay taken. A SimpleQueue has no such moment.
    ready: queue.SimpleQueue[object] = queue.SimpleQueue()
    room: queue.SimpleQueue[None] = queue.SimpleQueue()
    for _ in range(depth):
        room.put(None)
    stop = threading.Event()
    thread = threading.Thread(target=_produce, args=(items, ready, room, stop), name="wmsketch-reader", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not _END:
            room.put(None)
            if isinstance(item, _Failure):
                raise item.error
            yield item  # type: ignore[misc]
    finally:
        stop.set()
        room.put(None)  # so that a waiting reader sees the flag
        if thread is not threading.current_thread():  # the garbage collector may run this anywhere
            thread.join(_PATIENCE)


def _produce(
    items: Iterator[object],
    ready: "queue.SimpleQueue[object]",
    room: "queue.SimpleQueue[None]",
    stop: threading.Event,
) -> None:
    last: object = _END
    try:
        for item in items:
            room.get()
            if stop.is_set():
                break
            ready.put(item)
    except BaseException as error:  # pass any error to the consuming thread
        last = _Failure(error)
    finally:
        if isinstance(items, Generator):
            items.close()
    if not stop.is_set():
        ready.put(last)
