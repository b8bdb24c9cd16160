"""No model is lost, whichever system call fails while it is saved, checkpointed or resumed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("system_calls.c")


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="needs a C compiler and LD_PRELOAD")
def test_no_failing_system_call_loses_a_model(tmp_path: Path) -> None:
    library = tmp_path / "system_calls.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    preloaded = {**os.environ, "LD_PRELOAD": f"{library} {os.environ.get('LD_PRELOAD', '')}".strip()}
    program = [sys.executable, "-m", "tests.faults.every_call", str(tmp_path), "1"]
    done = subprocess.run(program, capture_output=True, text=True, env=preloaded, check=False)
    assert done.returncode == 0, done.stderr
    assert min(map(int, done.stdout.split())) > 20  # faults were really injected
