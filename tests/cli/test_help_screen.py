"""The first screen of help, and errors that end in the command to type."""

import shlex
from importlib import import_module

import click
import pytest

from wmsketch.cli.main import COMMANDS
from wmsketch.cli.parts.help_screen import FIRST, HEADING_OF


@pytest.mark.parametrize(
    ("command", "most"), [("train", 10), ("predict", 6), ("explain", 6), ("diff", 6), ("pmi", 6), ("compare", 6)]
)
def test_the_first_screen_has_three_examples_and_the_options_that_matter(run, command, most):
    lines = run(command, "--help").stdout.splitlines()
    start = lines.index("Examples:")
    options = lines.index("Options:")
    assert sum(f"wmsketch {command}" in line for line in lines[start:options]) == 3
    end = next(i for i, line in enumerate(lines) if i > options and not line)
    assert sum(line.startswith("  -") for line in lines[options:end]) == most
    assert end <= 40 and {"Input:", "Output:"} <= set(lines[end:])


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_has_every_option(run, command):
    text = run(command, "--help").stdout
    for option in import_module(f"wmsketch.cli.commands.{command}").command.params:
        assert all(name in text for name in option.opts if name.startswith("--"))


@pytest.mark.parametrize("command", sorted(FIRST))
def test_every_option_of_a_long_help_has_a_heading(command):
    params = import_module(f"wmsketch.cli.commands.{command}").command.params
    shown = {param.name for param in params if isinstance(param, click.Option) and not param.hidden}
    assert shown <= {*FIRST[command], *HEADING_OF}


def typed(result) -> list[str]:
    assert result.exit_code in (1, 2) and result.stderr.count("\n") == 1
    return shlex.split(result.stderr.partition("; type: wmsketch ")[2])


def test_errors_end_in_the_command_to_type(run, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("city,price,sold\n" + "Rome,1,yes\nOslo,2,no\n" * 30)
    for wrong in (
        ["train", path, "--label", "solt"],
        ["train", tmp_path / "sales.cvs", "--label", "sold"],
        ["train", tmp_path, "--label", "sold"],
        ["train", path, "--label", "sold", "--ignore", "city,prize"],
        ["explain", path, "--outlier", "prize>1"],
    ):
        right = typed(run(*wrong))
        assert run(*right).exit_code == 0, right


def test_a_pattern_without_a_match_says_how_to_look(run, tmp_path):
    assert run("train", tmp_path / "*.csv").stderr.endswith(f"no file matches; to see others: ls {tmp_path}\n")
