"""Generated data, and two ways to run the command line: in this process, and as a separate process."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wmsketch.cli.main import main

Run = Callable[..., Result]
Spawn = Callable[..., "subprocess.Popen[bytes]"]


def libsvm_rows(n: int, seed: int = 1, n_features: int = 2000) -> str:
    """Feature 7 indicates the positive class, 13 the negative class; the others do not matter."""
    draw = random.Random(seed)
    lines = []
    for _ in range(n):
        positive = draw.random() < 0.5
        keys = set(draw.sample(range(20, n_features), 8))
        if draw.random() < 0.6:
            keys.add(7 if positive else 13)
        lines.append(f"{1 if positive else -1} " + " ".join(f"{key}:1" for key in sorted(keys)))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same kind of rows in several files."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "events.svm").write_text(libsvm_rows(3000))
    (folder / "more.svm").write_text(libsvm_rows(2000, seed=2))
    (folder / "large.svm").write_text(libsvm_rows(60_000, seed=3))  # several blocks of a megabyte
    draw = random.Random(4)
    rows = ["city,price,id,sold"]
    for i in range(1500):
        sold = draw.random() < 0.5
        city = draw.choice(["Rome", "Oslo"] if sold else ["Paris", "Oslo"])
        rows.append(f"{city},{draw.random():.3f},{i},{'yes' if sold else 'no'}")
    (folder / "sales.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def run() -> Run:
    """Run a command in this process, with separate standard output and standard error."""

    def invoke(*arguments: object, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input, prog_name="wmsketch")

    return invoke


@pytest.fixture
def spawn() -> Spawn:
    """Start a command as a separate process."""

    def start(*arguments: object, **options: object) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "wmsketch", *(str(argument) for argument in arguments)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, **{**pipes, **options})  # type: ignore[call-overload,no-any-return]

    return start


def shown_of_endless_pipe(process: "subprocess.Popen[bytes]", parts: Iterable[str]) -> str:
    """Write the parts to a command that reads an endless pipe, interrupt it, and return what it has shown."""
    assert process.stdin is not None
    for part in parts:
        process.stdin.write(part.encode())
        process.stdin.flush()
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert b"stopped after" in errors
    return shown.decode()
