"""Words that vary in log messages, found by an application in the first rows that it reads."""

from __future__ import annotations

from collections.abc import Sequence

from wmsketch.errors import MergeError
from wmsketch.readers.variable_words import size_of_words


class HasVariableWords:
    """An application with a parameter ``variable_words``: None until the first rows with templates are read."""

    variable_words: Sequence[str] | None = None

    def share_words(self, other: HasVariableWords) -> None:
        """Let both have the same words, if one has read no templates yet; otherwise raise an error if they differ."""
        mine, theirs = self.variable_words, other.variable_words
        if mine is None and theirs is not None:
            self.take_words(theirs)
        elif theirs is not None and mine is not None and tuple(mine) != tuple(theirs):
            message = "cannot merge: words vary in other templates; read both with the variable_words of one"
            raise MergeError(message, ("variable_words",))

    def take_words(self, found: Sequence[str]) -> None:
        """Replace these words from now on."""
        self.variable_words = tuple(found)

    @property
    def _word_bytes(self) -> int:
        return size_of_words(self.variable_words or ())
