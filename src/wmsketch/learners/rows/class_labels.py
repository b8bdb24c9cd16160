"""Labels of many classes, as texts that a native model keeps: strings, integers and booleans, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wmsketch.errors import ParameterError, require_utf8
from wmsketch.learners.rows.labels import Labels
from wmsketch.readers import LabelNames


def text_of(label: Any) -> str:
    """Return a label as a text that tells its type; 3.0 is 3.

    >>> text_of("spam"), text_of(3), text_of(True), text_of(np.float64(3))
    ('sspam', 'i3', 'b1', 'i3')
    """
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, str):
        return "s" + require_utf8("label", label)
    if isinstance(label, bool):
        return f"b{label:d}"
    if isinstance(label, int) or (isinstance(label, float) and label.is_integer()):
        return f"i{int(label)}"
    raise ValueError(f"a label must be a string, an integer or a boolean, got {label!r}")


def label_of(text: str) -> Any:
    """Return the label of such a text.

    >>> label_of("sspam"), label_of("i3"), label_of("b1")
    ('spam', 3, True)
    """
    kind, value = text[:1], text[1:]
    return value if kind == "s" else bool(int(value)) if kind == "b" else int(value)


def as_array(labels: list[Any]) -> NDArray[Any]:
    """Labels of one type as an array of that type, others as objects."""
    return np.asarray(labels, dtype=None if len({type(label) for label in labels}) == 1 else object)


@dataclass(frozen=True, slots=True)
class ClassCodes:
    """The labels of rows: the different texts in order of appearance, and for each row the place of its text."""

    codes: NDArray[np.uint32]
    texts: list[str]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice) -> ClassCodes:
        codes, texts = self.codes[rows], self.texts
        used = np.unique(codes)
        return ClassCodes(np.searchsorted(used, codes).astype(np.uint32), [texts[code] for code in used])


class ManyLabels(Labels):
    """Any number of classes; the native model keeps the list of them.

    >>> ManyLabels().signs(["b", "a", "b"])
    ClassCodes(codes=array([0, 1, 0], dtype=uint32), texts=['sb', 'sa'])
    """

    def __init__(self, classes: Any = None) -> None:
        super().__init__()
        self._announced = [] if classes is None else [text_of(label) for label in np.unique(np.asarray(classes))]

    @classmethod
    def of_readers(cls) -> Self:
        return cls()

    @classmethod
    def to_fit(cls, classes: NDArray[Any]) -> Self:
        return cls(classes)

    def rename(self, names: LabelNames) -> None:
        """Labels of many classes are the texts of the input."""

    def introduce(self, native: Any) -> None:
        native.add_classes(self._announced)

    def known_sign(self, label: Any) -> Any:
        return text_of(label)

    def signs(self, labels: Any, one: bool = False) -> Any:
        mixed = isinstance(labels, (list, tuple)) and len({isinstance(label, str) for label in labels}) > 1
        array = np.asarray(labels, dtype=object if mixed else None)
        if array.ndim != 1:
            raise ParameterError("y", f"must be one-dimensional, got the shape {array.shape}")
        if array.dtype == object:
            places: dict[str, int] = {}
            found = [places.setdefault(text_of(label), len(places)) for label in array]
            return ClassCodes(np.asarray(found, dtype=np.uint32), list(places))
        different, first, codes = np.unique(array, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        return ClassCodes(place[codes], [text_of(label) for label in different[order]])
