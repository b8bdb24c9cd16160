"""Metrics like `sum(revenue)`, `avg(ms)`, `sum(errors)/count()` and `p99(ms)`: as text and as terms of the core."""

from __future__ import annotations

import re

from wmsketch.errors import ParameterError, require_utf8
from wmsketch.late import dataclass

_TERM = re.compile(r"""\s*([A-Za-z]+[\d.]*)\s*\(\s*("[^"]*"|'[^']*'|[^()"']*?)\s*\)\s*""")
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)", re.ASCII)
_RULE = "must be like sum(revenue), avg(ms), count(), sum(errors)/sum(requests) or p99(ms)"

Term = tuple[str, str, float]  # sum, rows, present or above; the column; the threshold of above


@dataclass(frozen=True)
class Metric:
    """A total (one term) or a ratio (two); or a percentile, which is explained by the rows above it."""

    text: str
    terms: tuple[Term, ...]
    percentile: float | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that are added up."""
        return list(dict.fromkeys(column for of, column, _ in self.terms if of != "rows"))

    @property
    def is_ratio(self) -> bool:
        return len(self.terms) == 2

    @property
    def n_moments(self) -> int:
        """The number of sums that the core keeps for each attribute and side."""
        return 5 if self.is_ratio else 2

    def per_row(self) -> Metric:
        """Return the metric divided by the number of rows, if it is a total."""
        if self.is_ratio:
            return self
        return Metric(f"{self.text}/count()", (*self.terms, ("rows", "", 0.0)))

    def above(self, threshold: float) -> Metric:
        """Return the share of rows above a threshold, which stands for a percentile."""
        [(_, column, _), present] = self.terms
        return Metric(self.text, (("above", column, threshold), present), self.percentile)


def parse_metric(text: str) -> Metric:
    """Parse a metric. Names with parentheses or quotes must be quoted.

    >>> parse_metric("sum(errors) / sum(requests)").terms
    (('sum', 'errors', 0.0), ('sum', 'requests', 0.0))
    >>> parse_metric("avg(ms)").terms
    (('sum', 'ms', 0.0), ('present', 'ms', 0.0))
    >>> parse_metric("p99(ms)").percentile
    99.0
    >>> parse_metric("median ms")
    Traceback (most recent call last):
        ...
    wmsketch.errors.ParameterError: metric must be like sum(revenue), avg(ms), count(), sum(errors)/sum(requests) \
or p99(ms), got 'median ms'
    """
    require_utf8("metric", text)
    first = _TERM.match(text)
    if first is None:
        raise ParameterError("metric", _RULE, text)
    rest = text[first.end() :]
    name, column = first[1].lower(), first[2].strip("\"'")
    if not rest and name in ("avg", "mean") and column:
        return Metric(text, (("sum", column, 0.0), ("present", column, 0.0)))
    percentile = 50.0 if name == "median" else float(match[1]) if (match := _PERCENTILE.fullmatch(name)) else None
    if not rest and percentile is not None and column and 0 < percentile < 100:
        return Metric(text, (("above", column, 0.0), ("present", column, 0.0)), percentile)
    terms = [_total(name, column, text)]
    if rest:
        second = _TERM.fullmatch(rest[1:]) if rest[0] == "/" else None
        if second is None:
            raise ParameterError("metric", _RULE, text)
        terms.append(_total(second[1].lower(), second[2].strip("\"'"), text))
    return Metric(text, tuple(terms))


def _total(name: str, column: str, text: str) -> Term:
    if name == "sum" and column:
        return "sum", column, 0.0
    if name == "count":
        return ("present", column, 0.0) if column not in ("", "*") else ("rows", "", 0.0)
    raise ParameterError("metric", _RULE, text)
