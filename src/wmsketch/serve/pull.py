"""Rows that a job pulls from an address: a thread that reads records and hands them to the job, with their position."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from wmsketch.errors import ParameterError
from wmsketch.readers import open_stream
from wmsketch.readers.sources.address import Address
from wmsketch.readers.sources.schemes import address_of
from wmsketch.serve.rows import BadBody, Decoded, rows_of_lines

if TYPE_CHECKING:
    from wmsketch.serve.job import Job

PLACE = "\x00place "  # before the position in the key of a batch: the log keeps it with the rows
_WHOLE = 1 << 28  # a read returns all rows up to a position
_AGAIN = 5.0  # seconds until a source that failed is tried again


class Puller:
    """Reads a log of records for ever; a record that is no JSON object is counted as refused."""

    def __init__(self, job: Job, source: str) -> None:
        address = address_of(source)
        if address is None or not address.source.has_places:
            raise ParameterError("source", "must be an address of a log of records, like kafka:// or redis://", source)
        joined = "&" if "?" in source else "?"
        self._address = address if address.endless else Address(f"{source}{joined}endless=true")
        self._job = job
        self._stopping = threading.Event()
        self._stream: Any = None
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._run, name=f"source of {job.spec.name}", daemon=True)

    def start(self) -> None:
        """Begin behind the last record that the job has."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reading; what was handed over will be learned."""
        self._stopping.set()
        if self._stream is not None:
            self._stream.stop()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._read()
            except Exception as problem:  # the server is away: the job says so, and goes on with other senders
                self.problem = f"{self._address}: {problem}"
                self._stopping.wait(_AGAIN)

    def _read(self) -> None:
        self._address.extent = self._address.source.extent()
        with open_stream(self._address, None, self._job.place) as self._stream:
            self.problem = None
            while not self._stopping.is_set() and (lines := self._stream.read(_WHOLE)):
                self._stream.taken()
                self._hand_over(lines, self._stream.place)

    def _hand_over(self, lines: bytes, place: Any) -> None:
        from wmsketch.serve.job import Batch, Busy

        batch = Batch(lambda: Decoded(self._rows(lines)), len(lines), PLACE + json.dumps(place))
        while True:
            try:
                self._job.submit(batch).result()
                return
            except Busy as problem:
                if self._stopping.wait(problem.seconds):
                    return

    def _rows(self, lines: bytes) -> list[dict[str, Any]]:
        try:
            return rows_of_lines(lines)
        except BadBody:
            rows = []
            for line in lines.split(b"\n"):
                try:
                    rows += rows_of_lines(line)
                except BadBody as problem:
                    self._job.counts.refused(str(problem))
            return rows
