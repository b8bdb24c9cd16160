"""A few of the commands that `tests.fuzz.commands` runs for longer."""

import random

from tests.fuzz.commands import one_command, prepare


def test_no_command_on_damaged_files_ends_in_an_internal_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    assert not [wrong for seed in range(200) if (wrong := one_command(random.Random(seed), tmp_path))]
