"""Kafka topics: messages are rows, and the next offset of each partition is the position."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.records import LOG, POLL_SECONDS, ROWS_PER_PIECE, Piece, RecordSource, RecordStream
from wmsketch.readers.sources.source import Extent, Place

_ANSWER = 10.0  # seconds to wait for a broker
_PATIENCE = 30.0  # seconds to wait for a message that exists
_MOST_WAITING = 8 * ROWS_PER_PIECE  # messages buffered from a partition that is ahead
LOOK_SECONDS = 10.0  # how often an endless topic is asked for added partitions
_DEFAULTS = {
    "group.id": "wmsketch",  # a consumer must have one; nothing is committed to it
    "enable.auto.commit": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "error",
    "queued.max.messages.kbytes": "16384",
    "log_level": "0",  # errors are raised, not printed
    "reconnect.backoff.max.ms": "10000",
}


class KafkaSource(RecordSource):
    """kafka://broker[:port][,broker...]/topic; parameters with a dot are librdkafka settings, like sasl.mechanisms.

    Partitions are assigned, not subscribed to: their offsets are in the model file, written with the model, and no
    group can take them away. Up to the end at the start, rows come round-robin, one of each partition in the order of
    their numbers, so the same topic gives the same rows in the same order.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._topic = address.path.removeprefix("/")
        if not self._topic or not address.servers:
            raise ValueError(f"an address must be like kafka://broker/topic, got {address}")
        for name in address.parameters:
            if "." not in name and name != "partitions":
                known = "endless, partitions, commit and parameters with a dot"
                raise ValueError(f"kafka:// takes the parameters {known}, got {name}")
        self._wanted = _numbers(address.parameters.get("partitions"))
        self._live: Any = None  # the consumer of a stream that is being read
        self._is_lost = False
        self._to_commit: Any = None
        self._commit_from = 0.0

    def errors(self) -> tuple[type[Exception], ...]:
        """Return the errors of the driver."""
        kafka = self.need("confluent_kafka", "kafka")
        return (kafka.KafkaException, kafka.KafkaError)

    def message_of(self, problem: Exception) -> str:
        """Return the message of librdkafka, without its numbers."""
        inner = problem.args[0] if problem.args else problem
        return str(inner.str()) if hasattr(inner, "str") else str(problem)

    def _consumer(self) -> Any:
        address = self.address
        brokers = [server if ":" in server else f"{server}:9092" for server in address.servers.split(",")]
        settings = {**_DEFAULTS, "bootstrap.servers": ",".join(brokers)}
        if address.user:
            settings |= {"sasl.username": address.user, "sasl.password": address.password}
            settings |= {"security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN"}
        given = {name: value for name, value in address.parameters.items() if "." in name}
        return self.need("confluent_kafka", "kafka").Consumer({**settings, **given, "error_cb": self._note_error})

    def _note_error(self, problem: Any) -> None:
        """Say that the brokers cannot be reached; librdkafka tries again by itself."""
        if self._live is not None and self._is_down(problem):
            self._say_lost(problem.str())

    def _is_down(self, problem: Any) -> bool:
        kafka = self.need("confluent_kafka", "kafka").KafkaError
        return problem.code() in (kafka._ALL_BROKERS_DOWN, kafka._TRANSPORT, kafka._RESOLVE)

    def is_unreachable(self, problem: Exception) -> bool:
        """Return whether the brokers may answer later."""
        kafka = self.need("confluent_kafka", "kafka")
        if not isinstance(problem, kafka.KafkaException):
            return False
        return self._is_down(problem.args[0]) or problem.args[0].code() == kafka.KafkaError._TIMED_OUT

    def _say_lost(self, reason: str) -> None:
        if not self._is_lost:
            self._is_lost = True
            reason = self.address.scrubbed(reason)
            LOG.warning("%s: the connection is lost (%s); trying again", self.address, reason)

    def waited_in_vain(self, number: int) -> None:
        """Say that the messages of a partition do not come; unless the topic is endless, that is an error."""
        reason = f"partition {number}: no message came for {_PATIENCE:.0f} seconds"
        if not self.address.endless:
            raise self.bad(reason)
        self._say_lost(reason)

    def say_found(self) -> None:
        """Say that the brokers can be reached again, if they could not."""
        if self._is_lost:
            self._is_lost = False
            LOG.warning("%s: connected again", self.address)

    def asked_extent(self) -> Extent:
        """Return the first and the next offset of each partition."""
        consumer = self._consumer()
        try:
            return self._extent(consumer)
        finally:
            consumer.close()

    def _extent(self, consumer: Any) -> Extent:
        numbers = self.partitions_of(consumer)
        if self._wanted is not None and not self._wanted <= set(numbers):
            missing = min(self._wanted - set(numbers))
            raise self.bad(f"there is no partition {missing} of {self._topic!r}")
        if not numbers:
            raise self.bad(f"there is no topic {self._topic!r}")
        ends = {str(number): self._watermarks(consumer, number) for number in numbers}
        return {
            "begin": {name: low for name, (low, _) in ends.items()},
            "end": {name: high for name, (_, high) in ends.items()},
        }

    def partitions_of(self, consumer: Any) -> list[int]:
        """Return the numbers of the partitions to read, in order; none if there is no such topic."""
        topic = consumer.list_topics(self._topic, _ANSWER).topics[self._topic]
        if topic.error is not None:
            return []
        return sorted(number for number in topic.partitions if self._wanted is None or number in self._wanted)

    def added_partitions(self, consumer: Any, known: Iterable[int]) -> dict[int, int]:
        """Return the partitions that were added to the topic, each with its first offset."""
        try:
            found = {
                number: self._watermarks(consumer, number)[0]
                for number in self.partitions_of(consumer)
                if number not in known
            }
        except self.errors() as problem:
            self._say_lost(self.message_of(problem))
            return {}
        self.say_found()
        for number in found:
            LOG.warning("%s: partition %d was added and is read too", self.address, number)
        return found

    def saved(self, place: Place) -> None:
        """Commit the offsets of a saved model to the group, if the address says ``commit=yes``."""
        if not self.address.says("commit"):
            return
        self._to_commit = [self._partition(number, at) for number, at in self._numbered(place.get("offsets")).items()]
        if self._live is None:  # nothing reads any more
            with self.naming(*self.errors()):
                consumer = self._consumer()
                try:
                    consumer.commit(offsets=self._to_commit, asynchronous=False)
                finally:
                    consumer.close()

    def commit(self, consumer: Any) -> None:
        """Commit what is to be committed, on the thread that reads. If that fails, try again later."""
        offsets = self._to_commit
        if offsets is None or time.monotonic() < self._commit_from:
            return
        try:
            consumer.commit(offsets=offsets, asynchronous=False)
        except self.errors() as problem:
            self._commit_from = time.monotonic() + LOOK_SECONDS
            LOG.warning("%s: offsets are not committed (%s)", self.address, self.message_of(problem))
            return
        if self._to_commit is offsets:
            self._to_commit = None

    def lag(self) -> int | None:
        """Return the number of messages that are not read yet, as far as the brokers have told."""
        consumer = self._live
        if consumer is None:
            return None
        try:
            waiting = 0
            for at in consumer.position(consumer.assignment()):
                end = consumer.get_watermark_offsets(at, cached=True)[1]
                waiting += max(0, end - at.offset) if at.offset >= 0 else 0
        except (*self.errors(), RuntimeError):  # type: ignore[misc] # it was closed meanwhile
            return None
        return waiting

    def _watermarks(self, consumer: Any, partition: int) -> tuple[int, int]:
        low, high = consumer.get_watermark_offsets(self._partition(partition), _ANSWER)
        return low, high

    def _partition(self, number: int, offset: int = -1001) -> Any:
        return self.need("confluent_kafka", "kafka").TopicPartition(self._topic, number, offset)

    def is_end(self, extent: Extent, place: Place) -> bool:
        """Return whether every partition was read to its end."""
        offsets = self._offsets(extent, place)
        return all(offsets.get(number, 0) >= end for number, end in self._numbered(extent.get("end")).items())

    def _offsets(self, extent: Extent, place: Place | None) -> dict[int, int]:
        """Return the next offset of each partition."""
        return {
            **self._numbered(extent.get("begin")),
            **({} if place is None else self._numbered(place.get("offsets"))),
        }

    def _numbered(self, offsets: Any) -> dict[int, int]:
        """Return the offsets of partitions; those of a model file may be invalid."""
        good = isinstance(offsets, dict) and all(name.isdecimal() for name in offsets)
        if not good or not all(isinstance(offset, int) and offset >= 0 for offset in offsets.values()):
            raise self.bad(f"expected the offsets of partitions, found {offsets!r}")
        return {int(name): offset for name, offset in offsets.items()}

    def pieces(self, place: Place | None, stream: RecordStream) -> Iterator[Piece]:
        """Yield the messages round-robin, and later ones of an endless topic as they arrive."""
        extent = self.address.extent or self.awaited_extent()
        offsets, ends = self._offsets(extent, place), self._numbered(extent.get("end"))
        if not set(ends) <= set(offsets):
            raise self.bad(f"expected the offsets of partitions {sorted(ends)}, found {sorted(offsets)}")
        with self.naming(*self.errors()):
            consumer = self._live = self._consumer()
            try:
                self.patiently(partial(self._require_there, consumer, offsets, ends), stream=stream)
                rounds = _Rounds(self, consumer, offsets, ends, stream)
                yield from rounds.pieces()
                while self.address.endless and not stream.stopped:
                    yield from rounds.as_they_come()
            finally:
                self._live = None
                consumer.close()

    def _require_there(self, consumer: Any, offsets: dict[int, int], ends: dict[int, int]) -> None:
        """Raise an error if messages are missing."""
        for number, at in offsets.items():
            low, high = self._watermarks(consumer, number)
            if at < low and at < ends.get(number, low):
                raise self.bad(f"partition {number}: the messages from offset {at} on are gone, the first is {low}")
            if at > high:
                raise self.bad(f"partition {number}: offset {at} was learned before, but there are only {high} now")


def _numbers(text: str | None) -> set[int] | None:
    """Return the partitions of a parameter like ``0,2-4``; None means all.

    >>> _numbers("0,2-4"), _numbers(None)
    ({0, 2, 3, 4}, None)
    """
    if text is None:
        return None
    numbers: set[int] = set()
    for part in text.split(","):
        found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
        if found is None:
            raise ValueError(f"partitions must be like 0,2-4 in an address, got {text!r}")
        numbers.update(range(int(found[1]), int(found[2] or found[1]) + 1))
    return numbers


class _Rounds:
    """Yields the messages of partitions, in an order that does not depend on their arrival."""

    def __init__(
        self, source: KafkaSource, consumer: Any, offsets: dict[int, int], ends: dict[int, int], stream: RecordStream
    ) -> None:
        self._source = source
        self._consumer = consumer
        self._next = dict(sorted(offsets.items()))  # of each partition, the offset after the last row returned
        self._fetched = dict(self._next)  # ... and after the last message received
        self._ends = ends
        self._stream = stream
        self._waiting: dict[int, deque[tuple[int, bytes | None]]] = {number: deque() for number in self._next}
        self._open = [number for number in self._next if self._next[number] < ends.get(number, 0)]
        self._paused: set[int] = set()

    def pieces(self) -> Iterator[Piece]:
        """Yield the messages up to the ends, in each round one of each partition."""
        self._assign(self._open)
        rounds = max(1, ROWS_PER_PIECE // len(self._next))
        while self._open and not self._stream.stopped:
            rows: list[bytes] = []
            names: list[str] = []
            for _ in range(rounds):
                for number in list(self._open):
                    message = self._message(number)
                    if message is None and self._stream.stopped:
                        return
                    if message is not None and message[1] is not None:
                        rows.append(message[1])
                        names.append(f"partition {number} offset {message[0]}")
            yield Piece(rows, names, self._place())

    def as_they_come(self) -> Iterator[Piece]:
        """Yield the messages after the ends, in the order of arrival."""
        self._assign(list(self._next))
        looked = time.monotonic()
        while not self._stream.stopped:
            rows, names = [], []
            if time.monotonic() > looked + LOOK_SECONDS:
                self._take_added()
                looked = time.monotonic()
            for number, offset, value in self._poll():
                self._next[number] = offset + 1
                if value is not None:
                    rows.append(value)
                    names.append(f"partition {number} offset {offset}")
            if rows:
                yield Piece(rows, names, self._place())

    def _take_added(self) -> None:
        """Read partitions that were added to the topic from their beginning."""
        added = self._source.added_partitions(self._consumer, self._next)
        if added:
            self._next |= added
            self._assign(list(self._next))

    def _place(self) -> Place:
        return {"offsets": {str(number): offset for number, offset in self._next.items()}}

    def _assign(self, numbers: list[int]) -> None:
        self._fetched = dict(self._next)
        self._consumer.assign([self._source._partition(number, self._next[number]) for number in numbers])

    def _message(self, number: int) -> tuple[int, bytes | None] | None:
        """Return the next message of a partition; None at its end, or if reading is stopped."""
        waiting = self._waiting[number]
        deadline = time.monotonic() + _PATIENCE
        while not waiting:
            if number not in self._open or self._stream.stopped:
                return None
            if self._fetched[number] >= self._ends[number]:
                self._end(number, self._ends[number])
                return None
            if self._fetch():
                deadline = time.monotonic() + _PATIENCE
            elif time.monotonic() > deadline:
                self._source.waited_in_vain(number)
                deadline = time.monotonic() + _PATIENCE
        offset, value = waiting.popleft()
        self._next[number] = offset + 1
        if number in self._paused and len(waiting) < ROWS_PER_PIECE:
            self._paused.discard(number)
            self._consumer.resume([self._source._partition(number)])
        return offset, value

    def _end(self, number: int, offset: int) -> None:
        self._next[number] = max(self._next[number], offset)
        self._open.remove(number)

    def _fetch(self) -> int:
        """Sort received messages into their partitions; return their number."""
        count = 0
        for number, offset, value in self._poll():
            count += 1
            if offset < self._ends[number]:
                self._waiting[number].append((offset, value))
            if len(self._waiting[number]) > _MOST_WAITING and number not in self._paused:
                self._paused.add(number)
                self._consumer.pause([self._source._partition(number)])
        return count

    def _poll(self) -> Iterator[tuple[int, int, bytes | None]]:
        """Yield received messages: partition, offset and value. A repeated one is skipped."""
        self._source.commit(self._consumer)
        for message in self._consumer.consume(ROWS_PER_PIECE, POLL_SECONDS):
            number, offset, problem = message.partition(), message.offset(), message.error()
            if problem is not None:
                self._ended(number, offset, problem)
            elif offset >= self._fetched[number]:
                self._source.say_found()
                self._fetched[number] = offset + 1
                yield number, offset, message.value()

    def _ended(self, number: int, offset: int, problem: Any) -> None:
        kafka = self._source.need("confluent_kafka", "kafka")
        if problem.code() != kafka.KafkaError._PARTITION_EOF:
            if problem.retriable() or self._source._is_down(problem):
                return  # librdkafka retries; the caller has a timeout
            raise self._source.bad(problem.str())
        # the last offsets may have no message: transaction markers, or compacted messages
        self._fetched[number] = max(self._fetched[number], offset)
