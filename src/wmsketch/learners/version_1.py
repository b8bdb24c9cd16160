"""Files of the first format: there, a note of the command line held what is now the model's schema."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from wmsketch.learners.saveable import parameters_out
from wmsketch.readers import Schema

_LABELS = ("negative", "positive", "several_negatives")


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document of the first format as one of this format.

    Words of a text had their counts as values, and numbers were scaled where the note has scales.
    """
    note, labels = document["note"], document["labels"]
    columns = dict(document["columns"])
    if "reader" not in note:
        return document
    _check(note)
    reader = note["reader"]
    known = {field.name for field in fields(Schema)}
    rules = {name: rule for name, rule in reader.items() if name in known and (name, rule) != ("time", "now")}
    scales = note.get("number_scales")
    rules |= {"numbers": "raw" if scales is None else "scaled"}
    if rules.get("text"):
        rules["word_values"] = "counts"
    schema = _columns(note, scales or {})
    if schema:
        columns["schema"] = schema
    if note.get("named") is not None:
        columns["named"] = note["named"]
    if isinstance(labels, dict) and any(note.get("labels", {}).values()):
        labels = {**labels, "names": [note["labels"].get(name) for name in _LABELS]}
    parameters = {**document["parameters"], "schema": parameters_out({"schema": rules})["schema"]}
    return {**document, "columns": columns, "labels": labels, "parameters": parameters}


def _columns(note: dict[str, Any], scales: dict[str, Any]) -> list[tuple[str, str, tuple[float, ...] | None]]:
    kinds = {**note.get("seen_kinds", {}), **note.get("column_kinds", {})}
    for name in scales:
        kinds.setdefault(name, "number")
    return [(name, kind, tuple(map(float, scales[name])) if name in scales else None) for name, kind in kinds.items()]


def _check(note: dict[str, Any]) -> None:
    """Refuse a note that the command line has not written."""
    for name, rule, holds in (
        ("reader", "an object", _is_object),
        ("named", "true, false or null", lambda value: value is None or isinstance(value, bool)),
        ("column_kinds", "texts by column", _are_texts),
        ("seen_kinds", "texts by column", _are_texts),
        ("number_scales", "three numbers by column", _are_scales),
        ("labels", "labels by their class", _are_labels),
    ):
        if name in note and not holds(note[name]):
            raise ValueError(f"the note beside the model is damaged: {name} must be {rule}, got {str(note[name])[:80]}")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _are_texts(value: Any) -> bool:
    return _is_object(value) and all(isinstance(kind, str) for kind in value.values())


def _are_scales(value: Any) -> bool:
    def is_scale(scale: Any) -> bool:
        numbers = isinstance(scale, list) and len(scale) == 3 and all(type(part) in (int, float) for part in scale)
        return numbers and scale[0] >= 0 and scale[2] >= 0

    return value is None or (_is_object(value) and all(map(is_scale, value.values())))


def _are_labels(value: Any) -> bool:
    if not _is_object(value) or set(value) - set(_LABELS):
        return False
    texts = all(value.get(name) is None or isinstance(value[name], str) for name in ("negative", "positive"))
    return texts and isinstance(value.get("several_negatives", False), bool)
