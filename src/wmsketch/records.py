"""The types that every stage shares."""

from __future__ import annotations

import html
import math
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

Row = TypeVar("Row")

DEVIATIONS_95 = 1.959963984540054  # on either side of the mean: 95 % of a normal distribution


def range_95(value: float, deviation: float) -> tuple[float, float]:
    """Return the 95 % range of a value with this standard deviation.

    >>> [round(end, 2) for end in range_95(1.0, 0.5)]
    [0.02, 1.98]
    """
    return value - DEVIATIONS_95 * deviation, value + DEVIATIONS_95 * deviation


class RowList(list[Row]):
    """A list of rows that is also a table: `to_frame`, and HTML in a notebook.

    >>> rows = RowList([HeavyFeature("carrier=UA", 0.5, 0.4, 0.6)])
    >>> rows.to_frame()[["feature", "weight"]]
          feature  weight
    0  carrier=UA     0.5
    """

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each row and a column for each field."""
        import pandas

        return pandas.DataFrame(self._records())

    def _records(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self]  # type: ignore[call-overload]

    def _repr_html_(self) -> str:
        records = self._records()
        if not records:
            return "<p>no rows</p>"
        head = "".join(f"<th>{html.escape(name)}</th>" for name in records[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(value))}</td>" for value in record.values()) + "</tr>"
            for record in records
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class HeavyFeature:
    """A feature, its weight, and from ``low`` to ``high`` the 95 % range of its weight.

    The range is the root of the summed squares of two errors, each 1.96 standard deviations. ``bytes_error`` is what
    the bytes leave open: how far the weight may be from that of the same learner without a limit; ``nan``, and with it
    the range, where a method keeps no evidence about its own error. ``rows_error`` is what the number of rows leaves
    open, by the sum of the feature's squared gradients, as if other weights were known. It is ``nan``, and the range is
    that of the bytes alone, where the model does not hold the feature by itself, forgets, or learned plain steps or
    weighted rows. Both are calibrated on generated data with independent features; features that say the same thing may
    share their weight in another way.

    ``shortened`` says that the name was cut to fit into the budget; ``key``, by which the model knows the feature, is
    of the whole name: ask `weight` of the row itself, or of its key.

    >>> HeavyFeature("carrier=UA", 0.5, 0.4, 0.6)
    HeavyFeature('carrier=UA', weight=0.5, low=0.4, high=0.6)
    """

    feature: str | int
    weight: float
    low: float
    high: float
    shortened: bool = False
    key: int | None = field(default=None, compare=False)
    rows_error: float = field(default=math.nan, compare=False)
    bytes_error: float = field(default=math.nan, compare=False)

    @property
    def may_be_zero(self) -> bool:
        """Whether the range holds zero: the feature may not matter at all.

        >>> HeavyFeature("carrier=UA", 0.5, -0.1, 1.1).may_be_zero
        True
        """
        return self.low <= 0 <= self.high

    def __repr__(self) -> str:
        mark = ", shortened=True" if self.shortened else ""
        return (
            f"HeavyFeature({self.feature!r}, weight={self.weight:.4g}, low={self.low:.4g}, high={self.high:.4g}{mark})"
        )


@dataclass(frozen=True, slots=True)
class ChangedFeature:
    """A feature, its weight in an old and in a new model, and the 95 % range of the change.

    The range holds the errors of both weights, as those of `HeavyFeature`; ``nan`` where one of the models keeps no
    evidence about its own error. It is too wide rather than too narrow where the new model went on from the old one.

    >>> ChangedFeature("carrier=UA", 0.5, 2.0, 1.5, 1.3, 1.7)
    ChangedFeature('carrier=UA', before=0.5, after=2, change=1.5, low=1.3, high=1.7)
    """

    feature: str | int
    before: float
    after: float
    change: float
    low: float
    high: float
    shortened: bool = False
    key: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        numbers = ", ".join(
            f"{name}={getattr(self, name):.4g}" for name in ("before", "after", "change", "low", "high")
        )
        return f"ChangedFeature({self.feature!r}, {numbers}{', shortened=True' if self.shortened else ''})"


@dataclass(frozen=True, slots=True, repr=False)
class ClassFeature(HeavyFeature):
    """A feature of one class, whose label stands beside it.

    >>> ClassFeature("goal", 2.5, 2.0, 3.0, label="sport")
    ClassFeature('goal', label='sport', weight=2.5, low=2, high=3)
    """

    label: Any = None

    def __repr__(self) -> str:
        return (
            HeavyFeature.__repr__(self)
            .replace("HeavyFeature", "ClassFeature", 1)
            .replace(", weight=", f", label={self.label!r}, weight=", 1)
        )


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature of a row adds to its margin, or to the score of its label: value times weight.

    >>> Contribution("money", 2.0, 0.5, 1.0)
    Contribution(feature='money', value=2.0, weight=0.5, contribution=1.0)
    """

    feature: str | int
    value: float
    weight: float
    contribution: float

    def as_record(self) -> dict[str, Any]:
        """The contribution as JSON has it."""
        return asdict(self)


class Contributions(RowList[Contribution]):
    """What each feature of a row adds to its margin, largest first, and what the intercept adds."""

    def __init__(self, rows: list[Contribution], intercept: float, margin: float) -> None:
        super().__init__(rows)
        self.intercept = intercept
        self.margin = margin

    def as_text(self, decimals: int = 5) -> str:
        """Return a table as text, the intercept among the rows, the largest contribution first."""
        lines = [("Intercept", 1.0, self.intercept, self.intercept)]
        lines += [(str(row.feature), row.value, row.weight, row.contribution) for row in self]
        lines.sort(key=lambda line: -line[3])
        cells: list[tuple[str, ...]] = [("Name", "Value", "Weight", "Contribution")]
        cells += [(name, *(f"{number:,.{decimals}f}" for number in numbers)) for name, *numbers in lines]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" if at else f"{cell:<{width}}" for at, (cell, width) in enumerate(pairs))
            for pairs in (zip(row, widths, strict=True) for row in cells)
        )
