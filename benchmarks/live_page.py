"""How smooth the page of the live service is in Chromium while rows arrive.

python -m benchmarks.live_page [--rate 10000] [--seconds 20]    # needs the extra live, and chromium

Rows are sent to an explain job and a learner, at this rate to each. For each of the two views: rows per second that
arrived, events of the service (one a second is expected), tasks of more than 50 ms in the browser, and the gaps between
frames.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from examples.live import JOBS, request
from playwright.sync_api import sync_playwright

from tests.serve.conftest import Process
from wmsketch.serve.client import Client

PARTS = 10  # requests a second
WATCH = """() => {
  const seen = { long: [], frames: [], events: 0 };
  window.seen = seen;
  const note = (list) => list.getEntries().forEach((each) => seen.long.push(each.duration));
  new PerformanceObserver(note).observe({ type: "longtask" });
  let last = performance.now();
  const frame = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new MutationObserver(() => { seen.events += 1; }).observe(document.getElementById("memory"), { childList: true });
}"""


def send(service: Process, job: str, rate: int, stop: threading.Event) -> None:
    """Send rows to a job, `rate` a second, until told to stop. They have no time: that of their arrival counts."""
    choice, now = random.Random(0), time.time()
    rows = [request(choice, now, now - 600) for _ in range(max(1, rate // PARTS))]
    body = "\n".join(json.dumps({name: value for name, value in row.items() if name != "time"}) for row in rows)
    due = time.monotonic()
    while not stop.is_set():
        service.client.post(f"/jobs/{job}/rows", content=body)
        due += 1 / PARTS
        time.sleep(max(0.0, due - time.monotonic()))


def watched(page: Any, address: str, job: str, seconds: float) -> str:
    """Return a line on how smooth one view was."""
    page.goto("about:blank")
    page.goto(f"{address}/#/{job}")
    page.locator("main table tbody tr").first.wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    page.evaluate(WATCH)
    page.wait_for_timeout(1000 * seconds)
    seen = page.evaluate("() => window.seen")
    figures = page.evaluate(f"() => fetch('/jobs/{job}').then((answer) => answer.json())")
    frames, long = sorted(seen["frames"]) or [0.0], seen["long"]
    return (
        f"{job}: {figures['rows_per_second']:,.0f} rows a second; {seen['events']} events in {seconds:g} s; "
        f"{len(long)} tasks above 50 ms, the longest {max(long, default=0):.0f} ms; "
        f"frames every {frames[len(frames) // 2]:.0f} ms, 99 % within {frames[int(0.99 * len(frames))]:.0f} ms"
    )


def main() -> None:
    """Print a line for each view."""
    options = argparse.ArgumentParser()
    options.add_argument("--rate", type=int, default=10_000, help="rows a second to each job")
    options.add_argument("--seconds", type=float, default=20.0, help="of watching each view")
    given = options.parse_args()
    stop = threading.Event()
    senders: list[threading.Thread] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        service = Process(Path(folder))
        try:
            for name, job in JOBS.items():
                Client(service.address).create(name, **{key: value for key, value in job.items() if key != "time"})
            senders = [threading.Thread(target=send, args=(service, job, given.rate, stop)) for job in JOBS]
            for sender in senders:
                sender.start()
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            for job in JOBS:
                print(watched(page, service.address, job, given.seconds), flush=True)
            browser.close()
        finally:
            stop.set()
            for sender in senders:
                sender.join()
            service.kill()


if __name__ == "__main__":
    sys.exit(main())
