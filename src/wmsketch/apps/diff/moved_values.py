"""Which value of a variable moved inside a template that both logs have."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from wmsketch import _core
from wmsketch.readers import expand_paths, open_stream
from wmsketch.readers.open_stream import CHUNK_BYTES, Paths, stored_size_of_all

if TYPE_CHECKING:
    from wmsketch.apps.diff.diff import Diff

_TEMPLATES = 20  # looked into: those with the most lines
_SHOWN = 5
_FEWEST = 20  # lines of a template in each log
_NOTABLE = 1.5  # a share must change by this factor
_ERRORS = 0.05  # in all, after correction for what was tried
_VARIABLE = re.compile(r"<(time|num|ip|hex|id|mail|host|text|query|word)>")

Counts = tuple[int, list[list[tuple[str, int, int]]]]  # lines, and of each variable its most frequent values


@dataclass(frozen=True, slots=True)
class MovedValue:
    """A value with another share of the lines of its template. `variable` is its place and kind, like ``2 <ip>``.

    The counts are exact if fewer than 32 values occurred; otherwise they are the ends that differ least.
    """

    template: str
    variable: str
    value: str
    count_a: int
    lines_a: int
    count_b: int
    lines_b: int

    @property
    def shares(self) -> tuple[float, float]:
        """The share of the lines of the template that have the value, in both logs."""
        return self.count_a / self.lines_a, self.count_b / self.lines_b

    def as_record(self) -> dict[str, Any]:
        """Return the JSON record."""
        return asdict(self)

    def told(self, first: str, second: str) -> str:
        """Return the finding as a sentence.

        >>> moved = MovedValue("from <ip>", "1 <ip>", "10.0.0.7", 2, 100, 41, 100)
        >>> print(moved.told("monday.log", "tuesday.log"))
        in “from <ip>”, <ip> is 10.0.0.7 in 2.0 % of the lines of monday.log and in 41.0 % of tuesday.log
        """
        kind = self.variable.partition(" ")[2]
        a, b = (f"{share:.1%}".replace("%", " %") for share in self.shares)
        return f"in “{self.template}”, {kind} is {self.value} in {a} of the lines of {first} and in {b} of {second}"


def moved_values(diff: Diff, a: Paths, b: Paths, encoding: str | None = None) -> list[MovedValue]:
    """Return the values that moved most inside the most frequent templates, found by reading the files again.

    A share is compared beyond chance, corrected for all values looked at. Pipes cannot be read again: none is returned.
    """
    sides = [expand_paths(paths) for paths in (a, b)]
    if not diff.by_template or any(stored_size_of_all(paths) is None for paths in sides):
        return []
    rows = [row for row in diff.top(diff.held.held, min_count=_FEWEST, within_noise=True) if not row.shortened]
    both = [row for row in rows if min(row.count_a or 0, row.count_b or 0) >= _FEWEST]
    both.sort(key=lambda row: (-(row.count_a or 0) - (row.count_b or 0), str(row.feature)))
    names = [str(row.feature) for row in both[:_TEMPLATES]]
    counts = [_count(names, paths, diff.variable_words, encoding) for paths in sides] if names else []
    return _moved(names, *counts) if counts else []


def _count(names: list[str], paths: Sequence[str], variable_words: Sequence[str], encoding: str | None) -> list[Counts]:
    parser = _core.LogLineParser()
    parser.replace_words(list(variable_words))
    parser.count_values(names)
    for path in paths:
        with open_stream(path, encoding) as stream:
            parser.next_file()
            for chunk in stream.chunks(CHUNK_BYTES):
                parser.feed(chunk, False)
            parser.feed(b"", True)
    return [parser.counted(name) for name in names]


def _moved(names: Sequence[str], a: Sequence[Counts], b: Sequence[Counts]) -> list[MovedValue]:
    """Return the moved values of counted templates, the surest first.

    >>> monday = [(100, [[("10.0.0.1", 50, 50), ("10.0.0.7", 2, 2)]])]
    >>> tuesday = [(100, [[("10.0.0.7", 41, 41), ("10.0.0.1", 40, 40)]])]
    >>> [(row.value, row.count_a, row.count_b) for row in _moved(["from <ip>"], monday, tuesday)]
    [('10.0.0.7', 2, 41)]
    """
    found: list[tuple[float, MovedValue]] = []
    tried = 0
    for name, (lines_a, of_a), (lines_b, of_b) in zip(names, a, b, strict=True):
        kinds = [match[0] for match in _VARIABLE.finditer(name)]
        kinds = ["who asked"] * (len(of_a) > len(kinds)) + kinds  # the address in front of a line of an access log
        places = sorted(enumerate(kinds, 1), key=lambda each: each[1] == "<word>")  # words are counted last
        for (place, kind), values_a, values_b in zip(places, of_a, of_b, strict=False):
            if kind == "<time>":
                continue
            ends_a, ends_b = _ends(values_a), _ends(values_b)
            values = sorted({*ends_a, *ends_b} - {None}, key=str)
            tried += len(values)
            best = max((_compared(ends_a, lines_a, ends_b, lines_b, value) for value in values), default=None)
            if best is not None:
                score, value, count_a, count_b = best
                variable = f"{place} {kind}"
                found.append((score, MovedValue(name, variable, value, count_a, lines_a, count_b, lines_b)))
    needed = NormalDist().inv_cdf(1 - _ERRORS / 2 / max(1, tried))
    found = [(score, row) for score, row in found if score > needed]
    found.sort(key=lambda each: (-each[0], each[1].template, each[1].variable))
    return [row for _, row in found[:_SHOWN]]


Ends = dict[str | None, tuple[int, int]]


def _ends(values: Sequence[tuple[str, int, int]]) -> Ends:
    """The least and the most of each value; under None, of one that is not held."""
    most = min((high for _, _, high in values), default=0) if len(values) >= _core.LogLineParser.most_values else 0
    return {None: (0, most), **{value: (low, high) for value, low, high in values}}


def _compared(a: Ends, lines_a: int, b: Ends, lines_b: int, value: str | None) -> tuple[float, str, int, int]:
    """How many standard deviations the two shares are apart, at the ends where they differ least."""
    (low_a, high_a), (low_b, high_b) = a.get(value, a[None]), b.get(value, b[None])
    if low_a / lines_a > high_b / lines_b:
        count_a, count_b = low_a, high_b
    elif low_b / lines_b > high_a / lines_a:
        count_a, count_b = high_a, low_b
    else:
        return 0.0, str(value), low_a, low_b
    share_a, share_b = count_a / lines_a, count_b / lines_b
    if max(share_a, share_b) < _NOTABLE * min(share_a, share_b):
        return 0.0, str(value), count_a, count_b
    pooled = (count_a + count_b) / (lines_a + lines_b)
    deviation = math.sqrt(pooled * (1 - pooled) * (1 / lines_a + 1 / lines_b)) or math.inf
    return abs(share_a - share_b) / deviation, str(value), count_a, count_b
