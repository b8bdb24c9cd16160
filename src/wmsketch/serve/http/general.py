"""Requests about the service itself: health, metrics, OpenAPI, and the stream of figures for the page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from wmsketch import __version__
from wmsketch.records import plain
from wmsketch.serve.http.answers import answer, refusal
from wmsketch.serve.http.jobs import job_record
from wmsketch.serve.http.operations import Operation, openapi
from wmsketch.serve.http.requests import Limits
from wmsketch.serve.metrics import metrics_text
from wmsketch.serve.service import Service

_EVENT_SECONDS = 1.0


class GeneralRequests:
    """Handlers over one service."""

    def __init__(self, service: Service, limits: Limits) -> None:
        self._service, self._limits = service, limits
        self._listeners = 0
        self._made: dict[str, Any] = {}
        self._made_at = -_EVENT_SECONDS
        self.all: list[Operation] = []  # what the OpenAPI document describes
        self.stopping = asyncio.Event()

    async def healthz(self, request: Request) -> Response:
        return answer({"status": "ok"})

    async def readyz(self, request: Request) -> Response:
        broken = {job.spec.name: job.problem for job in list(self._service.jobs.values()) if job.problem}
        if not self._service.ready or broken:
            return refusal(503, "not ready", jobs=broken)
        return answer({"status": "ready", "jobs": len(self._service.jobs)})

    async def metrics(self, request: Request) -> Response:
        text = await run_in_threadpool(metrics_text, self._service)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        return answer(openapi(self.all, __version__))

    async def events(self, request: Request) -> Response:
        if self._listeners >= self._limits.listeners:
            return refusal(503, f"at most {self._limits.listeners} streams of events are open")
        return StreamingResponse(
            self._events(request), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def _events(self, request: Request) -> AsyncIterator[str]:
        self._listeners += 1
        try:
            while not self.stopping.is_set() and not await request.is_disconnected():
                yield f"data: {json.dumps(plain(await run_in_threadpool(self._figures)))}\n\n"
                try:
                    await asyncio.wait_for(self.stopping.wait(), _EVENT_SECONDS)
                except TimeoutError:
                    continue
        finally:
            self._listeners -= 1

    def _figures(self) -> dict[str, Any]:
        """Return the figures of all jobs, made once for all who listen."""
        service = self._service
        if time.monotonic() - self._made_at > _EVENT_SECONDS / 2:
            self._made_at = time.monotonic()
            self._made = {
                "jobs": [job_record(job) for job in list(service.jobs.values())],
                "memory_bytes": service.memory,
                "reserved_bytes": service.reserved_bytes,
            }
        return self._made

    def operations(self) -> list[Operation]:
        """Return what these handlers answer."""
        return [
            Operation("GET", "/healthz", self.healthz, "Whether the process runs", ""),
            Operation("GET", "/readyz", self.readyz, "Whether all jobs take rows", "", answers=(200, 503)),
            Operation("GET", "/metrics", self.metrics, "Figures for Prometheus", content="text/plain"),
            Operation("GET", "/openapi.json", self.openapi, "This description", ""),
            Operation("GET", "/events", self.events, "Figures of all jobs every second", content="text/event-stream"),
        ]
