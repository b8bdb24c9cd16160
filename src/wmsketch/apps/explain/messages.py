"""Columns of log messages, explained with their templates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from wmsketch.apps.explain.inputs import DictRows
from wmsketch.apps.variable_words import HasVariableWords
from wmsketch.readers import Examples
from wmsketch.readers.variable_words import ROWS_LOOKED_AT, bytes_for_words, words_in


class ReadsMessages(HasVariableWords):
    """The part of an explainer that reads columns of messages."""

    templates: Sequence[str]
    _dicts: DictRows
    _looking: Examples | None = None  # what is read first, in which words are found

    @property
    def budget_bytes(self) -> int:
        raise NotImplementedError

    def _reader_options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _template_options(self, asked: Collection[str]) -> dict[str, Any]:
        """Return the options of a reader about messages, without the columns that the question asks for."""
        if not self.templates:
            return {}
        found = self.variable_words
        words = {"find_words": bytes_for_words(self.budget_bytes)} if found is None else {"variable_words": list(found)}
        return {"text": [name for name in self.templates if name not in asked], "templates": True, **words}

    def _watched(self, examples: Examples) -> Examples:
        self._looking = examples if self.templates and self.variable_words is None else None
        return examples

    def _take_found_words(self) -> None:
        """Keep the words that a reader has found, so that all later rows have the same templates."""
        if self._looking is not None:
            self.take_words(self._looking.variable_words)
            self._looking = None

    def take_words(self, found: Sequence[str]) -> None:
        """Replace these words from now on, also in dicts."""
        super().take_words(found)
        self._dicts = DictRows(self._reader_options())

    def _look_into(self, rows: Any) -> None:
        """Find words in the first dicts of a list; other iterables can be read only once, and have none."""
        if not self.templates or self.variable_words is not None:
            return
        first = rows[:ROWS_LOOKED_AT] if isinstance(rows, Sequence) else ()
        values = [row[name] for row in first if isinstance(row, Mapping) for name in self.templates if name in row]
        texts = [value for value in values if isinstance(value, str)]
        self.take_words(words_in(texts, bytes_for_words(self.budget_bytes)))
