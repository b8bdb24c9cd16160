"""A small set of rows that together account for a change: each is judged without the rows of those before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wmsketch import _core
from wmsketch.apps.explain.changes import Changes, Sides
from wmsketch.apps.explain.drivers import Driver, by_evidence
from wmsketch.apps.explain.metric_held import MetricHeld
from wmsketch.apps.explain.ratios import corrected_z
from wmsketch.readers import open_examples
from wmsketch.readers.condition import MISSING, Comparison, Condition

if TYPE_CHECKING:
    from wmsketch.apps.explain.metric_explainer import MetricExplainer

_MOST = 20  # rows beyond noise that are judged
_MOST_PARTS = 12  # conjunctions that were folded under these
_MOST_MOVERS = 16  # rows that another one may hide
_MOST_NEGATIONS = 8
_FEW_VALUES, _NEARLY_ALL = 2, 0.9  # a negation needs more values than these to account for its change
_TELLS_LESS = 0.8  # the score of a negation counts so much: "not DE" says less than "FR"
_NOTABLE = 0.05  # of the change: less is not worth a row
_OWN = 0.5  # of the excess must be the row's own change, and not the mirror of another's
_PART = 4  # of the budget is for patterns
_BIN = re.compile(r"(?:below (?P<below>\S+)|from (?P<least>\S+)|(?P<first>\S+) to (?P<last>\S+)|(?P<only>\S+))")


def small_set(
    explainer: MetricExplainer,
    rows: Sequence[Driver],
    sources: Sequence[Any],
    format: str | None,
    options: Any,
    min_support: float,
) -> list[Driver]:
    """Return the few rows that account for the change, each with the rows that it makes redundant."""
    edges = {column for column, _ in explainer.finished()._stream.edges}
    pool = _pool(explainer, rows, min_support)
    conditions = [condition_of(row.attributes, edges) for row in pool]
    if not pool or not sources:
        return list(rows)
    patterns = _Patterns(explainer, conditions)
    for block in _blocks(explainer, conditions, sources, format, options):
        patterns.counts.learn(block)
    return _choose(explainer, pool, patterns)


def _pool(explainer: MetricExplainer, rows: Sequence[Driver], min_support: float) -> list[Driver]:
    """Return the rows to choose from.

    Besides those beyond noise these are conjunctions that tell less than a part of themselves, as long as another
    cause adds to that part, and rows with a change of their own that another cause hides.
    """
    pool = [row for row in rows if not row.shortened][:_MOST]
    known = [row.attributes for row in pool]
    known += [same for row in pool for same in row.same_rows]

    def more(candidates: Sequence[Driver], most: int) -> list[Driver]:
        found = [row for row in candidates if not row.shortened and row.attributes not in known][:most]
        known.extend(row.attributes for row in found)
        return found

    pool += more(by_evidence(part for row in pool for part in row.folded), _MOST_PARTS)
    if explainer.has_sides and rows:
        snapshot = explainer._snapshot()
        pool += more(snapshot.movers(min_support, _MOST_MOVERS + len(pool)), _MOST_MOVERS)
        negations = [row for row in snapshot.negations(explainer.held.distinct or 0) if not row.shortened]
        pool += [row for row in by_evidence(negations) if not _few_values(row, pool)][:_MOST_NEGATIONS]
    return pool


def _few_values(negation: Driver, pool: Sequence[Driver]) -> bool:
    """Return whether two values of its column account for nearly all of a negation's change."""
    ((column, value),) = negation.attributes.items()
    sign = 1 if negation.contribution > 0 else -1
    others = [row for row in pool if list(row.attributes) == [column] and row.attributes[column] != value]
    parts = sorted((sign * row.contribution for row in others), reverse=True)
    return sum(parts[:_FEW_VALUES]) >= _NEARLY_ALL * sign * negation.contribution


def condition_of(attributes: dict[str, str], binned: set[str]) -> Condition:
    """Return the condition that a row has these attributes.

    >>> [str(each) for each in condition_of({"os": "(missing)", "ms": "10 to 20"}, {"ms"}).comparisons]
    ['os is missing', 'ms>=10', 'ms<20']
    """
    comparisons = []
    for column, value in attributes.items():
        found = _BIN.fullmatch(value) if column in binned else None
        if value == "(missing)":
            comparisons.append(Comparison(column, MISSING))
        elif found is None or found["only"]:
            comparisons.append(Comparison(column, "==", value.strip('"') if value == '"(missing)"' else value))
        else:
            if low := found["least"] or found["first"]:
                comparisons.append(Comparison(column, ">=", low))
            if high := found["below"] or found["last"]:
                comparisons.append(Comparison(column, "<", high))
    return Condition(comparisons, [])


class _Patterns:
    def __init__(self, explainer: MetricExplainer, conditions: Sequence[Condition]) -> None:
        self._explainer = explainer
        self.counts = _core.PatternCounts(
            side=explainer.condition.as_given(),
            where=explainer.where_condition.as_given(),
            conditions=[each.as_given() for each in conditions],
            metric=list(explainer._terms),
            most_bytes=explainer.budget_bytes // _PART,
            seed=explainer.seed,
        )

    def sides(self) -> tuple[np.ndarray[Any, Any], Sides]:
        """Return the bits of each pattern, one column for each condition, and the sums."""
        arrays: Any
        arrays, n = self.counts.counts()
        bits = (arrays["bits"][:, None] >> np.arange(n, dtype=np.uint64)) & np.uint64(1)
        moments = arrays["moments"].reshape(len(bits), 2, -1)
        sides = Sides(arrays["rows"].reshape(-1, 2), moments).scaled(self._explainer.control_factor)
        return bits.astype(bool), sides


@dataclass
class _Chosen:
    row: Driver
    folded: list[Driver] = field(default_factory=list)


def _choose(explainer: MetricExplainer, pool: Sequence[Driver], patterns: _Patterns) -> list[Driver]:
    bits, sides = patterns.sides()
    snapshot = explainer._snapshot()
    z = corrected_z(explainer.held.distinct or 0)
    inside = bits.T.astype(float)  # condition, pattern
    pool = pool[: len(inside)]
    negated = np.array([row.negated for row in pool])
    inside[negated] = 1 - inside[negated]
    counts_as = np.where(negated, _TELLS_LESS, 1.0)
    counted = inside @ sides.rows
    # a value that a condition cannot express exactly is left out
    usable = np.array([_agree(row, counted[at]) for at, row in enumerate(pool)], dtype=bool)
    change = abs(snapshot.values[1] - snapshot.values[0]) if snapshot.has_sides else 0.0

    def beyond_noise(changes: Changes, among: Any) -> Any:
        found = among & (np.abs(changes.score) > z)
        if snapshot.has_sides:
            found &= changes.contribution * np.sign(changes.excess) >= _OWN * np.abs(changes.excess)
        return found

    for at in np.flatnonzero(negated & usable):  # "all but" must be alike: otherwise the others are told apart
        changes = _changes_of(snapshot, sides, inside, inside[at])
        others = beyond_noise(changes, usable & ~negated)
        usable[at] = not (others & (np.abs(changes.contribution) >= _NOTABLE * change)).any()
    alive, least, chosen = np.ones(len(bits)), 0.0, list[_Chosen]()
    left, before = usable.copy(), np.zeros(len(pool), dtype=bool)
    while left.any():
        changes = _changes_of(snapshot, sides, inside, alive)
        beyond = beyond_noise(changes, left)
        if chosen:
            chosen[-1].folded += [pool[int(at)] for at in np.flatnonzero(before & ~beyond & ~negated)]
        before = beyond  # a row that another one hides may be beyond noise later
        notable = beyond & (np.abs(changes.contribution) >= least)
        if not notable.any():
            break
        best = int(np.argmax(np.where(notable, counts_as * np.abs(changes.score), -1.0)))
        chosen.append(_Chosen(pool[best]))
        least = max(least, _NOTABLE * max(change, abs(float(changes.contribution[best]))))
        left[best] = before[best] = False
        left &= ~negated  # "all but" is said of the whole change only
        alive = alive * (1 - inside[best])
    return _folded_once(chosen)


def _folded_once(chosen: Sequence[_Chosen]) -> list[Driver]:
    """Return the chosen rows, each with the rows that it makes redundant for good."""
    told = [each.row.attributes for each in chosen]
    rows = []
    for each in reversed(chosen):
        own = [row for row in each.folded if row.attributes not in told]
        told += [row.attributes for row in own]
        rows.append(replace(each.row, folded=(*each.row.folded, *own)))
    return rows[::-1]


def _agree(row: Driver, counted: Any) -> bool:
    return not row.exact or (counted[0] == row.control_rows and counted[1] == row.test_rows)


def _changes_of(snapshot: MetricHeld, sides: Sides, inside: Any, alive: Any) -> Changes:
    """Return the changes of all conditions among the rows that are left."""
    here = inside * alive
    some = Sides(here @ sides.rows, np.tensordot(here, sides.moments, axes=1))
    total = Sides(alive @ sides.rows, np.tensordot(alive, sides.moments, axes=1))
    found = snapshot.changes(some, total)
    score = np.where(np.isfinite(found.score), found.score, 0.0)
    return replace(
        found, score=score, excess=np.nan_to_num(found.excess), contribution=np.nan_to_num(found.contribution)
    )


def _blocks(
    explainer: MetricExplainer,
    conditions: Sequence[Condition],
    sources: Sequence[Any],
    format: str | None,
    options: Any,
) -> Iterator[_core.RowBlock]:
    asked = {name for each in (*conditions, explainer.condition, explainer.where_condition) for name in each.columns}
    columns = sorted({*asked, *explainer._metric_columns})
    again = {**explainer._reader_options(), "features": columns, "categorical": columns, "numeric": [], "ignore": []}
    for number, source in enumerate(sources):
        rows = source.reset_index(drop=True) if hasattr(source, "reset_index") else source
        with open_examples(rows, format, **{**again, **options, "rejects": None}) as examples:
            for block in examples:
                explainer.label_block(block, number == 0)
                yield block
