"""The command that a person meant, for errors where it can be told."""

from __future__ import annotations

import difflib
import errno
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from wmsketch.cli.parts.errors import NOT_LISTS, in_list
from wmsketch.errors import CodedError

_NEAR = re.compile(r"did you mean '([^']+)'\?")
_MOST_FILES = 1000  # of a folder that are looked at


def corrected(problem: BaseException, given: Sequence[str]) -> str:
    """Return the command to type instead of the one that failed; empty where nobody can tell.

    >>> corrected(IsADirectoryError(errno.EISDIR, "expected a file, found a folder", "no such folder"), ["train", "x"])
    ''
    """
    if isinstance(problem, OSError) and problem.filename is not None and problem.errno in (errno.ENOENT, errno.EISDIR):
        wrong = str(problem.filename)
        right = _files_in(wrong) if problem.errno == errno.EISDIR else _near_file(wrong)
    elif isinstance(problem, CodedError) and problem.code == "column" and (near := _NEAR.search(str(problem))):
        wrong, right = str(getattr(problem, "name", "")), near[1]
        in_a_list = getattr(problem, "option", "") not in NOT_LISTS
        meant = [_with_column(word, wrong, right, in_a_list) for word in given]
        return "" if meant == list(given) else shlex.join(["wmsketch", *meant])
    else:
        return ""
    meant = [right if word == wrong else word for word in given]
    return "" if not right or meant == list(given) else shlex.join(["wmsketch", *meant])


def _with_column(word: str, wrong: str, right: str, in_a_list: bool) -> str:
    """Replace a whole word, one name of a list, or a name in a condition; names are quoted where they must be."""
    from wmsketch.readers.condition import in_quotes

    if in_a_list and right in (word, word.strip()):  # typed as it is, with its comma
        return in_list(right)
    if word.strip() == wrong.strip():
        return in_list(right) if in_a_list else right
    listed = ",".join(in_list(right) if part.strip() == wrong.strip() else part for part in word.split(","))
    if listed != word:
        return listed
    return re.sub(rf"(?<![\w.]){re.escape(wrong)}(?=\s*[<>=!])", lambda _: in_quotes(right), word)


def _near_file(path: str) -> str:
    """Return the file in the same folder whose name is most like this one."""
    folder, name = Path(path).parent, Path(path).name
    try:
        names = [each.name for _, each in zip(range(_MOST_FILES), folder.iterdir(), strict=False) if each.is_file()]
    except OSError:
        return ""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return str(folder / near[0]) if near else ""


def _files_in(path: str) -> str:
    """Return a pattern for the files of a folder: those with the commonest ending that is a format's."""
    from wmsketch.readers.recognise import format_of_name

    try:
        files = [each for _, each in zip(range(_MOST_FILES), Path(path).iterdir(), strict=False) if each.is_file()]
    except OSError:
        return ""
    endings = Counter("".join(each.suffixes[-2:]) for each in files if format_of_name(each.name))
    return str(Path(path) / f"*{endings.most_common(1)[0][0]}") if endings else ""
