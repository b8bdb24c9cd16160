"""What a model file can hold: any object that can describe its state and be rebuilt from it."""

from __future__ import annotations

import copy
import importlib
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, Self

Arrays = dict[str, Any]  # of numpy's, one dimension each
Document = tuple[dict[str, Any], dict[str, Any], Arrays]  # parameters, the rest of the JSON document, arrays

# An object may need more memory than its file has bytes (a heap's index, room for names not yet seen), but not
# without limit: a small file cannot ask for gigabytes.
_FREE_BYTES, _BYTES_FOR_EACH = 64 * 2**20, 64


class Saveable:
    """Saved, loaded, pickled and copied by way of one document.

    A class says what it is made of in `_document`: the constructor's parameters (JSON values, mappings and sequences of
    them), the rest of its state that JSON can hold (an object under the key ``config``), and arrays of one dimension.
    `_restore` makes an empty object of the class into that one again, and checks everything: a wrong value is a
    ValueError. Classes that `wmsketch.load` should find by their name stand in the list of ``wmsketch/__init__.py``.
    """

    @property
    def nbytes(self) -> int:
        """True bytes of all that stays or grows."""
        raise NotImplementedError

    def _document(self) -> Document:
        raise NotImplementedError

    def _restore(self, parameters: dict[str, Any], state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
        """Load the state in a document of ``n_bytes``; see `require_memory`."""
        raise NotImplementedError

    # --- files and bytes ---

    def save(self, path: str | os.PathLike[str] | BinaryIO, note: Mapping[str, Any] | None = None) -> None:
        """Write to a file, all or nothing, or to an open binary file; ``note`` is a dict of JSON values to keep.

        >>> import io
        >>> from wmsketch import AWMSketch
        >>> file = io.BytesIO()
        >>> AWMSketch("8KiB").save(file, note={"made by": "me"})
        >>> file.seek(0)
        0
        >>> AWMSketch.load(file)
        AWMSketch(budget='8KiB')
        """
        from wmsketch.learners.saving.model_file import save_model

        save_model(self, path, note)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | BinaryIO) -> Self:
        """Return what a file holds, which must be of this class; ``path`` may be an open binary file.

        >>> import pathlib, tempfile
        >>> from wmsketch import CountMin
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "counts.wms")
        ...     CountMin("4KiB").save(path)
        ...     CountMin.load(path).nbytes
        4096
        """
        from wmsketch.learners.saving.model_file import load_model

        return load_model(path, cls)

    def to_bytes(self, note: Mapping[str, Any] | None = None) -> bytes:
        """Return the bytes that `save` would write.

        >>> from wmsketch import AWMSketch
        >>> model = AWMSketch("8KiB")
        >>> model.to_bytes() == model.copy().to_bytes()
        True
        """
        from wmsketch.learners.saving.model_file import model_bytes

        return model_bytes(self, note)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what such bytes hold, which must be of this class.

        >>> from wmsketch import AWMSketch
        >>> AWMSketch.from_bytes(AWMSketch("8KiB").to_bytes())
        AWMSketch(budget='8KiB')
        """
        from wmsketch.learners.saving.model_file import model_of_bytes

        return model_of_bytes(data, cls)

    # --- copies ---

    def copy(self) -> Self:
        """Return an independent object in the same state.

        >>> from wmsketch import CountMin
        >>> monday = CountMin("4KiB")
        >>> tuesday = monday.copy()
        >>> tuesday.learn_one("tea")
        >>> monday.total, tuesday.total
        (0, 1)
        """
        return copy.copy(self)

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self).__new__(type(self))
        twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return twin

    def __getstate__(self) -> Any:
        return self._document()

    def __setstate__(self, state: Any) -> None:
        parameters, rest, arrays = state
        self._restore(parameters, rest, arrays, sum(array.nbytes for array in arrays.values()))


class OtherClass(ValueError):
    """A file holds an object of this package of another class than the one wanted."""

    def __init__(self, found: type, wanted: type) -> None:
        super().__init__(f"holds a model of the class {found.__name__}, expected {wanted.__name__}")
        self.found = found


def class_of(name: Any, wanted: type[Saveable]) -> Any:
    """Return the class that a file names: the one wanted, or one of this package, loaded if need be."""
    package = importlib.import_module("wmsketch")  # imported by its name, because it is above all layers
    name = package.todays_name(name)
    cls = wanted if name == wanted.__name__ else getattr(package, name) if package.module_of(name) else None
    if not isinstance(cls, type) or not issubclass(cls, Saveable):
        raise ValueError(f"holds a model of the class {name!r}, which this wmsketch does not know")
    if not issubclass(cls, wanted):
        raise OtherClass(cls, wanted)
    return cls


def memory_allowed(n_bytes: int) -> int:
    """The most memory that what a file of ``n_bytes`` holds may take."""
    return _FREE_BYTES + _BYTES_FOR_EACH * n_bytes


def texts_of(config: dict[str, Any], name: str) -> tuple[str, ...] | None:
    """Return a list of texts in a document; None if it has none.

    >>> texts_of({"left_out": ["id"]}, "left_out"), texts_of({}, "left_out")
    (('id',), None)
    """
    texts = config.get(name)
    if texts is not None and not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise ValueError(f"{name} must be a list of texts")
    return None if texts is None else tuple(texts)


def require_memory(needed: int, n_bytes: int) -> None:
    """Refuse an object that would take far more memory than ``n_bytes`` of a file can account for.

    >>> require_memory(10**9, 1000)
    Traceback (most recent call last):
        ...
    ValueError: a model of 1000000000 bytes cannot stand in a file of 1000: expected at most 67172864
    """
    allowed = memory_allowed(n_bytes)
    if needed > allowed:
        raise ValueError(f"a model of {needed} bytes cannot stand in a file of {n_bytes}: expected at most {allowed}")


def has_begun(arrays: Iterable[str]) -> bool:
    """Whether these arrays are those of a model that has taken its memory.

    A model that has seen few rows saves none, or only these rows, and takes its memory later.
    """
    return any(not name.startswith("held_") and name != "schema_state" for name in arrays)


def parameters_out(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them; a mapping (class_weight) as pairs, because its keys may be any label.

    >>> parameters_out({"seed": 1, "columns": ("a", "b"), "class_weight": {True: 2.0}})
    {'seed': 1, 'columns': ['a', 'b'], 'class_weight': {'pairs': [[True, 2.0]]}}
    """
    return {name: plain(name, value) for name, value in parameters.items()}


def parameters_in(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they were, sequences as tuples.

    >>> parameters_in({"seed": 1, "columns": ["a", "b"], "class_weight": {"pairs": [[True, 2.0]]}})
    {'seed': 1, 'columns': ('a', 'b'), 'class_weight': {True: 2.0}}
    """
    return {name: _given(value) for name, value in parameters.items()}


def plain(name: str, value: Any) -> Any:
    """One value as JSON has it, or an error that names it."""
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        import json  # only saving needs it

        pairs = [[plain(name, key), plain(name, entry)] for key, entry in value.items()]
        return {"pairs": sorted(pairs, key=json.dumps)}
    if isinstance(value, (list, tuple)):
        return [plain(name, entry) for entry in value]
    raise ValueError(f"{name} cannot be saved: it must be made of numbers, strings and None, got {value!r}")


def _given(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _given(entry) for key, entry in value["pairs"]}
    return tuple(_given(entry) for entry in value) if isinstance(value, list) else value
