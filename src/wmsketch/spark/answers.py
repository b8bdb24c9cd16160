"""Margins as Spark columns: rawPrediction, probability and prediction, in the order of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.models.introspection import is_multiclass, probabilities_of, scored_labels

_OWN_PLACE = 1000  # labels below this are at their own index, as Spark's evaluators expect


def number_of(label: Any) -> float:
    """Return a label of a column of numbers; if the stream had only 0 or only 1, the other one is known too.

    >>> number_of(True), number_of("not 1"), number_of("not 0")
    (1.0, 0.0, 1.0)
    """
    other = {"not 1": 0.0, "not true": 0.0, "not 0": 1.0, "not false": 1.0}
    return other[label] if label in other else float(label)


class Answers:
    """How the answers of a model are shown. The model itself is not stored here, so that it is sent only once.

    Labels that are whole numbers from 0 to 999 are at their own index, as in Spark; the probability of an unused number
    is 0. Others are in sorted order. Predictions are numbers, or text if the labels are text.
    """

    def __init__(self, model: OnlineClassifier, text_labels: bool, thresholds: Sequence[float] | None = None) -> None:
        self._many = is_multiclass(model)
        self._text = text_labels
        known: list[Any] = [str(label) if text_labels else number_of(label) for label in scored_labels(model)]
        numbers = not text_labels and all(label.is_integer() and 0 <= label < _OWN_PLACE for label in known)
        self.labels: list[Any] = [float(i) for i in range(int(max(known)) + 1)] if numbers else sorted(known)
        self._places = [self.labels.index(label) for label in known]  # of the model's columns among the labels
        if thresholds is not None and len(thresholds) != len(self.labels):
            raise ValueError(f"thresholds must have {len(self.labels)} numbers, one for each label, got {thresholds}")
        self._thresholds = None if thresholds is None else [thresholds[place] for place in self._places]

    @property
    def spark_type(self) -> str:
        """Return the type of a column of answers."""
        kind = "string" if self._text else "double"
        return f"struct<raw: array<double>, probability: array<double>, prediction: {kind}>"

    def of(self, model: OnlineClassifier, margins: NDArray[np.float64]) -> pa.StructArray:
        """Return the answers for rows with these margins."""
        raw = margins if self._many else np.column_stack([-margins, margins])
        likely = probabilities_of(model, margins)
        if self._thresholds is not None:  # as in Spark: the largest probability over its threshold
            with np.errstate(divide="ignore", invalid="ignore"):
                chosen = np.nan_to_num(likely / np.asarray(self._thresholds), nan=0.0).argmax(axis=1)
        else:
            chosen = margins.argmax(axis=1) if self._many else (margins >= 0).astype(np.intp)
        labels = np.asarray(self.labels, dtype=object)[np.asarray(self._places)[chosen]]
        columns = [
            self._spread(raw, -np.inf),
            self._spread(likely, 0.0),
            pa.array(labels, pa.string() if self._text else pa.float64()),
        ]
        return pa.StructArray.from_arrays(columns, ["raw", "probability", "prediction"])

    def none(self, model: OnlineClassifier) -> pa.StructArray:
        """Return an empty column of answers."""
        return self.of(model, np.zeros((0, len(self._places)) if self._many else 0))

    def _spread(self, values: NDArray[np.float64], missing: float) -> pa.ListArray:
        whole = np.full((len(values), len(self.labels)), missing)
        whole[:, self._places] = values
        offsets = np.arange(len(values) + 1, dtype=np.int32) * len(self.labels)
        return pa.ListArray.from_arrays(offsets, whole.ravel())
