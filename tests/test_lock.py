"""The lock file of the development environment: every requirement, with hashes, and no address of an index."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _name(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()  # type: ignore[index]


@pytest.mark.slow
def test_every_requirement_is_locked_with_hashes() -> None:
    text = (ROOT / "requirements-dev.lock").read_text()
    locked = {_name(entry): entry for entry in re.split(r"\n(?=\S)", text.strip())}
    wanted = subprocess.run(
        [sys.executable, ROOT / "tools" / "requirements.py", "dev"], capture_output=True, text=True, check=True
    )
    assert {_name(line) for line in wanted.stdout.splitlines()} <= set(locked), "run `make lock`"
    for entry in locked.values():
        assert re.match(r"\S+==\S+", entry) and "--hash=sha256:" in entry, entry[:80]
    assert "://" not in text and "index" not in text
