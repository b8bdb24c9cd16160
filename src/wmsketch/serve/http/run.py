"""Run the service until it is told to stop."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path
from typing import Any

import uvicorn

from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.learners.sizes.durations import parse_seconds
from wmsketch.serve.http.app import make_app
from wmsketch.serve.job import Policy
from wmsketch.serve.service import Service
from wmsketch.serve.tokens import Tokens


class Server(uvicorn.Server):  # type: ignore[misc]
    """Prints its address once it listens."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        for server in getattr(self, "servers", []):
            for listening in server.sockets[:1]:
                host, port = listening.getsockname()[:2]
                print(f"wmsketch listens on http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)


def run(folder: Path, *, host: str, port: int, memory: str, tokens: Path | None, checkpoint: str, log: bool) -> None:
    """Serve a folder of jobs until SIGTERM or Ctrl-C; then learn what is queued and write checkpoints."""
    policy = Policy(checkpoint_seconds=parse_seconds(checkpoint, "checkpoint"))
    service = Service(folder, parse_bytes(memory, "memory"), policy)
    app = make_app(service, Tokens.read(tokens) if tokens else None, log=_log if log else None)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=30,
        limit_concurrency=2048,
        lifespan="on",
    )
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again after the graceful stop
    with contextlib.suppress(KeyboardInterrupt):
        server = Server(config)
        server.run()
        if not server.started:
            sys.exit(1)


def _log(line: str) -> None:
    print(line, file=sys.stderr)
