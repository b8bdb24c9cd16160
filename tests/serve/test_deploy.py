"""The files for deployment start the service with options that it has, and the job is one."""

import configparser
import json
import shlex
from pathlib import Path

import pytest

from wmsketch.cli.commands.serve import command
from wmsketch.serve.job_spec import read_job
from wmsketch.serve.tasks.kinds import new_task

DEPLOY = Path(__file__).parents[2] / "deploy"


def _unit() -> list[str]:
    unit = configparser.RawConfigParser(strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "wmsketch.service")
    assert unit["Service"]["StateDirectory"] == "wmsketch" and unit["Service"]["Restart"] == "always"
    return shlex.split(unit["Service"]["ExecStart"])


def _container() -> list[str]:
    (entry,) = [line for line in (DEPLOY / "Containerfile").read_text().splitlines() if line.startswith("ENTRYPOINT ")]
    words: list[str] = json.loads(entry.removeprefix("ENTRYPOINT "))
    return words


@pytest.mark.parametrize("words", [_unit(), _container()], ids=["systemd", "container"])
def test_the_service_is_started_with_options_that_it_has(words: list[str], tmp_path: Path) -> None:
    program, name, folder, *options = words
    assert program.rpartition("/")[2] == "wmsketch" and name == "serve" and folder.startswith("/")
    (tmp_path / "tokens").touch()
    here = [str(tmp_path / "tokens") if word == "/jobs/tokens" else word for word in options]
    given = command.make_context(name, [folder, *here]).params
    assert given["folder"] == Path(folder) and given["memory"] == "256MiB"
    assert given["host"] == "127.0.0.1" or given["tokens"] is not None


def test_the_job_is_one() -> None:
    job = read_job(DEPLOY / "requests.toml")
    assert job.settings["outlier"] == "ms>=500" and new_task(job).budget_bytes == 32 << 20
