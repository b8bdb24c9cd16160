"""A live table is redrawn at intervals: in place on a terminal, otherwise below the last one."""

import io

import pytest

from wmsketch.learners.sizes.durations import parse_seconds
from wmsketch.results.live import LiveTable


class Clock:
    """A clock controlled by the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A file that pretends to be a terminal."""

    def isatty(self) -> bool:
        return True


def follow(file: io.StringIO, every: float | None, seconds: int) -> int:
    clock, rows = Clock(), []
    with LiveTable(every, lambda: f"{len(rows)} [rows]", file=file, clock=clock) as table:
        drawn = 0
        for second in range(seconds):
            rows.append(second)
            clock.now += 1
            drawn += table.tick()
        table.finish()
    return drawn


def test_a_file_gets_a_fresh_table_each_time() -> None:
    file = io.StringIO()
    assert follow(file, 10, 25) == 2
    assert file.getvalue() == "10 [rows]\n\n20 [rows]\n\n25 [rows]\n"


def test_without_a_time_only_the_last_table_is_drawn() -> None:
    file = io.StringIO()
    assert follow(file, None, 25) == 0
    assert file.getvalue() == "25 [rows]\n"


def test_a_terminal_is_redrawn_in_place_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    assert follow(file, 10, 25) == 2
    shown = file.getvalue()
    assert "\x1b[1A" in shown or "\x1b[2K" in shown  # the cursor went back over the last table
    assert shown.rstrip().endswith("\x1b[?25h")  # and is visible again


def test_rich_tables_are_not_cut_where_there_is_no_terminal() -> None:
    from rich.table import Table

    table, file = Table("attributes"), io.StringIO()
    table.add_row("x" * 150)
    LiveTable(None, lambda: table, file=file).finish()
    assert "x" * 150 in file.getvalue()


@pytest.mark.parametrize("bad", ["", "soon", "-1s", "0", "nan", "s"])
def test_a_bad_time_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="10s"):
        parse_seconds(bad)


def test_every_must_be_positive() -> None:
    with pytest.raises(ValueError, match="every_seconds must be above 0, got 0"):
        LiveTable(0, str)
