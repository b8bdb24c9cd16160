"""Tokens of a text by a regular expression."""

from __future__ import annotations

import re

from wmsketch import _core

LONGEST_LINE = 2**26  # as for all readers of lines: memory stays bounded without newlines too
TOKENS = ("words", "whitespace", "lines", "templates")  # tokens that the core finds itself


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
        self._rest: list[bytes] = []  # pieces of an incomplete line

    def learn(self, chunk: bytes) -> None:
        first, *others = chunk.split(b"\n")
        self._go_on(first)
        for piece in others:
            self._learn_line(self._take_rest())
            self._go_on(piece)

    def _go_on(self, piece: bytes) -> None:
        self._rest.append(piece)
        if sum(map(len, self._rest)) > LONGEST_LINE:
            self._take_rest()
            raise ValueError(f"expected lines of at most {LONGEST_LINE:,} bytes, found a longer one")

    def end(self) -> None:
        self._learn_line(self._take_rest())
        self._pairs.learn_items([], end=True)

    def _take_rest(self) -> bytes:
        rest, self._rest = b"".join(self._rest), []
        return rest

    def _learn_line(self, line: bytes) -> None:
        text = line.decode(errors="replace")
        if self._lowercase:
            text = text.lower()
        tokens = [match[0] for match in self._find(text) if match[0]]
        ends = self._within == "line" or (self._within == "paragraph" and not tokens)
        self._pairs.learn_items(tokens, end=ends)
