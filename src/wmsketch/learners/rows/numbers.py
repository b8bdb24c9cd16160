"""Numbers to predict, where a classifier has labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from wmsketch.errors import ParameterError
from wmsketch.learners.rows.labels import Labels, is_missing
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers import LabelNames

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Numbers(Labels):
    """Targets of a regression: any finite numbers.

    >>> Numbers().signs([1, 2.5]).tolist(), Numbers().sign(True)
    ([1.0, 2.5], 1.0)
    >>> Numbers().sign("high")
    Traceback (most recent call last):
        ...
    ValueError: the target must be a finite number, got 'high'
    """

    def __init__(self, classes: Any = None) -> None:
        super().__init__()

    @classmethod
    def of_readers(cls) -> Self:
        return cls()

    @classmethod
    def to_fit(cls, classes: NDArray[Any]) -> Self:
        return cls()

    def rename(self, names: LabelNames) -> None:
        """Numbers have no names."""

    def known_sign(self, label: Any) -> float:
        return self.sign(label)

    def sign(self, label: Any) -> float:
        """Return one target as a float."""
        try:
            number = math.nan if isinstance(label, (str, bytes)) else float(label)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"the target must be a finite number, got {label!r}")
        return number

    def signs(self, labels: Any, one: bool = False) -> Any:
        """Return the targets as an array; one that is no finite number is an error that names its row."""
        array = np.asarray(labels)
        if array.ndim != 1:
            raise ParameterError("y", f"must be one-dimensional, got the shape {array.shape}")
        if array.dtype.kind in "biuf":
            numbers = np.ascontiguousarray(array, dtype=np.float64)
        else:
            numbers = np.asarray([self._of_row(row, each) for row, each in enumerate(array.tolist())])
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if wrong.size:
            value = numbers[wrong[0]]
            kind = "NaN" if math.isnan(value) else "infinity or a value too large for dtype('float64')"
            raise ValueError(f"Input y contains {kind}. Row {wrong[0]} has no finite target: leave it out first.")
        return numbers

    def _of_row(self, row: int, label: Any) -> float:
        if is_missing(label):
            return math.nan  # refused as missing
        try:
            return self.sign(label)
        except ValueError as problem:
            raise ValueError(f"row {row}: {problem}") from None
