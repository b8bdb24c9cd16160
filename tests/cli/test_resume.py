"""Training that is stopped and resumed gives the same bytes as uninterrupted training."""

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from wmsketch import load

PATIENCE = 60.0


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.005)


def _wait_for_change(path: Path, process: "subprocess.Popen[bytes]") -> None:
    before = path.stat().st_ino
    while path.stat().st_ino == before and process.poll() is None:
        time.sleep(0.002)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_what_was_learned(run, spawn, data, tmp_path, number, status):
    text = (data / "events.svm").read_bytes()
    save, whole = tmp_path / "m.wms", tmp_path / "whole.wms"
    options = ["--format", "libsvm", "--budget", "4KiB"]
    process = spawn("train", "-", *options, "--save", save, "--checkpoint-every", 1)
    process.stdin.write(text[: text.index(b"\n", len(text) // 2) + 1])  # the pipe stays open afterwards
    process.stdin.flush()
    _wait_for(save)
    time.sleep(0.1)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert f"stopped by {number.name}".encode() in err and f"saved to {save}".encode() in err
    assert b"Traceback" not in err
    assert b"feature" in out  # what was found so far is shown too
    assert 0 < load(save).n_seen_ < 3000
    resumed = run("train", "-", "--resume", save, input=text)
    assert resumed.exit_code == 0, resumed.output
    run("train", "-", *options, "--save", whole, input=text)
    assert save.read_bytes() == whole.read_bytes()


def test_a_signal_without_save_says_that_nothing_was_saved(spawn):
    process = spawn("train", "-", "--format", "libsvm", stderr=subprocess.PIPE)
    process.stdin.write(b"1 2:1\n")
    process.stdin.flush()
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in (143, -signal.SIGTERM)
    assert process.returncode < 0 or b"nothing was saved" in err


def _kill_at_random_moments(spawn, run, data: Path, folder: Path, times: int, holdout: str) -> None:
    """Kill -9 repeatedly, resume from the file, and compare with an uninterrupted run."""
    draw = random.Random(holdout)
    files, options = [data / "large.svm", data / "more.svm"], ["--budget", "4KiB", "--passes", 20, "--holdout", holdout]
    whole, save = folder / "whole.wms", folder / "killed.wms"
    run("train", *files, *options, "--save", whole)
    interrupted = 0
    while interrupted < times:
        begun = save.exists()
        more = ["--resume", save] if begun else [*options, "--save", save]
        process = spawn("train", *files, *more, "--checkpoint-every", 1, "--quiet", stdout=subprocess.DEVNULL)
        if not begun:
            _wait_for(save)
        elif draw.random() < 0.7:  # kill while it learns and saves; otherwise at any time
            _wait_for_change(save, process)
        time.sleep(draw.uniform(0.0, 0.3))
        finished = process.poll() is not None
        process.kill()
        process.communicate(timeout=PATIENCE)
        interrupted += not finished
        load(save)  # the file is complete at any time
        if finished:
            assert save.read_bytes() == whole.read_bytes()
            save.unlink()
    result = run("train", *files, *(["--resume", save] if save.exists() else [*options, "--save", save]))
    assert result.exit_code == 0, result.output
    assert save.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("holdout", ["0.05", "5000"])
def test_kill_9_leaves_a_whole_file_to_go_on_from(spawn, run, data, tmp_path, holdout):
    _kill_at_random_moments(spawn, run, data, tmp_path, times=4, holdout=holdout)


@pytest.mark.slow
@pytest.mark.parametrize("holdout", ["0.01", "3000"])
def test_kill_9_many_times(spawn, run, data, tmp_path, holdout):
    _kill_at_random_moments(spawn, run, data, tmp_path, times=100, holdout=holdout)  # 200 kills in total


def test_resuming_a_finished_training_changes_nothing(run, data, tmp_path):
    save = tmp_path / "m.wms"
    run("train", data / "events.svm", "--save", save)
    before = save.read_bytes()
    result = run("train", data / "events.svm", "--resume", save)
    assert result.exit_code == 0 and "3,000 examples" in result.stdout
    assert save.read_bytes() == before


def test_resume_takes_its_options_from_the_file(run, data, tmp_path):
    bad = tmp_path / "sales.csv"
    text = (data / "sales.csv").read_text()
    save = tmp_path / "m.wms"
    options = ["--label", "sold", "--positive", "yes", "--ignore", "id", "--budget", "4KiB", "--seed", 3]
    options += ["--shuffle", 0, "--passes", 1, "--bad-rows", "stop"]
    broken = text[:-1].rpartition("\n")[0] + "\nRome,0.5,1,yes,,\n"
    bad.write_text(broken)
    assert run("train", bad, *options, "--save", save).exit_code == 1
    # the line is repaired to the same length
    bad.write_text(broken.replace("1,yes,,\n", "001,yes\n"))
    assert bad.stat().st_size == len(broken)
    assert run("train", bad, "--resume", save).exit_code == 0
    run("train", bad, *options, "--save", tmp_path / "whole.wms")
    assert save.read_bytes() == (tmp_path / "whole.wms").read_bytes()


def test_resume_refuses_other_inputs_and_options(run, data, tmp_path):
    file, save = tmp_path / "events.svm", tmp_path / "m.wms"
    file.write_bytes((data / "events.svm").read_bytes())
    run("train", file, "--save", save, "--l2", 1e-4)

    def refused(*arguments, status, words):
        result = run("train", *arguments, "--resume", save)
        assert result.exit_code == status and words in result.stderr, result.output

    refused(data / "more.svm", status=1, words="was given, it had")
    refused(file, data / "more.svm", status=1, words="2 files were given, it had 1")
    refused(file, "--l2", 1e-3, status=2, words="--l2 is 0.0001 in")
    refused(file, "--passes", 2, status=2, words="--passes was 1")
    refused(file, "--method", "wm", status=2, words="--method is awm in")
    refused(file, "--holdout", 5, status=2, words="--holdout was None")
    size = file.stat().st_size
    with file.open("a") as more:
        more.write("1 7:1\n")
    refused(file, status=1, words=f"has {size + 6} bytes, it had {size}")


def test_resume_needs_a_training(run, data, tmp_path):
    run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    load(tmp_path / "m.wms").save(tmp_path / "bare.wms")
    result = run("train", data / "events.svm", "--resume", tmp_path / "bare.wms")
    assert result.exit_code == 1 and "--start-from" in result.stderr


def test_progress_on_a_terminal_only(spawn, data, monkeypatch):
    pty = pytest.importorskip("pty")
    monkeypatch.setenv("TERM", "xterm")  # the one that runs the tests may be "dumb"
    outer, inner = pty.openpty()
    process = spawn("train", data / "large.svm", "--json", "--passes", 3, stderr=inner)
    out, _ = process.communicate(timeout=PATIENCE)
    os.close(inner)
    shown = b""
    while True:
        try:
            more = os.read(outer, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(outer)
    assert b"rows/s" in shown and b"MB/s" in shown and b"error" in shown and b"model" in shown
    assert out.startswith(b"{")
    silent = spawn("train", data / "events.svm", "--json")
    assert silent.communicate(timeout=PATIENCE)[1] == b""


def test_a_signal_while_a_thread_starts_stops_the_command(run, data, tmp_path, monkeypatch):
    start = threading._start_new_thread

    def start_and_signal(*arguments):
        started = start(*arguments)
        time.sleep(0.2)  # the thread runs by now
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            signal.raise_signal(signal.SIGTERM)
        return started

    monkeypatch.setattr(threading, "_start_new_thread", start_and_signal)
    result = run("train", data / "events.svm", "--save", tmp_path / "m.wms")
    assert result.exit_code == 143 and "internal error" not in result.stderr, result.stderr
