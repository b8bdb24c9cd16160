"""Every system call of saving, checkpointing and resuming made to fail in turn.

    cc -shared -fPIC -o system_calls.so tests/faults/system_calls.c
    LD_PRELOAD=./system_calls.so python -m tests.faults.every_call FOLDER [ERRORS]

ERRORS says how many kinds of errors are tried, 3 without it. Prints how many faults there were in a save, a training
with checkpoints, and one that goes on.

After each fault the old file is there or the new one, whole; a command that failed says so; nothing else is left.
"""

from __future__ import annotations

import ctypes
import errno
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from wmsketch import AWMSketch, load
from wmsketch.cli.main import main as command_line
from wmsketch.learners.model_file import model_bytes

FAULTS = ctypes.CDLL(None)
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES)
MOST_CALLS = 2000


def arm(folder: Path, n: int, error: int) -> None:
    FAULTS.fault_arm(str(folder).encode(), ctypes.c_long(n), error)


def disarm() -> int:
    calls: int = FAULTS.fault_count()
    FAULTS.fault_arm(b"", ctypes.c_long(-1), 0)
    return calls


def each_fault(folder: Path, prepare: Callable[[], None], act: Callable[[], None]) -> int:
    """Call `act` with each of its system calls failing; it checks itself. Returns how many faults there were."""
    faults = 0
    for error in ERRORS[: int(sys.argv[2]) if len(sys.argv) > 2 else None]:
        for n in range(MOST_CALLS):
            prepare()
            arm(folder, n, error)
            try:
                act()
            finally:
                calls = disarm()
            if calls <= n:
                break
            faults += 1
    return faults


def saving(folder: Path) -> int:
    """A save over a file: the old bytes stay, or the new ones are there; an error says which."""
    path = folder / "model.wms"
    old, new = AWMSketch("2KiB"), AWMSketch("2KiB")
    old.learn_many([{"a": 1.0}], [True])
    new.learn_many([{"b": 1.0}, {"c": 2.0}], [True, False])
    before, after, unchanged = model_bytes(old), model_bytes(new), model_bytes(new)

    def prepare() -> None:
        for file in folder.iterdir():
            file.unlink()
        path.write_bytes(before)

    def act() -> None:
        said = ""
        try:
            new.save(path)
        except OSError as problem:
            said = str(problem)
        disarm_and_count = FAULTS.fault_count()
        arm(Path("/nowhere"), -1, 0)
        found = path.read_bytes()
        if "was not saved" in said:
            assert found == before, said
        else:
            assert found == after, said or "no error, and yet the old file"
        assert model_bytes(new) == unchanged
        left = [file.name for file in folder.iterdir() if file != path]
        assert len(left) <= 1, left  # where the unlink itself failed
        new.save(path)  # and the next save removes that too
        assert [file.name for file in folder.iterdir()] == [path.name]
        arm(folder, -1, 0)
        ctypes.c_long.in_dll(FAULTS, "count").value = disarm_and_count

    return each_fault(folder, prepare, act)


def training(folder: Path, rows: Path, *, resume: bool) -> int:
    """A training with checkpoints, and one that goes on: whatever fails, a file that can be loaded is there."""
    path = folder / "model.wms"
    arguments = ["train", str(rows), "--budget", "2KiB", "--save", str(path), "--checkpoint-every", "1", "--quiet"]
    assert CliRunner().invoke(command_line, arguments).exit_code == 0
    whole = path.read_bytes()
    go_on = ["train", str(rows), "--resume", str(path), "--quiet"]

    def prepare() -> None:
        for file in folder.iterdir():
            file.unlink()
        path.write_bytes(whole)

    def act() -> None:
        result = CliRunner().invoke(command_line, go_on if resume else arguments)
        calls = FAULTS.fault_count()
        arm(Path("/nowhere"), -1, 0)
        assert load(path).n_seen_ > 0
        if result.exit_code == 0:
            assert path.read_bytes() == whole
        else:
            assert result.exit_code == 1, result.output
            assert result.stderr.startswith("wmsketch: ") and "internal error" not in result.stderr, result.stderr
        ctypes.c_long.in_dll(FAULTS, "count").value = calls

    return each_fault(folder, prepare, act)


def main() -> None:
    """Try all, and say how many there were."""
    warnings.simplefilter("ignore")
    base = Path(sys.argv[1])
    folder, rows = base / "models", base / "rows.svm"
    folder.mkdir()
    rows.write_text("".join(f"{1 if i % 2 else -1} {i % 50}:1\n" for i in range(100)))
    print(saving(folder), training(folder, rows, resume=False), training(folder, rows, resume=True))


if __name__ == "__main__":
    main()
