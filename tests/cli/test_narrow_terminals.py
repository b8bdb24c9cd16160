"""Tables of train and top on a terminal that is too narrow for them."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

NAMES = ["a product with a long name, in black", "a product with a long name, in white"]


def on_terminal(width: int, *arguments: str | Path) -> list[str]:
    """What the command line prints on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    command = [sys.executable, "-m", "wmsketch", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment["TERM"] = "xterm"  # the one that runs the tests may be "dumb"
    process = subprocess.Popen(command, stdout=theirs, stdin=theirs, stderr=subprocess.PIPE, env=environment)
    os.close(theirs)
    printed = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        printed += more
    os.close(ours)
    assert process.wait() == 0, process.communicate()[1].decode()
    process.communicate()
    return printed.decode().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_names_are_folded_and_never_cut(width: int, tmp_path: Path) -> None:
    file, model = tmp_path / "sales.csv", tmp_path / "sales.wms"
    file.write_text("item,sold\n" + "".join(f'"{NAMES[i % 2]}",{i % 2}\n' for i in range(200)))
    lines = on_terminal(width, "train", file, "--label", "sold", "--budget", "8KiB", "--save", model, "--quiet")
    table = lines[: next(i for i, line in enumerate(lines) if line.startswith("low to high"))]
    assert all(len(line) <= width for line in table)
    starts = "".join(line[: table[0].index("weight") - 1].rstrip(" +-").strip() for line in table[1:]).replace(" ", "")
    for name in NAMES:
        assert f"item={name}".replace(" ", "") in starts
    assert ("95 %" in table[0]) == (width == 120)


def test_conjunctions_are_folded_between_words(tmp_path: Path) -> None:
    file = tmp_path / "requests.csv"
    rows = "".join(f"{'ab'[i % 2]},{'cd'[i // 2 % 2]},{900 if i % 4 == 0 else i % 7}\n" for i in range(800))
    file.write_text("name_of_the_data_centre,version_of_the_service,ms\n" + rows)
    options = ("--outlier", "ms>100", "--order", "2", "--all", "--quiet")
    lines = [line.split("  ")[0] for line in on_terminal(60, "explain", file, *options)]
    at = lines.index("name_of_the_data_centre=a &")
    assert lines[at + 1] == "version_of_the_service=c"
