"""Texts, items, files and blocks of rows into PMI."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

from wmsketch import _core
from wmsketch.apps.pmi.regex import RegexLines
from wmsketch.apps.variable_words import HasVariableWords
from wmsketch.learners.rows.whole_calls import alone, lock_of
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.readers.variable_words import LOOKED_AT, bytes_for_words, words_in


class ReadsItems(HasVariableWords):
    """The reading part of PMI."""

    token: str
    budget: int | str
    _pairs: _core.Pairs
    _regex: RegexLines | None

    @property
    def wants_words(self) -> bool:
        """Whether the first lines are to be looked into, for words that vary in templates."""
        return self.token == "templates" and self.variable_words is None

    def find_words(self, lines: Iterable[bytes | str]) -> None:
        """Find the words that vary in the first lines, which are not learned."""
        if self.wants_words:
            self.take_words(words_in(lines, bytes_for_words(parse_bytes(self.budget))))

    def take_words(self, found: Sequence[str]) -> None:
        """Replace these words from now on."""
        super().take_words(found)
        self._pairs.replace_words(list(found))

    def learn_one(self, items: str | Iterable[str]) -> None:
        """Learn one text, or one sequence of items; windows do not extend into the next.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI()
        >>> pmi.learn_one("tea and milk")
        >>> pmi.learn_one(["tea", "and", "jam"])
        >>> pmi.row("tea", "and").count
        2
        """
        if isinstance(items, str):
            self.learn_text(items)
        else:
            self.learn_items(items)

    def learn_many(self, sequences: Iterable[str | Iterable[str]]) -> None:
        """Learn texts, or sequences of items, one after the other.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI()
        >>> pmi.learn_many(["tea and milk", "tea and jam"])
        >>> pmi.row("tea", "and").count
        2
        """
        if isinstance(sequences, str):
            raise TypeError("learn_many takes texts or sequences of items, got one str: use learn_one")
        for each in sequences:
            self.learn_one(each)

    def learn_file(self, source: Any, format: str | None = None, **options: Any) -> Self:
        """Learn files (paths, globs, ``-``) of text; for tables, ``items`` or ``text`` names the column.

        ``group`` and ``time`` are columns of an event log. The other options are those of a reader.

        >>> import pathlib, tempfile
        >>> from wmsketch.apps import PMI
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "talk.txt")
        ...     _ = path.write_text("tea and milk\\n" * 9)
        ...     PMI().learn_file(path).row("tea", "and").count
        9
        """
        from wmsketch.apps.pmi.inputs import Columns, Inputs

        model: Any = self  # this class is one of its bases
        columns = Columns(**{name: options.pop(name) for name in ("items", "text", "group", "time") if name in options})
        paths = [os.fspath(source)] if isinstance(source, (str, os.PathLike)) else [os.fspath(path) for path in source]
        for _ in Inputs(model, paths, columns, format, **options).learn():
            pass
        return self

    @alone
    def learn_text(self, text: str | bytes) -> None:
        """Learn a whole text, including its last token and window.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI()
        >>> pmi.learn_text("Don't panic,\\nDON’T panic.")
        >>> pmi.row("don't", "panic").count
        2
        """
        if self.wants_words:
            self.find_words(text[:LOOKED_AT].splitlines())
        self.learn_chunk(text)
        self.end_text()

    @alone
    def learn_chunk(self, chunk: str | bytes) -> None:
        """Learn a piece of a text; the next piece continues it, and the place of the cut does not matter.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI()
        >>> pmi.learn_chunk("tea and mi")
        >>> pmi.learn_chunk("lk")
        >>> pmi.end_text()
        >>> pmi.row("and", "milk").count
        1
        """
        self.find_words(())  # none, unless the lines were looked into before
        data = chunk.encode() if isinstance(chunk, str) else chunk
        if self._regex is not None:
            self._regex.learn(data)
        else:
            self._pairs.learn_text(data)

    @alone
    def end_text(self) -> None:
        """End the text given to `learn_chunk` in pieces.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI()
        >>> pmi.learn_chunk("tea and milk")
        >>> pmi.end_text()
        >>> pmi.tokens
        3
        """
        if self._regex is not None:
            self._regex.end()
        else:
            self._pairs.end_text()

    def learn_items(self, items: Iterable[str]) -> None:
        """Learn a sequence of items; windows do not extend into the next.

        >>> from wmsketch.apps import PMI
        >>> pmi = PMI(directed=False)
        >>> for _ in range(100):
        ...     pmi.learn_items(["disk full", "write failed"])
        ...     pmi.learn_items(["login", "logout"])
        >>> sorted(pmi.top(1)[0].pair) in (["disk full", "write failed"], ["login", "logout"])
        True
        """
        given = list(items)  # which may be made by code that asks this object
        with lock_of(self):
            self._pairs.learn_items(given)

    @alone
    def learn_block(
        self, block: _core.RowBlock, *, items: str = "", text: str = "", group: str = "", time: str = ""
    ) -> tuple[int, str] | None:
        """Learn a block of rows from `open_examples`, with these columns as categories: items, or running text.

        Return None, or the number of the first row that could not be learned, and the reason.
        """
        if text and self._regex is not None:
            for place in range(len(block.keys)):
                self._regex.learn(block.name(place).removeprefix(f"{text}=").encode())
                self._regex.end()
            return None
        if items and self.wants_words:
            self.find_words(map(str, block.first_columns(len(block)).get(items, ((), ()))[1]))
        return self._pairs.learn_block(block, items or text, group, time, text=bool(text))
