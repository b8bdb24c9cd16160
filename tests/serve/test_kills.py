"""Kill -9 at random moments while several senders send: no acknowledged row is lost or learned twice."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.serve.conftest import CLICKS, Process
from tests.serve.test_jobs import lines

SENDERS, ROWS = 3, 20


def batches(seed: int) -> Iterator[tuple[str, bytes]]:
    """Batches without end, each with the key of its sender."""
    choice = random.Random(seed)
    for number in range(10**9):
        rows = [
            {"city": f"city{choice.randrange(50)}", "n": choice.random(), "bought": choice.random() < 0.4}
            for _ in range(ROWS)
        ]
        yield f"{seed}-{number}", lines(rows)


class Sender(threading.Thread):
    """Sends batches to its own job, each until it is acknowledged, and counts the acknowledged ones."""

    def __init__(self, address: str, seed: int, stop: threading.Event) -> None:
        super().__init__()
        self.address, self.seed, self.stop = address, seed, stop
        self.acknowledged = self.tries = 0

    def run(self) -> None:
        for key, body in batches(self.seed):
            while not self._sent(key, body):
                time.sleep(0.02)
            self.acknowledged += 1
            if self.stop.is_set():
                return

    def _sent(self, key: str, body: bytes) -> bool:
        self.tries += 1
        path = f"{self.address}/jobs/job{self.seed}/rows"
        try:
            return httpx.post(path, content=body, headers={"idempotency-key": key}, timeout=20).status_code == 200
        except httpx.HTTPError:  # the service is gone, and may or may not have taken the batch
            return False


def kill_under_load(process: Callable[..., Process], serving: Callable, kills: int) -> None:
    choice, options = random.Random(7), ("--checkpoint", "100ms")
    running = process(*options)
    for seed in range(SENDERS):
        running.client.post("/jobs", json={**CLICKS, "name": f"job{seed}"})
    stop = threading.Event()
    senders = [Sender(running.address, seed, stop) for seed in range(SENDERS)]
    for sender in senders:
        sender.start()
    try:
        for _ in range(kills):
            time.sleep(choice.uniform(0.0, 0.5))
            running.kill()
            running = process(*options, "--port", running.address.rpartition(":")[2])
    finally:
        stop.set()
        for sender in senders:
            sender.join()
    running.kill()
    recovered = serving(*({**CLICKS, "name": f"whole{seed}"} for seed in range(SENDERS)))
    for sender in senders:
        assert sender.tries > sender.acknowledged > kills / 4, "the service was not under load"
        for _, (_, body) in zip(range(sender.acknowledged), batches(sender.seed), strict=False):
            recovered.post(f"/jobs/whole{sender.seed}/rows", content=body)
        recovered.post(f"/jobs/whole{sender.seed}/rows?wait=1", content=b"")
        assert recovered.get(f"/jobs/job{sender.seed}").json()["rows_learned"] == ROWS * sender.acknowledged
        models = [recovered.get(f"/jobs/{name}{sender.seed}/model").content for name in ("job", "whole")]
        assert models[0] == models[1]
    print(
        f"{kills} kills, {ROWS * sum(sender.acknowledged for sender in senders):,} rows acknowledged and learned once"
    )


def test_kills_under_load_end_in_the_same_bytes(process, serving):
    kill_under_load(process, serving, kills=4)


@pytest.mark.slow
def test_a_hundred_kills_under_load_end_in_the_same_bytes(process, serving):
    kill_under_load(process, serving, kills=100)
