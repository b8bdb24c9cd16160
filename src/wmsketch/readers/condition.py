"""Conditions like `dep_delay>p80` or `amount>100 and not country in (US, CA)`, as text and as comparisons."""

from __future__ import annotations

import re
from dataclasses import field, replace

from wmsketch.errors import ConditionError, require_utf8
from wmsketch.late import dataclass, pattern

OPERATORS = ("<=", ">=", "==", "!=", "<", ">")
MISSING = "missing"
_TOKEN = pattern(
    r"""\s*(?: (?P<quoted>"[^"]*"|'[^']*') | (?P<operator>[<>=!]+) | (?P<mark>[(),])
    | (?P<word>[^\s<>=!"'(),]+) | (?P<other>\S) )""",
    re.X,
)
_NUMBER = pattern(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_PERCENTILE = pattern(r"p(\d+(?:\.\d+)?)", re.ASCII)
_JOINTS = ("and", "or", "not", "in", "is")
_DEEPEST = 100
_SHOWN = 200  # characters of a condition in a message
_QUOTES = " (in a shell, a condition with > or < needs quotes)"
_STEPS = {"and": -1, "or": -2, "not": -3}


@dataclass(frozen=True)
class Comparison:
    """A comparison of a column with a value, or with a `percentile`. The operator `missing` takes no value."""

    column: str
    operator: str
    value: str = ""
    percentile: float | None = None

    def __str__(self) -> str:
        return f"{self.column} is missing" if self.operator == MISSING else f"{self.column}{self.operator}{self.value}"


@dataclass(frozen=True)
class Condition:
    """Comparisons, and a postfix program that joins them: the index of a comparison, or -1 and, -2 or, -3 not."""

    comparisons: list[Comparison] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """The columns in the condition."""
        return list(dict.fromkeys(each.column for each in self.comparisons))

    def as_given(self) -> tuple[list[tuple[str, str, str, float | None]], list[int]]:
        """Return the condition in the form of the core."""
        return [(each.column, each.operator, each.value, each.percentile) for each in self.comparisons], self.steps

    @property
    def n_percentiles(self) -> int:
        return sum(each.percentile is not None for each in self.comparisons)


def parse_condition(text: str, of: str = "outlier") -> Condition:
    """Parse a condition. Errors begin with ``of`` and give the position.

    Operators are < <= > >= == (or =) !=, `in (a, b)` and `is missing` (`not in`, `is not missing`), joined by `and`,
    `or`, `not` and parentheses. A value is a number, a word, or a percentile such as p80 or p99.9 of the column itself.
    Names and values may contain blanks and parentheses; with other special characters they must be quoted. Quoted, p80
    is a word.

    >>> condition = parse_condition("amount > p80 or not country in ('New Zealand', AU)")
    >>> [str(each) for each in condition.comparisons], condition.steps
    (['amount>p80', 'country==New Zealand', 'country==AU'], [0, 1, 2, -2, -3, -2])
    >>> [str(each) for each in parse_condition("Amount (EUR) > 100 and ship country = New Zealand").comparisons]
    ['Amount (EUR)>100', 'ship country==New Zealand']
    """
    return _Parser(require_utf8(of, text), of).parse()


def in_quotes(name: str) -> str:
    """Return a name for a condition, quoted if necessary.

    >>> in_quotes("dep_delay"), in_quotes("unit price"), in_quotes("in")
    ('dep_delay', '"unit price"', '"in"')
    """
    tokens = _Parser(name, "").tokens
    if len(tokens) == 2 and tokens[0].is_name and tokens[0].text == name:
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'


@dataclass(frozen=True)
class _Token:
    """A word of a condition, and where it begins."""

    kind: str
    text: str
    at: int  # position in the condition, from 1

    def says(self, *words: str) -> bool:
        return self.kind == "word" and self.text.lower() in words

    @property
    def is_name(self) -> bool:
        return self.kind == "quoted" or (self.kind == "word" and not self.says(*_JOINTS))

    @property
    def bare(self) -> str:
        return self.text[1:-1] if self.kind == "quoted" else self.text


class _Parser:
    def __init__(self, text: str, of: str) -> None:
        self._text, self._of = text, of
        found = [
            _Token(str(match.lastgroup), match[match.lastgroup or 0], match.start(match.lastgroup or 0) + 1)
            for match in _TOKEN.finditer(text)
        ]
        self.tokens = [*found, _Token("end", "", len(text) + 1)]
        self._at = 0  # the next token
        self._depth = 0
        self._comparisons: list[Comparison] = []
        self._steps: list[int] = []

    def parse(self) -> Condition:
        self._either()
        if self._next.kind != "end":
            raise self._unexpected("'and', 'or' or the end", self._next)
        return Condition(self._comparisons, self._steps)

    @property
    def _next(self) -> _Token:
        return self.tokens[self._at]

    def _take(self, end: int | None = None) -> _Token:
        """Take the next token, or all before ``end`` as one word."""
        token, self._at = self._next, min(end or self._at + 1, len(self.tokens) - 1)
        last = self.tokens[end - 1] if end else token
        return token if last is token else replace(token, text=self._text[token.at - 1 : last.at - 1 + len(last.text)])

    def _phrase_end(self) -> int:
        """Return where words and pairs of parentheses end that begin with the next token."""
        at, closed, depth = self._at + 1, self._at + 1, 0
        while self._next.kind == "word" and (self.tokens[at].kind == "word" or self.tokens[at].text in ("(", ")")):
            depth += {"(": 1, ")": -1}.get(self.tokens[at].text, 0)
            if depth < 0 or self.tokens[at].says("and", "or"):
                break
            at += 1
            closed = at if depth == 0 else closed
        return closed

    def _either(self) -> None:
        self._both()
        while self._next.says("or"):
            self._take()
            self._both()
            self._steps.append(_STEPS["or"])

    def _both(self) -> None:
        self._single()
        while self._next.says("and"):
            self._take()
            self._single()
            self._steps.append(_STEPS["and"])

    def _single(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._unexpected(f"at most {_DEEPEST} nested conditions", self._next)
        if self._next.says("not"):
            self._take()
            self._single()
            self._steps.append(_STEPS["not"])
        elif self._next.text == "(" and self._next.kind == "mark":
            self._take()
            self._either()
            self._require(")")
        else:
            self._comparison()
        self._depth -= 1

    def _comparison(self) -> None:
        if not self._next.is_name:
            raise self._unexpected("a column", self._next)
        end = self._phrase_end()
        if self.tokens[end].kind != "operator":  # a list, or a question for missing values
            end = next((at for at in range(self._at + 1, end) if self.tokens[at].says("in", "is", "not")), self._at + 1)
        column = self._take(end)
        operator = self._take()
        negated = operator.says("not") and self._next.says("in")
        if negated:
            operator = self._take()
        if operator.says("in"):
            self._list(column.bare)
        elif operator.says("is"):
            negated = self._next.says("not")
            if negated:
                self._take()
            if not self._next.says(MISSING):
                raise self._unexpected("'missing'", self._next)
            self._take()
            self._add(Comparison(column.bare, MISSING))
        else:
            if operator.text == "=" and operator.kind == "operator":
                operator = replace(operator, text="==")
            if operator.kind != "operator" or operator.text not in OPERATORS:
                expected = f"one of {' '.join(sorted(OPERATORS))}, 'in' or 'is'"
                # a shell writes to a file named p80 if it is given took>p80 without quotes
                raise self._unexpected(expected, operator, _QUOTES if operator.kind == "end" else "")
            if not self._next.is_name:
                raise self._unexpected("a number, a word or a percentile like p80", self._next)
            value = self._take(self._phrase_end() if operator.text in ("==", "!=") else self._at + 1)
            self._add(Comparison(column.bare, operator.text, value.bare, self._percentile(value, operator)))
        if negated:
            self._steps.append(_STEPS["not"])

    def _list(self, column: str) -> None:
        self._require("(")
        first = True
        while first or self._next.text == ",":
            if not first:
                self._take()
            if not self._next.is_name:
                raise self._unexpected("a number or a word", self._next)
            self._add(Comparison(column, "==", self._take(self._phrase_end()).bare))
            if not first:
                self._steps.append(_STEPS["or"])
            first = False
        self._require(")")

    def _require(self, mark: str) -> None:
        token = self._take()
        if token.kind != "mark" or token.text != mark:
            raise self._unexpected(f"'{mark}'", token)

    def _add(self, comparison: Comparison) -> None:
        self._steps.append(len(self._comparisons))
        self._comparisons.append(comparison)

    def _percentile(self, value: _Token, operator: _Token) -> float | None:
        if operator.text in ("==", "!="):
            return None  # a word that looks like a percentile: equality with a percentile is meaningless
        match = _PERCENTILE.fullmatch(value.text) if value.kind == "word" else None
        if match is None:
            if _NUMBER.fullmatch(value.bare):
                return None
            raise self._unexpected(f"a number or a percentile like p80 after {operator.text}", value)
        percentile = float(match[1])
        if not 0 < percentile < 100:
            raise self._unexpected("a percentile above p0 and below p100", value)
        return percentile

    def _unexpected(self, expected: str, token: _Token, hint: str = "") -> ConditionError:
        found = repr(token.text) if token.kind != "end" else "the end"
        text = self._text if len(self._text) <= _SHOWN else self._text[:_SHOWN] + "..."
        found = found if len(found) <= _SHOWN else found[:_SHOWN] + "..."
        place = f"at position {token.at} of {text!r}"
        return ConditionError(self._of, f"expected {expected} {place}, found {found}{hint}")
