"""Load on the live service, beside River behind Starlette on the same machine, in one run.

python -m benchmarks.serve [--seconds 3] [--minutes 10] [--write]

Clients send the same rows as JSON lines over keep-alive connections, and wait for each answer. The service has then
written them to disk; River has learned them in memory. Each load has a new process of each service, one after the
other; the time that each had of the processor says more than the clock if others use the machine. A client that is
turned away (429) tries again when it was told to; its time is from the first try to the answer. At the end
the service alone is under load for some minutes while its memory is watched. `--write` puts the tables into
docs/live.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import quantiles

import httpx

CLIENTS, BATCHES = (1, 16, 64), (1, 100, 10_000)
SERVICES, PORT = ("wmsketch", "River"), 8791
PATIENCE = 40  # seconds; a client gives up then
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


@contextlib.contextmanager
def started(kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start one of the two services."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", RIVER.replace("PORT", str(PORT))]
        if kind == "wmsketch":
            Path(folder, "clicks.toml").write_text('kind = "learn"\nlabel = "bought"\nbudget = "256KiB"\n')
            command = [sys.executable, "-m", "wmsketch", "serve", folder, "--port", str(PORT), "--no-log"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            for _ in range(600):
                try:
                    httpx.get(f"http://127.0.0.1:{PORT}/healthz")
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


@dataclass
class Client:
    """One keep-alive connection; it costs the machine less than a library would."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def connected(cls, port: int) -> Client:
        """Return a client of a service on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def post(self, path: str, kind: str, body: bytes) -> tuple[int, float]:
        """Send a body; return the status of the answer, and the seconds after which to try again."""
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        await self.writer.drain()
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().strip().splitlines()
        headers = dict(line.lower().split(": ", 1) for line in lines)
        await self.reader.readexactly(int(headers["content-length"]))
        return int(first.split()[1]), float(headers.get("retry-after", 0))


async def load(port: int, path: str, kind: str, body: bytes, clients: int, seconds: float) -> tuple[list[float], float]:
    """Return the seconds of each request from its first try to its answer, and the seconds until the last answer."""
    times: list[float] = []
    began = last = time.perf_counter()

    async def one() -> None:
        nonlocal last
        client = await Client.connected(port)
        while (asked := time.perf_counter()) < began + seconds:
            while (found := await client.post(path, kind, body))[0] == 429:
                await asyncio.sleep(found[1])
            if found[0] != 200:
                raise RuntimeError(f"status {found[0]}")
            last = time.perf_counter()
            times.append(last - asked)
        client.writer.close()

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(one() for _ in range(clients)))
    return times, last - began


@dataclass
class Load:
    """What one service did under one load."""

    rows_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float  # of the service, for each row

    def cells(self) -> str:
        """Return the cells of a table."""
        if not self.rows_per_second:
            return f"no answer in {PATIENCE} s | | |"
        return f"{self.rows_per_second:,.0f} | {self.p50_ms:,.1f} | {self.p99_ms:,.1f} | {self.cpu_us:,.0f}"


def processor(process: subprocess.Popen[bytes]) -> float:
    """Return the seconds that a process has had of the processor."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(process: subprocess.Popen[bytes], what: str, rows: list[dict], clients: int, seconds: float) -> Load:
    """Send these rows again and again."""
    body = json.dumps(rows).encode() if what == "predict" else "\n".join(map(json.dumps, rows)).encode()
    kind = "application/json" if what == "predict" else "application/x-ndjson"
    before = processor(process)
    times, took = asyncio.run(load(PORT, f"/jobs/clicks/{what}", kind, body, clients, seconds))
    cuts = quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99 or [math.nan] * 99
    n = len(times) * len(rows)
    cpu = (processor(process) - before) / n if n else math.nan
    return Load(n / took if took else 0.0, 1000 * cuts[49], 1000 * cuts[98], 1e6 * cpu)


def table(rows: list[dict], seconds: float) -> Iterator[str]:
    """Yield the lines of a table, a load each. Each load has new services, with some rows learned already."""
    heads = [f"{name} rows/s | p50 ms | p99 ms | CPU us a row" for name in SERVICES]
    yield f"| | clients | rows in a request | {' | '.join(heads)} |"
    yield f"|---|{'---|' * (2 + 4 * len(SERVICES))}"
    for what, clients, batch in product(("rows", "predict"), CLIENTS, BATCHES):
        cells = []
        for name in SERVICES:
            with started(name) as process:
                measure(process, "rows", rows[:100], 1, 0.5)
                cells.append(measure(process, what, rows[:batch], clients, seconds).cells())
                process.kill()  # River would go on with what nobody waits for
        done = "learned" if what == "rows" else "predicted"
        yield f"| {done} | {clients} | {batch:,} | {' | '.join(cells)} |"


def memory_over(minutes: float, process: subprocess.Popen[bytes], rows: list[dict]) -> str:
    """Return a sentence on the memory of the service after each minute of load."""
    seen, learned = [], 0.0
    for _ in range(max(1, round(minutes))):
        learned += 60 * measure(process, "rows", rows[:100], 16, min(60.0, 60 * minutes)).rows_per_second
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
    for line in table(rows, given.seconds):
        print(line, flush=True)
        lines.append(line)
    with started("wmsketch") as process:
        lines += ["", memory_over(given.minutes, process, rows)]
        print(lines[-1])
    if given.write:
        write("\n".join(lines))


if __name__ == "__main__":
    main()
