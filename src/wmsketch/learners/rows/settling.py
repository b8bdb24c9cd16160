"""The intercept of a finished model, corrected by rows of all that it has learned.

An intercept that is learned row by row ends where the last rows are. If the share of positive labels changes with time,
all predictions are shifted. Rows spread over the whole input tell by how much.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from wmsketch.errors import RowError
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.learners.rows.row_order import take_rows
from wmsketch.readers import Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wmsketch._core import SpreadRows

_MOST_ROWS = 8192  # as many as SpreadRows has


def settle(model: Any, rows: SpreadRows) -> bool:
    """Correct intercept and calibration by rows of all blocks that the model has learned; return whether they changed.

    Models of many classes, with plain steps, class weights or a half-life stay as they are, and so do those of sparse
    rows like texts, whose weights fit the rows that were learned better than others.
    """
    if not len(rows) or not _may_settle(model):
        return False
    try:
        return bool(model._native.settle(rows))
    except RowError:  # a row that could not be learned either
        return False


def _may_settle(model: Any) -> bool:
    """Whether the model has two classes, a table with scaled columns, and rows of equal weight."""
    rules = Schema.of(model.schema)
    return (
        not model._multiclass
        and not model._numeric
        and not rules.weight
        and rules.numbers != "raw"
        and bool(model.schema_.table)
    )


def settle_by(model: Any, X: Any, signs: NDArray[np.int8]) -> bool:
    """Do the same with rows in memory, which are labelled by ``signs``."""
    if not _may_settle(model):
        return False
    n = len(signs)
    chosen = np.arange(n) if n <= _MOST_ROWS else np.sort(np.random.default_rng(0).choice(n, _MOST_ROWS, replace=False))
    try:
        rows = take_rows(X, chosen)
    except TypeError:  # rows that cannot be taken by their place
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings came when the rows were learned
        margins = model._margins(rows)
    return bool(model._native.settle_by(margins, np.ascontiguousarray(signs[chosen])))
