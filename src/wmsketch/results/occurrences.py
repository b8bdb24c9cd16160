"""Exact counts of the rows of a file in which the features of a model occur."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import answers_of_block, keys_of_block, scored_labels
from wmsketch.records import ClassFeature, HeavyFeature


class Occurrences:
    """Counts, for each feature, the rows that have it, and those of them with the label that a positive weight favours.

    A model does not count its features, because a counter would take a third of a slot. This class counts a few
    features in rows that are read again, in constant memory.

    >>> from wmsketch import AWMSketch, _core
    >>> model, block = AWMSketch("8KiB"), _core.LibsvmParser().feed(b"1 7:2 9:1\\n-1 9:1\\n", True)
    >>> from wmsketch.learners.models.introspection import learn_block
    >>> learn_block(model, block)
    >>> counts = Occurrences(model, model.top(2))
    >>> counts.add(block)
    >>> sorted(zip([row.feature for row in model.top(2)], counts.rows, counts.positives))
    [(7, 1, 1), (9, 2, 1)]
    """

    def __init__(self, model: OnlineClassifier, features: Sequence[HeavyFeature]) -> None:
        self._model = model
        self._keys, self._place = np.unique([int(row.key or 0) for row in features], return_inverse=True)
        classes = scored_labels(model) if any(isinstance(row, ClassFeature) for row in features) else []
        self._answers = np.array([classes.index(row.label) if isinstance(row, ClassFeature) else 1 for row in features])
        self._rows = np.zeros(len(features), dtype=np.int64)
        self._positives = np.zeros(len(features), dtype=np.int64)
        self.labelled = True

    @property
    def rows(self) -> list[int]:
        """The number of rows that have each feature."""
        return self._rows.tolist()

    @property
    def positives(self) -> list[int]:
        """The number of rows that have each feature and the positive label, or the label of its class."""
        return self._positives.tolist()

    def add(self, block: RowBlock) -> None:
        """Count the rows of one block."""
        if not len(self._keys):
            return
        keys = keys_of_block(self._model, block)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found = np.flatnonzero(self._keys[place] == keys)
        row = np.searchsorted(block.starts, found, side="right") - 1
        once = np.unique(row * len(self._keys) + place[found])  # a word may occur twice in a row
        row, place = np.divmod(once, len(self._keys))
        self._rows += np.bincount(place, minlength=len(self._keys))[self._place]
        self.labelled &= block.has_labels or block.has_classes
        if not self.labelled:
            return
        answers = answers_of_block(self._model, block)[row]
        for answer in np.unique(self._answers).tolist():
            counts = np.bincount(place[answers == answer], minlength=len(self._keys))[self._place]
            self._positives += np.where(self._answers == answer, counts, 0)
