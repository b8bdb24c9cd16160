"""Hand rows to a job, and wait for its answer without blocking others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from wmsketch.errors import ParameterError
from wmsketch.serve.job import Batch, Job
from wmsketch.serve.rows import Decoded

_LONGEST_KEY = 64


async def submitted(
    job: Job, decode: Callable[[], Decoded], size: int, request: Request, *, wait: bool = False
) -> dict[str, Any]:
    """Return the answer of the job: the rows are on disk, or learned with `wait`.

    A request that carries an `Idempotency-Key` may be sent again: its rows are learned once.
    """
    key = request.headers.get("idempotency-key", "")
    if len(key) > _LONGEST_KEY or not key.isascii():
        raise ParameterError("Idempotency-Key", f"must have at most {_LONGEST_KEY} ASCII characters", key[:80])
    return await asyncio.wrap_future(job.submit(Batch(decode, max(size, 1), key, wait)))
