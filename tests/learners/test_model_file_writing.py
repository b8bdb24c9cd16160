"""Writing files of models: whole, or the old file stays as it was."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.learners.test_model_file import MODELS, trained
from wmsketch.learners.model_file import load_model, save_model


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
