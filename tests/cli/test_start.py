"""Help, version, completion; and that help loads nothing heavy."""

import os
import subprocess
import sys

import pytest

from wmsketch import __version__
from wmsketch.cli.main import COMMANDS


def test_help_lists_every_command(run):
    text = run("--help").stdout
    assert all(f"\n  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example(run, command):
    text = run(command, "--help").stdout
    assert f"wmsketch {command} " in text.partition("Example")[2]


def test_version(run):
    assert run("--version").stdout == f"wmsketch, version {__version__}\n"


def loaded_by(*arguments, among):
    code = (
        "import sys\n"
        "from wmsketch.cli.main import main\n"
        f"try: main({list(arguments)})\n"
        "except SystemExit: pass\n"
        f"print([name for name in {among} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_help_loads_neither_numpy_nor_the_core():
    assert loaded_by("--help", among=("numpy", "rich", "wmsketch._core", "matplotlib")) == "[]"


def test_training_from_text_loads_no_numpy(tmp_path):
    rows = tmp_path / "rows.svm"
    rows.write_text("1 3:1 4:2\n-1 4:1\n")
    assert loaded_by("train", str(rows), among=("numpy", "rich", "matplotlib")) == "[]"


def test_shell_completion():
    environment = {**os.environ, "_WMSKETCH_COMPLETE": "bash_complete", "COMP_WORDS": "wmsketch tr", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "wmsketch"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,train"]
