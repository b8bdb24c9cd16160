"""The log of an incident shows its cause."""

from pathlib import Path

import pytest

from experiments.incident_log import CAUSE, asked, write_log


@pytest.mark.parametrize("condition, order", [("status>=500", 1), ("ms>p99", 2)])
def test_the_cause_is_in_the_first_rows(tmp_path: Path, condition: str, order: int) -> None:
    path = write_log(tmp_path / "log.jsonl", 30_000)
    _, answer = asked(path, condition, order)
    assert answer["shown"], answer
    assert any(set(row.items()) <= set(CAUSE.items()) for row in answer["first_rows"])
