"""Two labels to -1 and +1, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from wmsketch.errors import ParameterTypeError
from wmsketch.learners.rows.lazy_numpy import np
from wmsketch.readers import LabelNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Signs = NDArray[np.int8]


_PLAIN = frozenset({bool, int, float, str})  # labels of these types are compared without an array


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, (np.bool_, np.number, np.str_)) else label


def typed_labels(names: Sequence[str]) -> tuple[Any, ...]:
    """The labels that texts stand for: numbers or truth values if all are, else texts.

    >>> typed_labels(("0", "+1")), typed_labels(("False", "True")), typed_labels(("07", "08"))
    ((0, 1), (False, True), ('07', '08'))
    """
    if {name.lower() for name in names} <= {"false", "true"}:
        return tuple(name.lower() == "true" for name in names)
    texts = [name.removeprefix("+") for name in names]
    if {"0", "1", "-1"}.issuperset(texts):  # nearly always, and json takes a while to load
        return tuple(map(int, texts))
    import json

    try:
        values = tuple(map(json.loads, texts))
    except ValueError:
        return tuple(names)
    plain = all(isinstance(value, (int, float)) and math.isfinite(value) for value in values)
    return values if plain else tuple(names)


def _same_label(mine: str, theirs: str) -> bool:
    """Whether two inputs mean the same label; one may write 1 where the other writes +1, 1.0 or true."""
    forms = [text.lower().removeprefix("+") for text in (mine, theirs)]
    forms = [{"true": "1", "false": "0"}.get(form, form) for form in forms]
    try:
        return float(forms[0]) == float(forms[1])
    except ValueError:
        return forms[0] == forms[1]


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, or NA or NaT of pandas.

    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    return label is None or type(label).__name__ in ("NAType", "NaTType") or bool(label != label)


class Labels:
    """The two classes of a stream, negative first.

    Booleans, 0/1 and -1/+1 are recognised; give any other pair once, as ``classes``. If one label is 1, the
    stream shows whether the other is 0 or -1.

    >>> labels = Labels()
    >>> labels.sign(1), labels.sign(-1), labels.classes
    (1, -1, (-1, 1))
    >>> labels.sign(0)
    Traceback (most recent call last):
        ...
    ValueError: the label must be -1 or 1, got 0
    """

    def __init__(self, classes: Any = None) -> None:
        self._classes: tuple[Any, Any] | None = None
        self._only_ones = False  # seen 1, but not yet whether the other label is 0 or -1
        self.names: LabelNames | None = None  # as files write them
        if classes is not None:
            if not isinstance(classes, Iterable):
                raise ParameterTypeError("classes", "must be two labels", classes)
            kinds = {type(label) for label in classes} if isinstance(classes, (list, tuple)) else set()
            plain = len(kinds) == 1 and kinds <= _PLAIN
            ordered = sorted(classes) if plain else np.sort(np.asarray(classes), axis=None)
            found = [label for i, label in enumerate(ordered) if i == 0 or label != ordered[i - 1]]
            if len(found) != 2:
                raise ValueError(f"classes must hold two different labels, got {list(classes)!r}")
            self._classes = (_plain(found[0]), _plain(found[1]))

    @classmethod
    def of_readers(cls) -> Self:
        """Return the labels of a reader's blocks, which are -1 and +1 whatever the input calls them."""
        labels = cls()
        labels._classes = (-1, 1)
        return labels

    def rename(self, names: LabelNames) -> None:
        """Show labels as an input writes them; names that came before stay. Another positive label is an error.

        >>> labels = Labels.of_readers()
        >>> labels.rename(LabelNames("no", "yes"))
        >>> labels.classes, labels.sign("yes")
        (('no', 'yes'), 1)
        >>> labels.rename(LabelNames("no", "maybe"))
        Traceback (most recent call last):
            ...
        ValueError: the labels yes and maybe are both positive: say which one is
        """
        if names == self.names:
            return
        before = self.names.positive if self.names is not None else None
        if before is not None and names.positive is not None and not _same_label(before, names.positive):
            raise ValueError(f"the labels {before} and {names.positive} are both positive: say which one is")
        self.names = names if self.names is None else names.after(self.names)
        if any(self.names):
            self._classes = typed_labels(self.names.shown())

    @property
    def classes(self) -> tuple[Any, Any]:
        return self._classes or ((0, 1) if self._only_ones else (False, True))

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def known_sign(self, label: Any) -> Any:
        """Return -1 or +1 for one label; 0 if `sign` must decide, which may learn a new label."""
        if self._classes is not None:
            negative, positive = self._classes
            if label is positive:  # nearly always the same object
                return 1
            if label is negative:
                return -1
            if type(label) not in _PLAIN:
                return 0
            if label == positive:
                return 1
            if label == negative:
                return -1
        return 0

    def sign(self, label: Any) -> Any:
        """Return -1 or +1 for one label."""
        return self.known_sign(label) or int(self.signs(np.asarray([label]), one=True)[0])

    def signs(self, labels: Any, one: bool = False) -> Signs:
        """Return an int8 array of -1 and +1; a third label is an error that names its row, and nothing is learned."""
        array = np.asarray(labels)
        if array.ndim != 1:
            raise ValueError(f"y must be one-dimensional, got the shape {array.shape}")
        classes, only_ones = self._classes, self._only_ones
        if classes is None and array.size:
            classes = self._guess(array)
            only_ones = classes is None
        negative, positive = classes or (0, 1)
        is_positive, is_negative = array == positive, array == negative
        known = np.logical_or(is_positive, is_negative)
        if not np.all(known):
            row = int(np.argmin(known))
            where = "the label" if one else f"row {row}: the label"
            negative, positive, got = map(_plain, (negative, positive, array[row]))
            raise ValueError(f"{where} must be {negative!r} or {positive!r}, got {got!r}")
        self._classes, self._only_ones = classes, only_ones
        return np.where(is_positive, np.int8(1), np.int8(-1))

    def _guess(self, array: NDArray[Any]) -> tuple[Any, Any] | None:
        if array.dtype == np.bool_:
            return (False, True)
        if array.dtype.kind not in "iuf":
            raise ValueError(
                f"labels must be booleans, 0/1 or -1/+1, got {_plain(array[0])!r}; "
                "tell others once, as in AWMSketch(classes=[...]) or partial_fit(X, y, classes=[...])"
            )
        if np.any(array == -1):
            return (-1, 1)
        return (0, 1) if np.any(array == 0) else (None if np.all(array == 1) else (0, 1))

    @classmethod
    def to_fit(cls, classes: NDArray[Any]) -> Self:
        """Return the labels of a data set that has these different labels."""
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y holds {len(classes)} classes (MulticlassAWMSketch learns many)."
            )
        if len(classes) < 2:
            found = f"one class only: {classes.tolist()!r}" if len(classes) else "no rows"
            raise ValueError(f"y must hold two classes, got {found}")
        return cls(classes)

    def introduce(self, native: Any) -> None:
        """Tell a native model about classes that it should know before their first example."""

    def restore(self, signs: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the labels of an array that says which rows are positive."""
        return np.asarray(self.classes)[signs.astype(np.intp)]
