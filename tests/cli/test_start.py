"""Help, version, completion; and that help loads nothing heavy."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

from wmsketch import __version__
from wmsketch.cli.main import COMMANDS

HEAVY = {"numpy", "rich", "pyarrow", "pandas", "matplotlib", "asyncio", "multiprocessing", "concurrent.futures"}
UNUSED = {"logging", "ssl", "http", "email", "importlib.metadata", "unittest", "ctypes", "tempfile"}


def test_help_lists_every_command(run):
    text = run("--help").stdout
    assert all(f"\n  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example(run, command):
    text = run(command, "--help").stdout
    assert f"wmsketch {command} " in text.partition("Example")[2]


def test_version(run):
    assert run("--version").stdout == f"wmsketch, version {__version__}\n"


def loaded_by(*arguments, cwd=None):
    """Return the names of all modules that are loaded at the end of a command."""
    code = (
        "import sys\n"
        "from wmsketch.cli.main import main\n"
        f"try: main({list(arguments)})\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=cwd)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_no_command(option):
    ours = {name for name in loaded_by(option) if name.partition(".")[0] == "wmsketch"}
    parts = {"wmsketch.cli.parts", "wmsketch.cli.parts.errors", "wmsketch.errors", "wmsketch.terminal"}
    assert ours == {"wmsketch", "wmsketch.cli", "wmsketch.cli.main", "wmsketch.late", *parts}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_no_module_that_it_does_not_use(option):
    assert not loaded_by(option) & (HEAVY | UNUSED | {"dataclasses", "json", "pathlib"})


@pytest.mark.parametrize("command", COMMANDS)
def test_the_line_of_a_command_in_the_help_is_its_first(command):
    first = import_module(f"wmsketch.cli.commands.{command}").command.help.partition("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[command]


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("rows.svm", "1 3:1 4:2\n-1 4:1\n", []),
        (
            "rows.csv",
            "city,price,sold\nRome,1,yes\nOslo,2,no\nRome,3,yes\nOslo,5,no\nRome,4,yes\n",
            ["--label", "sold"],
        ),
    ],
)
def test_training_from_text_loads_nothing_heavy(tmp_path, name, text, options):
    (tmp_path / name).write_text(text)
    assert not loaded_by("train", name, *options, cwd=tmp_path) & (HEAVY | UNUSED)


def test_shell_completion():
    environment = {**os.environ, "_WMSKETCH_COMPLETE": "bash_complete", "COMP_WORDS": "wmsketch tr", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "wmsketch"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,train"]
