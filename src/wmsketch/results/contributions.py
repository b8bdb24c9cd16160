"""The contributions of features to a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from wmsketch._core import RowBlock
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import rows_as_seen
from wmsketch.records import Contribution


def contributions(
    model: OnlineClassifier, block: RowBlock, k: int, labels: Sequence[Any] | None = None
) -> list[list[Contribution]]:
    """Return the k largest contributions of each row, largest |contribution| first.

    For a multiclass model, they are contributions to the score of the row's label in ``labels``.

    Weights are those of `model.weight`. With the intercept, all contributions of a row add up to its margin, except for
    the WM-Sketch: it predicts from the mean of its rows and estimates weights by their median.

    >>> from wmsketch import AWMSketch, _core
    >>> model, block = AWMSketch("8KiB"), _core.LibsvmParser().feed(b"1 7:2 9:1\\n", True)
    >>> from wmsketch.learners.models.introspection import learn_block
    >>> learn_block(model, block)
    >>> [[(each.feature, each.contribution > 0) for each in row] for row in contributions(model, block, 1)]
    [[(7, True)]]
    """
    starts, keys, values = rows_as_seen(model, block)
    rows: list[list[Contribution]] = []
    for row, (first, last) in enumerate(pairwise(starts.tolist())):
        # a repeated key counts once, with the sum of its values
        found, place, of = np.unique(keys[first:last], return_index=True, return_inverse=True)
        summed = np.bincount(of, weights=values[first:last], minlength=len(place))
        weights = model.weights(found) if labels is None else model.weights(found, labels[row])  # type: ignore[call-arg]
        adds = summed * weights
        order = np.argsort(-np.abs(adds), kind="stable")[:k]
        rows.append(
            [
                Contribution(
                    _feature(block, first + int(place[i]), int(found[i])), *map(float, (summed[i], weights[i], adds[i]))
                )
                for i in order
            ]
        )
    return rows


def _feature(block: RowBlock, i: int, key: int) -> str | int:
    return (block.name(i) if block.named else "") or key
