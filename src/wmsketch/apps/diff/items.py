"""The items that users pass: strings, integers, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from wmsketch import _core
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers import open_examples
from wmsketch.readers.arrow_rows import ArrowStream

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Items: TypeAlias = "Sequence[str] | ArrayLike | ArrowStream"


def blocks_of(name: str, items: Any, amounts: ArrayLike | None, name_seed: int | None) -> Iterator[_core.RowBlock]:
    """Rows of items: one for each string or integer, or those of a table."""
    if isinstance(items, (str, bytes)):
        raise ValueError(f"{name} must be a sequence of items, got one {type(items).__name__}: {items[:40]!r}")
    if hasattr(items, "columns") and not isinstance(items, ArrowStream):
        raise ValueError(f"{name} must be items or a table with __arrow_c_stream__, got {type(items).__name__}")
    to_list = getattr(items, "to_list", None)  # one column of pandas or polars
    if to_list is not None or not isinstance(items, ArrowStream):
        yield _rows_of(name, items if to_list is None else to_list(), amounts, name_seed)
        return
    if amounts is not None:
        raise ValueError(f"amounts_{name} needs items, not a table")
    names: Any = getattr(items, "column_names", None) or getattr(items, "columns", ())
    columns = list(map(str, names))
    with open_examples(
        items, features=columns, categorical=columns, require_labels=False, name_seed=name_seed
    ) as blocks:
        yield from blocks


def _rows_of(name: str, items: Any, amounts: ArrayLike | None, name_seed: int | None) -> _core.RowBlock:
    weights = None if amounts is None else np.ascontiguousarray(amounts, dtype=np.float32)
    array = np.asarray(items) if isinstance(items, np.ndarray) else None
    if array is not None and array.dtype.kind in "iu":
        if array.ndim != 1 or (array.size and not 0 <= int(array.min()) <= int(array.max()) < 2**32):
            raise ValueError("integer items must be a 1-d array of numbers from 0 to 2^32 - 1")
        return _core.item_rows(np.ascontiguousarray(array, dtype=np.uint32), weights)
    names = tuple(items.tolist() if array is not None else items)
    if names and all(isinstance(name, int) for name in names):
        return _rows_of(name, np.array(names), amounts, name_seed)
    wrong = next((i for i, name in enumerate(names) if not isinstance(name, str)), None)
    if wrong is not None:
        raise ValueError(f"items must be all strings or all integers, but items[{wrong}] is {names[wrong]!r}")
    return _core.item_rows(names, weights, name_seed)
