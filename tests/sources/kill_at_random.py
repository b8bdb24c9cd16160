"""Kill training from servers at random moments: every resume gives the bytes of an uninterrupted run.

    python -m tests.sources.kill_at_random [KILLS] [redis|kafka|postgres ...]

After each kill -9, a copy of the file is resumed to the end, and its bytes are compared with those of an uninterrupted
run. The file itself is resumed as well and killed again, until it is finished and a new one starts.
"""

from __future__ import annotations

import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.kill_at_random import begin, finish
from tests.sources.conftest import TRAIN, json_lines, sales
from tests.sources.servers import kafka_brokers, postgres_server, redis_server

N_ROWS = 12_000


@contextmanager
def redis_address(folder: Path) -> Iterator[str]:
    """A stream of entries."""
    with redis_server(folder) as port:

        def fill() -> None:
            import redis

            pipeline = redis.Redis(port=port).pipeline(transaction=False)
            for line in json_lines(sales(N_ROWS)):
                pipeline.xadd("sales", {"event": line})
            pipeline.execute()

        in_child(fill)
        yield f"redis://127.0.0.1:{port}/sales"


@contextmanager
def kafka_address(folder: Path) -> Iterator[str]:
    """A topic whose four partitions differ in length."""
    with kafka_brokers() as brokers:
        draw = random.Random(5)
        rows = [(draw.choice([0, 0, 0, 1, 1, 2, 3]), line) for line in json_lines(sales(N_ROWS))]
        in_child(lambda: brokers.send("sales", rows))
        yield f"kafka://{brokers.servers}/sales"


@contextmanager
def postgres_address(folder: Path) -> Iterator[str]:
    """A query with an order."""
    with postgres_server() as port:
        address = f"postgresql://ann:s3cret@127.0.0.1:{port}/shop"
        in_child(lambda: fill_postgres(address, N_ROWS))
        yield f"{address}?query=SELECT * FROM sales ORDER BY id"


def fill_postgres(address: str, n_rows: int) -> None:
    """A table of sales."""
    import adbc_driver_postgresql.dbapi
    import pyarrow

    with adbc_driver_postgresql.dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("sales", pyarrow.Table.from_pylist(sales(n_rows)), mode="create")
        connection.commit()


def in_child(work: Callable[[], object]) -> None:
    """Run code that starts threads in another process, because this one is forked repeatedly."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


ADDRESSES = {"redis": redis_address, "kafka": kafka_address, "postgres": postgres_address}


def kill(address: str, folder: Path, kills: int, draw: random.Random) -> dict[str, int]:
    """Kill this many processes; count those killed, those that left a file, and those that gave the same bytes."""
    whole, path, copy = folder / "whole.wms", folder / "killed.wms", folder / "copy.wms"
    begins = ["train", address, *TRAIN, "--checkpoint-every", "1", "--quiet", "--save"]
    began = time.monotonic()
    finish([*begins, str(whole)])
    seconds, expected = time.monotonic() - began, whole.read_bytes()
    counts = {"killed": 0, "left a file": 0, "resumed to the same bytes": 0, "finished runs": 0}
    while counts["killed"] < kills:
        resume = ["train", address, "--resume", str(path), "--checkpoint-every", "1", "--quiet", "--top", "0"]
        child = begin(resume if path.exists() else [*begins, str(path)])
        time.sleep(draw.random() * seconds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if status != signal.SIGKILL:
            assert status == 0, status
            assert path.read_bytes() == expected
            counts["finished runs"] += 1
            path.unlink()
            continue
        counts["killed"] += 1
        if path.exists():
            counts["left a file"] += 1
            shutil.copy(path, copy)
            finish(["train", address, "--resume", str(copy), "--quiet", "--top", "0"])
            assert copy.read_bytes() == expected, counts
            counts["resumed to the same bytes"] += 1
    return counts


def main() -> None:
    """Kill, check and resume, repeatedly."""
    for module in ("numpy", "pyarrow", "redis", "confluent_kafka", "adbc_driver_postgresql.dbapi"):
        importlib.import_module(module)  # before the forks, so that children start reading at once
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name in sys.argv[2:] or ADDRESSES:
        with tempfile.TemporaryDirectory() as folder, ADDRESSES[name](Path(folder)) as address:
            print(name, kill(address, Path(folder), kills, random.Random(name)), flush=True)


if __name__ == "__main__":
    main()
