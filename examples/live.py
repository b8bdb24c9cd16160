"""The live service with a stream of requests: a release at a known minute breaks one device in one region.

python examples/live.py [--rate ROWS_PER_SECOND] [--port PORT] [--seconds SECONDS]
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from wmsketch.serve.client import Client

FOLDER = Path("build/live")
REGIONS, DEVICES = ("eu-west", "us-east", "ap-south", "sa-east"), ("phone", "tablet", "desktop", "tv")
PATHS = ("/search", "/item", "/cart", "/pay", "/login")
BROKEN = {"region": "eu-west", "device": "tablet", "version": "2.4"}
PAST, RELEASE = 45, 10  # minutes before now: where the stream begins, and when the release was
JOBS = {
    "requests": {"kind": "explain", "measure": "ms", "outlier": "ms>=500", "time": "time", "ignore": ["user", "slow"]},
    "slow-requests": {
        "kind": "learn",
        "label": "slow",
        "budget": "32KiB",
        "schema": {"ignore": ["ms", "time", "user"]},
    },
}


def request(choice: random.Random, at: float, release: float) -> dict:
    """Return one request; after the release, those of tablets in eu-west with the new version are slow."""
    row = {"region": choice.choice(REGIONS), "device": choice.choice(DEVICES), "path": choice.choice(PATHS)}
    row["version"] = "2.4" if at >= release and choice.random() < 0.6 else "2.3"
    row |= {"user": f"u{choice.randrange(10**6)}", "time": round(at, 3)}
    broken = row["version"] == "2.4" and all(row[name] == value for name, value in BROKEN.items())
    row["ms"] = round(choice.lognormvariate(4.2, 0.7) * (25 if broken else 1), 1)
    return row | {"slow": row["ms"] >= 500}


def send(client: Client, rows: list[dict]) -> None:
    """Send rows to all jobs."""
    for job in JOBS:
        client.send(job, rows)


def main() -> None:
    """Start the service, send the past, then go on until Ctrl-C."""
    options = argparse.ArgumentParser()
    options.add_argument("--rate", type=int, default=200, help="requests per second")
    options.add_argument("--port", type=int, default=8750)
    options.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    given = options.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    command = [sys.executable, "-m", "wmsketch", "serve", str(FOLDER), "--port", str(given.port), "--no-log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            line = service.stdout.readline()
            if "listens on" not in line:
                sys.exit("the service did not start")
            client, choice = Client(line.split()[-1]), random.Random(0)
            for name, job in JOBS.items():
                client.create(name, **job)
            now = time.time()
            release = now - 60 * RELEASE
            for minute in range(PAST, 0, -1):
                send(client, [request(choice, now - 60 * minute + i / 10, release) for i in range(600)])
            print(
                f"open {line.split()[-1]} (Ctrl-C ends it); a release {RELEASE} minutes ago broke {BROKEN}", flush=True
            )
            first = client.compare("requests")["rows"][0]
            shown = " & ".join(f"{column}={value}" for column, value in first["attributes"].items())
            print(
                f"first among the attributes of slow requests: {shown}, {first['ratio']:.0f} times as common",
                flush=True,
            )
            while time.time() < now + given.seconds:
                began = time.time()
                send(client, [request(choice, began, release) for _ in range(given.rate)])
                time.sleep(max(0.0, 1 - (time.time() - began)))
        except KeyboardInterrupt:
            pass
        finally:
            service.terminate()


if __name__ == "__main__":
    main()
