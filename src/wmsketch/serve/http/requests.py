"""What a request may ask: bodies within their limits, and parameters that are checked."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request

from wmsketch.errors import ParameterError
from wmsketch.serve.job import Busy
from wmsketch.serve.rows import BadBody, TooLarge, TooSlow, unzipped


@dataclass(frozen=True)
class Limits:
    """What a sender may send."""

    body_bytes: int = 8 << 20
    unpacked_bytes: int = 32 << 20
    rows: int = 100_000
    row_bytes: int = 1 << 20
    seconds: float = 30.0  # to send a body
    in_flight_bytes: int = 64 << 20  # of all bodies that are being read
    listeners: int = 100  # open streams of events


class Bodies:
    """Reads bodies; the sum of those being read is bounded, so that slow senders cannot fill the memory."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._in_flight = 0

    async def read(self, request: Request) -> bytes:
        """Return the body as it was sent. Too large, too slow and too many are errors."""
        limit = self.limits.body_bytes
        stated = request.headers.get("content-length", "")
        if stated.isdigit() and int(stated) > limit:
            raise TooLarge(f"a body has at most {limit:,} bytes, found {int(stated):,}")
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._read(request, limit)
        except TimeoutError:
            raise TooSlow(f"the body did not arrive within {self.limits.seconds:g} s") from None
        except ClientDisconnect:
            raise BadBody("the sender went away") from None

    async def _read(self, request: Request, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        try:
            async for part in request.stream():
                if self._in_flight + len(part) > self.limits.in_flight_bytes:
                    raise Busy(2)
                size += len(part)
                self._in_flight += len(part)
                if size > limit:
                    raise TooLarge(f"a body has at most {limit:,} bytes")
                parts.append(part)
            return b"".join(parts)
        finally:
            self._in_flight -= size

    def unpacked(self, request: Request) -> Callable[[bytes], bytes]:
        """Return what undoes the content encoding; it runs in a thread, because unpacking takes time."""
        encoding = request.headers.get("content-encoding", "identity").strip().lower()
        if encoding in ("", "identity"):
            return lambda body: body
        if encoding not in ("gzip", "x-gzip"):
            raise BadBody(f"content-encoding must be gzip or identity, found {encoding!r}")
        return lambda body: unzipped(body, self.limits.unpacked_bytes)


def json_of(body: bytes) -> Any:
    """Return the JSON document of a body."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        reason = "nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise BadBody(f"expected JSON: {reason}") from None


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def whole(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return a whole number among the parameters."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit()) or not least <= int(given[:20]) <= most:
        raise ParameterError(name, f"must be a whole number from {least} to {most}", given[:40])
    return int(given)


def real(request: Request, name: str) -> float | None:
    """Return a number among the parameters."""
    given = request.query_params.get(name)
    if given is None:
        return None
    try:
        found = float(given)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError(name, "must be a number", given[:40])
    return found


def flag(request: Request, name: str) -> bool:
    """Return whether a parameter is set."""
    given = request.query_params.get(name, "false").lower()
    if given not in ("true", "false", "1", "0"):
        raise ParameterError(name, "must be true or false", given[:40])
    return given in ("true", "1")
