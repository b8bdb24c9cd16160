"""A running job: a thread that logs batches, acknowledges them, learns them, and writes checkpoints."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wmsketch.learners.saving.model_file import load, read_note
from wmsketch.serve.counts import Counts
from wmsketch.serve.history import History
from wmsketch.serve.job_spec import JobSpec
from wmsketch.serve.log import Entry, Log
from wmsketch.serve.pull import PLACE, Puller
from wmsketch.serve.rows import Decoded, rows_of_lines
from wmsketch.serve.tasks.kinds import new_task
from wmsketch.serve.tasks.task import Outcome, Row, text

_KEYS = 4096  # sender's keys that are remembered
_GROUP = 64  # batches that share one write to disk
_LONGEST_WAIT = 10  # seconds that a sender is told to wait; its connection is kept for longer


class Busy(Exception):
    """The queue is full; `seconds` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the queue is full, try again in {seconds} s")
        self.seconds = seconds


class Stopped(Exception):
    """The job takes no rows: it is stopping, or its log cannot be written."""


@dataclass(frozen=True)
class Policy:
    """Limits of every job."""

    queue_bytes: int = 4 << 20
    log_bytes: int = 32 << 20  # a checkpoint is written when the log has grown to this
    checkpoint_seconds: float = 30.0


@dataclass
class Batch:
    """Rows on their way: `decode` returns them, in the job's own thread."""

    decode: Callable[[], Decoded]
    size: int
    key: str = ""
    wait: bool = False  # whether to answer when the rows are learned, not when they are on disk
    answer: Future[dict[str, Any]] = field(default_factory=Future)


class Job:
    """One job with its folder of state. Rows come in by `submit`, questions go to `task`."""

    def __init__(self, spec: JobSpec, folder: Path, policy: Policy, clock: Callable[[], float] = time.time) -> None:
        self.spec, self.policy = spec, policy
        self.task = new_task(spec)
        self.counts = Counts()
        self.history = History()
        self.problem: str | None = None  # why it takes no more rows
        self._clock = clock
        self._folder = folder
        self._number = 0  # of the last batch
        self.place: dict[str, Any] | None = None  # where the rows of its source go on
        self._puller = Puller(self, source) if (source := text(spec.settings, "source")) else None
        self._keys: dict[str, int] = {}  # the last keys of senders, and the rows of each
        self._queue: deque[Batch] = deque()
        self._queued = 0
        self._seconds_per_byte = 0.0  # of learning; 0 before the first batch
        self._changed = threading.Condition()
        self._stopping = False
        self._log = Log(folder)
        self._saved_number, self._saved_at = -1, time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"job {spec.name}", daemon=True)

    @property
    def model_path(self) -> Path:
        """The file of the last checkpoint."""
        return self._folder / "model.wms"

    # --- starting and stopping ---

    def start(self) -> None:
        """Recover the state on disk, then take rows."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self.model_path.exists():
            self._load()
        for entry in self._log.entries(after=self._number):
            self._number = entry.number
            rows = rows_of_lines(entry.payload)
            self.counts.accepted(len(rows))
            self._remember(entry.key, len(rows))
            self._learn(rows, entry.at)
        if self._number > 0:
            self._checkpoint()  # also brings a file of an earlier version up to date
        self._thread.start()
        if self._puller is not None:
            self._puller.start()

    def _load(self) -> None:
        note = read_note(self.model_path)
        if note.get("job") != self.spec.as_document():
            raise ValueError(
                f"{self.model_path}: the settings of the job {self.spec.name} have changed since this model was saved; "
                f"restore them, or remove {self._folder} to begin anew"
            )
        self.task.restore(load(self.model_path), note["state"])
        self.counts.restore(note["counts"])
        self._keys = dict(note["keys"])
        self.place = note["place"]
        self._number = self._saved_number = note["number"]

    def stop(self) -> None:
        """Learn what is queued, write a checkpoint, and end."""
        if self._puller is not None:
            self._puller.stop()
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join()

    # --- rows in ---

    @property
    def source_problem(self) -> str | None:
        """Why no rows come from its source now."""
        return self._puller.problem if self._puller is not None else None

    @property
    def queued_bytes(self) -> int:
        """Bytes of the batches that wait."""
        return self._queued

    def require_place(self, size: int) -> None:
        """Raise `Busy` if a batch of this size does not fit into the queue, `Stopped` if the job takes no rows."""
        with self._changed:
            if self._stopping or self.problem is not None:
                raise Stopped(self.problem or "the service is stopping")
            if self._queue and self._queued + size > self.policy.queue_bytes:
                self.counts.turned_away += 1
                raise Busy(self._seconds_to_wait())

    def _seconds_to_wait(self) -> int:
        """Return how long the queue takes, as fast as the last batches were learned."""
        return max(1, min(_LONGEST_WAIT, math.ceil(self._queued * self._seconds_per_byte)))

    def submit(self, batch: Batch) -> Future[dict[str, Any]]:
        """Queue a batch; its answer comes when it is on disk, or learned if it waits for that."""
        with self._changed:
            self.require_place(batch.size)
            self._queue.append(batch)
            self._queued += batch.size
            self._changed.notify_all()
        return batch.answer

    # --- the thread ---

    def _run(self) -> None:
        while (group := self._next_group()) is not None:
            began = time.monotonic()
            try:
                self._take(group)
                self._note_speed(group, time.monotonic() - began)
                if self._checkpoint_due():
                    self._checkpoint()
            except Exception as problem:  # whatever it is, senders must hear of it, and other jobs go on
                self.problem = f"{type(problem).__name__}: {problem}"
                self._turn_away(group)
        if self.problem is None and self._number > self._saved_number:
            self._checkpoint()
        self._log.close()

    def _note_speed(self, group: list[Batch], seconds: float) -> None:
        """Remember how long a byte takes, mostly as of the last groups."""
        if size := sum(batch.size for batch in group):
            before = self._seconds_per_byte or seconds / size
            self._seconds_per_byte = 0.8 * before + 0.2 * seconds / size

    def _next_group(self) -> list[Batch] | None:
        with self._changed:
            while not self._queue and not self._stopping:
                if not self._changed.wait(self.policy.checkpoint_seconds):
                    return []  # time for a checkpoint
            if not self._queue:
                return None
            group: list[Batch] = []
            while self._queue and len(group) < _GROUP:
                group.append(self._queue.popleft())
                self._queued -= group[-1].size
            return group

    def _take(self, group: list[Batch]) -> None:
        at = self._clock()
        entries: list[tuple[Batch, Decoded]] = []
        seen: set[str] = set()
        for batch in group:
            if batch.key and (batch.key in self._keys or batch.key in seen):
                self.counts.duplicates += 1
                batch.answer.set_result({"accepted": self._keys.get(batch.key, 0), "duplicate": True})
                continue
            try:
                entries.append((batch, batch.decode()))
                seen.add(batch.key)
            except Exception as problem:  # the sender's mistake: it is told
                batch.answer.set_exception(problem)
        numbered = [
            Entry(number, at, batch.key, decoded.as_lines())
            for number, (batch, decoded) in enumerate(entries, self._number + 1)
        ]
        try:
            self._log.append(numbered)
        except OSError as problem:
            for batch, _ in entries:
                batch.answer.set_exception(Stopped(f"the rows could not be written to disk: {problem.strerror}"))
            return
        for batch, decoded in entries:
            self._number += 1
            self.counts.accepted(len(decoded.rows))
            self._remember(batch.key, len(decoded.rows))
            if not batch.wait:
                batch.answer.set_result({"accepted": len(decoded.rows)})
        for batch, decoded in entries:
            outcome = self._learn(decoded.rows, at)
            if batch.wait:
                batch.answer.set_result({"accepted": len(decoded.rows), **outcome})

    def _learn(self, rows: list[Row], at: float) -> dict[str, Any]:
        try:
            outcome = self.task.learn(rows, at)
        except Exception as problem:  # rows that nobody thought of: they would end every later start too
            outcome = Outcome()
            outcome.refuse(f"{type(problem).__name__}: {problem}", len(rows))
        self.counts.learned(outcome)
        self.history.note(self.task)
        return outcome.as_record()

    def _remember(self, key: str, rows: int) -> None:
        if key.startswith(PLACE):
            self.place = json.loads(key.removeprefix(PLACE))
        elif key:
            self._keys[key] = rows
            if len(self._keys) > _KEYS:
                del self._keys[next(iter(self._keys))]

    def _turn_away(self, group: list[Batch]) -> None:
        with self._changed:
            group = [*group, *self._queue]
            self._queue.clear()
            self._queued = 0
        for batch in group:
            if not batch.answer.done():
                batch.answer.set_exception(Stopped(self.problem))

    # --- checkpoints ---

    def _checkpoint_due(self) -> bool:
        if self._number == self._saved_number:
            return False
        late = time.monotonic() - self._saved_at >= self.policy.checkpoint_seconds
        return late or self._log.nbytes >= self.policy.log_bytes

    def _checkpoint(self) -> None:
        note = {
            "job": self.spec.as_document(),
            "number": self._number,
            "place": self.place,
            "keys": [[key, n] for key, n in self._keys.items()],
            "counts": self.counts.state(),
            "state": self.task.state(),
        }
        self.task.model.save(self.model_path, note)
        self._log.forget()
        self._saved_number, self._saved_at = self._number, time.monotonic()
        self.counts.checkpoints += 1
