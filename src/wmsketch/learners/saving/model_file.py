"""Models in files: versioned, checksummed, never a pickle, and never half written. docs/model-file.md has the bytes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, overload

from wmsketch.errors import ParameterError, ParameterTypeError
from wmsketch.learners.saving.atomic_file import write_atomically
from wmsketch.learners.saving.container import LENGTH_BYTES, LONGEST_HEADER, header_length, pack, unpack
from wmsketch.learners.saving.model_document import Saved, check_document, document_of, model_of
from wmsketch.learners.saving.saveable import Arrays, Saveable, has_begun, require_memory

FilePath = str | os.PathLike[str] | BinaryIO  # a path, or a file that is open for bytes

# A file is a safetensors file whose metadata is one JSON document. "checksum" is the first of its sorted keys, so
# that behind the 8 bytes of the header's length every model file begins with this text and then the checksum.
_START = b'{"__metadata__":{"wmsketch":"{\\"checksum\\":\\"'
_DIGITS = 64
_DIGITS_AT = LENGTH_BYTES + len(_START)


class NotSaved(ValueError):
    """The model was not saved, because it could not be loaded again."""


def save_model(model: Saveable, path: FilePath, note: Mapping[str, Any] | None = None) -> None:
    """Write a model to a file, whole or not at all: if writing fails, the old file stays as it was.

    What `load` would refuse is refused here too (NotSaved, a ValueError), before the old file is touched.
    Into an open file its bytes are written as they are. Equal models give equal bytes.
    ``note`` is stored with the model: a dict of JSON values.

    >>> import tempfile, wmsketch
    >>> model = wmsketch.AWMSketch("4KiB")
    >>> model.learn_one({"spam": 1.0}, True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, folder + "/spam.wms", note={"rows": 1})
    ...     load_model(folder + "/spam.wms").weight("spam") == model.weight("spam"), read_note(folder + "/spam.wms")
    (True, {'rows': 1})
    """
    _require_file(path, "write")
    data = model_bytes(model, note)
    try:
        model_of_bytes(data, type(model))
    except ValueError as problem:
        raise NotSaved(f"the model was not saved, because it could not be loaded again: {problem}") from problem
    if isinstance(path, (str, os.PathLike)):
        write_atomically(Path(path), data)
    else:
        path.write(data)


@overload
def load_model(path: FilePath) -> Any: ...
@overload
def load_model(path: FilePath, wanted: type[Saved]) -> Saved: ...
def load_model(path: FilePath, wanted: type[Any] = Saveable) -> Any:
    """Return the model in a file, of any class; it goes on learning as if it had never been saved.

    A file that is damaged, cut short, not a model, of a newer format or not of the class ``wanted`` is a ValueError.

    >>> import pathlib, tempfile, wmsketch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "spam.wms")
    ...     wmsketch.AWMSketch("8KiB").save(path)
    ...     wmsketch.load(path)
    AWMSketch(budget='8KiB')
    """
    name, data = _read(path)
    with _naming(name):
        document, arrays = _open(data)
        return model_of(document, arrays, len(data), wanted)


load = load_model  # as the package's own: wmsketch.load(path)


def model_of_bytes(data: bytes, wanted: type[Saved]) -> Saved:
    """Return the model of bytes that `model_bytes` made."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data must be bytes, got {type(data).__name__}")
    data = bytes(data)
    _require_model(data[:_DIGITS_AT], "the bytes")
    with _naming("the bytes"):
        document, arrays = _open(data)
        return model_of(document, arrays, len(data), wanted)


def read_note(path: FilePath) -> dict[str, Any]:
    """Return the note that a model was saved with, ``{}`` where there was none.

    >>> import pathlib, tempfile, wmsketch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "spam.wms")
    ...     wmsketch.AWMSketch("8KiB").save(path, note={"rows until": "2026-11-01"})
    ...     wmsketch.read_note(path)
    {'rows until': '2026-11-01'}
    """
    name, data = _read(path)
    with _naming(name):
        note: dict[str, Any] = _open(data)[0]["note"]
        return note


def model_bytes(model: Saveable, note: Mapping[str, Any] | None = None) -> bytes:
    """Return the bytes of a model's file."""
    if not isinstance(note, Mapping | None):
        raise ParameterTypeError("note", "must be a dict of JSON values", note)
    document, arrays = document_of(model, note or {})
    try:
        whole = {"checksum": "0" * _DIGITS, **document}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"note must be made of JSON values: {problem}") from problem
    data, begun = pack(arrays, {"wmsketch": text}), has_begun(arrays)
    del arrays  # each copy is as large as the model
    if not data.startswith(_START, LENGTH_BYTES) or header_length(data) > LONGEST_HEADER:
        raise ValueError("the note or the names of the columns are too long for a model file")
    if begun:
        require_memory(model.nbytes, len(data))
    data[_DIGITS_AT : _DIGITS_AT + _DIGITS] = hashlib.sha256(data).hexdigest().encode()
    return bytes(data)


def _read(path: FilePath) -> tuple[str, bytes]:
    """The name to call a file by, and its bytes; of a file that is no model only the first few are read."""
    _require_file(path, "read")
    if isinstance(path, (str, os.PathLike)):
        with Path(path).open("rb") as file:
            return os.fspath(path), _bytes_of(file, os.fspath(path))
    name = str(getattr(path, "name", "the bytes"))
    return name, _bytes_of(path, name)


def _require_file(path: Any, method: str) -> None:
    """Raise an error for anything else than the name of a file, or an open one."""
    if isinstance(path, (str, os.PathLike)):
        if not os.fspath(path):
            raise ParameterError("path", "must be a file, got an empty name")
    elif not callable(getattr(path, method, None)):
        raise ParameterTypeError("path", "must be a path or an open binary file", path)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like a model; the rest is not read."""
    with Path(path).open("rb") as file:
        return file.read(_DIGITS_AT).startswith(_START, LENGTH_BYTES)


def _bytes_of(file: BinaryIO, name: str) -> bytes:
    start = file.read(_DIGITS_AT)
    _require_model(start, name)
    return start + file.read()


def _require_model(start: bytes, name: str) -> None:
    if len(start) < _DIGITS_AT or not start.startswith(_START, LENGTH_BYTES):
        raise ValueError(f"{name}: not a wmsketch model: expected {_START[:28].decode()!r} at byte 8")


def _open(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Document and arrays of a file's bytes, after the checksum was verified."""
    stated = data[_DIGITS_AT : _DIGITS_AT + _DIGITS]
    blank = hashlib.sha256(data[:_DIGITS_AT] + b"0" * _DIGITS)
    blank.update(memoryview(data)[_DIGITS_AT + _DIGITS :])
    if blank.hexdigest().encode() != stated:
        got = stated.decode("ascii", "replace")
        raise ValueError(f"damaged or cut short: expected the checksum {blank.hexdigest()}, got {got!r}")
    metadata, arrays = unpack(data)
    text = metadata["wmsketch"]
    return check_document(json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)), arrays


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"expected numbers of JSON, got {word}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"expected finite numbers, got {text}")
    return number


@contextlib.contextmanager
def _naming(name: str) -> Any:
    """Turn any error about the content into one kind of error that names the file."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as problem:
        raise ValueError(f"{name}: {problem}") from problem
