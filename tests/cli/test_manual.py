"""README and pages show real output: every command in a console block is run, in order, in one folder.

`python -m tests.cli.test_manual` writes fresh output into them.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import wmsketch

ROOT = Path(__file__).parents[2]
PAGES = ("command-line", "five-minutes", "tutorials/incident", "tutorials/captures", "howto/budget", "howto/devices")
DOCUMENTS = (ROOT / "README.md", *(ROOT / "docs" / f"{page}.md" for page in PAGES))
_BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_TIMES = re.compile(r"in \d+\.\d+ s|\"seconds\": .*| +\d+\.\d$", re.MULTILINE)


def _fresh(document: Path, folder: Path) -> str:
    """The document with the current output of its commands."""
    tools = folder / "bin"
    tools.mkdir()
    for name, arguments in (("wmsketch", "-m wmsketch"), ("python", "")):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n')
        tool.chmod(0o755)
    work = folder / "work"
    work.mkdir()
    (work / "examples").symlink_to(ROOT / "examples")
    package = str(Path(wmsketch.__file__).parents[1].resolve())  # the commands run in another folder
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": package}

    def run(block: re.Match[str]) -> str:
        shown = ""
        for line in block[0].splitlines():
            if line.startswith("$ "):
                command = ["sh", "-c", f"exec 2>&1\n{line[2:]}"]
                done = subprocess.run(command, cwd=work, env=environment, capture_output=True, check=False)
                text = done.stdout.decode()
                assert "Traceback" not in text, text
                assert "ModuleNotFoundError" not in text, text
                shown += f"{line}\n{text}"
        return shown

    return _BLOCK.sub(run, document.read_text())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_output_shown_is_real(document, tmp_path):
    assert _TIMES.sub("*", _fresh(document, tmp_path)) == _TIMES.sub("*", document.read_text())


if __name__ == "__main__":
    for document in DOCUMENTS:
        with tempfile.TemporaryDirectory() as temporary:
            document.write_text(_fresh(document, Path(temporary)))
