"""How far a weight may be off: by the bytes of the model, and by the number of rows."""

from __future__ import annotations

import math
from typing import NamedTuple

from wmsketch import _core
from wmsketch.records import DEVIATIONS_95


class Uncertainty(NamedTuple):
    """Two errors of a weight, each 1.96 standard deviations; ``nan`` where the model cannot tell.

    >>> Uncertainty(3.0, 4.0).both, Uncertainty(3.0, math.nan).both
    (5.0, 3.0)
    """

    by_bytes: float
    by_rows: float

    @property
    def both(self) -> float:
        """The root of the summed squares. The error by rows counts only where it is known."""
        return self.by_bytes if math.isnan(self.by_rows) else math.hypot(self.by_bytes, self.by_rows)

    def around(self, weight: float) -> tuple[float, float]:
        """Return the 95 % range of a weight."""
        return weight - self.both, weight + self.both


def error_by_rows(native: _core.Learner, key: int, passes: int) -> float:
    """Return the error by the number of rows. The learner counts a row once for each pass, but it is only one."""
    return native.rows_error(key) * math.sqrt(passes)


def uncertainty_of(native: _core.Learner, key: int, passes: int = 1) -> Uncertainty:
    """Return the errors of the weight of one feature, after this many passes over the rows."""
    return Uncertainty(DEVIATIONS_95 * native.deviation(key), error_by_rows(native, key, passes))
