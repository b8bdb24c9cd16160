"""kafka://: each message is learned once, in an order that does not depend on when it arrives."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sources.conftest import (
    PLAIN,
    TRAIN,
    Run,
    every_resume_ends_the_same,
    json_lines,
    refuses_any_note,
    sales,
    same_model,
)
from tests.sources.servers import KafkaBrokers
from wmsketch import load
from wmsketch.readers import open_examples
from wmsketch.readers.sources.address import Address


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in request.node.name)


def in_rounds(parts: list[list[str]]) -> list[str]:
    """The documented order: in each round, one row of each partition that has rows left."""
    longest = max(map(len, parts))
    return [part[number] for number in range(longest) for part in parts if number < len(part)]


def test_partitions_are_read_in_rounds(kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path) -> None:
    lines = json_lines(sales(3000))
    parts = [lines[:500], lines[500:2000], [], lines[2000:]]
    for number, part in enumerate(parts):  # one after the other, unlike their natural order
        kafka.send(topic, [(number, line) for line in part])
    (tmp_path / "sales.jsonl").write_text("\n".join(in_rounds(parts)) + "\n")
    run("train", tmp_path / "sales.jsonl", *TRAIN, *PLAIN, "--save", tmp_path / "file.wms")
    result = run("train", f"kafka://{kafka.servers}/{topic}", *TRAIN, "--save", tmp_path / "kafka.wms")
    assert result.exit_code == 0, result.output
    assert same_model(tmp_path / "file.wms", tmp_path / "kafka.wms")


@pytest.mark.parametrize("options", ["", "--passes 2", "--holdout 1500", "--shuffle 1500"])
def test_every_resume_ends_the_same(kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path, options: str) -> None:
    lines = json_lines(sales(3500))
    kafka.send(topic, [((number * number) % 7 % 4, line) for number, line in enumerate(lines)])
    every_resume_ends_the_same(run, f"kafka://{kafka.servers}/{topic}", tmp_path, *TRAIN, *options.split())


def test_what_comes_while_it_reads_waits_for_the_next_time(
    kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path
) -> None:
    rows = json_lines(sales(2000))
    address = f"kafka://{kafka.servers}/{topic}"
    kafka.send(topic, [(number % 4, line) for number, line in enumerate(rows[:1000])])
    run("train", address, *TRAIN, "--save", tmp_path / "m.wms")
    before = (tmp_path / "m.wms").read_bytes()
    run("train", address, "--resume", tmp_path / "m.wms")
    assert (tmp_path / "m.wms").read_bytes() == before
    kafka.send(topic, [(number % 4, line) for number, line in enumerate(rows[1000:])])
    assert run("train", address, "--resume", tmp_path / "m.wms").exit_code == 0
    assert load(tmp_path / "m.wms").n_seen_ == 2000
    run("train", address, *TRAIN, "--save", tmp_path / "whole.wms")  # equal lengths, so the rounds are those of one run
    assert same_model(tmp_path / "m.wms", tmp_path / "whole.wms")


def test_the_end_is_the_one_that_was_there_at_the_start(kafka: KafkaBrokers, topic: str) -> None:
    kafka.send(topic, [(0, line) for line in json_lines(sales(1500))])
    address = Address(f"kafka://{kafka.servers}/{topic}")
    with open_examples(address, label="sold", depth=0) as examples:
        first = next(examples)
        kafka.send(topic, [(0, line) for line in json_lines(sales(100))])
        assert len(first) + sum(map(len, examples)) == 1500


def test_a_message_that_comes_again_is_not_learned_again(
    kafka: KafkaBrokers, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import confluent_kafka

    class Repeating(confluent_kafka.Consumer):  # type: ignore[misc]
        """Delivers everything twice, the second time late, as after a rebalance."""

        def consume(self, n: int, timeout: float) -> list[object]:
            messages = super().consume(n, timeout)
            late, self.late = getattr(self, "late", []), messages
            return [*late, *messages, *messages]

    kafka.send(topic, [(number % 3, line) for number, line in enumerate(json_lines(sales(3000)))])
    address = f"kafka://{kafka.servers}/{topic}"
    once = [block.labels.tolist() for block in open_examples(address, label="sold")]
    monkeypatch.setattr(confluent_kafka, "Consumer", Repeating)
    assert [block.labels.tolist() for block in open_examples(address, label="sold")] == once


def test_messages_without_a_value_are_no_rows(kafka: KafkaBrokers, topic: str) -> None:
    rows: list[tuple[int, str | None]] = [(0, line) for line in json_lines(sales(20))]
    kafka.send(topic, [*rows, (0, None), (1, None)])
    assert sum(map(len, open_examples(f"kafka://{kafka.servers}/{topic}", label="sold"))) == 20


def test_a_bad_message_is_named(kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path) -> None:
    rows = json_lines(sales(2000))
    kafka.send(topic, [(1, line) for line in [*rows[:1300], '{"city": Rome}', *rows[1300:]]])
    address, save = f"kafka://{kafka.servers}/{topic}", tmp_path / "m.wms"
    result = run("train", address, *TRAIN, "--bad-rows", "stop", "--save", save)
    assert result.exit_code == 1 and f"{address} partition 1 offset 1300:" in result.stderr
    assert load(save).n_seen_ == 1300
    again = run("train", address, "--resume", save)
    assert again.exit_code == 1 and "partition 1 offset 1300:" in again.stderr
    assert load(save).n_seen_ == 1300


def test_messages_that_are_gone_are_an_error(kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path) -> None:
    address, save = f"kafka://{kafka.servers}/{topic}", tmp_path / "m.wms"
    kafka.send(topic, [(0, line) for line in json_lines(sales(1500))])
    run("train", address, *TRAIN, "--save", save)
    note = '"' + "x" * 100_000 + '"'
    for _ in range(8):  # the mock cluster keeps 5 MB
        kafka.send(topic, [(0, f'{{"sold": 1, "note": {note}}}')] * 10)
    result = run("train", address, "--resume", save)
    assert result.exit_code == 1 and "partition 0: the messages from offset 1500 on are gone" in result.stderr


def test_endless_reading_learns_what_comes_and_ends_with_a_signal(
    kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path
) -> None:
    rows = [(number % 2, line) for number, line in enumerate(json_lines(sales(3000)))]
    kafka.send(topic, rows[:2000])
    address, save = f"kafka://{kafka.servers}/{topic}", tmp_path / "m.wms"
    command = [sys.executable, "-m", "wmsketch", "train", address + "?endless=yes", *TRAIN]
    process = subprocess.Popen([*command, "--save", str(save), "--checkpoint-every", "1"], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    sent = False
    while not save.exists() or load(save).n_seen_ < 3000:
        assert time.monotonic() < deadline and process.poll() is None
        if not sent and save.exists():
            kafka.send(topic, rows[2000:])
            sent = True
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and b"saved to" in said
    kafka.send(topic, rows[:500])
    assert run("train", address, "--resume", save).exit_code == 0
    assert load(save).n_seen_ == 3500


def test_bad_addresses_and_brokers(kafka: KafkaBrokers, run: Run) -> None:
    for address, status, words in (
        (f"kafka://{kafka.servers}/no-such-topic", 1, "there is no topic 'no-such-topic'"),
        (f"kafka://{kafka.servers}", 2, "must be like kafka://broker/topic"),
        (f"kafka://{kafka.servers}/t?nonsense=1", 2, "got nonsense"),
        (f"kafka://{kafka.servers}/t?no.such.setting=1", 1, "no.such.setting"),
    ):
        result = run("train", address, *TRAIN)
        assert result.exit_code == status and words in result.stderr, result.output
    kafka.send("rows", [(0, "{}")])
    result = run("train", f"kafka://{kafka.servers}/rows", *TRAIN, "--format", "csv")
    assert result.exit_code == 2 and "format must be jsonl or libsvm" in result.stderr


def test_notes_are_validated(kafka: KafkaBrokers, topic: str, run: Run, tmp_path: Path) -> None:
    kafka.send(topic, [(0, line) for line in json_lines(sales(10))])
    address = f"kafka://{kafka.servers}/{topic}"
    places = [{"offsets": {"0": 1}}, {"offsets": {"0": "1"}}, {}, {"offsets": []}, {"offsets": {"x": 1}}]
    places += [{"offsets": {"0": -5}}, {"offsets": {"0": 10**9}}]
    extents = [{"begin": {"0": 0}, "end": {"0": 5}}, {"begin": {}, "end": {"7": 3}}, {"end": 3}, {"begin": {"0": 0}}]
    refuses_any_note(run, address, address, tmp_path, places, extents)
