"""What `train` and `predict` say about predicted numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wmsketch.cli.parts.output import printable

if TYPE_CHECKING:
    from wmsketch._core import RowBlock
    from wmsketch.learners.models.base import OnlineClassifier


def errors_text(record: dict[str, Any]) -> str:
    """Return mean absolute error and R2.

    >>> errors_text({"mae": 12.5, "r2": 0.871})
    'mean absolute error 12.5, R2 0.871'
    """
    return f"mean absolute error {_short(record['mae'])}, R2 {_short(record['r2'], '.3f')}"


def baseline_text(record: dict[str, Any]) -> str:
    """Return the error of the baseline.

    >>> baseline_text({"baseline_mae": 30.25, "baseline": "mean"})
    '  baseline 30.25 (always the mean)'
    """
    return f"  baseline {_short(record['baseline_mae'])} (always the {record['baseline']})"


def target_text(record: dict[str, Any]) -> str:
    """Return what the target was like.

    >>> target_text({"mean": 100.0, "deviation": 12.0, "median": 99.0})
    '  the label has the mean 100, standard deviation 12; weights are in its units'
    """
    mean, deviation = _short(record["mean"]), _short(record["deviation"])
    return f"  the label has the mean {mean}, standard deviation {deviation}; weights are in its units"


def number_notes(model: Any) -> list[str]:
    """Return a note if the target is always the same number."""
    if model.target_["deviation"] > 0 or model.n_seen_ < 2:
        return []
    return [f"the label is {_short(model.target_['mean'])} in every row, so there is nothing to learn"]


def number_lines(model: OnlineClassifier, block: RowBlock, predicted: Any, options: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each prediction."""
    import json

    from wmsketch.results.contributions import contributions

    whys = contributions(model, block, options["why"]) if options["why"] else [[]] * len(block)
    for number, why in zip(predicted.tolist(), whys, strict=True):
        if options["as_json"]:
            record: dict[str, Any] = {"prediction": number}
            if options["why"]:
                record["why"] = [each.as_record() for each in why]
            yield json.dumps(record) + "\n"
            continue
        shown = [f"{printable(str(each.feature))}:{each.contribution:+.4g}" for each in why]
        yield "\t".join([f"{number:.6g}", *shown]) + "\n"


def _short(number: float | None, form: str = ".4g") -> str:
    if number is None:
        return "?"
    return f"{number:,.0f}" if 1e4 <= abs(number) < 1e12 else format(number, form)
