"""What the documents show is run, and what they name is there."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("document", ["README.md", "docs/forgetting.md", "docs/multiclass.md", "docs/python.md"])
def test_examples_in_documents_run(document: str) -> None:
    result = doctest.testfile(str(ROOT / document), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 4
    assert result.failed == 0


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_links_and_make_targets_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / link).exists(), link
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"make ([a-z-]+)", text)) <= targets | {"sure"}


def test_the_stub_of_the_extension_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "wmsketch._core", "-o", str(fresh)]
    subprocess.run(command, check=True)
    committed = (ROOT / "src" / "wmsketch" / "_core.pyi").read_text()
    assert fresh.read_text() == committed, "run `make stub`"
