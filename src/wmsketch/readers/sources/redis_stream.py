"""Redis streams: entries are rows, and the id of the last one learned is the position."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.records import (
    POLL_SECONDS,
    ROWS_PER_PIECE,
    Piece,
    RecordSource,
    RecordStream,
    row_of_fields,
)
from wmsketch.readers.sources.source import Extent, Place

_FIRST = "0-0"  # before all ids
_PATIENCE = 20.0  # seconds to wait for an answer


class RedisSource(RecordSource):
    """redis://[:password@]host[:port]/stream[?db=0]; rediss:// is the same through TLS.

    It reads by explicit ids, without a consumer group. The position is in the model file, written with the model, so
    nothing can be delivered twice, and nothing has to be acknowledged.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._key = address.path.removeprefix("/")
        if not self._key or not address.host:
            raise ValueError(f"an address must be like {address.scheme}://host/stream, got {address}")
        unknown = sorted(set(address.parameters) - {"db"})
        if unknown:
            raise ValueError(f"{address.scheme}:// takes the parameters db and endless, got {unknown[0]}")
        if not address.parameters.get("db", "0").isdecimal():
            raise ValueError(f"db must be a number in an address, got {address.parameters['db']!r}")
        self._passed: int | None = None  # how many of the entries that were ever added are not waiting any more

    def _connect(self) -> Any:
        redis, retry = self.need("redis", "redis"), self.need("redis.retry", "redis")
        again = retry.Retry(self.need("redis.backoff", "redis").ConstantBackoff(0.2), 2)
        address = self.address
        return redis.Redis(
            host=address.host,
            port=address.port or 6379,
            db=int(address.parameters.get("db", 0)),
            username=address.user or None,
            password=address.password or None,
            ssl=address.scheme == "rediss",
            retry=again,
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
        )

    def errors(self) -> tuple[type[Exception], ...]:
        """Return the errors of the driver."""
        return (self.need("redis", "redis").RedisError,)

    def is_unreachable(self, problem: Exception) -> bool:
        """Return whether the server may answer later; one that refuses a password answers."""
        redis = self.need("redis", "redis")
        refused = redis.AuthenticationError, redis.exceptions.AuthorizationError
        return isinstance(problem, (redis.ConnectionError, redis.TimeoutError)) and not isinstance(problem, refused)

    def asked_extent(self) -> Extent:
        """Return the ids of the first and the last entry."""
        with self._connect() as server:
            first, last = server.xrange(self._key, count=1), server.xrevrange(self._key, count=1)
            if not first and not server.exists(self._key):
                raise self.bad(f"there is no stream {self._key!r}")
        ids = [entries[0][0].decode() if entries else _FIRST for entries in (first, last)]
        return {"first": ids[0], "last": ids[1]}

    def is_end(self, extent: Extent, place: Place) -> bool:
        """Return whether the last entry was read."""
        return self._order(place.get("id")) >= self._order(extent.get("last"))

    def _order(self, id: Any) -> tuple[int, int]:
        """Return the sort key of an id; those of a model file may be invalid."""
        try:
            time, _, number = id.partition("-")
            return int(time), int(number)
        except (AttributeError, ValueError):
            raise self.bad(f"expected the id of an entry like 1700000000000-0, found {id!r}") from None

    def pieces(self, place: Place | None, stream: RecordStream) -> Iterator[Piece]:
        """Yield the entries by their ids."""
        extent = self.address.extent or self.awaited_extent()
        at, first, last = _FIRST if place is None else place.get("id"), extent.get("first"), extent.get("last")
        for id in (at, first, last):
            self._order(id)
        with self.naming(*self.errors()), self._connect() as server:
            self.patiently(partial(self._require_there, server, first if place is None else at), stream=stream)
            self._passed = self._added(server, "length") if place is None else None
            while not stream.stopped and self._order(at) < self._order(last):
                ask = partial(server.xrange, self._key, f"({at}", last, count=ROWS_PER_PIECE)
                entries = self.patiently(ask, stream=stream)
                if not entries:  # the last entries were deleted
                    break
                at = entries[-1][0].decode()
                self._note_read(len(entries))
                yield _piece(entries, at)
            if self._order(at) < self._order(last) and not stream.stopped:
                at = last
                yield Piece((), (), {"id": at})
            while self.address.endless and not stream.stopped:
                entries = self.patiently(partial(self._entries_after, server, str(at)), stream=stream)
                if entries:
                    at = entries[-1][0].decode()
                    self._note_read(len(entries))
                if self._passed is None and len(entries or ()) < ROWS_PER_PIECE:  # nothing waits
                    self._passed = self._added(server)
                if entries:
                    yield _piece(entries, str(at))

    def _note_read(self, entries: int) -> None:
        if self._passed is not None:
            self._passed += entries

    def _added(self, server: Any, without: str = "") -> int | None:
        """Return how many entries were ever added, without those that another number counts; None if unknown."""
        try:
            known = server.xinfo_stream(self._key)
        except self.errors():
            return None
        added = known.get("entries-added")  # from Redis 7.0 on
        return None if added is None else int(added) - int(known.get(without, 0))

    def lag(self) -> int | None:
        """Return the number of entries that are not read yet; None until it is known, and if the server is down."""
        if self._passed is None:
            return None
        with self._connect() as server:
            added = self._added(server)
        return None if added is None else max(0, added - self._passed)

    def _entries_after(self, server: Any, at: str) -> Any:
        answer = server.xread({self._key: at}, ROWS_PER_PIECE, round(POLL_SECONDS * 1000))
        if not answer:
            return ()
        return next(iter(answer.values()))[0] if isinstance(answer, dict) else answer[0][1]

    def _require_there(self, server: Any, id: Any) -> None:
        """Raise an error if entries may be missing between the last learned and the first available one."""
        first = server.xrange(self._key, count=1)
        if not first or self._order(id) == (0, 0):
            return
        left = first[0][0].decode()
        if self._order(left) > self._order(id):
            raise self.bad(f"entries after {id} may be lost: it no longer exists, and the first entry is {left}")


def _piece(entries: Any, at: str) -> Piece:
    rows = [row_of_fields(list(fields.items())) for _, fields in entries if fields]
    names = [f"entry {id.decode()}" for id, fields in entries if fields]
    return Piece(rows, names, {"id": at})
