"""A job that pulls its rows from Redis, and goes on at the same record after a crash."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.serve.conftest import CLICKS, Process
from tests.serve.test_jobs import clicks
from tests.sources.servers import Missing, redis_server
from wmsketch import AWMSketch
from wmsketch.serve.service import Service


def add(port: int, rows: list[dict]) -> None:
    import redis

    with redis.Redis(port=port) as server:
        for row in rows:
            server.xadd(
                "clicks", {name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()}
            )


def wait_for(running: Process, rows: int) -> dict:
    for _ in range(300):
        job = running.client.get("/jobs/clicks").json()
        if job["rows_learned"] >= rows:
            return job
        time.sleep(0.1)
    raise AssertionError(f"{job}")


def test_rows_from_redis_are_learned_once_over_a_kill(tmp_path: Path) -> None:
    pytest.importorskip("redis", reason="the extra redis is not installed")
    (tmp_path / "redis").mkdir()
    try:
        with redis_server(tmp_path / "redis") as port:
            add(port, clicks(300))
            folder = tmp_path / "jobs"
            running = Process(folder)
            job = {**CLICKS, "source": f"redis://127.0.0.1:{port}/clicks"}
            assert running.client.post("/jobs", json=job).status_code == 201
            wait_for(running, 300)
            running.kill()
            add(port, clicks(200))
            running = Process(folder)
            assert wait_for(running, 500)["rows"] == 500
            found = running.client.get("/jobs/clicks/model").content
            assert running.stop() == 0
    except Missing as problem:
        pytest.skip(str(problem))
    whole = AWMSketch("16KiB")
    rows = [*clicks(300), *clicks(200)]
    whole.learn_many([{k: v for k, v in row.items() if k != "bought"} for row in rows], [row["bought"] for row in rows])
    assert found == whole.to_bytes()


@pytest.mark.parametrize("source", ["rows.csv", "postgresql://db/shop?query=SELECT 1", "mail://x/y"])
def test_a_source_without_positions_is_refused(tmp_path: Path, source: str) -> None:
    service = Service(tmp_path)
    service.start()
    with pytest.raises(ValueError, match="address"):
        service.create("clicks", {**CLICKS, "source": source})
    service.stop()
