"""Writing model files is atomic: a failure leaves the old file unchanged."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.learners.test_model_file import MODELS, trained
from wmsketch.learners.saving.model_file import load_model, save_model


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_alone(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.wms"
    trained(MODELS["awm"], named=False).save(path)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if call == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"the model was not saved: No space left on device.*model\.wms") as caught:
        trained(MODELS["wm"], named=False).save(path)
    assert caught.value.errno == errno.ENOSPC
    assert [file.name for file in tmp_path.iterdir()] == ["model.wms"]
    assert path.read_bytes() == before


def test_a_write_that_the_system_cuts_short_leaves_the_old_file_alone(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="needs a limit on the size of files")
    path = tmp_path / "model.wms"
    path.write_bytes(b"old")
    model, limits = trained(MODELS["awm"], named=False), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="the model was not saved: File too large"):
            model.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("model.wms", b"old")]


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="needs the modes of POSIX")
def test_a_private_model_can_never_be_read_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seen, change = tmp_path / "model.wms", [], os.fchmod
    save_model(MODELS["awm"](), path)
    path.chmod(0o600)

    def spied(descriptor: int, mode: int) -> None:
        seen.extend(stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir())
        change(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", spied)
    before = os.umask(0o022)
    try:
        save_model(trained(MODELS["awm"], named=False), path)
    finally:
        os.umask(before)
    assert seen == [0o600, 0o600] and stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_save_without_memory_is_a_memory_error_and_keeps_the_old_file(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="needs a limit on memory")
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("AddressSanitizer ends the process where an allocation fails")
    code = f"""
import resource, sys
from pathlib import Path
from wmsketch import AWMSketch
model, path = AWMSketch("64MiB"), Path({str(tmp_path / "model.wms")!r})
model.learn_many([{{f"w{{i}}": 1.0}} for i in range(30)], [i % 2 == 0 for i in range(30)])
model.save(path)
before = path.read_bytes()
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (80 << 20), resource.RLIM_INFINITY))
try:
    model.save(path)
except MemoryError:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    sys.exit(0 if path.read_bytes() == before and len(list(path.parent.iterdir())) == 1 else 3)
sys.exit(4)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_a_new_file_obeys_the_umask_and_an_old_one_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    path, link, plain = tmp_path / "model.wms", tmp_path / "link.wms", tmp_path / "plain"
    plain.touch()
    model = MODELS["awm"]()
    save_model(model, str(path))
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o640)
    link.symlink_to(path)
    save_model(trained(MODELS["awm"], named=False), link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert load_model(path).n_seen_ == 200


class Diverged:
    """A learner whose first weight is NaN."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def state(self) -> dict[str, Any]:
        state = {name: array.copy() for name, array in self._native.state().items()}
        state["weights"][0] = np.nan
        return state


def test_a_model_that_could_not_be_loaded_is_not_saved_over_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "model.wms"
    good = trained(MODELS["map"], named=False)
    good.save(path)
    before = path.read_bytes()
    good._native = Diverged(good._native)
    with pytest.raises(
        ValueError, match=r"the model was not saved, because it could not be loaded again: .*not finite"
    ):
        good.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.wms"]
    assert path.read_bytes() == before


def test_only_temporary_files_of_dead_processes_are_removed(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    dead, alive = tmp_path / ".wmsketch-0123456789ab.tmp", tmp_path / ".wmsketch-ba9876543210.tmp"
    dead.write_bytes(b"half a mod")
    with alive.open("xb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        save_model(trained(MODELS["awm"], named=False), tmp_path / "model.wms")
        assert sorted(file.name for file in tmp_path.iterdir()) == [alive.name, "model.wms"]


def test_a_folder_that_cannot_be_synced_is_told_apart_from_a_model_that_was_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "model.wms", os.fsync

    def fails_for_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, "Input/output error")
        whole(descriptor)

    monkeypatch.setattr(os, "fsync", fails_for_folders)
    with pytest.raises(OSError, match="the model was saved, but a power cut may bring the old file back: Input/output"):
        trained(MODELS["awm"], named=False).save(path)
    assert load_model(path).n_seen_ == 200


def test_a_foreign_owner_is_kept_or_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    path, model = tmp_path / "model.wms", trained(MODELS["awm"], named=False)
    model.save(path)
    os.chown(path, 1234, 4321)
    path.chmod(0o640)
    model.save(path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o640)

    def not_root(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", not_root)
    with pytest.warns(UserWarning, match=r"model\.wms: the owner was 1234:4321 and is 0:0 now"):
        model.save(path)
