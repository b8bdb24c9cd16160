"""Services for tests: in the test's process, and in a process of their own that can be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from wmsketch.serve.http.app import make_app
from wmsketch.serve.job import Policy
from wmsketch.serve.service import Service

CLICKS = {"name": "clicks", "kind": "learn", "label": "bought", "budget": "16KiB"}


class Serving(httpx.Client):
    """A service in a thread of this process, and a client of it."""

    def __init__(self, service: Service, **more: Any) -> None:
        self.service = service
        config = uvicorn.Config(make_app(service, **more), port=0, log_level="error", lifespan="on")
        self._server = uvicorn.Server(config)
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)
        if not self._server.started:
            raise RuntimeError("the service did not start")
        port = self._server.servers[0].sockets[0].getsockname()[1]
        super().__init__(base_url=f"http://127.0.0.1:{port}", timeout=30)

    def _run(self) -> None:
        with contextlib.suppress(SystemExit):
            self._server.run()

    def stop(self) -> None:
        """Stop it gracefully."""
        self.close()
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    """Return a function that starts a service over the test's folder and returns a client of it."""
    started: list[Serving] = []

    def start(*jobs: dict[str, Any], memory: int = 256 << 20, policy: Policy | None = None, **more: Any) -> Serving:
        started.append(Serving(Service(tmp_path, memory, policy), **more))
        for job in jobs:
            answer = started[-1].post("/jobs", json=job)
            assert answer.status_code == 201, answer.text
        return started[-1]

    yield start
    for each in started:
        each.stop()


class Process:
    """A service in a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "wmsketch", "serve", str(folder), "--port", "0", "--no-log", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "listens on" in line, f"the service did not start: {line!r}"
        self.address = line.split()[-1]
        self.client = httpx.Client(base_url=self.address, timeout=30)

    def kill(self) -> None:
        """End it as a crash does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self._gone()

    def stop(self) -> int:
        """Ask it to stop; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self._gone()

    def _gone(self) -> int:
        self.client.close()
        status = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Return a function that starts a service in a process over the test's folder."""
    started: list[Process] = []

    def start(*options: str) -> Process:
        started.append(Process(tmp_path, *options))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.kill()
