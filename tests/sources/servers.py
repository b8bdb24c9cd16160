"""Real servers for tests: each runs on a free local port and ends with the test that uses it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 30.0


class Missing(Exception):
    """Raised if a server cannot be tested here, with the reason."""


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert time.monotonic() < deadline, "the server did not start"
        assert process is None or process.poll() is None, "the server ended"
        time.sleep(0.05)


@contextmanager
def running(command: list[str], end: int = signal.SIGTERM, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is stopped at the end."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.send_signal(end)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def redis_server(folder: Path, password: str = "", port: int | None = None) -> Iterator[int]:
    """A Redis server; its port. What it has saved in the folder is there again."""
    program = shutil.which("redis-server")
    if program is None:
        raise Missing("redis-server is not installed (apt-get install redis-server)")
    port = port or free_port()
    secret = ["--requirepass", password] if password else []
    quiet = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--dir", str(folder)]
    with running([program, "--port", str(port), *quiet, *secret]) as process:
        wait_for_port(port, process)
        yield port


@contextmanager
def postgres_server() -> Iterator[int]:
    """A PostgreSQL server with the user `ann`, whose password is `s3cret`, and the database `shop`; its port."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        raise Missing("PostgreSQL is not installed (apt-get install postgresql)")
    place = tempfile.TemporaryDirectory(prefix="wmsketch-postgres-", dir="/tmp")  # not inside a folder of root
    with place as folder, _postgres_in(Path(folder), programs[-1]) as port:
        yield port


@contextmanager
def _postgres_in(folder: Path, found: Path) -> Iterator[int]:
    data, port = folder / "pg", free_port()
    as_user: list[str] = []
    data.mkdir()
    (folder / "pw").write_text("s3cret")
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        if shutil.which("setpriv") is None or subprocess.run(["id", "postgres"], capture_output=True).returncode:
            raise Missing("PostgreSQL does not run as root, and there is no user postgres to run it as")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        for part in (folder, data, folder / "pw"):
            shutil.chown(part, "postgres", "postgres")
    access = ["-U", "ann", "-A", "scram-sha-256", f"--pwfile={folder / 'pw'}", "-E", "UTF8", "--no-sync"]
    subprocess.run([*as_user, f"{found}/initdb", "-D", str(data), *access], check=True, capture_output=True, cwd="/")
    options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", str(data), "-F"]
    with running([*as_user, f"{found}/postgres", "-D", str(data), *options], signal.SIGINT, cwd="/") as process:
        wait_for_port(port, process)
        environment = {**os.environ, "PGPASSWORD": "s3cret"}
        command = [f"{found}/psql", "-h", "127.0.0.1", "-p", str(port), "-U", "ann", "-d", "postgres"]
        deadline = time.monotonic() + PATIENCE
        while subprocess.run([*command, "-c", "CREATE DATABASE shop"], capture_output=True, env=environment).returncode:
            assert time.monotonic() < deadline, "PostgreSQL takes no commands"
            time.sleep(0.1)
        yield port


@contextmanager
def kafka_brokers() -> Iterator[KafkaBrokers]:
    """The mock cluster of librdkafka in a separate process: the real wire protocol without a broker."""
    try:
        import confluent_kafka  # noqa: F401
    except ImportError:
        raise Missing("confluent-kafka is not installed (pip install 'wmsketch[kafka]')") from None
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("kafka_mock.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield KafkaBrokers(process, process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


class KafkaBrokers:
    """A cluster: its brokers, and a method to send messages to a partition of a topic."""

    def __init__(self, process: subprocess.Popen[str], servers: str) -> None:
        self._process = process
        self.servers = servers

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Brokers that answer nothing, as if their network were cut."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def send(self, topic: str, rows: list[tuple[int, str | None]]) -> None:
        """Send rows, each a partition (0 to 3) and a value, and wait for delivery; a new topic is created.

        The mock cluster keeps 5 MB of each partition.
        """
        from confluent_kafka import Producer

        settings = {"bootstrap.servers": self.servers, "log_level": 0}
        producer = Producer({**settings, "linger.ms": 5, "queue.buffering.max.messages": 1_000_000})
        for partition, value in rows:
            producer.produce(topic, value, partition=partition)
            producer.poll(0)
        assert producer.flush(PATIENCE) == 0
