"""The order in which `fit` learns its rows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wmsketch.learners.rows.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST_ROWS = 20  # fewer may come sorted by chance
_PART_ROWS = 1 << 16
_SORTED = 0.1  # of the changes of label that a shuffled order would have


def warn_of_sorted_labels(labels: NDArray[Any]) -> None:
    """Warn if labels come in long runs: a model that learns in this order is biased toward the last run.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_sorted_labels(np.repeat([0, 1], 50))
    ...     warn_of_sorted_labels(np.tile([0, 1], 50))
    >>> len(caught)
    1
    """
    n = len(labels)
    if n < _FEWEST_ROWS:
        return
    counts = np.unique(labels, return_counts=True)[1]
    expected = (n - 1) * (1.0 - float(np.sum((counts / n) ** 2)))
    changes = int(np.count_nonzero(labels[1:] != labels[:-1]))
    if changes < _SORTED * expected:
        warnings.warn(
            f"The {n} labels come in {changes + 1} runs, so the model is biased toward the last run. Set shuffle=True "
            "to shuffle the rows, or shuffle=False if their order is meant.",
            stacklevel=4,
        )


def warn_of_other_order(X: Any, y: Any) -> None:
    """Warn if X and y have the same index in different orders: rows and labels are paired by place, not by index.

    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"a": [1, 2]}, index=["u", "v"]), pd.Series([0, 1], index=["v", "u"])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_other_order(X, y)
    ...     warn_of_other_order(X, y[X.index])
    >>> len(caught)
    1
    """
    of_rows: Any = getattr(X, "index", None)
    of_labels: Any = getattr(y, "index", None)
    if not (hasattr(of_rows, "equals") and hasattr(of_labels, "sort_values")) or len(of_rows) != len(of_labels):
        return
    if not of_rows.equals(of_labels) and of_rows.sort_values().equals(of_labels.sort_values()):
        warnings.warn(
            "X and y have the same index in different orders, and rows are paired with labels by their place. If the "
            "index tells which label belongs to which row, pass y.loc[X.index]; if not, y.to_numpy().",
            stacklevel=3,
        )


def parts_of(order: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Cut an order into parts, so that only one part of the rows at a time is copied.

    >>> [len(part) for part in parts_of(np.arange(100_000))]
    [65536, 34464]
    """
    return (order[start : start + _PART_ROWS] for start in range(0, len(order), _PART_ROWS))


def can_take_rows(data: Any) -> bool:
    """Whether `take_rows` knows this kind of rows."""
    try:
        take_rows(data, np.arange(0))
    except TypeError:
        return False
    return True


def take_rows(data: Any, order: NDArray[np.intp]) -> Any:
    """Return the rows of an array, a sparse matrix, a frame, a table or a list in another order.

    >>> take_rows(["a", "b", "c"], np.array([2, 0, 1]))
    ['c', 'a', 'b']
    """
    if hasattr(data, "__dask_graph__"):
        raise TypeError("rows of Dask are learned in their order: set shuffle=False, or give data.compute()")
    if hasattr(data, "iloc"):  # pandas
        return data.iloc[order]
    sparse = sys.modules.get("scipy.sparse")
    if isinstance(data, np.ndarray) or type(data).__module__.startswith("polars"):
        return data[order]
    if sparse is not None and sparse.issparse(data):
        return data.tocsr()[order]
    if hasattr(data, "take") and hasattr(data, "schema"):  # pyarrow
        return data.take(order)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__"):
        return [data[place] for place in order.tolist()]
    if hasattr(data, "__array__"):
        return np.asarray(data)[order]
    raise TypeError(f"shuffle=True needs rows that can be taken by their place, got {type(data).__name__}")
