"""Cache of data sets as CSR arrays on disk, so that an experiment starts in a second instead of a minute."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Table:
    """One data set in memory: `X` (float32 CSR, rows of length one), `y` (bool) and the name of every column."""

    X: csr_matrix
    y: NDArray[np.bool_]
    names: list[str]


def cache_folder() -> Path:
    """Return the folder of the caches: WMSKETCH_CACHE, or `experiments/cache`."""
    return Path(os.environ.get("WMSKETCH_CACHE") or Path(__file__).parent / "cache")


def table_of(rows: Iterable[tuple[bool, Mapping[str, float]]]) -> Table:
    """Collect rows into a table: columns in order of first appearance, each row scaled to length one (or empty).

    >>> table = table_of([(True, {"a": 3.0, "b": 4.0}), (False, {}), (False, {"b": 2.0})])
    >>> table.X.toarray().tolist(), table.y.tolist(), table.names
    ([[0.6000000238418579, 0.800000011920929], [0.0, 0.0], [0.0, 1.0]], [True, False, False], ['a', 'b'])
    """
    column: dict[str, int] = {}
    indices, values, starts, labels = array("i"), array("f"), array("q", [0]), array("b")
    for label, features in rows:
        indices.extend([column.setdefault(name, len(column)) for name in features])
        values.extend(features.values())
        starts.append(len(indices))
        labels.append(label)
    X = csr_matrix(
        (np.array(values, np.float32), np.array(indices, np.int32), np.array(starts)), shape=(len(labels), len(column))
    )
    X.indptr = X.indptr.astype(np.int32)
    X.sort_indices()
    row_of = np.repeat(np.arange(len(labels)), np.diff(X.indptr))
    lengths = np.sqrt(np.bincount(row_of, np.square(X.data, dtype=np.float64), minlength=len(labels)))
    X.data /= lengths[row_of].astype(np.float32)
    return Table(X, np.array(labels, np.bool_), list(column))


def save(table: Table, path: Path) -> None:
    """Write the table to `path`, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    names = np.frombuffer("\n".join(table.names).encode(), np.uint8)
    with unfinished.open("wb") as file:
        np.savez(file, data=table.X.data, indices=table.X.indices, indptr=table.X.indptr, y=table.y, names=names)
    unfinished.replace(path)


def load(path: Path) -> Table:
    """Read back what `save` wrote."""
    with np.load(path) as arrays:
        names = arrays["names"].tobytes().decode().split("\n")
        y = arrays["y"]
        X = csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(len(y), len(names)))
    return Table(X, y, names)
