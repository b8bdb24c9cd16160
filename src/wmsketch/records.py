"""The types that every stage uses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, field
from typing import Any, TypeVar

from wmsketch.late import dataclass

Row = TypeVar("Row")
Name = TypeVar("Name")

DEVIATIONS_95 = 1.959963984540054  # on either side of the mean: 95 % of a normal distribution


MARK = "…"  # behind a name that was cut


def with_key(name: str, key: int) -> str:
    """Return a name that was cut and looks like another one, with its key behind it.

    >>> with_key("day=2024…", 255)
    'day=2024…#000000ff'
    """
    return f"{name}#{key:08x}"


def shared_names(names: Iterable[Name], keys: Iterable[int | None]) -> set[Name]:
    """Return the names that several keys have, as names that were cut may.

    >>> shared_names(["at home", "at …", "at …"], [7, 8, 255])
    {'at …'}
    """
    first: dict[Name, int | None] = {}
    return {name for name, key in zip(names, keys, strict=True) if first.setdefault(name, key) != key}


def plain(value: Any) -> Any:
    """Return the value in a form that JSON can represent; NaN and infinity become null.

    >>> plain({"low": float("nan"), 8: (1, 2)})
    {'low': None, '8': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    return plain(value.item()) if hasattr(value, "item") else str(value)


def range_95(value: float, deviation: float) -> tuple[float, float]:
    """Return the 95 % range of a value with this standard deviation.

    >>> [round(end, 2) for end in range_95(1.0, 0.5)]
    [0.02, 1.98]
    """
    return value - DEVIATIONS_95 * deviation, value + DEVIATIONS_95 * deviation


_PLOTTED = ("weight", "change", "contribution", "log_ratio", "count")  # the first of these fields that a row has


class RowList(list[Row]):
    """A list of rows that is also a table: `to_frame`, `plot`, and HTML in a notebook.

    >>> rows = RowList([HeavyFeature("carrier=UA", 0.5, 0.4, 0.6)])
    >>> rows.to_frame()[["feature", "weight"]]
          feature  weight
    0  carrier=UA     0.5
    """

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each row and a column for each field."""
        import pandas

        return pandas.DataFrame(self._records())

    def plot(self, ax: Any = None) -> Any:
        """Draw the value of each row as a dot, with its range as a bar, first row on top; return matplotlib's axes.

        Without ``ax`` they are those of a new figure. Unknown ranges have no bar.

        >>> RowList([HeavyFeature("carrier=UA", 0.5, 0.4, 0.6)]).plot().get_xlabel()
        'weight'
        """
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as problem:
                raise ImportError("plots need matplotlib: pip install wmsketch[plot]", name="matplotlib") from problem
            ax = pyplot.figure(figsize=(6.4, 1.2 + 0.24 * max(3, len(self))), layout="constrained").subplots()
        records = self._records()
        value = next((name for name in _PLOTTED if records and name in records[0]), _PLOTTED[0])
        for place, record in enumerate(records):
            color = "#b3402a" if record[value] >= 0 else "#2a6fb3"
            low, high = record.get("low", math.nan), record.get("high", math.nan)
            if math.isfinite(low) and math.isfinite(high):
                ax.plot([low, high], [place, place], color=color, linewidth=1.4, alpha=0.6)
            ax.plot([record[value]], [place], "o", color=color, markersize=4)
        labels = [f"{record['label']}: {record['feature']}" if "label" in record else str(record["feature"])
                  for record in records]  # fmt: skip
        ax.axvline(0, color="black", linewidth=0.6)
        ax.set_yticks(range(len(records)), [label.replace("$", r"\$") for label in labels], fontsize=8)
        ax.set_ylim(max(len(records), 1) - 0.5, -0.5)
        ax.set_xlabel(value.replace("_", " "))
        return ax

    def _records(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self]  # type: ignore[call-overload]

    def _repr_html_(self) -> str:
        import html  # for notebooks only

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


@dataclass(frozen=True)
class HeavyFeature:
    """A feature, its weight, and the 95 % range of its weight, ``low`` to ``high``.

    The range combines two errors, each 1.96 standard deviations, as the root of the sum of squares. ``bytes_error`` is
    the error from the limited bytes: the distance to the weight of the same learner without a limit. It is ``nan``, and
    so is the range, if a method has no evidence about its own error. ``rows_error`` is the error from the limited
    number of rows, from the feature's sum of squared gradients, as if the other weights were known. It is ``nan``, and
    the range covers the bytes only, if the feature is not in the active set, or the model forgets or has learned plain
    steps or weighted rows. Both errors are calibrated on generated data with independent features. The range does not
    cover correlated features, whose joint weight could be divided differently: among addresses of the web, which repeat
    each other, ``bytes_error`` holds for 80 % of the heaviest 128 features, not 95 %.

    ``shortened`` is true if the name was cut to fit the budget. ``key``, by which the model knows the feature, is that
    of the whole name: pass the row itself, or its key, to `weight`.

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
        """Whether the range includes zero, so that the feature may not matter at all.

        >>> HeavyFeature("carrier=UA", 0.5, -0.1, 1.1).may_be_zero
        True
        """
        return self.low <= 0 <= self.high

    def __repr__(self) -> str:
        mark = ", shortened=True" if self.shortened else ""
        return (
            f"HeavyFeature({self.feature!r}, weight={self.weight:.4g}, low={self.low:.4g}, high={self.high:.4g}{mark})"
        )


@dataclass(frozen=True)
class ChangedFeature:
    """A feature, its weight in an old and in a new model, and the 95 % range of the change.

    The range combines the errors of both weights, as in `HeavyFeature`; it is ``nan`` if one of the models has no
    evidence about its own error. If the new model was continued from the old one, the range is too wide.

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


@dataclass(frozen=True, repr=False)
class ClassFeature(HeavyFeature):
    """A feature of one class, with its label.

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


@dataclass(frozen=True)
class StreamRecord:
    """How a model has fared on its stream. Predictions are those made before each row was learned."""

    examples: int  # learned, with a weight above 0
    features_seen: int  # in all rows together
    mistakes: int
    error_rate: float  # online error: mistakes over examples
    log_loss: float
    majority_error_rate: float  # of always saying the commoner label: what the online error is compared with
    label_counts: dict[Any, int]
    auc: float  # area under the ROC curve, from margins in bins a quarter wide; NaN for many classes
    predicted_rate: float  # the mean of the predicted probabilities; near `observed_rate` if they are calibrated
    observed_rate: float  # the share of positive labels
    names_shortened: int  # names in the active set that were cut to fit the budget


@dataclass(frozen=True)
class ComparedMethod:
    """A method at a budget: its true bytes, online error, log loss, AUC, and the speed of learning.

    ``budget`` is None for a method without a limit. ``rel_err`` maps K to the error of the K heaviest weights, in units
    of that of the unlimited learner: 1 is perfect.

    >>> ComparedMethod("awm", 8192, 8168, 0.05, 0.2, 0.98, {8: 1.0}, 20.0)
    ComparedMethod('awm', budget=8192, error=0.05, log_loss=0.2, auc=0.98)
    """

    method: str
    budget: int | None
    nbytes: int
    error: float
    log_loss: float
    auc: float
    rel_err: dict[int, float]
    ns_per_feature: float

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={getattr(self, name):.4g}" for name in ("error", "log_loss", "auc"))
        return f"ComparedMethod({self.method!r}, budget={self.budget}, {numbers})"


@dataclass(frozen=True)
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
        """Return the JSON record."""
        return asdict(self)


class Contributions(RowList[Contribution]):
    """What each feature of a row adds to its margin, largest first, and what the intercept adds."""

    def __init__(self, rows: list[Contribution], intercept: float, margin: float) -> None:
        super().__init__(rows)
        self.intercept = intercept
        self.margin = margin

    def as_text(self, decimals: int = 5) -> str:
        """Return a table as text, with the intercept as a row, largest contribution first."""
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
