"""Data frames: the names of their columns, and their rows as an Arrow table."""

from __future__ import annotations

from collections import Counter
from typing import Any

from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers.arrow_rows import ArrowStream, import_pyarrow

_WIDE = 100  # columns of a frame that is worth a faster way


def table_of_frame(frame: Any) -> ArrowStream:
    """The columns of a data frame as an Arrow table; the index of pandas is not a column."""
    if hasattr(frame, "compute") and not hasattr(frame, "__arrow_c_stream__"):  # Dask: its rows are not here yet
        frame = frame.compute()
    if not (hasattr(frame, "index") and hasattr(frame, "to_dict")):
        if not isinstance(frame, ArrowStream):
            raise TypeError(f"X must be a frame of pandas or polars, or an Arrow table, got {type(frame).__name__}")
        stream: ArrowStream = frame
        return stream
    pyarrow = import_pyarrow("a pandas frame")
    if frame.shape[1] >= _WIDE:
        return _wide_table(frame, pyarrow)
    table: ArrowStream = pyarrow.Table.from_pandas(_spans_as_texts(frame), preserve_index=False)
    return table


def _wide_table(frame: Any, pyarrow: Any) -> ArrowStream:
    """The table of many columns. Those of one numeric type are taken together: many times faster than one by one."""
    kinds = list(frame.dtypes)
    arrays: dict[int, Any] = {}
    for kind in dict.fromkeys(kinds):
        places = [place for place, each in enumerate(kinds) if each == kind]
        part = frame.iloc[:, places]
        if isinstance(kind, np.dtype) and kind.kind in "iuf":
            found = [pyarrow.array(column, from_pandas=True) for column in np.ascontiguousarray(part.to_numpy().T)]
        else:
            found = pyarrow.Table.from_pandas(_spans_as_texts(part), preserve_index=False).columns
        arrays |= zip(places, found, strict=True)
    names = [str(name) for name in frame.columns]
    table: ArrowStream = pyarrow.Table.from_arrays([arrays[place] for place in range(len(names))], names=names)
    return table


def _spans_as_texts(frame: Any) -> Any:
    """The frame, with periods and intervals as the texts that pandas shows."""
    spans = [
        name
        for name, dtype in frame.dtypes.items()
        if str(getattr(getattr(dtype, "categories", None), "dtype", dtype)).startswith(("period", "interval"))
    ]
    return frame.astype(dict.fromkeys(spans, "string")) if spans else frame


def column_names(data: Any) -> list[str] | None:
    """The names of the columns of a data frame or an Arrow table, None where there are none."""
    if is_frame(data):
        return frame_names(data)
    names = getattr(data, "column_names", None) if isinstance(data, ArrowStream) else None
    return list(names) if names is not None else None


def is_frame(data: Any) -> bool:
    """Whether ``data`` is a pandas or polars data frame (or looks like one)."""
    shape = getattr(data, "shape", ())
    return isinstance(shape, tuple) and len(shape) == 2 and hasattr(data, "dtypes") and hasattr(data, "columns")


def frame_names(frame: Any) -> list[str] | None:
    """The columns' names if all are strings, None if none is.

    Columns without names (as of a file without a header) are called 0, 1, ... if some of them hold texts.
    """
    columns = list(frame.columns)
    texts = [isinstance(column, str) for column in columns]
    if all(texts):
        twice = next((name for name, count in Counter(columns).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"X must have different names of columns, found {twice!r} twice")
        return columns
    if any(texts):
        kinds = sorted({type(column).__name__ for column in columns})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. Convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example, or all to another type."
        )
    return list(map(str, columns)) if _holds_texts(frame) else None


def _holds_texts(frame: Any) -> bool:
    """Whether a column of a pandas frame has values that are no numbers."""
    if not hasattr(frame, "iloc"):
        return False
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind == "O" and dtype.name == "object":  # may hold only numbers and NA
            if any(isinstance(value, str) for value in frame.iloc[:, place]):
                return True
        elif dtype.kind not in "biufc":
            return True
    return False
