"""Load on the live service, beside River behind Starlette on the same machine, in one run.

python -m benchmarks.serve [--seconds 3] [--minutes 10] [--write]

Clients send the same rows as JSON lines over keep-alive connections, and wait for each answer. The service has then
written them to disk; River has learned them in memory. Both services run all the time, and are asked in turn. At the
end the service alone is under load for some minutes while its memory is watched. `--write` puts the tables into
docs/live.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import quantiles

import httpx

CLIENTS, BATCHES = (1, 16, 64), (1, 100, 10_000)
PAGE = Path(__file__).parents[1] / "docs" / "live.md"
BEGIN, END = "<!-- begin: benchmarks.serve -->", "<!-- end: benchmarks.serve -->"

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


@dataclass
class Load:
    """What one service did under one load."""

    rows_per_second: float
    p50_ms: float
    p99_ms: float
    turned_away: int


def measure(address: str, what: str, rows: list[dict], clients: int, seconds: float) -> Load:
    """Send these rows again and again."""
    body = json.dumps(rows).encode() if what == "predict" else "\n".join(map(json.dumps, rows)).encode()
    kind = "application/json" if what == "predict" else "application/x-ndjson"
    rate, times, busy = asyncio.run(load(f"{address}/{what}", body, kind, clients, seconds))
    cuts = quantiles(times, n=100) if len(times) > 1 else times * 99 or [float("nan")] * 99
    return Load(rate * len(rows), 1000 * cuts[49], 1000 * cuts[98], busy)


def table(rows: list[dict], addresses: dict[str, str], seconds: float) -> Iterator[str]:
    """Yield the lines of a table, a load each."""
    heads = [f"{name} rows/s | p50 ms | p99 ms" for name in addresses]
    yield f"| | clients | rows in a request | {' | '.join(heads)} |"
    yield f"|---|{'---|' * (2 + 3 * len(addresses))}"
    for what in ("rows", "predict"):
        for clients, batch in product(CLIENTS, BATCHES):
            found = [measure(address, what, rows[:batch], clients, seconds) for address in addresses.values()]
            cells = [f"{each.rows_per_second:,.0f} | {each.p50_ms:,.1f} | {each.p99_ms:,.1f}" for each in found]
            done = "learned" if what == "rows" else "predicted"
            yield f"| {done} | {clients} | {batch:,} | {' | '.join(cells)} |"


def memory_over(minutes: float, process: subprocess.Popen[bytes], address: str, rows: list[dict]) -> str:
    """Return a sentence on the memory of the service after each minute of load."""
    seen, learned = [], 0.0
    for _ in range(max(1, round(minutes))):
        learned += 60 * measure(address, "rows", rows[:100], 16, min(60.0, 60 * minutes)).rows_per_second
        seen.append(memory(process) / 2**20)
    listed = ", ".join(f"{each:.0f}" for each in seen)
    under = f"16 clients that send 100 rows each, {learned:,.0f} rows in all"
    return f"Memory (RSS, MiB) after each minute of {under}: {listed}."


def write(text: str) -> None:
    """Put the tables into the page, between its two marks."""
    page = PAGE.read_text("utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", "utf-8")


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=3.0, help="of each load")
    options.add_argument("--minutes", type=float, default=10.0, help="of watching the memory")
    options.add_argument("--write", action="store_true", help="into docs/live.md")
    given = options.parse_args()
    rows, lines = some_rows(max(BATCHES)), []
    with started("wmsketch", 8791) as process, started("river", 8792):
        addresses = {"wmsketch": "http://127.0.0.1:8791/jobs/clicks", "River": "http://127.0.0.1:8792/jobs/clicks"}
        for line in table(rows, addresses, given.seconds):
            print(line, flush=True)
            lines.append(line)
        lines += ["", memory_over(given.minutes, process, addresses["wmsketch"], rows)]
        print(lines[-1])
    if given.write:
        write("\n".join(lines))


if __name__ == "__main__":
    main()
