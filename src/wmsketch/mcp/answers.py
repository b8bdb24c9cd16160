"""Commands as tools: which files a tool may read, and the answer of a command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wmsketch.apps.held import Held

MOST_SECONDS = 300
MOST_LINES = 1000  # of `predict`
_COUNTED = {"items": "items", "different_pairs": "pairs"}


class Refused(ValueError):
    """What a tool does not do, in a sentence for the assistant."""


def file_in(folder: Path, name: str) -> str:
    """Return the path of a file that lies in the folder, with all links followed; anything else is refused."""
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise Refused(f"{name!r} is outside of the folder that this server may read")
    if not path.is_file():
        raise Refused(f"there is no file {name!r}; list_files has the names")
    return str(path)


def options(**given: str | int | Sequence[str] | None) -> list[str]:
    """Return options as `--name=value`, so that no value can be an option of its own.

    >>> options(outlier="ms>500", order=2, ignore=["at", "id"], where=None)
    ['--outlier=ms>500', '--order=2', '--ignore=at,id']
    """
    words = []
    for name, value in given.items():
        if value is None or value == []:
            continue
        text = ",".join(value) if isinstance(value, list | tuple) else str(value)
        words.append(f"--{name.replace('_', '-')}={text}")
    return words


def answer(command: str, files: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """Return the JSON of `wmsketch COMMAND --json`, and a sentence that says how exact it is."""
    document = json.loads(run(command, files, words))
    return {"answer": document, "exactness": exactness(document)}


def run(command: str, files: Sequence[str], words: Sequence[str]) -> str:
    """Return what a command prints; its error is a Refused."""
    line = [sys.executable, "-m", "wmsketch", command, "--json", *words, "--", *files]
    try:
        done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as problem:
        raise Refused(f"{command} took more than {MOST_SECONDS} seconds: try a smaller file") from problem
    if done.returncode != 0:
        raise Refused(done.stderr.strip().removeprefix("wmsketch: "))
    return done.stdout


def exactness(document: dict[str, Any]) -> str:
    """Return the sentence: what was counted completely, or over how many rows an error was measured."""
    if isinstance(document.get("held"), str):
        return str(document["held"])
    for key, things in _COUNTED.items():
        if key in document:
            counts = document[key]
            held = Held(
                counts["held"], counts["distinct"], counts["exact"], counts["shortened"], counts["budget_for_all"]
            )
            return held.line(things)
    return (
        f"the error is over {document['examples']:,} rows, each predicted before it was learned; "
        "low and high bound a weight with 95 % confidence"
    )
