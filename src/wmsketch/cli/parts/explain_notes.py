"""The notes of an explanation: how much was held, what was left out, what may mislead."""

from __future__ import annotations

import math
import shlex

from wmsketch.apps.explain.explainer import Explainer
from wmsketch.apps.held import bytes_option, so_many
from wmsketch.learners.sizes.budget import parse_bytes
from wmsketch.readers.condition import MISSING, in_quotes


def coverage_line(explainer: Explainer) -> str:
    """Return one line: how many values are held, what is exact, and which budget would hold all."""
    held = explainer.held
    things = "attribute values" if explainer.order == 1 else "attribute values and conjunctions"
    exact = "every count is exact" if explainer.half_life is None else "counts fade by the half-life"
    if explainer.percentiles_moved:
        exact = "outliers are those by the percentiles so far"
    if held.held == held.exact == held.distinct:
        line = f"all {held.held:,} {things} are held: {exact}" if held.held != 1 else f"the only value is held: {exact}"
        return f"{line}; --budget {held.budget_for_all} would hold the rest" if held.budget_for_all else line
    above = held.surely_held_above or 0.0
    share = above / explainer.totals.outliers if explainer.totals.outliers else 1.0
    rows = "outliers" if _marks_outliers(explainer) else "test rows"
    surely = f"; every value that more than {share:.2%} of the {rows} have is held" if share < 0.5 else ""
    return (
        f"{held.held:,} of about {_rounded(held.distinct or 0):,} {things} are held: counts without ~ are exact, "
        f"the ranges of the others include what they missed{surely}; --budget {held.budget_for_all} would hold all"
    )


def notes(explainer: Explainer) -> list[str]:
    """Return the notes for the reader of the answer."""
    found = [_labels(explainer), explainer.problem, _so_far(explainer), _drift(explainer), *_not_used(explainer)]
    if explainer.where_left_out:
        one = explainer.where_left_out == 1
        do = ("it does" if one else "they do") + " not satisfy --where"
        if not _marks_outliers(explainer):
            side = ("it is" if one else "they are") + " on neither side"
            do = side if explainer.where is None else f"{side}, or {do.split(' ', 1)[1]}"
        found.append(f"{so_many(explainer.where_left_out, 'rows')} left out: {do}")
    if explainer.skipped:
        columns = ", ".join(explainer.condition.columns)
        asks = f"{in_quotes(explainer.condition.columns[0])} is missing"
        compared = any(each.operator not in ("==", "!=", MISSING) for each in explainer.condition.comparisons)
        with_text = f", {in_quotes(explainer.condition.columns[0])}==TEXT those with a text" if compared else ""
        found.append(
            f"{so_many(explainer.skipped, 'rows')} left out: "
            f"no {'number' if compared else 'value'} in a column of the condition ({columns}); "
            f"the condition {asks} selects rows without a value{with_text}"
        )
    found += [_left_out(explainer), _cut(explainer), *_bins(explainer)]
    return [note for note in found if note]


def _marks_outliers(explainer: Explainer) -> bool:
    """Whether rows are outliers or not; those of a metric are on the test or the control side."""
    return explainer.outlier is not None or explainer.label is not None


def _labels(explainer: Explainer) -> str | None:
    if explainer.labels_found is None:
        return None
    other, positive = explainer.labels_found
    rarer = "" if explainer.labels_balanced else "rarer "
    return (
        f"the {rarer}label {positive!r} marks the outliers, {other!r} the others (--positive {shlex.quote(other)} "
        "reverses them)"
    )


def _so_far(explainer: Explainer) -> str | None:
    if not explainer.percentiles_moved:
        return None
    return "percentiles are those of the rows so far, because it can be read only once; a file gives those of all"


def _not_used(explainer: Explainer) -> list[str]:
    reasons = {
        "unique": ("has its own value", "have their own values", " in nearly every row"),
        "restates": ("restates", "restate", " the condition"),
        "sides": ("has", "have", " other values on each side"),
        "one side": ("has", "have", " values on one side only"),
    }
    found = []
    for reason, (one, many, rest) in reasons.items():
        columns = [column for column, why in explainer.columns_not_used.items() if why == reason]
        if columns:
            names, option = ", ".join(columns), shlex.quote(",".join(columns))
            says, uses = (one, "uses it") if len(columns) == 1 else (many, "uses them")
            found.append(f"not used: {names} {says}{rest} (--include {option} {uses})")
    return found


def _left_out(explainer: Explainer) -> str | None:
    if not explainer.values_left_out:
        return None
    columns, most = explainer.columns_left_out, 8
    named = ", ".join(columns[:most]) + (" and more" if len(columns) == most else "")
    needed = parse_bytes(explainer.held.budget_for_all or 0)
    budget = bytes_option(max(2 * explainer.budget_bytes, needed))
    return (
        f"{so_many(explainer.values_left_out, 'values')} left out: "
        f"their columns do not fit the budget ({named}); "
        f"try --budget {budget}, or list the useful columns with --attributes"
    )


def _cut(explainer: Explainer) -> str | None:
    held = explainer.held
    return f"{held.cut:,} values are cut (…): --budget {held.budget_for_all} holds them in full" if held.cut else None


def _bins(explainer: Explainer) -> list[str]:
    uneven = explainer.uneven_bins
    others = [column for column in explainer.first_bins if column not in uneven]
    found = []
    if others:
        found.append(
            f"the bins of {', '.join(others)} come from the first {explainer.warm_up:,} rows; their counts are of all "
            f"rows, and --order 1 chooses bins from all rows"
        )
    return found + [
        f"the bins of {column} come from the first {explainer.warm_up:,} rows, and {share:.0%} of all rows are in one "
        f"({fullest}): --categorical {column} takes each value separately"
        for column, (fullest, share) in uneven.items()
    ]


def _drift(explainer: Explainer) -> str | None:
    """Return a note if the share of rows beyond a single percentile is far from expected, because the column drifts."""
    [only] = explainer.condition.comparisons if len(explainer.condition.steps) == 1 else [None]
    if only is None or only.percentile is None or not explainer.examples:
        return None
    expected = only.percentile / 100 if only.operator.startswith("<") else 1 - only.percentile / 100
    share = explainer.outliers / explainer.examples
    chance = 4 * math.sqrt(expected * (1 - expected) / explainer.examples)
    if math.isclose(share, expected, rel_tol=0.1, abs_tol=max(0.005, chance)):
        return None
    if not explainer.percentiles_moved:
        return f"{share:.1%} of the rows satisfy {only}, not {expected:.1%}: {only.column} has many equal values"
    fulfilled = f"{share:.1%} of the rows satisfied {only} on arrival, not {expected:.1%}"
    return f"{fulfilled}: {only.column} drifts, is sorted, or has many equal values"


def _rounded(count: int) -> int:
    digits = max(0, len(str(count)) - 2)
    return round(count, -digits)
