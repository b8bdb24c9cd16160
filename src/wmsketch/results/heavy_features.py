"""The heaviest features of a model, in a chosen order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wmsketch.errors import ParameterError
from wmsketch.records import ChangedFeature, HeavyFeature, RowList

if TYPE_CHECKING:
    from wmsketch.learners.models.base import OnlineClassifier

# "low" is the bound nearer to zero: features whose weight is certainly large come first, whatever its sign
_ORDERS = {
    "abs": lambda row: -abs(row.weight),
    "weight": lambda row: -row.weight,
    "low": lambda row: -sure_weight(row.low, row.high),
}


def sure_weight(low: float, high: float) -> float:
    """Return the least |weight| inside an error bar; 0 if it includes zero or is unknown.

    >>> sure_weight(-1.5, -0.5), sure_weight(-0.5, 2.5), sure_weight(float("nan"), float("nan"))
    (0.5, 0.0, 0.0)
    """
    if not (math.isfinite(low) and math.isfinite(high)) or low <= 0 <= high:
        return 0.0
    return min(abs(low), abs(high))


def heavy_features(model: OnlineClassifier, k: int, sort: str = "abs", label: Any = None) -> list[HeavyFeature]:
    """Return k features: heaviest first (``abs``), most positive first (``weight``), or certainly heavy (``low``).

    All except ``abs`` sort every feature of the active set and then take k. ``label`` selects the features of one
    class of a multiclass model.

    >>> from wmsketch import AWMSketch
    >>> model = AWMSketch("8KiB")
    >>> model.learn_many([{"a": 1.0}, {"b": 5.0}], [True, False])
    >>> [row.feature for row in heavy_features(model, 1, "weight")]
    ['a']
    """
    if sort not in _ORDERS:
        raise ParameterError("sort", f"must be one of {', '.join(_ORDERS)}", sort)
    of_class = {} if label is None else {"label": label}
    rows = model.top(k if sort == "abs" else 2**32 - 1, **of_class)
    return RowList(sorted(rows, key=_ORDERS[sort])[:k])


def as_records(rows: Sequence[HeavyFeature] | Sequence[ChangedFeature]) -> list[dict[str, Any]]:
    """Return JSON records: unknown bounds are None, and ``shortened`` is present only if true.

    >>> as_records([HeavyFeature("a", 1.0, float("nan"), float("nan"))])
    [{'feature': 'a', 'weight': 1.0, 'low': None, 'high': None}]
    """
    records = []
    for row in rows:
        record = asdict(row)
        del record["key"]
        for bound in ("low", "high"):
            record[bound] = record[bound] if math.isfinite(record[bound]) else None
        for error in ("rows_error", "bytes_error"):
            if not math.isfinite(record.get(error, math.nan)):
                record.pop(error, None)
        if "label" in record:
            record = {"label": record.pop("label"), **record}
        if not record["shortened"]:
            del record["shortened"]
        records.append(record)
    return records
