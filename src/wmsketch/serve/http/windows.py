"""Questions to explain and diff jobs: the heat map, and any part of the stream against any other."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from wmsketch.apps.windows.answers import Part
from wmsketch.errors import ParameterError
from wmsketch.serve.http.answers import answer
from wmsketch.serve.http.operations import NUMBER, TEXT, WHOLE, Operation
from wmsketch.serve.http.requests import real, whole
from wmsketch.serve.service import Service
from wmsketch.serve.tasks.windows import WindowsTask, spans_of

_LONGEST = 1000


class WindowRequests:
    """Handlers over one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def _task(self, request: Request) -> WindowsTask:
        job = self._service.job(request.path_params["name"])
        if not isinstance(job.task, WindowsTask):
            raise ParameterError("name", f"must be an explain or diff job; this one is of the kind {job.spec.kind}")
        return job.task

    async def heat_map(self, request: Request) -> Response:
        task = self._task(request)
        begin, end = real(request, "begin"), real(request, "end")
        ring = whole(request, "ring", 0, 0, len(task.model.windows) - 1)
        return answer(await run_in_threadpool(task.heat_map, begin, end, _where(request), ring))

    async def compare(self, request: Request) -> Response:
        task = self._task(request)
        asked: dict[str, Any] = {"k": whole(request, "k", 20, 1, 500), "where": _where(request)}
        asked |= _spans(request, task)
        return answer(await run_in_threadpool(task.compare, asked))

    async def search(self, request: Request) -> Response:
        task, sought = self._task(request), request.query_params.get("text", "")
        if len(sought) > _LONGEST:
            raise ParameterError("text", f"must have at most {_LONGEST} characters")
        k = whole(request, "k", 20, 1, 500)
        return answer({"rows": await run_in_threadpool(task.search, sought, k)})

    def operations(self) -> list[Operation]:
        """Return what these handlers answer."""
        job, k = "/jobs/{name}", {"k": {**WHOLE, "minimum": 1, "maximum": 500}}
        span = {"begin": NUMBER, "end": NUMBER}
        bins = {"low": WHOLE, "high": WHOLE}
        b = {f"b_{name}": schema for name, schema in {**span, **bins}.items()}
        short = {"last": TEXT, "before": TEXT, "ago": TEXT}
        asked = {**span, **bins, **b, **short, "where": TEXT, **k}
        return [
            Operation(
                "GET",
                f"{job}/heatmap",
                self.heat_map,
                "Rows by window and bin",
                query={**span, "where": TEXT, "ring": WHOLE},
            ),
            Operation("GET", f"{job}/compare", self.compare, "One part of the stream against another", query=asked),
            Operation(
                "GET", f"{job}/search", self.search, "Attributes by a part of their name", query={"text": TEXT, **k}
            ),
        ]


def _part(request: Request, prefix: str) -> Part | None:
    begin, end = real(request, f"{prefix}begin"), real(request, f"{prefix}end")
    if begin is None and end is None:
        return None
    if begin is None or end is None or not begin < end:
        raise ParameterError(f"{prefix}begin", f"and {prefix}end must both be given, in this order")
    low, high = whole(request, f"{prefix}low", 0, 0, 1000), whole(request, f"{prefix}high", 1000, 0, 1000)
    return Part(begin, end, (low, high))


def _spans(request: Request, task: WindowsTask) -> dict[str, Any]:
    """Return both parts: as times, or in words: last=10min, with before=1h or ago=24h."""
    words = [request.query_params.get(name) for name in ("last", "before", "ago")]
    return spans_of(task, *words) if any(words) else {"a": _part(request, ""), "b": _part(request, "b_")}


def _where(request: Request) -> dict[str, str] | None:
    given = request.query_params.get("where")
    if given is None:
        return None
    column, equals, value = given.partition("=")
    if not column or not equals or len(given) > _LONGEST:
        raise ParameterError("where", "must be like device=phone", given[:80])
    return {column: value}
