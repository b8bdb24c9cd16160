"""Answers: JSON, and errors as JSON with a code, a message and the status that senders understand."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from wmsketch.errors import CodedError, ParameterError
from wmsketch.records import plain
from wmsketch.serve.job import Busy, Stopped
from wmsketch.serve.rows import BadBody, TooLarge, TooSlow
from wmsketch.serve.service import Full, JobExists, NoSuchJob

_STATUS: list[tuple[type[Exception], int]] = [
    (TooLarge, 413),
    (TooSlow, 408),
    (BadBody, 400),
    (NoSuchJob, 404),
    (JobExists, 409),
    (Full, 507),
    (Busy, 429),
    (Stopped, 503),
    (CodedError, 400),
    (ValueError, 400),
]


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def answer(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response, in ASCII: a name may hold characters that UTF-8 cannot."""
    try:
        text = _ENCODER.encode(document)
    except (
        TypeError,
        ValueError,
    ):  # a number that JSON cannot hold, or one of another library: rare, so `plain` is too
        text = _ENCODER.encode(plain(document))
    return Response(text, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


def refusal(status: int, message: str, **more: Any) -> Response:
    """Return an error."""
    return answer({"error": {"status": status, "message": message, **more}}, status)


async def on_problem(request: Request, problem: Exception) -> Response:
    """Return the answer to a request that cannot be done."""
    status = next((status for kind, status in _STATUS if isinstance(problem, kind)), 500)
    more: dict[str, Any] = {"code": problem.code} if isinstance(problem, CodedError) else {}
    if isinstance(problem, ParameterError):
        more["parameter"] = problem.parameter
    response = refusal(status, str(problem), **more)
    if isinstance(problem, Busy):
        response.headers["retry-after"] = str(problem.seconds)
    elif status == 503:
        response.headers["retry-after"] = "5"
    return response


PROBLEMS = tuple(kind for kind, _ in _STATUS)
