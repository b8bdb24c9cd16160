"""Data sets in memory, from the files of one folder or generated."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmsketch.evaluation import generated, paper_data
from wmsketch.learners.models.baselines import LogisticRegression
from wmsketch.results.top_error import TopError

_FILE = re.compile(r"(?P<name>\w+)-v(?P<version>\d+)\.npz")


@dataclass(frozen=True)
class Stream:
    """Rows in the order in which every method learns them: `X` (CSR, float32), `y` (bool)."""

    X: Any
    y: NDArray[np.bool_]

    @cached_property
    def features(self) -> NDArray[np.int64]:
        """The number of features that occur."""
        return np.flatnonzero(np.bincount(self.X.indices, minlength=self.X.shape[1]))


class Library:
    """Loads streams by id (`name-vN`) and caches the last one, with the unlimited models trained on it.

    A folder holds `name-vN.npz` (arrays data, indices, indptr, y) and the paper's own files as they were downloaded.

    >>> Library(None).find("generated")
    'generated-v1'
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._loaded: tuple[str, Stream] | None = None
        self._references: dict[tuple[str, float], tuple[dict[str, Any], TopError]] = {}

    def find(self, name: str) -> str | None:
        """Return the id of the newest version of a data set, or None if there is none."""
        if name in generated.STREAMS:
            return f"{name}-v{generated.VERSION}"
        if self._folder is None or not self._folder.is_dir():
            return None
        found = [
            match for file in self._folder.iterdir() if (match := _FILE.fullmatch(file.name)) and match["name"] == name
        ]
        if found:
            return f"{name}-v{max(int(match['version']) for match in found)}"
        return paper_data.id_of(name) if paper_data.is_there(name, self._folder) else None

    def load(self, stream_id: str) -> Stream:
        """Return the rows of a data set."""
        if self._loaded is None or self._loaded[0] != stream_id:
            self._loaded = None  # free the one before
            self._references.clear()
            self._loaded = (stream_id, self._read(stream_id))
        return self._loaded[1]

    def _read(self, stream_id: str) -> Stream:
        from scipy.sparse import csr_matrix

        name = stream_id.rpartition("-v")[0]
        make: Callable[[], Any] | None = generated.STREAMS.get(name)
        if make is not None:
            return Stream(*make())
        assert self._folder is not None  # `find` gave the id
        path = self._folder / f"{stream_id}.npz"
        if not path.exists():
            paper_data.convert(name, self._folder, path)
        with np.load(path) as arrays:
            parts = [arrays[part] for part in ("data", "indices", "indptr")]
            y = arrays["y"].astype(np.bool_)
        return Stream(csr_matrix(tuple(parts), shape=(len(y), int(parts[1].max()) + 1)), y)

    def reference(self, stream_id: str, l2: float) -> tuple[dict[str, Any], TopError]:
        """Return the error and the weights of the same rule without a limit on the same rows in the same order."""
        stream = self.load(stream_id)
        if (stream_id, l2) not in self._references:
            n_features = stream.X.shape[1]
            model = LogisticRegression(n_features=n_features, l2=l2)
            model.learn_many(stream.X, stream.y)
            facts = {"error_rate": model.error_rate_, "nbytes": model.nbytes, "paper_bytes": model.paper_bytes}
            self._references[stream_id, l2] = facts, TopError(model.weights(np.arange(n_features)))
        return self._references[stream_id, l2]
