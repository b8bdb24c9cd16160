"""Columns of log messages: the words that vary are found in the first rows, and belong to the schema of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wmsketch.readers import Schema, open_examples
from wmsketch.readers.variable_words import bytes_for_words, size_of_words

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier


def wants_words(model: OnlineClassifier) -> bool:
    """Return whether the first rows are to be looked into."""
    rules = Schema.of(model.schema)
    return rules.templates and bool(rules.text) and not rules.variable_words and not model._started


def word_options(model: OnlineClassifier) -> dict[str, Any]:
    """Return the options of a reader that finds the words of a new model."""
    return {"find_words": bytes_for_words(model.nbytes)} if wants_words(model) else {}


def take_words(model: OnlineClassifier, found: Sequence[str]) -> None:
    """Keep the words that the reader of the first rows has found."""
    if found and wants_words(model):
        model.schema = Schema.of(model.schema).with_rules(variable_words=found)


def find_words(model: OnlineClassifier, source: Any, format: str | None, options: dict[str, Any]) -> None:
    """Find the words before the first row is learned, for rows that are learned in several processes."""
    if wants_words(model):
        reading = {**options, **model._reading(to_learn=True), **word_options(model), "rejects": None}
        with open_examples(source, format, **reading) as examples:
            next(examples, None)
            take_words(model, examples.variable_words)


def bytes_of_words(model: OnlineClassifier) -> int:
    """Return the bytes of the templates with <word>, which are in the budget."""
    rules = Schema.of(model.schema)
    return size_of_words(rules.variable_words) if rules.variable_words else 0
