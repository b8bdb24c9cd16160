"""Make every system call of saving, checkpointing and resuming fail in turn.

    cc -shared -fPIC -o system_calls.so tests/faults/system_calls.c
    LD_PRELOAD=./system_calls.so python -m tests.faults.every_call FOLDER [ERRORS]

ERRORS is the number of kinds of errors to try, 3 by default. Prints the number of faults in a save, in a training with
checkpoints, and in a resumed training.

After each fault, either the old or the new file must exist, complete. A command that failed must say so, and no other
files may be left.
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
from wmsketch.learners.saving.model_file import model_bytes

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
    """Call `act` with each of its system calls failing; `act` checks the outcome. Return the number of faults."""
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
    """Save over a file: afterwards it has the old or the new bytes, and an error says which."""
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
        assert len(left) <= 1, left  # if the unlink itself failed
        new.save(path)  # the next save removes the rest
        assert [file.name for file in folder.iterdir()] == [path.name]
        arm(folder, -1, 0)
        ctypes.c_long.in_dll(FAULTS, "count").value = disarm_and_count

    return each_fault(folder, prepare, act)


def training(folder: Path, rows: Path, *, resume: bool) -> int:
    """Train with checkpoints, and resume: whatever fails, a loadable file exists."""
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
    """Run all faults and print their numbers."""
    warnings.simplefilter("ignore")
    base = Path(sys.argv[1])
    folder, rows = base / "models", base / "rows.svm"
    folder.mkdir()
    rows.write_text("".join(f"{1 if i % 2 else -1} {i % 50}:1\n" for i in range(100)))
    print(saving(folder), training(folder, rows, resume=False), training(folder, rows, resume=True))


if __name__ == "__main__":
    main()
