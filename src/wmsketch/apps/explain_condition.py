"""Conditions like `dep_delay>p80` or `amount>100 and country==US`, as text and as comparisons."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPERATORS = ("<=", ">=", "==", "!=", "<", ">")
_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted>"[^"]*"|'[^']*') | (?P<operator>[<>=!]+) | (?P<word>[^\s<>=!"']+) | (?P<other>\S) )""", re.X
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One column against a value; `percentile` stands in for the value."""

    column: str
    operator: str
    value: str
    percentile: float | None = None

    def __str__(self) -> str:
        return f"{self.column}{self.operator}{self.value}"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int  # position in the condition, from 1

    @property
    def is_and(self) -> bool:
        return self.kind == "word" and self.text.lower() == "and"


def parse_condition(text: str) -> list[Comparison]:
    """Return the comparisons of a condition, all of which must hold.

    Operators are < <= > >= == !=, joined by `and`. A value is a number, a word, or a percentile such as p80 or p99.9
    of the column itself. Names and values with blanks or operators in them stand in quotes; quoted, p80 is a word.

    >>> [str(each) for each in parse_condition("amount > p80 and country == 'New Zealand'")]
    ['amount>p80', 'country==New Zealand']
    """
    tokens = _tokens(text)
    comparisons: list[Comparison] = []
    while True:
        comparisons.append(_comparison(text, tokens))
        joint = tokens.pop(0)
        if joint.kind == "end":
            return comparisons
        if not joint.is_and:
            raise _unexpected("'and' or the end", joint, text)


def _tokens(text: str) -> list[_Token]:
    found = [
        _Token(str(match.lastgroup), match[match.lastgroup or 0], match.start(match.lastgroup or 0) + 1)
        for match in _TOKEN.finditer(text)
    ]
    return [*found, _Token("end", "", len(text) + 1)]


def _comparison(text: str, tokens: list[_Token]) -> Comparison:
    column = tokens.pop(0)
    if column.kind not in ("word", "quoted") or column.is_and:
        raise _unexpected("a column", column, text)
    operator = tokens.pop(0)
    if operator.kind != "operator" or operator.text not in OPERATORS:
        hint = " (equality is written ==)" if operator.text == "=" else ""
        raise _unexpected(f"one of {' '.join(sorted(OPERATORS))}", operator, text, hint)
    value = tokens.pop(0)
    if value.kind not in ("word", "quoted") or value.is_and:
        raise _unexpected("a number, a word or a percentile like p80", value, text)
    percentile = _percentile(value, operator, text)
    return Comparison(_bare(column), operator.text, _bare(value), percentile)


def _percentile(value: _Token, operator: _Token, text: str) -> float | None:
    match = _PERCENTILE.fullmatch(value.text) if value.kind == "word" else None
    if match is None:
        if operator.text in ("==", "!=") or _NUMBER.fullmatch(_bare(value)):
            return None
        raise _unexpected(f"a number or a percentile like p80 after {operator.text}", value, text)
    if operator.text in ("==", "!="):
        return None  # a word that looks like a percentile: nothing equals a percentile but by chance
    percentile = float(match[1])
    if not 0 < percentile < 100:
        raise _unexpected("a percentile above p0 and below p100", value, text)
    return percentile


def _bare(token: _Token) -> str:
    return token.text[1:-1] if token.kind == "quoted" else token.text


def _unexpected(expected: str, token: _Token, text: str, hint: str = "") -> ValueError:
    found = repr(token.text) if token.kind != "end" else "the end"
    return ValueError(f"outlier: expected {expected} at position {token.at} of {text!r}, found {found}{hint}")
