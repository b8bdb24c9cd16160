"""The ASGI application."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from wmsketch.serve.http.answers import PROBLEMS, on_problem
from wmsketch.serve.http.general import GeneralRequests
from wmsketch.serve.http.guard import Guard
from wmsketch.serve.http.inference import InferenceRequests
from wmsketch.serve.http.jobs import JobRequests
from wmsketch.serve.http.operations import Operation
from wmsketch.serve.http.otlp import OtlpRequests
from wmsketch.serve.http.page import page_operations
from wmsketch.serve.http.requests import Bodies, Limits
from wmsketch.serve.http.windows import WindowRequests
from wmsketch.serve.service import Service
from wmsketch.serve.tokens import Tokens


def make_app(service: Service, tokens: Tokens | None = None, limits: Limits | None = None, log: Any = None) -> Any:
    """Return the application over a service, which it starts and stops. Without tokens, everybody may do everything."""
    limits = limits or Limits()
    bodies = Bodies(limits)
    general = GeneralRequests(service, limits)
    operations: list[Operation] = [  # routes are tried in this order, so the frequent ones come first
        *JobRequests(service, bodies).operations(),
        *general.operations(),
        *WindowRequests(service).operations(),
        *OtlpRequests(service, bodies).operations(),
        *InferenceRequests(service, bodies).operations(),
        *page_operations(),
    ]
    general.all = operations

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        await run_in_threadpool(service.start)
        try:
            yield
        finally:
            general.stopping.set()
            await run_in_threadpool(service.stop)

    routes = [Route(each.path, each.handler, methods=[each.method]) for each in operations]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(PROBLEMS, on_problem),
    )
    app.router.redirect_slashes = False
    return Guard(app, operations, tokens, log)
