"""Text from data on its way to a terminal or a page: what controls a terminal, or hides text, is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TextIO, cast

from wmsketch.late import pattern

# Control characters except tab and line end, marks that reorder or hide text, separators, lone surrogates.
_CONTROLS = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)


def safe_text(text: str) -> str:
    r"""Return the text with the characters escaped that would control a terminal.

    >>> print(safe_text("Rome\x1b[31m \u202etxt.exe ä"))
    Rome\u001b[31m \u202etxt.exe ä
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return _CONTROLS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # as in JSON, which stays valid


class SafeStream:
    """A text stream whose writes are escaped; the rest is that of the stream.

    The command line writes all text through it. What draws on a terminal itself takes `unescaped`.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unescaped = stream

    def write(self, text: str) -> int:
        """Write a text without characters that control a terminal."""
        self.unescaped.write(safe_text(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        self.unescaped.writelines(map(safe_text, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)


def safe_stream(stream: TextIO) -> TextIO:
    """Return a stream whose writes are escaped."""
    return stream if isinstance(stream, SafeStream) else cast(TextIO, SafeStream(stream))


def drawing_on(stream: TextIO) -> TextIO:
    """Return the stream for a program that draws on a terminal, and escapes the text from data itself."""
    return stream.unescaped if isinstance(stream, SafeStream) else stream
