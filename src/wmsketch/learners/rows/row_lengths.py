"""Whether plain steps can learn rows as long as these."""

from __future__ import annotations

import warnings
from typing import Any

from wmsketch.learners.rows.inputs import DenseRows, Rows
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers.schema import Schema

# A step of eta0 on the logistic loss, whose second derivative is at most 1/4, overshoots by more than it corrects if
# eta0 * (squared length of the row) is above this.
_LARGEST_STEP = 8.0
_ROWS = 1000  # that are looked at


def warn_of_long_rows(model: Any, rows: Rows) -> None:
    """Warn if the model takes the numbers of an array as they are, and its plain steps overshoot on the first rows.

    >>> from wmsketch import WMSketch
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_long_rows(WMSketch(), DenseRows(np.full((20, 3), 500.0)))
    ...     warn_of_long_rows(WMSketch(), DenseRows(np.full((20, 3), 0.5)))
    >>> len(caught)
    1
    """
    plain = getattr(model, "step", "plain") == "plain" and Schema.of(model.schema).numbers == "automatic"
    if not plain or not isinstance(rows, DenseRows) or not rows.shape[0]:
        return
    first = rows.matrix[:_ROWS].astype(np.float64)
    squared = float(np.mean(np.sum(first * first, axis=1)))
    if np.isfinite(squared) and model.eta0 * squared > _LARGEST_STEP:
        warnings.warn(
            f"The rows have a length of about {squared**0.5:.3g}, so plain steps of eta0={model.eta0:g} overshoot, and "
            "the model will be poor. Plain steps take numbered columns as they are, like the paper: pass "
            "schema=Schema(numbers='scaled') to scale them, or give a frame, whose columns are scaled.",
            stacklevel=4,
        )
