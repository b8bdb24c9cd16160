"""Requests that a fuzzer makes of the OpenAPI document: no 500, no growth, no way past the tokens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.serve.conftest import CLICKS, Process
from tests.serve.test_jobs import clicks
from tests.serve.test_windows import requests

SECONDS = int(os.environ.get("FUZZ_SECONDS", "20"))
MOST_GROWTH = 64 << 20  # bytes: the 32 MiB that jobs may have, and what Python allocates for the first requests


def resident(running: Process) -> int:
    """Return the bytes of memory that a service has."""
    lines = Path(f"/proc/{running.process.pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def fuzz(running: Process, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run schemathesis against a service for some seconds, mostly with names of jobs that exist."""
    document = running.client.get("/openapi.json").json()
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation["parameters"]:
                if parameter["name"] == "name":
                    parameter["schema"] = {"type": "string", "enum": ["clicks", "web", "none"]}
    described = folder / "openapi.json"
    described.write_text(json.dumps(document))
    command = [sys.executable, "-m", "schemathesis.cli", "run", str(described), "--url", running.address]
    command += ["--checks", "not_a_server_error", "--max-time", str(SECONDS), "--seed", "1", "--mode", "all"]
    command += ["--exclude-path", "/events", "--exclude-method", "DELETE"]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS + 300, cwd=folder)


def tried(found: subprocess.CompletedProcess[str]) -> int:
    """Return how many requests passed; the test fails if any did not."""
    numbers = re.search(r"(\d+) generated, (\d+) passed", found.stdout)
    assert found.returncode == 0 and numbers, found.stdout[-3000:] + found.stderr[-1000:]
    assert numbers[1] == numbers[2]
    return int(numbers[1])


def test_fuzzed_requests_find_no_error_of_the_service(tmp_path: Path) -> None:
    running = Process(tmp_path / "jobs", "--memory", "32MiB")
    running.client.post("/jobs", json=CLICKS)
    running.client.post("/jobs", json={"name": "web", "kind": "explain", "measure": "ms", "budget": "8MiB"})
    running.client.post("/jobs/clicks/rows?wait=1", json=clicks())
    running.client.post("/jobs/web/rows?wait=1", json=requests(200, 1, broken=True))
    before = resident(running)
    n = tried(fuzz(running, tmp_path))
    growth = resident(running) - before
    print(f"{n:,} requests in {SECONDS} s, memory {before / 2**20:.0f} MiB before, {growth / 2**20:+.0f} MiB after")
    assert n > 100 and growth < MOST_GROWTH
    assert running.client.get("/readyz").status_code == 200
    running.kill()


def test_fuzzed_requests_without_a_token_change_nothing(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("admin admin-token-0123456789\n")
    running = Process(tmp_path / "jobs", "--tokens", str(tokens))
    n = tried(fuzz(running, tmp_path))
    print(f"{n:,} requests in {SECONDS} s without a token")
    assert n > 100
    headers = {"authorization": "Bearer admin-token-0123456789"}
    assert running.client.get("/jobs", headers=headers).json()["jobs"] == []
    running.kill()
