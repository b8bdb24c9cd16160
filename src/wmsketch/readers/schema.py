"""The rules by which rows with named columns become features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, Self

from wmsketch.errors import ParameterError, ParameterTypeError, require_utf8
from wmsketch.late import dataclass

AUTO = "auto"  # as an interaction: pairs that pay are found


@dataclass(frozen=True, kw_only=True)
class Schema:
    """How the columns of a row become features. Columns without a rule are read by their values.

    A number in column c is the feature ``c`` with that value. Text v is the feature ``c=v``, true is ``c=true``, both
    with the value 1. A list is a bag: it has the feature ``c=v`` for each element; elements that are numbers with a
    fraction have an index instead (``c.0``, ``c.1``). A date or time has the features ``c.hour=21``, ``c.weekday=Sat``
    and ``c.month=May``, in UTC; in a categorical column it is its text, like ``2024-05-17 08:30:00``. Nested values
    have a dotted name. Missing values (None, null, NaN, an empty text) make no feature.

    Rows are a table if nearly all of the first ten have the same columns. The numbers of a table are standardised by
    the mean and standard deviation of their column so far. In rows with an open vocabulary, like bags of words, numbers
    are not scaled.

    >>> Schema(text=["subject"], ignore=["id"])
    Schema(ignore=('id',), text=('subject',))

    Parameters
    ----------
    label, weight, time: the columns with the label, the weight and the time of a row. They are never features.
    positive: the positive value of the label; all others are negative.
    features, ignore: take only these columns, or all except these.
    numeric, categorical, text: read these columns as numbers, as categories, as running text.
    interactions: pairs of columns like ``"origin:carrier"``, whose values are also combined into features. With
        ``"auto"``, `fit` of a file or table with its label finds pairs that pay on rows held out.
    ngrams, lowercase: for text columns: the longest n-gram, and whether to convert to lower case.
    templates: a text column is one category, the template of the text as of a log line: ``took <num> ms``.
    variable_words: templates in which words vary, like ``user <word> left``; a file or a table that is learned first
        has them found in its first rows.
    word_values: for text columns: ``"unit"``, word counts scaled so that each text has l2 norm 1; ``"sublinear"``,
        1 + log(count), scaled in the same way; ``"counts"``, unscaled counts.
    numbers: ``"automatic"``, scaled if the rows are a table, or an array and steps are adaptive; ``"scaled"``, always;
        ``"raw"``, never.
    missing: ``"skip"``, or ``"count"``: a missing value is the feature ``c=(missing)``.
    na: more words that mean missing, in all columns, like ``["-", "?"]``; a number means that number.
    """

    label: str = ""
    positive: float | str | bool | None = None
    weight: str = ""
    time: str = ""
    features: Sequence[str] = ()
    ignore: Sequence[str] = ()
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    text: Sequence[str] = ()
    interactions: Sequence[str] = ()
    ngrams: int = 1
    lowercase: bool = False
    templates: bool = False
    variable_words: Sequence[str] = ()
    word_values: Literal["unit", "sublinear", "counts"] = "unit"
    numbers: Literal["automatic", "scaled", "raw"] = "automatic"
    missing: Literal["skip", "count"] = "skip"
    na: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default == ():
                if isinstance(value, str) or not all(isinstance(name, str) for name in value):
                    raise ParameterError(field.name, "must be a list of names", value)
                object.__setattr__(self, field.name, tuple(value))
            elif field.default == "" and not isinstance(value, str):
                raise ParameterError(field.name, "must be the name of a column", value)
            for text in value if field.default == () else (value,):
                if isinstance(text, str):
                    require_utf8(field.name, text)
        for name, allowed in _WORDS.items():
            if getattr(self, name) not in allowed:
                raise ParameterError(name, f"must be one of {', '.join(allowed)}", getattr(self, name))
        if not isinstance(self.ngrams, int) or isinstance(self.ngrams, bool) or self.ngrams < 1:
            raise ParameterError("ngrams", "must be at least 1", self.ngrams)
        for interaction in self.interactions:
            if interaction != AUTO:
                parse_pair("interactions", interaction)

    @classmethod
    def of(cls, given: Schema | Mapping[str, Any] | None) -> Schema:
        """Return the schema for a parameter: a Schema, a mapping of rules, or None for no rules.

        >>> Schema.of({"numbers": "raw"})
        Schema(numbers='raw')
        """
        if given is None:
            return _NO_RULES
        if isinstance(given, Schema):
            return given
        if not isinstance(given, Mapping):
            raise ParameterTypeError("schema", "must be a Schema, a mapping of its rules or None", given)
        unknown = sorted(set(given) - {field.name for field in fields(Schema)}, key=str)
        if unknown:
            raise ValueError(f"schema has no rule {unknown[0]!r}")
        return Schema(**given)

    def given(self) -> dict[str, Any]:
        """Return the rules that differ from their defaults.

        >>> Schema(ignore=["id"], ngrams=2).given()
        {'ignore': ('id',), 'ngrams': 2}
        """
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    def with_rules(self, **rules: Any) -> Self:
        """Return a schema with these rules replaced.

        >>> Schema(ignore=["id"]).with_rules(ngrams=2)
        Schema(ignore=('id',), ngrams=2)
        """
        return type(self)(**{**self.given(), **rules})

    def positive_text(self) -> str | None:
        """Return the positive label as a file would write it."""
        positive = str(self.positive).lower() if isinstance(self.positive, bool) else self.positive
        return None if positive is None else str(positive)

    def pairs(self) -> list[tuple[str, str]]:
        """Return the two columns of each interaction.

        >>> Schema(interactions=["origin:carrier"]).pairs()
        [('origin', 'carrier')]
        """
        if AUTO in self.interactions:
            raise ParameterError("interactions", "'auto' is for train and fit(path or table, label=...) of a new model")
        return [parse_pair("interactions", interaction) for interaction in self.interactions]

    def encoder_options(self) -> dict[str, Any]:
        """Return the options of the native encoder of columns."""
        inside = [name for pair in self.pairs() for name in pair]
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        return {
            **{name: getattr(self, name) for name in ("label", "weight", "time", "ngrams", "lowercase", "templates")},
            **lists,
            "features": [*self.features, *inside] if self.features else [],
            "interactions": self.pairs(),
            "positive": self.positive_text(),
            "word_values": self.word_values,
            "missing": self.missing,
        }

    def __repr__(self) -> str:
        return f"Schema({', '.join(f'{name}={value!r}' for name, value in self.given().items())})"


_LISTS = ("ignore", "numeric", "categorical", "text", "na", "variable_words")
_WORDS = {
    "word_values": ("unit", "sublinear", "counts"),
    "numbers": ("automatic", "scaled", "raw"),
    "missing": ("skip", "count"),
}


_NO_RULES = Schema()  # made once: `learn_many` asks for it in every call


def parse_pair(option: str, text: str) -> tuple[str, str]:
    """Return the two columns of a pair like "origin:carrier".

    >>> parse_pair("interactions", "origin:carrier")
    ('origin', 'carrier')
    """
    left, colon, right = text.partition(":")
    if not (left and colon and right) or ":" in right:
        raise ParameterError(option, "must look like column:column", text)
    return left, right
