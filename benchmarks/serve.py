"""Load on the live service, beside River behind Starlette on the same machine, in one run.

python -m benchmarks.serve [SECONDS_EACH]

Clients send the same rows as JSON lines over keep-alive connections, and wait for each answer. The service has then
written them to disk; River has learned them in memory.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

import httpx

CLIENTS, BATCHES = (1, 16, 64), (1, 100, 10_000)

RIVER = """
import json, uvicorn
from river import compose, linear_model, preprocessing
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

numbers = compose.SelectType((int, float)) | preprocessing.StandardScaler()
model = (numbers + (compose.SelectType(str) | preprocessing.OneHotEncoder())) | linear_model.LogisticRegression()

async def rows(request):
    n = 0
    for line in (await request.body()).split(b"\\n"):
        row = json.loads(line)
        label = row.pop("bought")
        model.learn_one(row, label)
        n += 1
    return JSONResponse({"accepted": n})

async def predict(request):
    return JSONResponse([model.predict_proba_one(row) for row in await request.json()])

routes = [Route("/jobs/clicks/rows", rows, methods=["POST"]), Route("/jobs/clicks/predict", predict, methods=["POST"])]
uvicorn.run(Starlette(routes=routes), port=PORT, log_level="error")
"""


def some_rows(n: int) -> list[dict]:
    """Return rows of eight columns, two of them numbers."""
    choice = random.Random(0)
    names = [f"c{i}" for i in range(6)]
    rows = [{name: f"v{int(choice.expovariate(0.05))}" for name in names} for _ in range(n)]
    return [
        row | {"price": choice.random() * 100, "n": choice.randrange(50), "bought": choice.random() < 0.3}
        for row in rows
    ]


@contextmanager
def started(kind: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start one of the two services."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", RIVER.replace("PORT", str(port))]
        if kind == "wmsketch":
            Path(folder, "clicks.toml").write_text('kind = "learn"\nlabel = "bought"\nbudget = "256KiB"\n')
            command = [sys.executable, "-m", "wmsketch", "serve", folder, "--port", str(port), "--no-log"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            for _ in range(600):
                try:
                    httpx.get(f"http://127.0.0.1:{port}/healthz")
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            yield process
        finally:
            process.terminate()
            process.wait(60)


def memory(process: subprocess.Popen[bytes]) -> int:
    """Return the resident bytes of a process."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return 1024 * int(line.split()[1])
    return 0


async def load(url: str, body: bytes, kind: str, clients: int, seconds: float) -> tuple[float, list[float], int]:
    """Return requests per second, their times, and how many were turned away or given up."""
    times: list[float] = []
    busy = 0
    end = time.perf_counter() + seconds

    async def one(client: httpx.AsyncClient) -> None:
        nonlocal busy
        while time.perf_counter() < end:
            began = time.perf_counter()
            try:
                answer = await client.post(url, content=body, headers={"content-type": kind})
            except httpx.TimeoutException:
                busy += 1
                continue
            if answer.status_code in (408, 429):
                busy += 1
                await asyncio.sleep(0.05)
                continue
            answer.raise_for_status()
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=clients)) as client:
        await asyncio.gather(*(one(client) for _ in range(clients)))
    return len(times) / (time.perf_counter() - began), times, busy


def main() -> None:
    """Print a table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    rows = some_rows(max(BATCHES))
    print("service    what     clients  batch    rows/s   p50 ms   p99 ms  away  RSS MiB")
    for number, kind in enumerate(("wmsketch", "river")):
        with started(kind, 8791 + number) as process:
            address = f"http://127.0.0.1:{8791 + number}/jobs/clicks"
            for what in ("rows", "predict"):
                for clients in CLIENTS:
                    for batch in BATCHES:
                        lines = "\n".join(map(json.dumps, rows[:batch])).encode()
                        body = lines if what == "rows" else json.dumps(rows[:batch]).encode()
                        kind_of_body = "application/x-ndjson" if what == "rows" else "application/json"
                        rate, times, busy = asyncio.run(load(f"{address}/{what}", body, kind_of_body, clients, seconds))
                        cuts = quantiles(times, n=100) if len(times) > 1 else times * 99
                        print(
                            f"{kind:10} {what:8} {clients:7} {batch:6} {rate * batch:9,.0f} {1000 * cuts[49]:8.1f} "
                            f"{1000 * cuts[98]:8.1f} {busy:5} {memory(process) / 2**20:8.0f}",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
