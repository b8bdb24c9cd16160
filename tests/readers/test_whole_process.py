"""What needs a separate process: memory, signals, interpreter shutdown."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wmsketch

PEAK = """
import re, sys
from pathlib import Path
from wmsketch.readers import open_examples

def peak_kib():  # not getrusage: its peak includes the parent's, from before the exec
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

before = peak_kib()
rows = sum(len(block) for block in open_examples(sys.argv[1], **eval(sys.argv[2])))
print(rows, peak_kib() - before)
"""
READ_STDIN = """
import sys
from wmsketch.readers import open_examples
try:
    for block in open_examples("-", **eval(sys.argv[1])):
        print(len(block), flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
"""


@pytest.fixture
def environment():
    return {**os.environ, "PYTHONPATH": str(Path(wmsketch.__file__).parents[1])}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("name", "line", "options"),
    [
        ("a.svm", b"1 1:0.5 22:1 333:0.25 4444:1.5\n", {}),
        ("a.vw", b"1 |words some words of a text:0.5\n", {}),
        ("a.csv", b"1,Rome,2.5,some words\n", {"columns": ["y", "city", "price", "note"], "label": "y"}),
        ("a.jsonl", b'{"city": "Rome", "price": 2.5, "note": {"words": ["some", "words"]}}\n', {}),
    ],
)
def test_memory_does_not_grow_with_the_input(tmp_path, environment, name, line, options):
    path = tmp_path / (name + ".gz")
    n_rows = 100_000_000 // len(line)
    path.write_bytes(gzip.compress(line * n_rows, 1))  # 100 MB as text
    command = [sys.executable, "-c", PEAK, str(path), repr(options)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    rows, peak_kib = map(int, done.stdout.split())
    assert rows == n_rows
    assert peak_kib < 60_000  # a few blocks of a megabyte of text each, whatever the length


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_row_that_is_too_long_is_refused_before_it_takes_memory(tmp_path, environment):
    path = tmp_path / "bomb.jsonl"
    path.write_text('{"y": 1, "a": 2}\n{' + ",".join(f'"k{i}":1' for i in range(2_500_000)) + "}\n")
    command = [sys.executable, "-c", PEAK, str(path), repr({"label": "y", "bad_rows": "skip"})]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    rows, peak_kib = map(int, done.stdout.split())
    assert rows == 1
    assert 1024 * peak_kib < 6 * path.stat().st_size  # copies of its text, and not one column for each name


def start_reader(environment, options):
    return subprocess.Popen(
        [sys.executable, "-c", READ_STDIN, repr(options)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize(
    ("options", "head", "rows"),
    [
        ({"format": "libsvm"}, b"", b"1 1:1\n-1 2:2\n"),
        ({"format": "vw"}, b"", b"1 | a\n-1 | b\n"),
        ({"label": "y"}, b"city,y\n", b"Rome,1\nOslo,0\n"),
        ({"label": "y"}, b"", b'{"city": "Rome", "y": true}\n{"city": "Oslo", "y": false}\n'),
    ],
)
def test_rows_of_a_slow_pipe_come_as_they_are_written(environment, options, head, rows):
    with start_reader(environment, options) as process:
        process.stdin.write(head)
        for _ in range(3):
            process.stdin.write(rows)
            process.stdin.flush()
            assert process.stdout.readline() == b"2\n"
        process.stdin.close()
        assert process.wait(20) == 0


def test_interrupt_while_waiting_for_a_pipe_ends_cleanly(environment):
    with start_reader(environment, {"format": "libsvm"}) as process:
        process.stdin.write(b"1 1:1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"1\n"
        time.sleep(0.2)  # now it waits for more input
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"interrupted\n"
        assert process.wait(20) == 130
        assert process.stderr.read() == b""
