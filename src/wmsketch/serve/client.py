"""A client of the service, with nothing but the standard library; this file can be copied into other programs."""

from __future__ import annotations

import gzip
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterable, Mapping
from typing import Any


class ServiceError(Exception):
    """The service refused a request; `status` is that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class Client:
    """Send rows to a service and ask it.

    Rows are sent with a key, so that a batch which is sent again after a broken connection is learned once.

    Parameters
    ----------
    address: like "http://127.0.0.1:8750".
    token: if the service needs one.
    patience: seconds to go on trying while the service is busy or away.
    """

    def __init__(self, address: str, token: str | None = None, patience: float = 60.0) -> None:
        self._address = address.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._patience = patience

    def create(self, name: str, **job: Any) -> dict[str, Any]:
        """Start a job."""
        return self._ask("POST", "/jobs", {"name": name, **job})

    def send(self, job: str, rows: Iterable[Mapping[str, Any]], wait: bool = False) -> dict[str, Any]:
        """Send rows; returns when they are on disk, or with `wait` when they are learned."""
        body = gzip.compress("\n".join(map(json.dumps, rows)).encode(), 1)
        headers = {
            "content-encoding": "gzip",
            "content-type": "application/x-ndjson",
            "idempotency-key": uuid.uuid4().hex,
        }
        path = f"{self._job(job)}/rows{'?wait=true' if wait else ''}"
        return self._ask("POST", path, body, headers)

    def top(self, job: str, k: int = 20) -> list[dict[str, Any]]:
        """Return the heaviest features of a learner, or the pairs of a pmi job."""
        rows: list[dict[str, Any]] = self._ask("GET", f"{self._job(job)}/top?k={k}")["rows"]
        return rows

    def predict(self, job: str, rows: Iterable[Mapping[str, Any]], reasons: int = 0) -> list[dict[str, Any]]:
        """Return label, probabilities and reasons of rows."""
        answer = self._ask("POST", f"{self._job(job)}/predict?reasons={reasons}", list(rows))
        found: list[dict[str, Any]] = answer["predictions"]
        return found

    def compare(self, job: str, **asked: Any) -> dict[str, Any]:
        """Return one part of the stream against another: begin and end, or last="10min" with before="1h"."""
        return self._ask("GET", f"{self._job(job)}/compare?{urllib.parse.urlencode(asked)}")

    def _job(self, name: str) -> str:
        return f"/jobs/{urllib.parse.quote(name, safe='')}"

    def _ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = {} if data is None else {"content-type": "application/json"}
        request = urllib.request.Request(
            self._address + path, data, {**self._headers, **kind, **(headers or {})}, method=method
        )
        give_up = time.monotonic() + self._patience
        while True:
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    found: dict[str, Any] = json.loads(answer.read())
                    return found
            except urllib.error.HTTPError as problem:
                text = problem.read()
                if problem.code not in (429, 503) or time.monotonic() > give_up:
                    raise ServiceError(problem.code, _message(text)) from None
                time.sleep(min(5.0, float(problem.headers.get("retry-after") or 1)))
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.5)


def _message(text: bytes) -> str:
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return text[:200].decode("utf-8", "replace")
