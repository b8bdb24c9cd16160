"""A model as one JSON document and a dict of arrays, and back. The document is checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from wmsketch import _core
from wmsketch.learners.models.base import OnlineClassifier
from wmsketch.learners.rows.labels import Labels
from wmsketch.learners.saving.saveable import (
    Arrays,
    Document,
    Saveable,
    class_of,
    has_begun,
    parameters_in,
    parameters_out,
    plain,
    require_memory,
)
from wmsketch.learners.sizes.shapes import Shape
from wmsketch.methods import kinds_of_class
from wmsketch.readers import LabelNames, Schema

FORMAT, VERSION = "wmsketch model", 3

Saved = TypeVar("Saved", bound=Saveable)

# Attributes of the columns that scikit-learn's protocol keeps; a stream of mappings has none of them.
_COLUMNS = {"n_features_in": "n_features_in_", "feature_names_in": "feature_names_in_", "dense": "_columns"}
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_LABEL_TYPES = ("bool", *_INTEGERS, "float16", "float32", "float64", "str")
_KEYS = {"checksum", "class", "columns", "config", "format", "labels", "note", "parameters", "version"}


def document_of(model: Saveable, note: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
    """Return the document of a model file, without its checksum, and the arrays."""
    parameters, state, arrays = model._document()
    document = {
        "class": type(model).__name__,
        "columns": {},
        "config": None,
        "format": FORMAT,
        "labels": None,
        "note": dict(note),
        "parameters": parameters_out(parameters),
        "version": VERSION,
    }
    return {**document, **state}, arrays


def model_of(document: dict[str, Any], arrays: Arrays, n_bytes: int, wanted: type[Saved]) -> Saved:
    """Return the model of a checked document, whose file has ``n_bytes``."""
    cls = class_of(document["class"], wanted)
    state = {key: document[key] for key in ("columns", "config", "labels")}
    model: Saved = cls.__new__(cls)
    model._restore(parameters_in(document["parameters"]), state, arrays, n_bytes)
    return model


def document_of_classifier(model: OnlineClassifier) -> Document:
    """Return what a classifier is made of."""
    parameters = {**model.get_params(), "schema": Schema.of(model.schema).given() or None}
    if model.shuffle is None:  # younger than the format: files without it can be read by all versions
        del parameters["shuffle"]
    if model._started and hasattr(model.random_state, "random"):  # a generator that has drawn its number
        parameters["random_state"] = model._started_as["seed"]
    if model._started and model.n_iter_ > 1:  # the errors of weights depend on the passes that were made
        parameters["passes"] = model.n_iter_
    type(model)(**parameters_in(parameters_out(parameters))).check_parameters()  # or it could not be loaded again
    columns = {key: _column(getattr(model, name)) for key, name in _COLUMNS.items() if hasattr(model, name)}
    if not model._started:
        return parameters, {"columns": columns}, {}
    columns["named"] = model._native.named
    state = {"columns": columns, "config": model._started_as, "labels": _labels_out(model._labels)}
    return parameters, state, model._native.state()


def restore_classifier(model: OnlineClassifier, state: dict[str, Any], arrays: Arrays, n_bytes: int) -> None:
    """Load this state into a classifier that has its parameters and has learned nothing."""
    columns = dict(state["columns"])
    named = columns.pop("named", None)
    for key, value in columns.items():
        setattr(model, _COLUMNS[key], _column_in(key, value))
    config, labels = state.get("config"), state.get("labels")
    if (config is None) != (labels is None):
        raise ValueError("config and labels must both be there, or neither")
    if config is None:
        if arrays:
            raise ValueError(f"a model that has learned nothing must hold no arrays, got {sorted(arrays)}")
        return
    if not isinstance(config, dict):
        raise ValueError(f"config must be an object or null, got {json.dumps(config)[:80]}")
    model._labels = _labels_in(labels, model._labels_class())
    model._started_as = config
    model._native = _learner_of(model, config, named, arrays, n_bytes)


def check_document(document: Any) -> dict[str, Any]:
    """Return the document if it is one of ours, of a version that we read."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"not a wmsketch model: expected the format {FORMAT!r}")
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ValueError(f"written by a newer wmsketch (format {version}, this one reads {VERSION})")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(f"expected the format version {VERSION}, got {version!r}")
    if set(document) != _KEYS:
        raise ValueError(f"expected the keys {sorted(_KEYS)}, got {sorted(document)}")
    for key in ("columns", "note", "parameters"):
        if not isinstance(document[key], dict):
            raise ValueError(f"{key} must be an object, got {json.dumps(document[key])[:80]}")
    known = {*_COLUMNS, "named"}
    if unknown := set(document["columns"]) - known:
        raise ValueError(f"columns must hold {sorted(known)} only, got {sorted(unknown)}")
    return document


def require_memory_in_proportion(config: dict[str, Any], n_bytes: int) -> None:
    """Refuse a learner that would take far more memory than a file of ``n_bytes`` can account for."""
    _core.Config(**config)  # every number in its range, so that the sum below cannot overflow
    require_memory(_core.nbytes_of(**{name: config[name] for name in Shape.__match_args__}), n_bytes)


def _learner_of(model: OnlineClassifier, config: dict[str, Any], named: Any, arrays: Arrays, n_bytes: int) -> Any:
    cls = type(model)
    kinds = kinds_of_class(cls.kind)
    if config.get("kind") not in kinds:
        raise ValueError(f"the kind of a {cls.__name__} must be {' or '.join(kinds)}, got {config.get('kind')!r}")
    try:
        if has_begun(arrays):
            require_memory_in_proportion(cls._weights_config(config), n_bytes)
        has_names = bool(named)
        native = cls._native_of(config, has_names, model._column_rules())
    except TypeError:
        raise ValueError("config does not hold the sizes and the rule of a learner") from None
    native.load_state(arrays)
    unknown = set(arrays) - set(native.state())
    if unknown:
        raise ValueError(f"arrays that no {cls.__name__} has: {sorted(unknown)}")
    return native


def _column(value: Any) -> Any:
    return [str(name) for name in value] if isinstance(value, np.ndarray) else value


def _column_in(key: str, value: Any) -> Any:
    if key == "feature_names_in":
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ValueError("feature_names_in must be a list of strings")
        return np.asarray(value, dtype=object)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise ValueError(f"{key} must be a number of columns, got {value!r}")
    return value


def _labels_out(labels: Labels) -> dict[str, Any]:
    return {**_classes_out(labels), **({} if labels.names is None else {"names": list(labels.names)})}


def _classes_out(labels: Labels) -> dict[str, Any]:
    if labels._classes is None:
        return {"classes": None, "only_ones": labels._only_ones, "type": None}
    kind, other = (_label_type(label) for label in labels._classes)
    if kind != other or kind not in (None, *_LABEL_TYPES):
        raise ValueError(f"labels must be booleans, numbers or strings to be saved, got {labels._classes!r}")
    classes = [plain("the label", label) for label in labels._classes]
    return {"classes": classes, "only_ones": False, "type": kind}


def _names_in(saved: Any) -> LabelNames:
    text = (str, type(None))
    if not isinstance(saved, list) or len(saved) != 3 or not all(isinstance(name, text) for name in saved[:2]):
        raise ValueError("names must hold two labels and whether there are several negative ones")
    return LabelNames(saved[0], saved[1], bool(saved[2]))


def _label_type(label: Any) -> str | None:
    """The numpy type of a label; None for Python's own types."""
    if isinstance(label, np.str_):
        return "str"  # whatever its length
    return label.dtype.name if isinstance(label, np.generic) else None


def _labels_in(saved: Any, labels: Labels) -> Labels:
    if not isinstance(saved, dict) or set(saved) - {"names"} != {"classes", "only_ones", "type"}:
        raise ValueError("labels must hold classes, only_ones and type, and may hold names")
    if "names" in saved:
        labels.names = _names_in(saved["names"])
    classes, kind = saved["classes"], saved["type"]
    if not isinstance(saved["only_ones"], bool) or kind not in (None, *_LABEL_TYPES):
        raise ValueError(f"the type of the labels must be one of {_LABEL_TYPES}, got {kind!r}")
    labels._only_ones = saved["only_ones"]
    if classes is None:
        return labels
    plain = isinstance(classes, list) and all(isinstance(label, (bool, int, float, str)) for label in classes)
    if not plain or len(classes) != 2 or classes[0] == classes[1]:
        raise ValueError(f"classes must be two different labels, got {json.dumps(classes)[:80]}")
    if kind is not None:
        array = np.asarray(classes, dtype=kind)
        if array.tolist() != classes:
            raise ValueError(f"classes must be of the type {kind}, got {classes}")
        classes = list(array)
    labels._classes = (classes[0], classes[1])
    return labels
