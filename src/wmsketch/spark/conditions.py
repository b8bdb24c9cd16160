"""Conditions of `explain` with percentiles replaced by numbers, which Spark computes over the whole DataFrame."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wmsketch.readers.condition import MISSING, Comparison, Condition, in_quotes, parse_condition
from wmsketch.spark.columns import column, require

_JOINTS = {-1: "({} and {})", -2: "({} or {})", -3: "not {}"}


def with_numbers(df: DataFrame, text: str) -> str:
    """Return the condition with each percentile replaced by its number."""
    condition = parse_condition(text)
    asked = [each for each in condition.comparisons if each.percentile is not None]
    if not asked:
        return text
    require(df.schema, "outlier", [each.column for each in asked])
    quantiles = [F.percentile_approx(column(each.column), (each.percentile or 0) / 100) for each in asked]
    found = df.select(*quantiles).first()
    assert found is not None  # an aggregate has one row
    for each, number in zip(asked, found, strict=True):
        if number is None:
            raise ValueError(f"outlier: the column {each.column!r} has no values, so it has no {each.value}")
    return text_of(condition, {id(each): f"{number}" for each, number in zip(asked, found, strict=True)})


def text_of(condition: Condition, numbers: dict[int, str] | None = None) -> str:
    """Return a condition as text; ``numbers`` replace the values of these comparisons.

    >>> text_of(parse_condition("a > 1 and not (b == 'New York' or c is missing)"))
    "(a>1 and not (b=='New York' or c is missing))"
    """
    parts: list[str] = []
    for step in condition.steps:
        if step >= 0:
            parts.append(_comparison(condition.comparisons[step], numbers or {}))
            continue
        operands = [parts.pop() for _ in range(1 if step == -3 else 2)]
        parts.append(_JOINTS[step].format(*reversed(operands)))
    [text] = parts
    return text


def _comparison(each: Comparison, numbers: dict[int, str]) -> str:
    if each.operator == MISSING:
        return f"{in_quotes(each.column)} is missing"
    value = numbers.get(id(each)) or _quoted(each.value)
    return f"{in_quotes(each.column)}{each.operator}{value}"


def _quoted(value: str) -> str:
    try:
        float(value)
        return value
    except ValueError:
        return f'"{value}"' if "'" in value else f"'{value}'"
