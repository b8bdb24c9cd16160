"""OTLP over HTTP: jobs with `otlp = "traces"` or `"logs"` learn what SDKs and Collectors send."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from wmsketch.serve.http.answers import answer
from wmsketch.serve.http.operations import Operation
from wmsketch.serve.http.requests import Bodies
from wmsketch.serve.http.submit import submitted
from wmsketch.serve.job import Job
from wmsketch.serve.otlp import messages, rows_of
from wmsketch.serve.rows import BadBody, Decoded
from wmsketch.serve.service import Service

_JSON, _PROTOBUF = "application/json", "application/x-protobuf"


class OtlpRequests:
    """Handlers over one service. A job answers 429 with Retry-After when its queue is full, which exporters obey."""

    def __init__(self, service: Service, bodies: Bodies) -> None:
        self._service, self._bodies = service, bodies

    async def traces(self, request: Request) -> Response:
        return await self._take(request, "traces")

    async def logs(self, request: Request) -> Response:
        return await self._take(request, "logs")

    async def _take(self, request: Request, signal: str) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (_JSON, _PROTOBUF):
            raise BadBody(f"content-type must be {_PROTOBUF} or {_JSON}, found {kind!r}")
        unpack, most = self._bodies.unpacked(request), self._bodies.limits.rows
        body = await self._bodies.read(request)

        def decode() -> Decoded:
            return Decoded(rows_of(messages(unpack(body), signal, kind == _JSON), signal, most))

        jobs: list[Job] = [job for job in list(self._service.jobs.values()) if job.spec.settings.get("otlp") == signal]
        for job in jobs:
            job.require_place(len(body))  # all of them or none: a sender that is turned away sends everything again
        await asyncio.gather(*(submitted(job, decode, len(body), request) for job in jobs))
        if not jobs:
            decode()
        return answer({}) if kind == _JSON else Response(b"", media_type=_PROTOBUF)

    def operations(self) -> list[Operation]:
        """Return what these handlers answer."""
        bodies = {_PROTOBUF: {"type": "string", "format": "binary"}, _JSON: {"type": "object"}}
        return [
            Operation("POST", "/v1/traces", self.traces, "Spans of OpenTelemetry", "write", bodies=bodies),
            Operation("POST", "/v1/logs", self.logs, "Log records of OpenTelemetry", "write", bodies=bodies),
        ]
