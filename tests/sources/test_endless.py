"""Endless streams: servers that restart, partitions that are added, checkpoints and log lines by time."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sources.conftest import TRAIN, json_lines, sales
from tests.sources.servers import KafkaBrokers, Missing, free_port, redis_server
from wmsketch import load
from wmsketch.cli.parts.run_log import RunLog
from wmsketch.readers import open_examples
from wmsketch.readers.sources import kafka as kafka_source
from wmsketch.readers.sources.address import Address

PATIENCE = 60.0


def _wait(until: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
    deadline = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < deadline and (process is None or process.poll() is None)
        time.sleep(0.05)


def _rows_of(path: Path) -> int:
    return int(load(path).n_seen_) if path.exists() else 0


def test_redis_may_restart_and_the_model_is_saved_by_time(tmp_path: Path) -> None:
    redis = pytest.importorskip("redis", reason="the package redis is not installed (pip install 'wmsketch[redis]')")
    port, save = free_port(), tmp_path / "m.wms"

    def add(rows: list[dict[str, Any]]) -> None:
        with redis.Redis(port=port) as server:
            for line in json_lines(rows):
                server.xadd("sales", {"row": line})
            server.save()

    try:
        with redis_server(tmp_path, port=port):
            add(sales(300))
            command = [sys.executable, "-m", "wmsketch", "train", f"redis://127.0.0.1:{port}/sales?endless=yes", *TRAIN]
            process = subprocess.Popen(
                [*command, "--save", str(save), "--checkpoint-every", "200ms", "--log-format", "json"],
                stderr=subprocess.PIPE,
            )
            _wait(lambda: _rows_of(save) == 300, process)  # nothing else comes: time alone saves it
        time.sleep(3)
        assert process.poll() is None
        with redis_server(tmp_path, port=port):
            add(sales(200, seed=2))
            _wait(lambda: _rows_of(save) == 500, process)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=PATIENCE)
    except Missing as reason:
        pytest.skip(str(reason))
    messages = [json.loads(line)["message"] for line in said.decode().splitlines() if line.startswith("{")]
    assert any("the connection is lost" in each and "trying again in 0.5 s" in each for each in messages), said
    assert messages[-1].endswith("connected again")


def test_redis_may_start_later_but_a_refused_password_is_an_error(tmp_path: Path) -> None:
    redis = pytest.importorskip("redis", reason="the package redis is not installed (pip install 'wmsketch[redis]')")
    port, save = free_port(), tmp_path / "m.wms"
    address = f"redis://127.0.0.1:{port}/sales?endless=yes"
    command = [sys.executable, "-m", "wmsketch", "train", address, *TRAIN, "--save", str(save)]
    try:
        with redis_server(tmp_path, port=port), redis.Redis(port=port) as server:
            for line in json_lines(sales(300)):
                server.xadd("sales", {"row": line})
            server.save()
    except Missing as reason:
        pytest.skip(str(reason))
    process = subprocess.Popen([*command, "--checkpoint-every", "200ms"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert b"cannot connect" in first and b"trying again in 0.5 s" in first
    with redis_server(tmp_path, port=port):
        _wait(lambda: _rows_of(save) == 300, process)
        process.send_signal(signal.SIGTERM)
        assert b"connected again" in process.communicate(timeout=PATIENCE)[1]
    command[4] = address.replace("127", ":wrong@127")
    with redis_server(tmp_path, password="s3cret", port=port):
        refused = subprocess.run(command, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert refused.returncode == 1 and b"cannot connect" not in refused.stderr and b"password" in refused.stderr


@pytest.mark.slow
def test_kafka_brokers_may_hang_at_the_start(kafka: KafkaBrokers, tmp_path: Path) -> None:
    save = tmp_path / "m.wms"
    kafka.send("late", [(n % 4, line) for n, line in enumerate(json_lines(sales(300)))])
    command = [sys.executable, "-m", "wmsketch", "train", f"kafka://{kafka.servers}/late?endless=yes", *TRAIN]
    with kafka.hanging():
        process = subprocess.Popen(
            [*command, "--save", str(save), "--checkpoint-every", "200ms"], stderr=subprocess.PIPE
        )
        assert process.stderr is not None and b"cannot connect" in process.stderr.readline()
    _wait(lambda: _rows_of(save) == 300, process)
    process.send_signal(signal.SIGTERM)
    assert b"connected again" in process.communicate(timeout=PATIENCE)[1]


@pytest.mark.slow
def test_kafka_brokers_may_hang(kafka: KafkaBrokers, tmp_path: Path) -> None:
    rows, save = [(n % 4, line) for n, line in enumerate(json_lines(sales(500)))], tmp_path / "m.wms"
    kafka.send("hangs", rows[:300])
    # a request is given up after 3 s, not after a minute as by default
    address = f"kafka://{kafka.servers}/hangs?endless=yes&socket.timeout.ms=3000"
    command = [sys.executable, "-m", "wmsketch", "train", address, *TRAIN, "--save", str(save)]
    process = subprocess.Popen([*command, "--checkpoint-every", "200ms"], stderr=subprocess.PIPE)
    _wait(lambda: _rows_of(save) == 300, process)
    with kafka.hanging():
        time.sleep(20)
        assert process.poll() is None
    kafka.send("hangs", rows[300:])
    _wait(lambda: _rows_of(save) == 500, process)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    assert b"the connection is lost" in said
    assert b"connected again" in said


def test_kafka_partitions_that_are_added_are_read(
    kafka: KafkaBrokers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import confluent_kafka

    hidden = {2, 3}

    class Growing(confluent_kafka.Consumer):  # type: ignore[misc]
        """Shows some partitions later; the mock cluster cannot add any."""

        def list_topics(self, *arguments: Any) -> Any:
            found = super().list_topics(*arguments)
            for topic in found.topics.values():
                topic.partitions = {n: each for n, each in topic.partitions.items() if n not in hidden}
            return found

    monkeypatch.setattr(confluent_kafka, "Consumer", Growing)
    monkeypatch.setattr(kafka_source, "LOOK_SECONDS", 0.1)
    lines = json_lines(sales(600))
    kafka.send("growing", [(n % 2, line) for n, line in enumerate(lines[:200])])
    rows: list[int] = []
    address = f"kafka://{kafka.servers}/growing?endless=yes"
    with caplog.at_level(logging.WARNING, "wmsketch"), open_examples(address, label="sold") as examples:
        for block in examples:
            rows.append(len(block))
            if sum(rows) == 200:
                kafka.send("growing", [(2 + n % 2, line) for n, line in enumerate(lines[200:])])
                hidden.clear()
            if sum(rows) == 600:
                break
        assert set(examples.position.mark["at"]["offsets"]) == {"0", "1", "2", "3"}  # type: ignore[index]
    assert {"partition 2 was added", "partition 3 was added"} <= {
        record.getMessage().partition(": ")[2].partition(" and")[0] for record in caplog.records
    }


def test_some_partitions_and_commits(kafka: KafkaBrokers) -> None:
    from confluent_kafka import Consumer, TopicPartition

    kafka.send("some", [(n % 4, line) for n, line in enumerate(json_lines(sales(400)))])
    address = f"kafka://{kafka.servers}/some?partitions=1,3-3"
    assert sum(map(len, open_examples(address, label="sold"))) == 200
    with pytest.raises(ValueError, match="there is no partition 9"):
        sum(map(len, open_examples(address.replace("1,3-3", "9"), label="sold")))
    consumer = Consumer({"bootstrap.servers": kafka.servers, "group.id": "seen", "log_level": 0})
    places = [TopicPartition("some", number) for number in range(4)]
    endless = Address(f"kafka://{kafka.servers}/some?commit=yes&endless=yes&group.id=seen")
    with open_examples(endless, label="sold") as examples:
        rows = 0
        while rows < 400:
            rows += len(next(examples))
        endless.source.saved(examples.position.mark["at"])  # type: ignore[index]
        _wait(lambda: [each.offset for each in consumer.committed(places, 10)] == [100] * 4)
    endless.source.saved({"offsets": {"0": 50}})  # nothing is read any more
    assert consumer.committed(places, 10)[0].offset == 50
    consumer.close()


@pytest.mark.parametrize("form", ["text", "json"])
def test_log_lines(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with RunLog(form) as log:
        log.progress(1200, 0.25, 30)
        logging.getLogger("wmsketch.sources").warning("redis://db/x: connected again")
    first, second = capsys.readouterr().err.splitlines()
    if form == "json":
        record = json.loads(first)
        assert (record["rows"], record["error_rate"], record["lag"]) == (1200, 0.25, 30) and record["time"].endswith(
            "Z"
        )
        assert json.loads(second)["message"] == "redis://db/x: connected again"
    else:
        assert "1,200 rows, " in first and first.endswith("error 25.00%, 30 rows wait")
        assert second.endswith(" note: redis://db/x: connected again")
