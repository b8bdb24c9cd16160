"""Tokens of a text by a regular expression."""

from __future__ import annotations

import re

from wmsketch import _core

TOKENS = ("words", "whitespace", "lines")  # tokens that the core finds itself


class RegexLines:
    """Finds tokens with a regular expression, line by line."""

    def __init__(self, pairs: _core.Pairs, token: str, within: str, lowercase: bool) -> None:
        try:
            self._find = re.compile(token).finditer
        except re.error as problem:
            raise ValueError(f"token must be one of {', '.join(TOKENS)} or a regular expression: {problem}") from None
        self._pairs = pairs
        self._within = within
        self._lowercase = lowercase
        self._rest = b""  # an incomplete line

    def learn(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._learn_line(line)

    def end(self) -> None:
        rest, self._rest = self._rest, b""
        self._learn_line(rest)
        self._pairs.learn_items([], end=True)

    def _learn_line(self, line: bytes) -> None:
        text = line.decode(errors="replace")
        if self._lowercase:
            text = text.lower()
        tokens = [match[0] for match in self._find(text) if match[0]]
        ends = self._within == "line" or (self._within == "paragraph" and not tokens)
        self._pairs.learn_items(tokens, end=ends)
