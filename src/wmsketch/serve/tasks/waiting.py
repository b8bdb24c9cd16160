"""Rows that wait for their label, in a fixed number of bytes and for a limited time."""

from __future__ import annotations

import json
from typing import Any

from wmsketch.serve.tasks.task import Row

_OVERHEAD = 200  # bytes of Python objects for each row, without its text


class WaitingRows:
    """Features by id, oldest first. A row leaves when its label comes, its time is up, or others need the bytes.

    >>> waiting = WaitingRows(limit=10_000, seconds=60)
    >>> waiting.put("r1", {"device": "phone"}, at=0.0)
    >>> waiting.take("r1", at=1.0), waiting.take("r1", at=1.0), waiting.expired
    ({'device': 'phone'}, None, 0)
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self.nbytes = 0
        self.expired = 0  # rows whose label never came
        self._rows: dict[str, tuple[float, str]] = {}  # in order of arrival; as text, whose size is known

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, key: str, row: Row, at: float) -> None:
        """Keep a row; a second row with the same id replaces the first."""
        self.take(key, at)
        kept = json.dumps(row, separators=(",", ":"))
        self._rows[key] = at, kept
        self.nbytes += len(kept) + len(key) + _OVERHEAD
        while self.nbytes > self.limit:
            self._drop(next(iter(self._rows)))
            self.expired += 1

    def take(self, key: str, at: float) -> Row | None:
        """Return the row of an id and forget it; None if there is none, or if its time is up."""
        while self._rows and next(iter(self._rows.values()))[0] < at - self.seconds:
            self._drop(next(iter(self._rows)))
            self.expired += 1
        found = self._drop(key)
        return None if found is None else json.loads(found)

    def _drop(self, key: str) -> str | None:
        found = self._rows.pop(key, None)
        if found is None:
            return None
        self.nbytes -= len(found[1]) + len(key) + _OVERHEAD
        return found[1]

    def state(self) -> dict[str, Any]:
        """Return everything, for a checkpoint."""
        return {"expired": self.expired, "rows": [[key, at, row] for key, (at, row) in self._rows.items()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.expired = int(state["expired"])
        self._rows = {key: (at, row) for key, at, row in state["rows"]}
        self.nbytes = sum(len(key) + len(row) + _OVERHEAD for key, (_, row) in self._rows.items())
